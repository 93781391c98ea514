"""Metered runs: what a step is, how a run ends, and that counts and fingerprints are the same everywhere."""

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path as File
from random import Random
from typing import Any

import pytest

from races.environments import Environment, get, pool
from races.environments.composition.path import compose
from races.environments.errors import InvalidValue, SettingError
from races.environments.execution import Outcome, Status, draw, instance, run, survivors
from races.environments.profile import profile
from tests.support import bricks_for_tests as declared
from tests.support.brick_inputs import inputs

ROOT = File(declared.__file__).parents[2]

# brick, input, steps: the statements that run, and 1 for each round of a loop, each item of a comprehension and each
# call of a lambda. The statements of a block up to its next compound one count before they run.
COUNTS = [
    (declared.loop_for, 0, 3),
    (declared.loop_for, 4, 3 + 4 * 2),
    (declared.loop_while, 7, 2),
    (declared.loop_while, 15, 2 + 5 * 2),
    (declared.loop_left, 15, 1 + 3 + 1),
    (declared.loop_left, 12, 1 + 2 * 3 + 2),
    (declared.loop_nested, 4, 3 + 4 * (2 + 3 * 2)),
    (declared.comprehended, 6, 1 + 6),
    (declared.comprehended_twice, 4, 1 + 4 + 4 * 3),
    (declared.stopped_early, 30, 1 + 5),
    (declared.by_lambda, 5, 1 + 5),
    (declared.by_helper, 5, 1 + 3 + 5 * 2),
    (declared.by_generator, 5, 1 + 1 + 5 * 2),
    (declared.early_return, 11, 2),
    (declared.early_return, 10, 4),
    (declared.branches, 5, 1 + 1 + 1 + 1 + 1 + 1),
    (declared.branches, 25, 1 + 1 + 1 + 1 + 1 + 1),
    (declared.plus_two, 5, 1),
]


@pytest.mark.parametrize(("brick", "x", "steps"), COUNTS, ids=[f"{b.name}-{x}" for b, x, _ in COUNTS])
def test_steps_are_counted_as_by_hand(brick: Environment, x: int, steps: int) -> None:
    assert run(brick, x) == Outcome(Status.DONE, brick(x), steps)


@pytest.mark.parametrize("brick", [declared.by_table, declared.by_default], ids=repr)
def test_a_helper_is_counted_however_it_is_reached(brick: Environment) -> None:
    assert run(brick, 5).steps >= run(declared.by_helper, 5).steps


@pytest.mark.parametrize(
    "brick",
    [
        declared.runaway,
        declared.runaway_that_hides,
        declared.runaway_that_swallows_all,
        declared.runaway_that_suppresses,
        declared.runaway_helper,
    ],
    ids=repr,
)
@pytest.mark.parametrize("limit", [1, 17, 400, 5_000])
def test_a_runaway_loop_ends_at_the_limit_whatever_it_catches(brick: Environment, limit: int) -> None:
    outcome = run(brick, 5, limit)
    assert (outcome.status, outcome.steps) == (Status.STEPS, limit)
    assert outcome.reason == f"more than {limit} steps"


def test_the_limit_itself_is_allowed() -> None:
    assert run(declared.loop_for, 4, 11).done
    assert run(declared.loop_for, 4, 10).status is Status.STEPS
    assert run(declared.laborious, 5, 2 * 600 + 2).done
    assert run(declared.laborious, 5).status is Status.STEPS


@pytest.mark.parametrize(
    ("brick", "x", "status", "reason"),
    [
        (declared.refuses_odd, 5, Status.REFUSED, "the number is odd"),
        (declared.crashes, 5, Status.CRASHED, "ZeroDivisionError: "),
        (declared.explodes, 9, Status.OUTSIDE, "within its bounds"),
        (declared.explodes_beyond_printing, 60, Status.OUTSIDE, "within its bounds"),
        (declared.yields, 5, Status.OUTSIDE, "within its bounds"),
        (declared.plus_two, -1, Status.MISTYPED, "expected a whole number"),
        (declared.plus_two, True, Status.MISTYPED, "expected a whole number"),
        (declared.plus_two, "5", Status.MISTYPED, "expected a whole number"),
        (declared.plus_two, [], Status.MISTYPED, "expected a whole number"),
    ],
)
def test_every_end_of_a_run_has_its_status_and_reason(brick: Environment, x: Any, status: Status, reason: str) -> None:
    outcome = run(brick, x)
    assert (outcome.status, outcome.value, outcome.done) == (status, None, False)
    assert reason in outcome.reason


@pytest.mark.parametrize("brick", [declared.quits, declared.unprintable], ids=repr)
def test_no_brick_makes_a_run_raise(brick: Environment) -> None:
    assert run(brick, 5).status is Status.CRASHED
    assert survivors(brick, [5]) == ([], [])


def test_a_plain_call_refuses_what_a_run_reports() -> None:
    with pytest.raises(InvalidValue, match=r"^plus_two: expected a whole number, 0 or more \(Nat\), got -1"):
        declared.plus_two(-1)
    with pytest.raises(InvalidValue, match=r"^explodes of 9: expected a whole number"):
        declared.explodes(9)
    with pytest.raises(InvalidValue, match=r"^explodes_beyond_printing of 60: expected a whole number"):
        declared.explodes_beyond_printing(60)
    with pytest.raises(InvalidValue, match="expected a level from 1 to 5, got 6"):
        declared.plus_two.sample(Random("level"), 6)


def test_metered_and_plain_runs_agree_over_the_pool() -> None:
    for brick in pool().values():
        for x in inputs(brick):
            outcome = run(brick, x)
            assert not outcome.done or brick(x) == outcome.value


