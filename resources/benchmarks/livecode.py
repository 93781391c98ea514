"""LiveCodeBench: whether a program passes all tests of a problem, by the rules of the benchmark's own runner.

The programs run in a jail, which gets the input of a test alone; its output is compared out here. The runner lets a
test take 6 seconds of the clock; here it may take 6 seconds of CPU time, so that a busy machine fails none.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NotRequired, TypedDict

from environments.errors import InvalidValue
from resources.sandbox import Limits, RunStatus, Sandbox, Verdict

# What the runner puts before every program, in its order: later names hide earlier ones.
MODULES = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json"
)
RECURSION = 50_000
PRELUDE = "\n".join(
    [
        *(f"from {name} import *" for name in [*MODULES.split(), "builtins", "typing"]),
        *(f"import {name}" for name in MODULES.split()),
        f"sys.setrecursionlimit({RECURSION})",
    ]
)


class Test(TypedDict):
    """A test as the benchmark's files have it. testtype: "stdin" or "functional"."""

    input: str
    output: str
    testtype: str


class Task(TypedDict):
    """What grading needs of a problem. fn_name: what functional tests call, func_name of the problem's metadata."""

    starter_code: str
    public_test_cases: list[Test]
    private_test_cases: list[Test]
    fn_name: NotRequired[str | None]


@dataclass(frozen=True)
class Grade:
    """Whether a program solves a problem; None where the grading itself failed, which is no wrong answer.

    passed: tests before the first that failed, of so many tests. status: how the last run ended. seconds: CPU time.
    """

    solved: bool | None
    reason: str
    passed: int
    tests: int
    status: RunStatus
    seconds: float


def sandbox(limits: Limits | None = None) -> Sandbox:
    """A jail in which programs find what the benchmark's runner gives them."""
    return Sandbox(limits, prelude=PRELUDE)


def grade(task: Task, code: str, jail: Sandbox) -> Grade:
    """Run a program on the public and the private tests, up to the first that it fails.

    jail: made by `sandbox`. Raises InvalidValue where the tests themselves cannot be used.
    """
    tests = [*task["public_test_cases"], *task["private_test_cases"]]
    function = task.get("fn_name")
    _check(tests, function)
    if not code.strip():
        return Grade(False, "no program", 0, len(tests), RunStatus.FAILED, 0.0)
    seconds = 0.0
    for number, test in enumerate(tests):
        if function:
            verdict = jail.call(code, function, arguments(test["input"]))
            right = verdict.status is RunStatus.DONE and same_value(verdict.output, test["output"])
        else:
            verdict = jail.run(code, test["input"])
            right = verdict.status is RunStatus.DONE and same_text(verdict.output, test["output"])
        seconds += verdict.seconds
        if not right:
            solved = None if verdict.status is RunStatus.BROKEN else False
            return Grade(solved, f"test {number + 1}: {_why(verdict)}", number, len(tests), verdict.status, seconds)
    return Grade(True, "", len(tests), len(tests), RunStatus.DONE, seconds)


def arguments(given: str) -> list[Any]:
    """The arguments of a functional test: one JSON value a line."""
    return [json.loads(line) for line in given.split("\n")]


def same_text(printed: str, expected: str) -> bool:
    """Whether printed lines are the expected ones, without outer white space: as text, or as decimal numbers."""
    printed, expected = printed.strip(), expected.strip()
    if printed.count("\n") != expected.count("\n"):
        return False
    return all(map(_same_line, printed.split("\n"), expected.split("\n")))


def _same_line(printed: str, expected: str) -> bool:
    if printed.strip() == expected.strip():
        return True
    try:
        return [Decimal(each) for each in printed.split()] == [Decimal(each) for each in expected.split()]
    except ArithmeticError:  # some word is no number, or one that can be compared with none
        return False


def same_value(returned: str, expected: str) -> bool:
    """Whether the JSON of a returned value is the expected value, by Python's equality. No text makes it raise."""
    try:
        return bool(json.loads(returned) == json.loads(expected))
    except (ValueError, RecursionError):
        return False


def _check(tests: Sequence[Test], function: str | None) -> None:
    """Raise InvalidValue where there are no tests, or one that is not of the kind of the problem."""
    if not tests:
        raise InvalidValue("a problem of LiveCodeBench: expected tests, got none")
    kind = "functional" if function else "stdin"
    for number, test in enumerate(tests):
        if test["testtype"] != kind:
            raise InvalidValue(f"test {number + 1}: expected a {kind} test, got {test['testtype']!r}")
        if function:
            try:
                arguments(test["input"]), json.loads(test["output"])
            except ValueError as error:
                raise InvalidValue(f"test {number + 1}: expected JSON, got {error}") from error


def _why(verdict: Verdict) -> str:
    return "wrong answer" if verdict.status is RunStatus.DONE else f"{verdict.status.value}: {verdict.reason}"
