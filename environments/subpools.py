"""Named parts of the pool: for training, for evaluation on unseen bricks, and for comparing pools of several sizes.

Which bricks each has is data (subpools.json), found once by `python -m environments.composition.choosing` with a seed,
so that an edited brick does not change who else is in. Bricks declared since then belong to `all` and `training`.
"""

import json
from functools import lru_cache
from pathlib import Path

from environments.errors import UnknownName
from environments.registry import Pool, pool

FILE = Path(__file__).with_name("subpools.json")
HELD_OUT = "heldout_40"


@lru_cache(maxsize=1)
def chosen() -> dict[str, tuple[str, ...]]:
    """The names of the bricks of every chosen part; those that are no longer in the pool are left out."""
    known = pool()
    parts = json.loads(FILE.read_text()) if FILE.exists() else {}
    return {name: tuple(each for each in names if each in known) for name, names in parts.items()}


def subpool_names() -> tuple[str, ...]:
    """Every name that `subpool` takes."""
    return ("all", "training", "everyday", *chosen())


@lru_cache(maxsize=64)
def subpool(name: str) -> Pool:
    """A part of the pool: `all`; `training`, which is all but the held-out; `everyday`; or a chosen one by name."""
    everything = pool()
    if name == "all":
        return everything
    if name == "training":
        held = set(chosen().get(HELD_OUT, ()))
        return everything.only(*[each for each in everything if each not in held])
    if name == "everyday":
        return everything.only(*[each for each, brick in everything.items() if brick.grade == "everyday"])
    if name not in chosen():
        raise UnknownName(f"expected a part of the pool ({', '.join(subpool_names())}), got {name!r}")
    return everything.only(*chosen()[name])
