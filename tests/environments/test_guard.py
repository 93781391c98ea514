"""The guard and time limits: what ends a brick that steps cannot count."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path as File

import pytest

from races.environments import Environment, get, pool
from races.environments.clock import wall_limit
from races.environments.composition.path import compose
from races.environments.errors import RacesError
from races.environments.execution import MAX_STEPS, Outcome, Status, run
from races.environments.isolation.guard import Guard
from races.environments.registry import Pool
from tests.support import bricks_for_tests as declared
from tests.support.brick_inputs import inputs

ROOT = File(declared.__file__).parents[2]

# What ends a run


def number_of_the_process(guard: Guard) -> int:
    (child,) = guard._children.all
    return child.pid


def is_alive(number: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    with suppress(FileNotFoundError):
        return File(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


@pytest.mark.parametrize(
    "brick", [declared.stuck_in_power, declared.stuck_in_sum, declared.stuck_in_factorial], ids=repr
)
def test_a_brick_that_is_stuck_in_c_code_ends_together_with_its_process(hasty: Guard, brick: Environment) -> None:
    assert hasty.run(declared.plus_two, 5).value == 7
    number = number_of_the_process(hasty)
    assert is_alive(number)
    begin = time.perf_counter()
    outcome = hasty.run(brick, 5)
    assert time.perf_counter() - begin < wall_limit(hasty.seconds)
    assert (outcome.status, outcome.value) == (Status.TIME, None)
    assert outcome.reason == "more than 0.5 seconds"
    assert not is_alive(number)
    assert hasty.run(declared.plus_two, 6).value == 8
    assert number_of_the_process(hasty) != number


def test_the_guard_gives_the_outcomes_of_plain_runs(guard: Guard) -> None:
    bricks = [
        *list(pool().values())[::4],
        declared.refuses_odd,
        declared.crashes,
        declared.explodes,
        declared.yields,
        declared.runaway,
    ]
    for brick in bricks:
        for x in inputs(brick, 1):
            guarded, plain = guard.run(brick, x), run(brick, x)
            assert (guarded.status, guarded.value, guarded.steps) == (plain.status, plain.value, plain.steps)
            assert plain.reason in guarded.reason
    assert guard.run(declared.plus_two, -1).status is Status.MISTYPED
    assert guard.survivors(declared.refuses_odd, [1, 2, 3, 4], MAX_STEPS) == ([2, 4], [1, 2])


def test_the_guard_runs_composites_of_the_pool(guard: Guard) -> None:
    chain = compose(get("digit_sum"), get("digit_sum"))
    for x in (5, 99_999, 777_777):
        assert guard.run(chain, x).value == run(chain, x).value == chain(x)


def test_what_a_brick_prints_does_not_become_a_reply(guard: Guard) -> None:
    assert [guard.run(declared.prints, x).value for x in (1, 2, 3)] == [2, 3, 4]


def test_a_brick_that_ends_the_process_is_a_failure_and_not_an_answer(guard: Guard) -> None:
    with pytest.raises(RacesError, match="the guard process ended with code 5"):
        guard.run(declared.vanishes, 5)
    assert guard.run(declared.plus_two, 5).value == 7


def test_threads_may_share_a_guard(guard: Guard) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda x: guard.run(declared.plus_two, x).value, range(200)))
    assert answers == list(range(2, 202))


def test_a_process_that_was_killed_from_outside_is_started_again(guard: Guard) -> None:
    guard.run(declared.plus_two, 5)
    number = number_of_the_process(guard)
    os.kill(number, signal.SIGKILL)
    with suppress(RacesError):
        assert guard.run(declared.plus_two, 5).value == 7
    assert guard.run(declared.plus_two, 6).value == 8
    assert not is_alive(number)


def test_closing_a_guard_ends_its_process_and_may_be_repeated(guard: Guard) -> None:
    guard.run(declared.plus_two, 5)
    number = number_of_the_process(guard)
    guard.close()
    guard.close()
    assert not is_alive(number)
    assert guard.run(declared.plus_two, 5).value == 7


def test_the_guard_works_in_a_thread_and_touches_no_signal(hasty: Guard) -> None:
    before = signal.getsignal(signal.SIGALRM)
    found: list[Outcome] = []
    thread = threading.Thread(target=lambda: found.append(hasty.run(declared.stuck_in_sum, 5)))
    thread.start()
    thread.join(timeout=10)
    assert [each.status for each in found] == [Status.TIME]
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_chain_names_the_brick_that_ended_it(wider_pool: Pool, guard: Guard) -> None:
    names = ["plus_two", "refuses_odd", "plus_five"]
    right = guard.run_chain([(name, "") for name in names], "SmallNat", "4")
    assert (right.status, right.text, right.failure) == (Status.DONE, "8", "")
    odd = guard.run_chain([(name, "") for name in names], "SmallNat", "5")
    assert (odd.status, odd.text) == (Status.REFUSED, "")
    assert odd.reason == "refuses_odd: the number is odd"
    far = guard.run_chain([(names[0], ""), (names[1], "")], "Nat", "5000")
    assert far.status is Status.MISTYPED


def test_a_chain_of_unknown_or_changed_bricks_is_a_failure(guard: Guard) -> None:
    for name, fingerprint in (
        ("no_such_brick", ""),
        ("digit_sum", "0" * 16),
        ("no.such.module:brick", ""),
        (f"{declared.__name__}:plus_two", ""),
        (f"{declared.__name__}.plus_two", ""),
        ("os:system", ""),
        ("", ""),
        ("(" * 3_000 + "digit_sum" + ")" * 3_000, ""),
        ("(digit_sum > digit_sum)" * 50_000, ""),
    ):
        assert guard.run_chain([(name, fingerprint)], "Nat", "5").failure
    assert guard.run_chain([("digit_sum", get("digit_sum").fingerprint)], "Nat", "52").text == "7"
    assert guard.run_chain([("digit_sum", "")], "NoSuchType", "5").failure
    assert guard.run_chain([("digit_sum", "")], "Nat", "-5").failure
    for start in ("", "{", "[" * 100_000, "9" * 5_000, '"5"', "NaN"):
        assert guard.run_chain([("digit_sum", "")], "Nat", start).failure, start[:20]
    for pair in ((["digit_sum"], ""), (5, ""), (None, None), ("digit_sum", 5)):
        assert guard.run_chain([pair], "Nat", "52").failure  # type: ignore[list-item]  # as a row of unknown origin may be
    assert guard.run_chain([("digit_sum", "")], "Nat", "52").text == "7"


TIME_LIMITED = """
import sys, time
from races.environments.clock import enable_alarm_kill
from races.environments.isolation.guard import TimeLimitedRunner
from tests.support import bricks_for_tests as declared
enable_alarm_kill()
runner = TimeLimitedRunner(0.4)
assert runner.run(declared.plus_two, 5).value == 7
assert runner.survivors(declared.refuses_odd, [1, 2, 4], 400) == ([2, 4], [1, 2])
time.sleep(0.6)  # a limit that ran on would end the process here
sys.stdout.write("alive")
sys.stdout.flush()
runner.run(declared.stuck_in_power, 5)
sys.stdout.write("still here")
"""


def test_a_run_under_a_time_limit_ends_its_own_process() -> None:
    begin = time.perf_counter()
    paths = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", TIME_LIMITED], env=paths, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGPROF, "alive"), done.stderr
    assert time.perf_counter() - begin < 5
