"""Composites are environments again; counts of paths, orders and sequences agree with brute force."""

import itertools
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import networkx as nx  # type: ignore[import-untyped]  # it ships no types
import pytest

from races.environments import Environment, OutOfDomain, get, pool
from races.environments.composition.frontier import CompatibleBricks, Found
from races.environments.composition.path import Matching, Path, compose, find, fits, trace
from races.environments.composition.quality import (
    Filters,
    Health,
    HealthSettings,
    extended,
    failed_health_checks,
    permanent_failures,
    redundant_steps,
    rejection,
)
from races.environments.composition.type_graph import type_graph
from races.environments.errors import DeclarationError, InvalidValue, RacesError, SettingError, UnknownName
from races.environments.execution import Outcome, Status, run
from races.environments.operators import Problem, parallel, score, select, sequential, single, sort
from races.environments.registry import Pool
from races.environments.types import LEVELS, VOCABULARY
from tests.support import bricks_for_tests as declared

TWO, THREE, FIVE, SEVEN = declared.plus_two, declared.plus_three, declared.plus_five, declared.times_seven
both = pytest.mark.parametrize("matching", ["exact", "subtype"])


@pytest.fixture(scope="module")
def composites(found: list[Found]) -> list[Environment]:
    """Composites of the found paths, and composites of composites."""
    lively = [each for each in found if each.health is not None and each.health.alive >= 0.8]
    made = [compose(*each.path.environments) for each in lively[::12]]
    for each in lively[5::12]:
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


def test_a_composite_has_the_face_of_a_brick(composites: list[Environment]) -> None:
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


# Recursion: composites of composites of composites, posed by every operator


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


