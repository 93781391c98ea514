"""LiveCodeBench: whether a program passes all tests of a problem, by the rules of the benchmark's own runner.

The programs run in a jail, which gets the input of a test alone; its output is compared out here, in time and memory
that the expected output bounds. The runner lets a test take 6 seconds of the clock; here it may take 6 seconds of CPU
time, so that a busy machine fails none. docs/benchmarks.md lists the other differences.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from races.environments.errors import InvalidValue
from races.resources.evaluation.suites.output_comparison import DEEPEST, depth, same_text, same_value
from races.resources.sandbox.sandbox import Limits, RunStatus, Sandbox, Verdict

# What the runner puts before every program, in its order: later names hide earlier ones.
MODULES = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json"
)
RECURSION = 50_000
DIGITS = 50_000  # of an integer that is read or shown
PACKAGES = ("numpy", "scipy")  # that programs may import; the runner has them, too
PRELUDE = "\n".join(
    [
        *(f"from {name} import *" for name in [*MODULES.split(), "builtins", "typing"]),
        *(f"import {name}" for name in MODULES.split()),
        f"sys.setrecursionlimit({RECURSION})",
        f"sys.set_int_max_str_digits({DIGITS})",
    ]
)
# Bytes that a program may print, or the JSON of a result may take: so many, and so many for each expected byte. A right
# answer may have more spaces, digits and escapes than the expected one, but never by so much.
LEAST, TIMES = 2**20, 16


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
    return Sandbox(limits, prelude=PRELUDE, modules=PACKAGES)


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
        most = LEAST + TIMES * len(test["output"].encode())
        if function:
            verdict = jail.call_json(code, function, arguments(test["input"]), most)
        else:
            verdict = jail.run(code, test["input"], most)
        seconds += verdict.seconds
        same = same_value if function else same_text
        if verdict.status is RunStatus.DONE and same(verdict.output, test["output"]):
            continue
        # The jail has made sure of itself wherever a run failed; a wrong output is for us to doubt.
        if verdict.status is RunStatus.DONE and (fault := jail.fault()):
            verdict = Verdict(RunStatus.BROKEN, reason=fault)
        solved = None if verdict.status is RunStatus.BROKEN else False
        return Grade(solved, f"test {number + 1}: {_why(verdict)}", number, len(tests), verdict.status, seconds)
    return Grade(True, "", len(tests), len(tests), RunStatus.DONE, seconds)


def arguments(given: str) -> str:
    """The arguments of a functional test, one JSON value a line, as a JSON list."""
    return f"[{','.join(given.split(chr(10)))}]"


def _check(tests: Sequence[Test], function: str | None) -> None:
    """Raise InvalidValue where there are no tests, or one that is not of the kind of the problem."""
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
        value = json.loads(text, parse_int=str)  # however many digits there are
    except ValueError as error:
        raise InvalidValue(f"{what}: expected JSON, got {error}") from error
    except RecursionError as error:
        raise InvalidValue(f"{what}: expected JSON of at most {DEEPEST} levels, got more") from error
    if depth(value) > DEEPEST:
        raise InvalidValue(f"{what}: expected JSON of at most {DEEPEST} levels, got more")


def _why(verdict: Verdict) -> str:
    return "wrong answer" if verdict.status is RunStatus.DONE else f"{verdict.status.value}: {verdict.reason}"
