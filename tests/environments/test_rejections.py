"""Which paths SORT and SELECT reject, and why."""

import json
from random import Random

import pytest

from races.environments import Environment, get
from races.environments.composition.frontier import CompatibleBricks
from races.environments.composition.path import Path
from races.environments.errors import SettingError
from races.environments.isolation.guard import Guard
from races.environments.operators import (
    Problem,
    Rejected,
    parallel,
    select,
    sort,
)
from races.environments.registry import Pool
from tests.support import bricks_for_tests as declared
from tests.support.operator_rows import FIVE, SEVEN, THREE, TWO, of, path_of


def reason_of(problem: Problem | Rejected) -> str:
    assert isinstance(problem, Rejected), problem
    return problem.reason


def only(*bricks: Environment) -> CompatibleBricks:
    return CompatibleBricks({brick.name: brick for brick in bricks}, "subtype")


def test_sort_rejects_what_types_give_away() -> None:
    forced = path_of(17, TWO, declared.said)
    assert reason_of(sort.pose(forced, Random("r"), 1, 9)) == "the order is forced by the types"


def test_sort_rejects_a_path_of_which_every_order_is_right() -> None:
    assert reason_of(sort.pose(path_of(17, TWO, THREE), Random("r"), 1, 9)) == "too many orders are right"
    assert reason_of(sort.pose(path_of(17, TWO, THREE, FIVE), Random("r"), 1, 9)) == "too many orders are right"
    assert isinstance(sort.pose(path_of(17, TWO, SEVEN), Random("r"), 1, 9), Problem)


def test_sort_rejects_a_path_of_which_few_orders_are_feasible() -> None:
    few = path_of(17, TWO, SEVEN, declared.said)
    assert reason_of(sort.pose(few, Random("r"), 1, 9)) == "too few orders are feasible"


def test_sort_rejects_too_few_and_too_many_steps() -> None:
    assert reason_of(sort.pose(path_of(17, TWO), Random("r"), 1, 9)) == "expected 2 to 8 steps, got 1"
    nine = Path(17, (TWO,) * 9, tuple(range(19, 37, 2)))
    assert reason_of(sort.pose(nine, Random("r"), 1, 9)) == "expected 2 to 8 steps, got 9"


def test_select_rejects_what_one_operation_does_alone() -> None:
    problem = select.pose(path_of(17, TWO, THREE), only(TWO, THREE, FIVE), Random("r"), 1, 9)
    assert reason_of(problem) == "one operation alone gives the output"


def test_select_rejects_a_path_where_many_sequences_are_right() -> None:
    path = path_of(17, TWO, THREE, FIVE)
    problem = select.pose(path, only(TWO, THREE, FIVE, declared.said_if_small), Random("r"), 1, 9)
    assert reason_of(problem) == "too many sequences are right"


def test_select_rejects_a_path_without_distractors_and_one_of_one_step() -> None:
    assert (
        reason_of(select.pose(path_of(17, TWO, SEVEN), only(TWO, SEVEN), Random("r"), 1, 9))
        == "nothing else fits the path's states"
    )
    assert "expected 2 steps or more" in reason_of(select.pose(path_of(17, TWO), only(TWO, SEVEN), Random("r"), 1, 9))


def test_a_terminal_brick_with_several_answers_ends_no_sort_and_no_select() -> None:
    path = path_of(17, TWO, declared.some_divisor)
    assert "several outputs" in reason_of(sort.pose(path, Random("r"), 1, 9))
    assert "several outputs" in reason_of(select.pose(path, only(TWO, THREE, FIVE, SEVEN), Random("r"), 1, 9))


def test_parallel_needs_two_environments() -> None:
    with pytest.raises(SettingError, match="expected at least two environments in parallel, got 1"):
        parallel.pose([get("digit_sum")], Random("r"), 1)


def test_every_sort_and_select_problem_has_a_right_answer_that_was_counted(rows: list[Problem]) -> None:
    for row in of("sort", rows):
        assert row.valid_answers >= 1
    for row in of("select", rows):
        assert row.valid_answers >= 1 or row.shortest == 0, "0 where not counted"
        assert row.chance > 0 or row.valid_answers == 0


def test_sort_rejects_a_path_that_takes_more_steps_than_a_scorer_allows(wider_pool: Pool, guard: Guard) -> None:
    path = path_of(300, declared.laborious, SEVEN, steps=5_000)
    problem = sort.pose(path, Random("r"), 1, 1_300)
    assert isinstance(problem, Rejected) or sort.score(json.loads(problem.truth), problem.answer, guard).value == 1.0
