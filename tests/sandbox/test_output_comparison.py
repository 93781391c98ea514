"""Outputs are compared by the rules of LiveCodeBench's runner, in time and memory that the expected output bounds."""

import json
import random
import time
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from races.resources.evaluation.suites.output_comparison import MAX_DEPTH, depth, same_text, same_value


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("1 2\n3", "1 2\n3\n", True),
        ("\n\n 1 2  \r\n3 \n\n", "1 2\n3", True),
        ("1\n\n2", "1\n2", False),
        ("1  2", "1 2", True),  # as numbers
        ("a  b", "a b", False),  # as text
        ("1.0", "1", True),
        ("1e3 0.50", "1000 .5", True),
        ("-0", "0", True),
        ("0.1", "0.10000000000000001", False),
        ("1000000000000000000000000000000000000001", "1000000000000000000000000000000000000000", False),
        ("1 a", "1.0 a", False),  # one word that is no number makes the line a text
        ("1 2 3", "1 2", False),
        ("YES", "yes", False),
        ("nan", "NaN", False),
        ("nan", "nan", True),  # the same text
        ("sNaN", "1", False),
        ("inf", "Infinity", True),
        ("", "", True),
        ("", "0", False),
        ("1e999999999999999999999", "1", False),
    ],
)
def test_output_is_compared_by_the_rule_of_the_benchmark(printed: str, expected: str, same: bool) -> None:
    assert same_text(printed, expected) is same


def runner(printed: str, expected: str) -> bool:
    """The rule in the words of the benchmark's runner, which makes lists of everything."""
    ours, theirs = ([line.strip() for line in text.strip().split("\n")] for text in (printed, expected))
    if len(ours) != len(theirs):
        return False
    for one, other in zip(ours, theirs, strict=True):
        if one == other:
            continue
        try:
            same = [Decimal(word) for word in one.split()] == [Decimal(word) for word in other.split()]
        except ArithmeticError:
            return False
        if not same:
            return False
    return True


def test_text_is_compared_as_the_runner_does() -> None:
    rng = random.Random(1)
    pieces = [
        "1",
        "1.0",
        "2",
        "a",
        " ",
        "  ",
        "\n",
        "\t",
        "\r",
        "nan",
        "sNaN",
        "1e0",
        "-0",
        "0",
        "\u00a0",
        "\x1c",
        "1_0",
        "10",
    ]
    seen = []
    for _ in range(20_000):
        expected = [rng.choice(pieces) for _ in range(rng.randrange(7))]
        printed = [rng.choice(pieces) if rng.random() < 0.2 else each for each in expected]
        pair = "".join(printed), "".join(expected)
        seen.append(same_text(*pair))
        assert seen[-1] == runner(*pair), pair
    assert 0.1 < sum(seen) / len(seen) < 0.9


def value(rng: random.Random, level: int = 0) -> Any:
    kind = rng.randrange(9 if level < 4 else 6)
    if kind < 6:
        return rng.choice([None, True, False, 0, 1, -1, 2.0, 0.5, "a", '\u00e9\n"', "", 10**30, 1e22, 10**22])
    if kind < 8:
        return [value(rng, level + 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abc"): value(rng, level + 1) for _ in range(rng.randrange(4))}


def varied(rng: random.Random, of: Any) -> Any:
    """A value that is often equal, and else nearly so."""
    if rng.random() < 0.2:
        return value(rng, 3)
    if isinstance(of, list):
        return [varied(rng, each) for each in of]
    if isinstance(of, dict):
        return {key: varied(rng, of[key]) for key in rng.sample(list(of), len(of))}
    return int(of) if isinstance(of, (bool, float)) and of == int(of) and rng.random() < 0.5 else of


def test_values_are_equal_where_python_says_so() -> None:
    rng = random.Random(2)
    seen = []
    for _ in range(10_000):
        expected = value(rng)
        returned = varied(rng, expected)
        layout: dict[str, Any] = rng.choice([{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}])
        pair = json.dumps(returned, **layout), json.dumps(expected)
        seen.append(same_value(*pair))
        assert seen[-1] == (json.loads(pair[0]) == json.loads(pair[1])), pair
    assert 0.1 < sum(seen) / len(seen) < 0.9


@pytest.mark.parametrize(
    ("returned", "expected", "same"),
    [
        ("1" + "0" * 5_000, "1" + "0" * 5_000, True),
        ("1" + "0" * 5_000, "1" + "0" * 4_999 + "1", False),
        ("1e22", "1" + "0" * 22, True),
        ("NaN", "NaN", False),
        ("Infinity", "1e400", True),
        ("true", "1", True),
        ("1", "true", True),
        ("0", "null", False),
        ('"1"', "1", False),
        (" [ 1 ,2 ] ", "[1,2]", True),
        ("[1,2", "[1,2]", False),
        ("[1 2]", "[1,2]", False),
        ("[1,,2]", "[1,2]", False),
        ("[1,2,]", "[1,2]", False),
        ("[1,2]]", "[1,2]", False),
        ("[1,2,3]", "[1,2]", False),
        ("[]", "{}", False),
        ("[,]", "[]", False),
        ('{"a":1,"a":1}', '{"a":1}', False),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', True),
        ('{"a":1 "b":2}', '{"b":2,"a":1}', False),
        ('{"a":1}', '{"b":2,"a":1}', False),
        ("{,}", "{}", False),
        ('"a', '"a"', False),
        ('"\\ud83d\\ude00"', '"\U0001f600"', True),
        ('"\\q"', '"q"', False),
        ("1.5.2", "1.5", False),
        ("01", "1", False),
        ("1_0", "10", False),
        ("", "null", False),
        ("nullnull", "null", False),
    ],
)
def test_the_json_of_a_value_is_read_strictly(returned: str, expected: str, same: bool) -> None:
    assert same_value(returned, expected) is same


@pytest.mark.parametrize(
    ("compare", "output", "expected"),
    [
        (same_text, "1 " * 5_000_000, "3"),
        (same_text, "1\n" * 5_000_000, "3"),
        (same_text, "1 " * 5_000_000, "1 1.0"),
        (same_text, "9" * 5_000_000, "1 2"),
        (same_value, "[" * 5_000_000, "[[3]]"),
        (same_value, "[" + "1, " * 5_000_000, "[1, 2]"),
        (same_value, "9" * 5_000_000, "1"),
        (same_value, '{"a":' * 2_000_000, '{"a": 1}'),
        (same_value, "[" + "{}," * 2_000_000, "[{}, 1]"),
        (same_value, '"' + "\\u4e2d" * 10**6, '"x"'),
    ],
)
def test_no_output_takes_long_or_much_memory(compare: Callable[[str, str], bool], output: str, expected: str) -> None:
    tracemalloc.start()
    begun = time.process_time()
    assert compare(output, expected) is False
    seconds, (_, most) = time.process_time() - begun, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 2
    assert most < 3 * len(output) + 2**20


def test_a_large_expected_output_is_compared_as_it_is_read() -> None:
    numbers = " ".join(map(str, range(300_000)))
    tracemalloc.start()
    assert same_text(numbers.replace(" ", "  "), numbers)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 6 * len(numbers)


def test_depth_counts_lists_and_objects() -> None:
    assert [depth(each) for each in (1, [], [1], [[1], 2], {"a": [{}]})] == [0, 1, 1, 2, 3]
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert same_value(deepest, deepest)
