"""Sets that are posed from a search of their own: every cell that they ask for can be filled."""

from itertools import islice

import pytest

from races.assets.catalog.recipes import PROBLEM_SETS, ProblemSet
from races.assets.defs.datasets.path_records import searched_paths
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import chunks
from races.environments.subpools import subpool

SEARCHED = [each for each in PROBLEM_SETS.values() if each.paths_from == "search"]
ASKED = [(each, o) for each in SEARCHED for o in ("sort", "select") if o in {operator for operator, _ in each.cells}]


@pytest.mark.parametrize(("purpose", "operator"), ASKED, ids=[f"{each.name}-{o}" for each, o in ASKED])
def test_every_order_that_a_set_asks_for_can_be_generated(purpose: ProblemSet, operator: str) -> None:
    records, own = searched_paths(purpose, operator, 1), set(subpool(purpose.sub_pool))
    for size in [size for asked, size in purpose.cells if asked == operator]:
        assert records[size], size
        supply = chunks(
            operator,
            size,
            "cells",
            records[size],
            "tags",
            50,
            purpose.sub_pool,
            purpose.levels,
            True,
            purpose.distractors_from,
        )
        problems = [
            each for chunk in islice(supply, 1 + 100 // len(records[size])) for each in generate_chunk(chunk).problems
        ]
        assert len(problems) >= 20, (size, len(problems))
        assert all(set(each.environments) <= own for each in problems)


def test_distractors_come_from_the_part_that_a_set_offers() -> None:
    purpose = PROBLEM_SETS["unseen_bricks"]
    records = searched_paths(purpose, "select", 1)[2]
    own, wide = (
        generate_chunk(
            next(chunks("select", 2, "offers", records, pool=purpose.sub_pool, fresh=True, distractors_from=offers))
        )
        for offers in ("", purpose.distractors_from)
    )
    assert not own.problems, "no brick of the part could stand in place of another"
    assert {name for each in wide.problems for name in each.distractors} - set(subpool(purpose.sub_pool))
