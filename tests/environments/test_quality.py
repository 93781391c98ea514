"""Why extensions of a path are rejected, how healthy a composite is, and which of its steps are redundant."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from races.environments.composition.frontier import Found
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
from races.environments.errors import SettingError
from races.environments.execution import Outcome, Status
from races.environments.types import VOCABULARY
from tests.support import bricks_for_tests as declared

TWO, SEVEN = declared.plus_two, declared.times_seven

# Orders and sequences


def test_a_step_that_could_be_left_out_is_redundant() -> None:
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
def test_permanently_failed_checks_are_named_at_their_bounds(
    changes: dict[str, Any], kind: str, found: list[str]
) -> None:
    health = replace(WELL, **changes)
    assert permanent_failures(health, VOCABULARY[kind], HealthSettings()) == found
    assert failed_health_checks(health, VOCABULARY[kind], HealthSettings()) == found


def test_an_unhealthy_answer_fails_a_check_that_another_step_may_repair() -> None:
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
