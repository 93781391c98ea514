"""Honest programs pass, and what they print or return is compared as the benchmark does."""

import json
import time
from resource import RUSAGE_SELF, getrusage

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.sandbox.sandbox import RunStatus, Sandbox
from tests.support.cheating_programs import DONE
from tests.support.honest_programs import HONEST
from tests.support.sandboxes import needs_sandbox, problem


@needs_sandbox
@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(running: Sandbox, name: str) -> None:
    task = problem(("1 2", "3"), ("-5 5\n", "0\n"), ("1000000000000 1", "1000000000001"))
    grade = livecode.grade(task, HONEST[name], running)
    assert (grade.solved, grade.passed, grade.tests, grade.reason) == (True, 3, 3, "")
    assert grade.seconds > 0
    wrong = livecode.grade(problem(("1 2", "3"), ("1 2", "4"), ("1 2", "3")), HONEST[name], running)
    assert (wrong.solved, wrong.passed, wrong.status) == (False, 1, DONE)


@needs_sandbox
@pytest.mark.parametrize(
    ("code", "given", "expected"),
    [
        ("class Solution:\n    def f(self, a, b):\n        print('noise')\n        return a + b", "1\n2", "3"),
        ("def f(a, b):\n    return a, b", '[1]\n{"x": null}', '[[1], {"x": null}]'),
        ("class Solution:\n    def f(self, x: List[int]) -> Optional[int]:\n        return max(x)", "[3, 1]", "3"),
        ("def f(x):\n    return x / 2", "5", "2.5"),
        ("def f(x):\n    return x / 2", "4", "2"),
        ("def f(x):\n    return x > 2", "4", "true"),
        ("def f(x):\n    return x[::-1]", '"\u00e9\\n\u4e2d"', '"\u4e2d\\n\u00e9"'),
        ("def f(x):\n    return None", "4", "null"),
        ("import sys\ndef f(x):\n    return list(range(x))", "100000", json.dumps(list(range(100000)))),
        ("def f(x):\n    return x + 1\nif __name__ == '__main__':\n    print(f(int(input())))", "4", "5"),
        ("class Solution:\n    def f(self, x):\n        return x\nif __name__ == '__main__':\n    1 / 0", "4", "4"),
        ("def f(x):\n    return x * 10", "1" + "0" * 30_000, "1" + "0" * 30_001),
        ("def f(x):\n    return [str(x), x]", "9" * 5_000, f'["{"9" * 5_000}", {"9" * 5_000}]'),
        ("def f(x):\n    return x", "[1e400, 1E2, -0]", "[Infinity, 100, 0.0]"),
        ("import numpy as np\ndef f(x):\n    return np.int64(x)", "4", "4"),
        (
            "import numpy as np\ndef f(x):\n    return [np.bool_(x), np.float32(x / 8), np.array([x])]",
            "4",
            "[1, 0.5, [4]]",
        ),
        ("import numpy as np\ndef f(x):\n    return (np.arange(x) * 2).tolist()", "4", "[0, 2, 4, 6]"),
        ("from fractions import Fraction\ndef f(x):\n    return [Fraction(x, 8), Fraction(x, 2)]", "4", "[0.5, 2]"),
        ("from decimal import Decimal\ndef f(x):\n    return [Decimal('0.5'), Decimal(x)]", "4", "[0.5, 4]"),
        ("def f(x):\n    return Counter(x)", '"aab"', '{"b": 1, "a": 2}'),
        (
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int'\ndef f(x):\n    return P(x).x",
            "4",
            "4",
        ),
        ("class I:\n    def __index__(self): return 7\ndef f(x):\n    return [I()]", "4", "[7]"),
    ],
)
def test_functions_are_called_and_compared(running: Sandbox, code: str, given: str, expected: str) -> None:
    assert livecode.grade(problem((given, expected), function="f"), code, running).solved is True
    assert livecode.grade(problem((given, '"another"'), function="f"), code, running).solved is False
    assert livecode.grade(problem((given, expected), function="g"), code, running).solved is False


@needs_sandbox
@pytest.mark.parametrize("function", [None, "f"])
def test_what_is_printed_is_bounded_by_what_is_expected(running: Sandbox, function: str | None) -> None:
    """Five million numbers took the grader a gigabyte."""
    values = "' '.join(map(str, range(5 * 10**6)))"
    many = f"def f(x):\n    return list(range(5 * 10**6))\nif __name__ == '__main__':\n    print({values})"
    before = getrusage(RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    grade = livecode.grade(problem(("1", "3"), function=function), many, running)
    assert (grade.solved, grade.status) == (False, RunStatus.OUTPUT)
    assert time.process_time() - begun < 1
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


@needs_sandbox
def test_a_right_answer_is_never_too_long(running: Sandbox) -> None:
    numbers = range(10**5)
    shown = " ".join(map(str, numbers))
    wide = "print('  '.join(f'{n}.000' for n in range(10**5)) + ' ' * 10**5)"
    assert livecode.grade(problem(("", shown)), wide, running).solved is True
    task = problem(("1", json.dumps(["\u4e2d"] * 10**5, ensure_ascii=False)), function="f")
    assert livecode.grade(task, "def f(x):\n    return ['\\u4e2d'] * 10**5", running).solved is True
