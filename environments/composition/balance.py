"""How evenly a search uses the bricks, and weights that even it out: a few hub types would otherwise do most work."""

import math
from collections.abc import Mapping, Sequence

from races.environments.core import Environment

ROUNDS = 30  # of correction; the spread of expected use changes little after that
WALK_LENGTH = 4  # steps of a walk through the types; a longer one hardly depends on where it began


def even_weights(compatible: Mapping[str, Sequence[Environment]]) -> dict[str, float]:
    """A weight for each brick under which walks from every brick's answer would use the bricks about equally.

    compatible: for the name of each type the bricks that take a value of it. The weights depend on names and signatures
    alone, so that an edited brick changes no draw among the others.
    """
    bricks = {brick.name: brick for some in compatible.values() for brick in some}
    weights = dict.fromkeys(sorted(bricks), 1.0)
    for _ in range(ROUNDS):
        use = _expected_use(compatible, weights, bricks)
        mean = sum(use.values()) / len(use)
        weights = {name: weight * (mean / use[name]) ** 0.5 for name, weight in weights.items()}
        largest = max(weights.values())
        # A floor, so that a brick whose type is hardly ever met does not crowd out all others where it is.
        weights = {name: max(weight / largest, 0.002) for name, weight in weights.items()}
    # Powers of two: one brick more in the pool then changes few weights, and with them few draws.
    return {name: 2.0 ** round(math.log2(weight)) for name, weight in weights.items()}


def _expected_use(
    compatible: Mapping[str, Sequence[Environment]], weights: Mapping[str, float], bricks: Mapping[str, Environment]
) -> dict[str, float]:
    """How often a walk uses each brick, in expectation; walks begin at the answers of all bricks alike."""
    at: dict[str, float] = {}
    for brick in bricks.values():
        at[brick.codomain.name] = at.get(brick.codomain.name, 0.0) + 1 / len(bricks)
    use = dict.fromkeys(weights, 1e-9)
    for _ in range(WALK_LENGTH):
        after: dict[str, float] = {}
        for kind, presence in at.items():
            following = compatible.get(kind, ())
            total = sum(weights[brick.name] for brick in following)
            for brick in following:
                share = presence * weights[brick.name] / total
                use[brick.name] += share
                if not brick.terminal:
                    after[brick.codomain.name] = after.get(brick.codomain.name, 0.0) + share
        at = after
    return use


def evenness(counts: Mapping[str, int], of: int) -> float:
    """How evenly counts are spread over so many names: entropy by its largest value, 1 where all are alike (Pielou)."""
    total = sum(counts.values())
    if of < 2 or not total:
        return 0.0
    return -sum(count / total * math.log(count / total) for count in counts.values() if count) / math.log(of)
