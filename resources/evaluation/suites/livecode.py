"""LiveCodeBench: whether a program passes all tests of a problem, by the rules of the benchmark's own runner.

Programs run in a sandbox that sees only the input of a test. The output is compared outside it, in time and memory
bounded by the expected output. The runner allows 6 seconds of wall time per test; here it is 6 seconds of CPU time, so
that a busy machine fails no program. docs/benchmarks.md lists the other differences.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from races.environments.errors import InvalidValue
from races.resources.evaluation.suites.output_comparison import MAX_DEPTH, depth, same_text, same_value
from races.resources.sandbox.sandbox import Limits, RunStatus, Sandbox, Verdict

# What the runner prepends to every program, in its order: later names shadow earlier ones.
MODULES = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json"
)
RECURSION_LIMIT = 50_000
MAX_INTEGER_DIGITS = 50_000  # of an integer that a program reads or prints
PACKAGES = ("numpy", "scipy")  # available to programs, as in the runner
PRELUDE = "\n".join(
    [
        *(f"from {name} import *" for name in [*MODULES.split(), "builtins", "typing"]),
        *(f"import {name}" for name in MODULES.split()),
        f"sys.setrecursionlimit({RECURSION_LIMIT})",
        f"sys.set_int_max_str_digits({MAX_INTEGER_DIGITS})",
    ]
)
# Bytes of output (or of a result as JSON) that are allowed: a base, and a factor per expected byte. A right answer may
# have more spaces, digits and escapes than the expected one, but never that many.
BASE_OUTPUT_BYTES, OUTPUT_FACTOR = 2**20, 16


class Test(TypedDict):
    """A test in the format of the benchmark's files."""

    input: str
    output: str
    testtype: str  # "stdin" or "functional"


class Task(TypedDict):
    """The part of a problem that grading needs."""

    starter_code: str
    public_test_cases: list[Test]
    private_test_cases: list[Test]
    fn_name: NotRequired[str | None]  # the function that functional tests call; func_name in the metadata


@dataclass(frozen=True)
class Grade:
    """The result of running a program on the tests of a problem."""

    solved: bool | None  # None where grading itself failed, which is not a wrong answer
    reason: str
    passed: int  # tests before the first failure
    tests: int
    status: RunStatus  # how the last run ended
    seconds: float  # CPU time


def sandbox(limits: Limits | None = None) -> Sandbox:
    """A sandbox in which programs find what the benchmark's runner provides."""
    return Sandbox(limits, prelude=PRELUDE, modules=PACKAGES)


def grade(task: Task, code: str, runner: Sandbox) -> Grade:
    """Run a program on the public and then the private tests, up to the first failure.

    runner: from `sandbox`. Raises InvalidValue where the tests themselves are unusable.
    """
    tests = [*task["public_test_cases"], *task["private_test_cases"]]
    function = task.get("fn_name")
    _check_tests(tests, function)
    if not code.strip():
        return Grade(False, "no program", 0, len(tests), RunStatus.FAILED, 0.0)
    seconds = 0.0
    for number, test in enumerate(tests):
        max_bytes = BASE_OUTPUT_BYTES + OUTPUT_FACTOR * len(test["output"].encode())
        if function:
            verdict = runner.call_json(code, function, arguments(test["input"]), max_bytes)
        else:
            verdict = runner.run(code, test["input"], max_bytes)
        seconds += verdict.seconds
        same = same_value if function else same_text
        if verdict.status is RunStatus.DONE and same(verdict.output, test["output"]):
            continue
        # After a failed run the sandbox has tested itself; after a wrong output that is up to us.
        if verdict.status is RunStatus.DONE and (fault := runner.fault()):
            verdict = Verdict(RunStatus.BROKEN, reason=fault)
        solved = None if verdict.status is RunStatus.BROKEN else False
        return Grade(solved, f"test {number + 1}: {_reason(verdict)}", number, len(tests), verdict.status, seconds)
    return Grade(True, "", len(tests), len(tests), RunStatus.DONE, seconds)


def arguments(given: str) -> str:
    """The arguments of a functional test, one JSON value a line, as a JSON list."""
    return f"[{','.join(given.split(chr(10)))}]"


def _check_tests(tests: Sequence[Test], function: str | None) -> None:
    """Raise InvalidValue where there are no tests, or tests of another kind than the problem."""
    if not tests:
        raise InvalidValue("a problem of LiveCodeBench: expected tests, got none")
    kind = "functional" if function else "stdin"
    for number, test in enumerate(tests):
        if test["testtype"] != kind:
            raise InvalidValue(f"test {number + 1}: expected a {kind} test, got {test['testtype']!r}")
        if function:
            for text in (*test["input"].split("\n"), test["output"]):
                _check_json(text, f"test {number + 1}")


def _check_json(text: str, what: str) -> None:
    try:
        value = json.loads(text, parse_int=str)  # of any number of digits
    except ValueError as error:
        raise InvalidValue(f"{what}: expected JSON, got {error}") from error
    except RecursionError as error:
        raise InvalidValue(f"{what}: expected JSON of at most {MAX_DEPTH} levels, got more") from error
    if depth(value) > MAX_DEPTH:
        raise InvalidValue(f"{what}: expected JSON of at most {MAX_DEPTH} levels, got more")


def _reason(verdict: Verdict) -> str:
    return "wrong answer" if verdict.status is RunStatus.DONE else f"{verdict.status.value}: {verdict.reason}"
