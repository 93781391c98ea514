"""Look at a brick: python -m races.environments [name] [--level 3] [--seed 0]; without a name, at the whole pool."""

import argparse
import sys
from collections.abc import Sequence

from races.environments.composition.path import find
from races.environments.errors import RacesError
from races.environments.operators import single
from races.environments.registry import pool
from races.environments.seeding import generator
from races.environments.terminal import visible
from races.environments.types import LEVELS


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a brick with a problem of it, or the pool by themes; 1 with a message on stderr where that fails."""
    parser = argparse.ArgumentParser(
        prog="python -m races.environments", description="Look at a brick, or at the pool."
    )
    parser.add_argument("name", nargs="?", help='a brick such as digit_sum, or a composite such as "(a > b)"')
    parser.add_argument("--level", type=int, choices=LEVELS, default=3)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    try:
        print(visible(brick_text(asked.name, asked.level, asked.seed) if asked.name else pool_text()))
    except RacesError as error:
        print(visible(f"error: {error}"), file=sys.stderr)
        return 1
    return 0


def brick_text(name: str, level: int, seed: int) -> str:
    """A brick's signature and fingerprint, a problem of it as a model sees it, and the answer."""
    brick = find(name)
    problem = single.pose(brick, generator("show", brick.name, level, seed), level)
    head = f"{brick.name}: {brick.domain} -> {brick.codomain}\ntheme {brick.theme}, fingerprint {brick.fingerprint}"
    return f"{head}\n\n{problem.prompt}\n\n{problem.answer} (steps: {problem.steps})"


def pool_text() -> str:
    """Every brick with its signature, theme by theme."""
    bricks = sorted(pool().values(), key=lambda each: (each.theme, each.name))
    themes = {each.theme: [one for one in bricks if one.theme == each.theme] for each in bricks}
    lines = []
    for theme, members in themes.items():
        lines += ["", theme, *[f"  {each.name}: {each.domain} -> {each.codomain}" for each in members]]
    return "\n".join([f"{len(bricks)} bricks in {len(themes)} themes", *lines])


if __name__ == "__main__":
    sys.exit(main())
