"""Named sub-pools: for training, for evaluation on unseen bricks, and for comparing pools of several sizes.

Which bricks each has is data (subpools.json), chosen once, with a seed, by
`python -m races.environments.composition.build_subpools`, so that an edited brick does not change which others are in.
Bricks declared since then belong to `all` and `training`.

Random sub-pools are for comparing sizes. A draw is an order of the bricks in `random_all`, and its first 50, 100, ...
300 are nested sub-pools: `random_150` of draw 0, `random_150_07` of draw 7, and so on. Fifty draws beside draw 0 show
how much a result depends on which bricks were drawn.
The file that RACES_RECIPES names may declare further sub-pools.
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
SEED = "parts of the pool"  # an older word for sub-pools, which the random ones are seeded by
DRAWN_FROM = "random_all"
SIZES = (50, 100, 150, 200, 250, 300)  # bricks of the random sub-pools
DRAWS = 50  # beside draw 0
AD_HOC = "+"  # stands before each name in the name of a sub-pool of listed bricks: "+digit_sum+divisors"


@lru_cache(maxsize=1)
def _stored() -> dict[str, tuple[str, ...]]:
    """The content of the file, including bricks that are no longer in the pool."""
    subpools = json.loads(FILE.read_text()) if FILE.exists() else {}
    return {name: tuple(names) for name, names in subpools.items()}


@lru_cache(maxsize=1)
def explicit_subpools() -> dict[str, tuple[str, ...]]:
    """The names of the bricks of every sub-pool that is a list of names; bricks that left the pool are left out."""
    known = pool()
    found = {name: tuple(each for each in names if each in known) for name, names in _stored().items()}
    for name, entry in entries("sub_pools", taken={"all", "training", "everyday", *found, *random_subpools()}).items():
        entry.checked({"bricks": list})
        bricks = entry.listed("bricks", str)
        try:
            found[name] = tuple(known.only(*bricks))
        except RacesError as error:
            raise entry.error(error) from error
    return found


@lru_cache(maxsize=1)
def random_subpools() -> dict[str, tuple[int, int]]:
    """The draw and the size of every random sub-pool, by name."""
    if DRAWN_FROM not in _stored():
        return {}
    first = {f"random_{size:03d}": (0, size) for size in SIZES}
    return first | {f"random_{size:03d}_{draw:02d}": (draw, size) for draw in range(1, DRAWS + 1) for size in SIZES}


@lru_cache(maxsize=DRAWS + 1)
def _order(draw: int) -> tuple[str, ...]:
    """The bricks of `random_all` in the order of a draw, which depends on their names alone."""
    purpose = ("nested", draw) if draw else ("nested",)
    return tuple(sorted(_stored()[DRAWN_FROM], key=lambda name: uniform(SEED, *purpose, name)))


def subpool_names() -> tuple[str, ...]:
    """Every name that `subpool` takes."""
    return ("all", "training", "everyday", *explicit_subpools(), *random_subpools())


@lru_cache(maxsize=64)
def subpool(name: str) -> Pool:
    """A sub-pool by its name: `all`; `training`, all but the held-out bricks; `everyday`; an explicit or random one.

    "+digit_sum+divisors" names the bricks themselves.
    """
    everything = pool()
    if name.startswith(AD_HOC):
        return everything.only(*name[1:].split(AD_HOC))
    if name == "all":
        return everything
    if name == "training":
        held = set(explicit_subpools().get(HELD_OUT, ()))
        return everything.only(*[each for each in everything if each not in held])
    if name == "everyday":
        return everything.only(*[each for each, brick in everything.items() if brick.grade == "everyday"])
    if name in random_subpools():
        draw, size = random_subpools()[name]
        return everything.only(*[each for each in _order(draw)[:size] if each in everything])
    if name not in explicit_subpools():
        known = ", ".join(("all", "training", "everyday", *explicit_subpools()))
        sizes = ", ".join(f"{size:03d}" for size in SIZES)
        drawn = f"random_NNN or random_NNN_DD, where NNN is one of {sizes} and DD a draw from 01 to {DRAWS}"
        raise UnknownName(f"expected a sub-pool ({known}, or {drawn}), got {name!r}")
    return everything.only(*explicit_subpools()[name])
