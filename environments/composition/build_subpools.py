"""How the named sub-pools are chosen; `python -m races.environments.composition.build_subpools` writes subpools.json.

Everything is seeded by names, so the same pool gives the same sub-pools.
"""

import json
from collections import Counter
from collections.abc import Sequence

from races.environments.composition.type_graph import type_graph
from races.environments.core import Environment
from races.environments.profile import profile
from races.environments.registry import pool
from races.environments.seeding import generator, uniform
from races.environments.subpools import DRAWN_FROM, FILE, HELD_OUT, SEED

CORE_SIZE, HELD_OUT_SIZE = 50, 40  # bricks
MAX_SWAPS = 1500  # of the hill climb to the core
# Bricks over a few digits, which a model of a million parameters can learn: to train on, and not to.
MICRO = (
    "barcode_with_check_digit",
    "digit_list",
    "every_second_digit_doubled",
    "last_digits",
    "number_from_digits",
    "parity_bits",
)
# Those that the smallest model learns within a minute.
QUICK = ("every_second_digit_doubled", "last_digits", "number_from_digits", "parity_bits")
MICRO_UNSEEN = (
    "competition_ranks",
    "digit_sum",
    "interleave_halves",
    "neighbour_sum_digits",
    "reversed_digits",
    "running_totals",
    "turned_by_first_digit",
)


def held_out(bricks: Sequence[Environment], count: int = HELD_OUT_SIZE) -> list[str]:
    """Bricks never to train on, whose themes and types are spread as the pool's.

    Drawn one at a time: each time from the theme that is furthest below its share, the brick whose domain and codomain
    are furthest below theirs. What is left must still be one strongly connected component.
    """
    themes = Counter(brick.theme for brick in bricks)
    kinds = Counter(name for brick in bricks for name in (brick.domain.name, brick.codomain.name))
    chosen: list[Environment] = []
    taken_themes: Counter[str] = Counter()
    taken_kinds: Counter[str] = Counter()

    def lack(brick: Environment) -> tuple[float, float, float]:
        theme = taken_themes[brick.theme] / themes[brick.theme]
        kind = taken_kinds[brick.domain.name] / kinds[brick.domain.name]
        kind += taken_kinds[brick.codomain.name] / kinds[brick.codomain.name]
        return theme, kind, uniform(SEED, "held out", brick.name)

    for brick in iter(lambda: min((b for b in bricks if b not in chosen), key=lack), None):
        chosen.append(brick)
        taken_themes[brick.theme] += 1
        taken_kinds.update((brick.domain.name, brick.codomain.name))
        if len(chosen) == count:
            break
    return sorted(brick.name for brick in chosen)


def core(bricks: Sequence[Environment], count: int = CORE_SIZE) -> list[str]:
    """A small pool that composes well: one large component, many types and themes, no brick that loses variety.

    Found by hill climbing: a swap of two bricks is kept where it makes the pool no worse.
    """
    varied = [brick for brick in bricks if not brick.terminal and _varied(brick)]
    rng = generator(SEED, "core")
    inside = rng.sample(varied, count)
    best = _score(inside)
    for _ in range(MAX_SWAPS):
        place, candidate = rng.randrange(count), rng.choice(varied)
        if candidate in inside:
            continue
        swapped = [*inside[:place], candidate, *inside[place + 1 :]]
        score = _score(swapped)
        if score >= best:
            inside, best = swapped, score
    return sorted(brick.name for brick in inside)


def _varied(brick: Environment) -> bool:
    """Whether a brick keeps the variety of its input and is not its own repetition."""
    measured = profile(brick)
    return measured["top_share"] <= 0.2 and measured["identity"] <= 0.05 and not measured["idempotent"]


def _score(bricks: Sequence[Environment]) -> tuple[int, int, int]:
    """Types in the largest component, types in all, themes; the pairs that fit break ties."""
    graph = type_graph(bricks)
    kinds = {name for brick in bricks for name in (brick.domain.name, brick.codomain.name)}
    return len(graph.components()[0]) * 2 + len(kinds), len({brick.theme for brick in bricks}), graph.edges


def choose() -> dict[str, list[str]]:
    """Every chosen sub-pool of today's pool."""
    bricks = list(pool().values())
    held = held_out(bricks)
    rest = [brick for brick in bricks if brick.name not in held]
    micro = [name for name in MICRO if name not in held]
    chosen = {HELD_OUT: held, "core_50": core(rest), "micro": micro, "micro_unseen": [*MICRO_UNSEEN]}
    quick = [name for name in QUICK if name not in held]
    return chosen | {"quick": quick, DRAWN_FROM: sorted(brick.name for brick in rest)}


if __name__ == "__main__":
    FILE.write_text(json.dumps(choose(), indent=1) + "\n")
