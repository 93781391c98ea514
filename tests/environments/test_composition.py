"""Composites are environments again."""

import json
import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from races.environments import Environment, OutOfDomain, get, pool
from races.environments.composition.frontier import CompatibleBricks, Found
from races.environments.composition.path import Path, compose, find, trace
from races.environments.errors import DeclarationError, InvalidValue, RacesError, UnknownName
from races.environments.execution import Outcome, Status, run
from races.environments.operators import Problem, parallel, score, select, sequential, single, sort
from races.environments.registry import Pool
from races.environments.types import LEVELS
from tests.support import bricks_for_tests as declared

TWO, THREE, FIVE, SEVEN = declared.plus_two, declared.plus_three, declared.plus_five, declared.times_seven
both = pytest.mark.parametrize("matching", ["exact", "subtype"])


@pytest.fixture(scope="module")
def composites(found: list[Found]) -> list[Environment]:
    """Composites of the found paths, and composites of composites."""
    answered = [each for each in found if each.health is not None and each.health.alive >= 0.8]
    made = [compose(*each.path.environments) for each in answered[::12]]
    for each in answered[5::12]:
        bricks = each.path.environments
        if len(bricks) >= 4:
            made.append(compose(compose(*bricks[:2]), compose(*bricks[2:])))
    return made


# What does not compose


def test_what_does_not_compose_says_why() -> None:
    number, text = get("digit_sum"), declared.spaces
    cases: list[tuple[tuple[Environment, ...], str]] = [
        ((), "expected at least two environments to compose, got 0"),
        ((number,), "expected at least two environments to compose, got 1"),
        ((number, text), "digit_sum gives .*, which does not fit Text, the domain of spaces"),
        ((number, number, text), "digit_sum gives .*, which does not fit Text, the domain of spaces"),
        ((declared.stopped_early, number), "stopped_early may only be the last step, so digit_sum cannot follow it"),
        ((declared.some_divisor, TWO), "some_divisor may only be the last step, so plus_two cannot follow it"),
        ((TWO, compose(TWO, declared.some_divisor), TWO), "may only be the last step"),
    ]
    for bricks, reason in cases:
        with pytest.raises(DeclarationError, match=reason):
            compose(*bricks)


def test_a_subtype_goes_where_its_supertype_is_taken() -> None:
    assert declared.spaces.codomain is not TWO.domain
    assert compose(declared.spaces, TWO).codomain.name == "Nat"


# A composite keeps the contract of a brick


def test_a_composite_has_the_interface_of_a_brick(composites: list[Environment]) -> None:
    for each in composites:
        assert each.domain is each.parts[0].domain
        assert each.codomain is each.parts[-1].codomain
        assert each.name == re.sub(r"\s+", " ", each.name)
        assert re.fullmatch(r"[0-9a-f]{16}", each.fingerprint)
        assert each.statement.endswith(".")
        assert all(part.statement in each.statement for part in each.parts)
        assert not any(part.name in each.statement for part in each.parts if "_" in part.name)


def test_a_composite_gives_what_its_parts_give_one_after_another(composites: list[Environment]) -> None:
    for each in composites:
        for level in LEVELS:
            x = each.sample(Random(f"{each.name} {level}"), level)
            outcome, one, steps = run(each, x), Outcome(Status.DONE, x), 0
            for part in each.parts:
                if one.done:
                    one = run(part, one.value)
                    steps += one.steps
            assert (outcome.status, outcome.steps) == (one.status, steps)
            if outcome.done:
                value = outcome.value
                assert value == one.value == each(x)
                text = each.codomain.dumps(value)
                assert each.verify(text, value, x)
                assert not each.verify("nothing", value, x)
                assert each.domain.dumps(x) in each.describe(x)


def test_a_composite_repeats_itself_and_mostly_runs_on_its_own_samples(composites: list[Environment]) -> None:
    done = total = 0
    for each in composites:
        once, twice = ([each.sample(Random(f"again {each.name} {level}"), level) for level in LEVELS] for _ in range(2))
        assert once == twice
        done, total = done + sum(run(each, x).done for x in once), total + len(once)
    assert done >= 0.9 * total


def test_a_composite_refuses_what_a_part_refuses_and_what_leaves_the_bounds() -> None:
    chain = compose(declared.squared, declared.squared)
    assert chain(30) == 810_000
    with pytest.raises(OutOfDomain, match="the result of squared leaves the bounds of Nat"):
        chain(40)
    assert run(chain, 40).status is Status.OUTSIDE
    with pytest.raises(OutOfDomain, match="the number is odd"):
        compose(declared.refuses_odd, TWO)(5)
    assert run(compose(declared.refuses_odd, TWO), 5) == Outcome(Status.REFUSED, None, 2, "the number is odd")
    with pytest.raises(InvalidValue):
        chain(-1)
    assert run(chain, -1).status is Status.MISTYPED


def test_a_composite_changes_its_fingerprint_with_any_part_and_with_its_order() -> None:
    chain = compose(TWO, compose(THREE, SEVEN))
    other = replace(SEVEN, statement="Multiply the number by seven.")
    different = [
        compose(TWO, compose(THREE, other)),
        compose(TWO, THREE, SEVEN),
        compose(TWO, compose(SEVEN, THREE)),
        TWO,
    ]
    assert chain.fingerprint == compose(TWO, compose(THREE, SEVEN)).fingerprint
    assert len({each.fingerprint for each in [chain, *different]}) == 5