def test_composites_of_depth_three_are_posed_and_scored_like_bricks(
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
    posed = 0
    for first, second, x, level in deep:
        path, outcome = trace([first, second], x)
        assert path is not None
        rows = [
            sort.pose(path, Random("r"), level, outcome.steps),
            select.pose(path, offers, Random("r"), level, outcome.steps),
        ]
        for row in rows:
            if isinstance(row, Problem):
                posed += 1
                assert right(row) == 1.0
                assert row.environments == (first.name, second.name)
    assert posed >= 5


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


# The type graph


def small_pool() -> list[Environment]:
    return [*Random("small pool").sample(list(pool().values()), 14), declared.some_divisor, declared.spaces, TWO]


@both
def test_the_numbers_of_paths_agree_with_enumeration(matching: Matching) -> None:
    bricks = small_pool()
    counts = type_graph(bricks, matching).paths(4)
    for length in (1, 2, 3, 4):
        chains = itertools.product(bricks, repeat=length)
        assert counts[length] == sum(
            all(not a.terminal and fits(a.codomain, b.domain, matching) for a, b in itertools.pairwise(chain))
            for chain in chains
        )


@both
def test_the_numbers_of_paths_of_the_pool_agree_with_powers_of_a_matrix(matching: Matching) -> None:
    bricks = list(pool().values())
    graph = type_graph(pool(), matching)
    follows = nx.DiGraph([(i, j) for i, row in enumerate(graph.followers) for j in row])
    follows.add_nodes_from(range(len(bricks)))
    assert graph.edges == follows.number_of_edges()
    matrix = nx.to_numpy_array(follows, nodelist=range(len(bricks))).astype(int).astype(object)
    walks = (matrix[0] * 0) + 1
    for count in graph.paths(8).values():
        assert count == walks.sum()
        walks = matrix @ walks


def test_subtyping_adds_edges_and_takes_none_away() -> None:
    exact, wide = type_graph(pool(), "exact"), type_graph(pool(), "subtype")
    assert all(set(few) <= set(many) for few, many in zip(exact.followers, wide.followers, strict=True))
    assert exact.edges < wide.edges
    assert exact.paths(1) == wide.paths(1) == {1: len(pool())}


@both
@pytest.mark.parametrize("count", [8, 14, 20, 30, 10_000])
def test_the_components_are_those_of_networkx(matching: Matching, count: int) -> None:
    bricks = Random(f"components {count}").sample(list(pool().values()), min(count, len(pool())))
    graph = nx.DiGraph([(each.domain.name, each.codomain.name) for each in bricks])
    if matching == "subtype":
        for name in list(graph):
            graph.add_edges_from(
                (name, wide.name) for wide in VOCABULARY[name].supertypes() if wide.name in graph and wide.name != name
            )
    ours = type_graph(bricks, matching).components()
    assert {frozenset(kind.name for kind in each) for each in ours} == set(
        map(frozenset, nx.strongly_connected_components(graph))
    )
    assert [len(each) for each in ours] == sorted(map(len, ours), reverse=True)


@both
def test_degrees_count_producers_and_consumers(matching: Matching) -> None:
    for name, (producers, consumers) in type_graph(pool(), matching).degrees().items():
        kind = VOCABULARY[name]
        assert producers == sum(fits(each.codomain, kind, matching) for each in pool().values())
        assert consumers == sum(fits(kind, each.domain, matching) for each in pool().values())


# Orders and sequences


def test_a_step_that_could_be_left_out_is_idle() -> None:
    assert redundant_steps([TWO, SEVEN], [10, 12, 84], "84") == 0
    assert redundant_steps([TWO, declared.loop_while], [8, 10, 10], "10") == 1
    assert redundant_steps([declared.loop_while, declared.loop_while], [20, 10, 10], "10") == 2


# Quality


def done(value: Any) -> Outcome:
    return Outcome(Status.DONE, value, 3)


@pytest.mark.parametrize(
    ("outcome", "kind", "mode", "reason"),
    [
        (Outcome(Status.REFUSED), "Int", "healthy", "refused"),
        (Outcome(Status.STEPS), "Int", "healthy", "steps"),
        (Outcome(Status.OUTSIDE), "Int", "healthy", "outside"),
        (Outcome(Status.CRASHED), "Int", "paper", "crashed"),
        (Outcome(Status.TIME), "Int", "paper", "time"),
        (Outcome(Status.MISTYPED), "Int", "paper", "mistyped"),
        (done(0), "Int", "healthy", "zero or one"),
        (done(1), "Nat", "paper", "zero or one"),
        (done(17), "Int", "healthy", "repeats a state"),
        (done(18), "Int", "healthy", "equals a sibling"),
        (done(222), "Int", "healthy", "one character"),
        (done("aaaa"), "Word", "paper", "one character"),
        (done(""), "Str", "paper", "one character"),
        (done((100_000,) * 34), "IntList", "healthy", "too long"),
        (done((10_000, 5) * 15), "IntList", "paper", "too long"),
        (done(501), "Nat", "paper", "above 500"),
        (done(501), "Nat", "healthy", None),
        (done(500), "Nat", "paper", None),
        (done(-5_000), "Int", "paper", None),
        (done((5, 5, 5)), "IntList", "healthy", "not healthy"),
        (done((5, 5, 5)), "IntList", "paper", None),
        (done((5, 6, 7)), "IntList", "healthy", None),
        (done(7), "Int", "healthy", None),
        (done(True), "Bool", "healthy", None),
        (done(False), "Bool", "paper", None),
        (done("lamp"), "Word", "healthy", None),
    ],
)
def test_an_extension_is_rejected_for_its_first_reason(
    outcome: Outcome, kind: str, mode: Filters, reason: str | None
) -> None:
    assert rejection(outcome, VOCABULARY[kind], ["5", "17"], {"18"}, mode) == reason


def test_health_is_what_a_hand_makes_of_it() -> None:
    health = extended(None, VOCABULARY["Int"], [10, 20, 30, 40], [5, 5, 30, 1], 8)
    assert health.alive == 0.5
    assert health.healthy == 0.75
    assert health.distinct == 3
    assert health.top_share == health.step_top_share == 0.5
    assert health.entropy == pytest.approx(1.5)
    assert health.identity == 0.25
    assert health.sensitivity == pytest.approx(float(1 - Fraction(2, 12)))


def test_health_keeps_the_worst_step() -> None:
    kind = VOCABULARY["Int"]
    first = extended(None, kind, [1, 2, 3, 4], [1, 2, 3, 9], 4)
    assert (first.identity, first.step_top_share, first.sensitivity, first.entropy) == (0.75, 0.25, 1.0, 2.0)
    second = extended(first, kind, [1, 2, 3, 9], [7, 7, 8, 6], 4)
    assert (second.identity, second.top_share, second.step_top_share) == (0.75, 0.5, 0.5)
    third = extended(second, kind, [7, 7, 8], [70, 70, 80], 4)
    assert (third.alive, third.identity, third.distinct) == (0.75, 0.75, 2)
    assert third.step_top_share == third.top_share == 2 / 3
    assert third.sensitivity == pytest.approx(2 / 3)
    fourth = extended(third, kind, [70, 80], [1, 2], 4)
    assert (fourth.alive, fourth.top_share, fourth.step_top_share) == (0.5, 0.5, 2 / 3)
    assert fourth.sensitivity == pytest.approx(2 / 3)


def test_the_health_of_the_dead_and_of_one_survivor() -> None:
    kind = VOCABULARY["Int"]
    dead = extended(None, kind, [], [], 4)
    assert (dead.alive, dead.distinct, dead.top_share, dead.sensitivity) == (0.0, 0, 1.0, 0.0)
    one = extended(None, kind, [5], [9], 4)
    assert (one.alive, one.distinct, one.top_share, one.entropy) == (0.25, 1, 1.0, 0.0)
    for number in (one.sensitivity, one.entropy, dead.entropy):
        assert math.isfinite(number)


def test_health_stays_within_its_ranges(found: list[Found]) -> None:
    for each in found:
        health = each.health
        assert health is not None
        shares = (
            health.alive,
            health.healthy,
            health.top_share,
            health.identity,
            health.step_top_share,
            health.sensitivity,
        )
        assert all(-1e-9 <= share <= 1 + 1e-9 for share in shares)
        assert 0 <= health.entropy <= math.log2(8) + 1e-9
        assert health.step_top_share >= health.top_share


WELL = Health(1.0, 1.0, 20, 0.1, 4.0, 0.0, 0.2, 0.95)


@pytest.mark.parametrize(
    ("changes", "kind", "found"),
    [
        ({}, "Int", []),
        ({"alive": 0.8, "healthy": 0.8, "distinct": 8, "top_share": 0.3, "identity": 0.3}, "Int", []),
        ({"step_top_share": 0.5, "sensitivity": 0.7}, "Int", []),
        ({"alive": 0.79}, "Int", ["often refused"]),
        ({"distinct": 7}, "Int", ["few answers"]),
        ({"top_share": 0.31}, "Int", ["one answer dominates"]),
        ({"sensitivity": 0.69}, "Int", ["insensitive to the start"]),
        ({"identity": 0.31}, "Int", ["a step changes nothing"]),
        ({"step_top_share": 0.51}, "Int", ["a step is nearly constant"]),
        ({"distinct": 2, "top_share": 0.65, "sensitivity": 0.4, "step_top_share": 0.65}, "Bool", []),
        (
            {"distinct": 2, "top_share": 0.66, "sensitivity": 0.4, "step_top_share": 0.65},
            "Bool",
            ["one answer dominates"],
        ),
    ],
)
def test_lasting_ailments_are_named_at_their_bounds(changes: dict[str, Any], kind: str, found: list[str]) -> None:
    health = replace(WELL, **changes)
    assert permanent_failures(health, VOCABULARY[kind], HealthSettings()) == found
    assert failed_health_checks(health, VOCABULARY[kind], HealthSettings()) == found


def test_an_unhealthy_answer_is_an_ailment_that_another_step_may_cure() -> None:
    health = replace(WELL, healthy=0.79)
    assert permanent_failures(health, VOCABULARY["Int"], HealthSettings()) == []
    assert failed_health_checks(health, VOCABULARY["Int"], HealthSettings()) == ["unhealthy answers"]


@pytest.mark.parametrize(
    "name", ["alive", "healthy", "top_share", "identity", "step_top_share", "sensitivity", "truth_margin"]
)
def test_a_health_setting_is_a_share(name: str) -> None:
    for bound in (-0.1, 1.1, math.nan):
        wrong: dict[str, Any] = {name: bound}
        with pytest.raises(SettingError, match=f"health setting {name}: expected a share from 0 to 1, got"):
            HealthSettings(**wrong)
