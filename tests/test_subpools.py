"""The named parts of the pool, and that what is held out is trained on nowhere."""

from itertools import islice, pairwise

import pytest

from environments.composition.choosing import CORE, HELD, choose
from environments.composition.frontier import SearchSettings
from environments.composition.type_graph import type_graph
from environments.errors import UnknownName
from environments.operators.factory import FROM_POOL, chunks, pose_chunk
from environments.registry import pool
from environments.subpools import HELD_OUT, chosen, subpool, subpool_names


def test_every_part_is_of_the_pool_and_nested_ones_hold_one_another() -> None:
    for name in subpool_names():
        assert set(subpool(name)) <= set(pool())
    nested = [set(subpool(name)) for name in chosen() if name.startswith("random_")]
    assert [len(each) for each in nested] == [50, 100, 150, 200, 250, 300]
    assert all(small < large for small, large in pairwise(nested))


def test_what_is_held_out_is_in_no_part_that_is_trained_on() -> None:
    held = set(subpool(HELD_OUT))
    assert len(held) == HELD
    assert SearchSettings().pool == "training"
    for name in subpool_names():
        if name not in ("all", "everyday", "micro_unseen", HELD_OUT):
            assert not held & set(subpool(name)), name
    for operator in FROM_POOL:
        posed = [
            p
            for c in islice(chunks(operator, 1 if operator == "single" else 4, "test", []), 10)
            for p in pose_chunk(c).problems
        ]
        assert not held & {name for problem in posed for name in problem.environments}


def test_the_core_is_small_and_nearly_all_its_types_reach_one_another() -> None:
    components = type_graph(subpool("core_50")).components()
    assert len(subpool("core_50")) == CORE
    assert len(components[0]) >= 31


def test_the_parts_are_those_that_the_script_chooses_today() -> None:
    assert {name: list(names) for name, names in chosen().items()} == choose()


def test_an_unknown_part_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="core_50"):
        subpool("core_5")
