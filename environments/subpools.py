"""Named parts of the pool: for training, for evaluation on unseen bricks, and for comparing pools of several sizes.

Which bricks each has is data (subpools.json), found once, with a seed, by
`python -m races.environments.composition.build_subpools`, so that an edited brick does not change who else is in.
Bricks declared since then belong to `all` and `training`.

Random parts are for comparing sizes. A draw is an order of the bricks in `random_all`, and its first 50, 100, ... 300
are nested parts: `random_150` of the draw 0, `random_150_07` of the draw 7, and so on. Fifty draws beside the draw 0
show how much a result depends on which bricks were drawn.
The file that RACES_RECIPES names may declare further parts.
"""

import json
from functools import lru_cache
from pathlib import Path

from races.environments.errors import RacesError, UnknownName
from races.environments.registry import Pool, pool
from races.environments.seeding import uniform
from races.environments.user_config import entries

FILE = Path(__file__).with_name("subpools.json")
HELD_OUT = "heldout_40"
SEED = "parts of the pool"
DRAWN_FROM = "random_all"
SIZES = (50, 100, 150, 200, 250, 300)  # of the random parts
DRAWS = 50  # beside the draw 0


@lru_cache(maxsize=1)
def _written() -> dict[str, tuple[str, ...]]:
    """What the file holds, bricks included that are no longer in the pool."""
    parts = json.loads(FILE.read_text()) if FILE.exists() else {}
    return {name: tuple(names) for name, names in parts.items()}


@lru_cache(maxsize=1)
def chosen() -> dict[str, tuple[str, ...]]:
    """The names of the bricks of every chosen part; those that are no longer in the pool are left out."""
    known = pool()
    found = {name: tuple(each for each in names if each in known) for name, names in _written().items()}
    for name, entry in entries("parts", taken={"all", "training", "everyday", *found, *random_parts()}).items():
        entry.checked({"bricks": list})
        bricks = entry.listed("bricks", str)
        try:
            found[name] = tuple(known.only(*bricks))
        except RacesError as error:
            raise entry.error(error) from error
    return found


@lru_cache(maxsize=1)
def random_parts() -> dict[str, tuple[int, int]]:
    """The draw and the size of every random part, by name."""
    if DRAWN_FROM not in _written():
        return {}
    first = {f"random_{size:03d}": (0, size) for size in SIZES}
    return first | {f"random_{size:03d}_{draw:02d}": (draw, size) for draw in range(1, DRAWS + 1) for size in SIZES}


@lru_cache(maxsize=DRAWS + 1)
def _order(draw: int) -> tuple[str, ...]:
    """The bricks of `random_all` in the order of a draw, which names alone decide."""
    purpose = ("nested", draw) if draw else ("nested",)
    return tuple(sorted(_written()[DRAWN_FROM], key=lambda name: uniform(SEED, *purpose, name)))


def subpool_names() -> tuple[str, ...]:
    """Every name that `subpool` takes."""
    return ("all", "training", "everyday", *chosen(), *random_parts())


@lru_cache(maxsize=64)
def subpool(name: str) -> Pool:
    """A part of the pool: `all`; `training`, all but the held-out; `everyday`; a chosen or a random one by name."""
    everything = pool()
    if name == "all":
        return everything
    if name == "training":
        held = set(chosen().get(HELD_OUT, ()))
        return everything.only(*[each for each in everything if each not in held])
    if name == "everyday":
        return everything.only(*[each for each, brick in everything.items() if brick.grade == "everyday"])
    if name in random_parts():
        draw, size = random_parts()[name]
        return everything.only(*[each for each in _order(draw)[:size] if each in everything])
    if name not in chosen():
        known = ", ".join(("all", "training", "everyday", *chosen()))
        sizes = ", ".join(f"{size:03d}" for size in SIZES)
        drawn = f"random_NNN or random_NNN_DD, where NNN is one of {sizes} and DD a draw from 01 to {DRAWS}"
        raise UnknownName(f"expected a part of the pool ({known}, or {drawn}), got {name!r}")
    return everything.only(*chosen()[name])