def test_one_run_leaves_nothing_behind_for_the_next() -> None:
    for brick in list(pool().values())[::5]:
        once = [run(brick, x) for x in inputs(brick)]
        run(declared.runaway, 5)
        run(brick, inputs(brick)[0], 1)
        assert [run(brick, x) for x in reversed(inputs(brick))] == once[::-1]


def test_survivors_are_what_runs_one_by_one() -> None:
    for brick in [
        *list(pool().values())[::5],
        declared.refuses_odd,
        declared.explodes,
        compose(declared.plus_two, declared.plus_five),
    ]:
        values = inputs(brick, 4)
        done = [(x, outcome.value) for x in values if (outcome := run(brick, x)).done]
        assert survivors(brick, values) == ([x for x, _ in done], [y for _, y in done])


def test_threads_that_run_one_brick_count_as_one_thread_does() -> None:
    alone = [run(declared.loop_for, x) for x in range(60)]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda x: run(declared.loop_for, x % 60), range(600)))
    assert together == alone * 10


def test_an_input_is_left_as_it_was() -> None:
    for brick in pool().values():
        for x in inputs(brick, 1):
            before = brick.domain.dumps(x)
            run(brick, x)
            assert brick.domain.dumps(x) == before


def test_an_instance_is_an_input_that_is_answered() -> None:
    x, outcome = instance(declared.refuses_odd, Random("even"), 3)
    assert x % 2 == 0
    assert outcome.value == x // 2
    with pytest.raises(SettingError, match=r"^crashes: expected its sampler to draw .* got crashed each time"):
        instance(declared.crashes, Random("never"), 3, tries=3)


def beyond_the_last(rng: Random, level: int) -> int:
    return [rng.randint(0, 9)][level]


def test_a_sampler_that_fails_is_named_with_its_reason() -> None:
    failing = replace(get("digit_sum"), sampler=beyond_the_last)
    with pytest.raises(SettingError, match=r"^digit_sum: its sampler failed at level 1: IndexError: list index out of"):
        draw(failing, Random(0), 1)


def test_a_brick_that_answers_nothing_is_named_with_its_reason() -> None:
    with pytest.raises(SettingError, match=r"^crashes: expected answers .*: crashed: ZeroDivisionError: .* by zero"):
        profile(declared.crashes)


# The same counts everywhere

COUNTING = """
import hashlib, json, sys
from random import Random
from races.environments import pool
from races.environments.execution import run
from tests.support import bricks_for_tests as declared
counts = {}
for brick in [each for each in pool().values() if each.domain.name in sys.argv[1:] or not sys.argv[1:]]:
    draws = [(level, Random(f"count {brick.name} {level} {i}")) for level in (1, 3, 5) for i in range(3)]
    outcomes = [run(brick, brick.sample(rng, level)) for level, rng in draws]
    answers = [brick.codomain.dumps(each.value) if each.done else str(each.status) for each in outcomes]
    counts[brick.name] = [brick.fingerprint, [each.steps for each in outcomes], answers]
for name in ("loop_for", "by_generator", "by_lambda", "comprehended_twice", "branches", "loop_while", "by_helper"):
    counts[name] = [getattr(declared, name).fingerprint, [run(getattr(declared, name), x).steps for x in range(60)]]
sys.stdout.write(json.dumps(counts))
"""


def counted(python: str, seed: str) -> dict[str, Any]:
    paths = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-c", COUNTING], env=paths, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def differing(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    return [name for name in first if first[name] != second.get(name)]


def test_steps_answers_and_fingerprints_are_the_same_under_two_hash_seeds() -> None:
    first = counted(sys.executable, "0")
    assert len(first) > len(pool())
    assert differing(first, counted(sys.executable, "12345")) == []


def newer_python() -> str | None:
    """A Python 3.12 that starts, wherever this machine keeps one."""
    for place in [shutil.which("python3.12"), *sorted(File.home().glob(".pyenv/versions/3.12*/bin/python3.12"))]:
        if place is not None:
            asked = [str(place), "-c", "import sys; print(sys.version_info[:2])"]
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
            if done.stdout.strip() == "(3, 12)":
                return str(place)
    return None


def test_steps_answers_and_fingerprints_are_the_same_under_python_3_12() -> None:
    python = newer_python()
    if python is None:
        pytest.skip("there is no Python 3.12 here")
    assert differing(counted(sys.executable, "0"), counted(python, "0")) == []


# Fingerprints: what the caches go by

EDITS = [
    ("environments/values.py", "return [sorted(row) for row in near]", "return [sorted(row)[::-1] for row in near]"),
    ("environments/types/lexicon.py", "apple arrow", "apples arrow"),
]


@pytest.mark.parametrize(
    ("file", "old", "new"), EDITS, ids=["a method of a value class", "the words that samples draw from"]
)
def test_whatever_changes_behaviour_changes_a_fingerprint(tmp_path: File, file: str, old: str, new: str) -> None:
    for folder in ("environments", "tests", "races"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=ignored)
    before = copied(tmp_path)
    edited = tmp_path / file
    assert old in edited.read_text()
    edited.write_text(edited.read_text().replace(old, new))
    after = copied(tmp_path)
    behaves = [name for name in before if before[name][1:] != after[name][1:]]
    assert behaves, "the edit must change some brick"
    assert [name for name in behaves if before[name][0] == after[name][0]] == []


def copied(folder: File) -> dict[str, Any]:
    paths = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", COUNTING, "Graph", "WeightedGraph", "Word", "WordList", "Tally", "Text"]
    done = subprocess.run(command, env=paths, cwd=folder, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