def test_the_numbers_in_a_nested_statement_follow_its_parts() -> None:
    statement = compose(TWO, compose(THREE, compose(FIVE, SEVEN))).statement
    assert re.findall(r"\(([\d.]+)\)", statement) == ["1", "2", "2.1", "2.2", "2.2.1", "2.2.2"]


def test_a_name_brings_back_the_composite(composites: list[Environment]) -> None:
    for each in composites:
        again = find(each.name)
        assert (again.name, again.fingerprint, again.statement) == (each.name, each.fingerprint, each.statement)
        x = each.sample(Random("find"), 2)
        assert run(again, x) == run(each, x)


@pytest.mark.parametrize(
    "name", ["", "(", ")", "()", "(digit_sum >)", "(> digit_sum)", "no_such", "(digit_sum > no_such)"]
)
def test_a_name_of_nothing_is_unknown(name: str) -> None:
    with pytest.raises(UnknownName):
        find(name)


def test_any_text_is_a_name_or_a_mistake_of_the_caller() -> None:
    rng = Random("names")
    for _ in range(3_000):
        text = "".join(rng.choice(["(", ")", ">", " ", "digit_sum", "x", " > "]) for _ in range(rng.randint(0, 9)))
        try:
            found = find(text)
        except RacesError:
            continue
        assert {part.name for part in found.parts} == {"digit_sum"}


def test_the_pool_is_a_mapping_that_says_what_was_perhaps_meant() -> None:
    assert pool().get("no_such_brick") is None
    assert pool().get("digit_sum") is get("digit_sum")
    assert "no_such_brick" not in pool()
    with pytest.raises(UnknownName, match="the pool has no brick 'digit_sums': did you mean digit_sum"):
        get("digit_sums")
    assert list(pool()) == sorted(pool())
    with pytest.raises(DeclarationError, match="expected one brick 'plus_two', got two"):
        Pool([TWO, replace(TWO)])


# Recursion: composites of composites of composites, in problems of every operator


@pytest.fixture(scope="module")
def deep(found: list[Found]) -> list[tuple[Environment, Environment, Any, int]]:
    """Pairs of environments of depth 2 that mostly run one after the other, with an input on which they do."""
    pairs = []
    for each in found:
        bricks = each.path.environments
        if len(bricks) == 6 and each.health is not None and each.health.alive >= 0.8:
            first = compose(compose(*bricks[:2]), bricks[2])
            second = compose(bricks[3], compose(*bricks[4:]))
            pairs.append((first, second, each.path.start, each.level))
    assert len(pairs) >= 10
    return pairs[:20]


def depth(each: Environment) -> int:
    return 1 + max(map(depth, each.composed_of)) if each.composed_of else 0


def right(row: Problem) -> float:
    return score(row.truth, row.answer).value


def test_composites_of_depth_three_make_problems_and_are_scored_like_bricks(
    deep: list[tuple[Environment, Environment, Any, int]],
) -> None:
    for first, second, x, level in deep:
        whole = compose(first, second)
        assert depth(whole) == 3
        again = find(whole.name)
        assert (again.fingerprint, depth(again)) == (whole.fingerprint, 3)
        row = single.pose(whole, Random(whole.name), level, drawn=(x, run(whole, x)))
        assert right(row) == 1.0
        assert all(part.statement in row.prompt for part in whole.parts)
        assert right(parallel.pose([get("digit_sum"), whole, first, second], Random(whole.name), level, "boxed")) == 1.0
        path, outcome = trace([first, second], x)
        assert path is not None
        row = sequential.pose(path, level, outcome.steps)
        assert (right(row), row.size, json.loads(row.truth)["answers"]) == (1.0, 2, list(path.states[1:]))
        assert compose(*path.environments).name == whole.name


def test_composites_are_sorted_and_selected_like_bricks(
    deep: list[tuple[Environment, Environment, Any, int]], offers: CompatibleBricks
) -> None:
    count = 0
    for first, second, x, level in deep:
        path, outcome = trace([first, second], x)
        assert path is not None
        rows = [
            sort.pose(path, Random("r"), level, outcome.steps),
            select.pose(path, offers, Random("r"), level, outcome.steps),
        ]
        for row in rows:
            if isinstance(row, Problem):
                count += 1
                assert right(row) == 1.0
                assert row.environments == (first.name, second.name)
    assert count >= 5


def test_a_path_has_one_id_and_another_with_any_change(found: list[Found]) -> None:
    path = found[0].path
    assert path.id == Path(path.start, path.environments, path.outputs).id
    assert path.id != Path(path.start, path.environments[:-1], path.outputs[:-1]).id
    assert len({each.path.id for each in found}) == len(found)


def test_a_trace_ends_where_a_brick_refuses() -> None:
    path, outcome = trace([TWO, declared.refuses_odd, THREE], 5)
    assert path is None
    assert (outcome.status, outcome.reason) == (Status.REFUSED, "refuses_odd: the number is odd")
    path, outcome = trace([TWO, declared.refuses_odd, THREE], 4)
    assert path is not None
    assert (path.outputs, path.states, outcome.value) == ((6, 3, 6), ("4", "6", "3", "6"), 6)
