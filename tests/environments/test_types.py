"""Every type of the vocabulary: what belongs, what is read, what is never read, and what contains what."""

import itertools
import json
import math
import re
import time
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from races.environments import pool, values
from races.environments.errors import DeclarationError, InvalidValue, Unparseable
from races.environments.execution import run
from races.environments.types import LEVELS, VOCABULARY, Int, Nat, Type, type_of

KINDS = list(VOCABULARY.values())
each_kind = pytest.mark.parametrize("kind", KINDS, ids=repr)
BIG = 1_000_000

# Every type that contains a type, itself left out.
SUPERTYPES = {
    "SmallNat": {"Nat", "Int"},
    "Nat": {"Int"},
    "IntPair": {"IntList"},
    "NatList": {"IntList"},
    "DigitList": {"NatList", "IntList"},
    "IntSet": {"NatList", "IntList"},
    "Permutation": {"NatList", "IntList"},
    "Partition": {"NatList", "IntList"},
    "PairList": {"Ragged"},
    "IntervalList": {"PairList", "Ragged"},
    "PointList": {"PairList", "Ragged"},
    "CellList": {"PairList", "Ragged"},
    "Word": {"Str", "Text"},
    "BitString": {"Str"},
    "DyckWord": {"Str"},
    "Moves": {"Str"},
    "IntMatrix": {"Ragged"},
    "SquareMatrix": {"IntMatrix", "Ragged"},
    "BoolGrid": {"IntMatrix", "Ragged"},
    "DAG": {"DiGraph"},
}


def path_tree(size: int) -> Any:
    tree: Any = None
    for key in range(size):
        tree = (key, None, tree) if key % 2 else (key, tree, None)
    return tree


def chain(sign: str, leaves: int, right: bool = False) -> Any:
    """An expression of many equal leaves whose brackets are needed where it leans to the right."""
    tree: Any = "x"
    for _ in range(leaves - 1):
        tree = (sign, "x", tree) if right else (sign, tree, "x")
    return tree


CELLS = tuple((row, column) for row in (15, 7, 0) for column in range(16))[: VOCABULARY["CellList"].bounds["most"]]
ALL_EDGES = [(u, v) for u in range(12) for v in range(u + 1, 12)]

# Values at the hard bounds: the smallest and the largest that belong.
EDGES: dict[str, tuple[Any, ...]] = {
    "Int": (0, 1, -1, BIG, -BIG),
    "Nat": (0, 1, BIG),
    "SmallNat": (0, 60),
    "Rational": (Fraction(0), Fraction(3), Fraction(-99_999, 99_998), Fraction(1, 99_999), Fraction(99_999)),
    "Bool": (True, False),
    "Date": (date(1900, 1, 1), date(2299, 12, 31), date(2000, 2, 29)),
    "TimeOfDay": ((0, 0), (23, 59), (0, 59)),
    "IntPair": ((0, 0), (BIG, -BIG)),
    "IntList": ((), (0,), (-BIG,) * 40),
    "NatList": ((), (0,), (BIG,) * 40),
    "DigitList": ((), (0,), (9,) * 40),
    "IntSet": ((), (0,), tuple(range(9_968, 10_000))),
    "Permutation": ((0,), tuple(range(12)), tuple(reversed(range(12)))),
    "Partition": ((), (1,), (16,) * 16),
    "Ragged": ((), ((),), ((),) * 40, (tuple(range(150)),)),
    "PairList": ((), ((BIG, -BIG),) * VOCABULARY["PairList"].bounds["most"]),
    "IntervalList": ((), ((0, 0),), ((0, 9_999),) * 16),
    "PointList": ((), tuple((99, y) for y in range(-99, -75))),
    "CellList": ((), CELLS),
    "Str": ("", "~", "!" * 64, 'a"b\\c', "{[(a}", "a{b", "}", "null", "true", "1.0", "$5$", "`x`", "end."),
    "Text": ("a", "z" * 240, " ".join(["ab"] * 40), 'He said "no".', "{ a", "7 or 8", "1 2 3"),
    "Word": ("a", "z" * 24, "null", "true"),
    "WordList": ((), ("a",), ("z" * 24,) * 24),
    "BitString": ("0", "1", "01" * 24),
    "DyckWord": ("", "()", "(" * 12 + ")" * 12),
    "Moves": ("", "U", "UDLR" * 10),
    "Tally": ((), (("!", 1),), (("a}", 2), ("b{", 3)), tuple((chr(97 + i) * 24, 99_999) for i in range(26))),
    "CardList": ((), ("2C",), tuple(rank + suit for rank in "TJQK" for suit in "CDHS")),
    "IntMatrix": (((0,),), ((-9_999,) * 12,) * 12, ((1,) * 12,), ((1,),) * 12),
    "SquareMatrix": (((0,),), ((-9_999,) * 12,) * 12),
    "BoolGrid": (((0,),), ((1,) * 12,) * 12),
    "CharGrid": ((".",), ("z" * 16,) * 12, ("#",) * 12),
    "Graph": (values.graph(1, []), values.graph(12, ALL_EDGES)),
    "DiGraph": (values.digraph(1, []), values.digraph(12, [(u, v) for u in range(12) for v in range(12)])),
    "DAG": (values.digraph(1, []), values.digraph(12, [(v, u) for u, v in ALL_EDGES])),
    "WeightedGraph": (values.weighted_graph(1, []), values.weighted_graph(12, [(u, v, 999) for u, v in ALL_EDGES])),
    "RootedTree": ((-1,), (-1, *range(23)), (-1, *[0] * 23)),
    "BinTree": (None, (BIG, None, None), path_tree(24)),
    "Poly": ((0,), (-BIG,) * 11, (0, 1)),
    "Expr": (
        0,
        99_999,
        "x",
        chain("-", 20, right=True),
        chain("*", 20, right=False),
        ("*", ("-", 1, ("-", "x", 2)), 3),
    ),
    "BoolExpr": (
        "a",
        "T",
        "F",
        ("~", ("~", "b")),
        (">", (">", "a", "b"), (">", "b", "c")),
        ("~", ("&", "a", ("|", "b", "c"))),
    ),
    "DFA": (values.DFA(((0, 0),), ()), values.DFA(((11, 11),) * 12, tuple(range(12)))),
    "Program": (("LOADX",), ("PUSH -999",), ("PUSH 0",) * 40, ("LOADX", "DUP", "SWAP", "SUB")),
}

# Values just past the bounds, or that only look like the type's.
FOREIGN: dict[str, tuple[Any, ...]] = {
    "Int": (BIG + 1, -BIG - 1, True, 1.0, "5", Fraction(5)),
    "Nat": (-1, BIG + 1, False),
    "SmallNat": (-1, 61),
    "Rational": (Fraction(100_000), Fraction(1, 100_000), 3, 0.5, "1/2"),
    "Bool": (0, 1, "true"),
    "Date": (date(1899, 12, 31), date(2300, 1, 1), "2020-01-01"),
    "TimeOfDay": ((24, 0), (0, 60), (-1, 0), (True, 0), [7, 5], (7, 5, 0)),
    "IntPair": ((1,), (1, 2, 3), (BIG + 1, 0), [1, 2], (True, 2)),
    "IntList": ((0,) * 41, (BIG + 1,), [1], (1.0,), (True,)),
    "NatList": ((0,) * 41, (-1,)),
    "DigitList": ((0,) * 41, (10,), (-1,)),
    "IntSet": (tuple(range(33)), (1, 1), (2, 1), (-1,), (10_000,)),
    "Permutation": ((), (1,), (0, 0), (1, 2), tuple(range(13))),
    "Partition": ((0,), (1, 2), (17,), (1,) * 17),
    "Ragged": (((),) * 41, (tuple(range(151)),), ((1,), 2), (1, 2)),
    "PairList": (((1, 2),) * 49, ((1,),), ((1, 2, 3),)),
    "IntervalList": (((0, 1),) * 17, ((2, 1),), ((3, 4), (1, 2)), ((-1, 1),), ((0, 10_000),)),
    "PointList": (tuple((0, y) for y in range(25)), ((1, 2), (1, 2)), ((100, 0),), ((0, -100),)),
    "CellList": ((*CELLS, (1, 1)), ((1, 2), (1, 2)), ((-1, 0),), ((0, 16),)),
    "Str": ("a" * 65, "a b", "é", "\n", "a\n", b"a"),
    "Text": ("", " a", "a ", "a  b", "a\nb", "é", "a" * 241, " ".join(["a"] * 41)),
    "Word": ("", "A", "a b", "a" * 25, "é", "a\n"),
    "WordList": (("a",) * 25, ("A",), ("",), ["a"], ("a", 1)),
    "BitString": ("", "2", "0" * 49, "0\n", 1),
    "DyckWord": ("(", ")(", "()" * 13, "[]", "()\n"),
    "Moves": ("u", "U" * 41, "UX", "U\n"),
    "Tally": ((("a", 0),), (("a", 100_000),), (("b", 1), ("a", 1)), (("a", 1), ("a", 1)), (("a b", 1),), {"a": 1}),
    "CardList": (("2C", "2C"), ("10C",), ("1C",), ("2c",), ("2C3",), tuple(r + s for r in "23456" for s in "CDHS")),
    "IntMatrix": ((), ((),), ((1,), (1, 2)), ((10_000,),), ((0,) * 13,), ((0,),) * 13),
    "SquareMatrix": ((), ((1, 2),), ((1,), (2,))),
    "BoolGrid": (((2,),), ((True,),), ((-1,),)),
    "CharGrid": ((), ("",), ("A",), ("a", "ab"), ("a" * 17,), ("a",) * 13),
    "Graph": (
        values.Graph(0, ()),
        values.Graph(13, ()),
        values.Graph(3, ((1, 0),)),
        values.Graph(3, ((0, 3),)),
        values.Graph(3, ((0, 1), (0, 1))),
        values.Graph(3, ((1, 2), (0, 1))),
        values.Graph(3, ((1, 1),)),
        values.digraph(3, [(0, 1)]),
    ),
    "DiGraph": (values.DiGraph(3, ((1, 1),)), values.DiGraph(3, ((1, 2), (0, 1))), values.DiGraph(3, [(0, 1)])),  # type: ignore[arg-type]  # a list is foreign
    "DAG": (values.digraph(2, [(0, 1), (1, 0)]), values.digraph(3, [(0, 1), (1, 2), (2, 0)])),
    "WeightedGraph": (
        values.weighted_graph(3, [(0, 1, 0)]),
        values.weighted_graph(3, [(0, 1, 1_000)]),
        values.weighted_graph(3, [(0, 1, 5), (1, 0, 6)]),
        values.weighted_graph(13, []),
    ),
    "RootedTree": ((), (0,), (-1, 1), (-1, 0, 2), (-1, -1), (-1, *range(24))),
    "BinTree": ((1, None), (1, None, None, None), (True, None, None), (BIG + 1, None, None), path_tree(25), ()),
    "Poly": ((), (0, 0), (1, 0), (1,) * 12, (BIG + 1,)),
    "Expr": (
        -1,
        100_000,
        "y",
        "x+3",
        ("+", 1),
        ("/", 1, 2),
        ("~", 1),
        ("+", 1, 2, 3),
        ("+", 1, True),
        ([], 1, 2),
        chain("+", 70),
    ),
    "BoolExpr": ("d", "t", True, ("+", "a", "b"), ("~", "a", "b"), ("&", "a"), ("&", "a", 1), ([], "a", "b")),
    "DFA": (
        values.DFA((), ()),
        values.DFA(((0, 1),), ()),
        values.DFA(((0, 0, 0),), ()),  # type: ignore[arg-type]  # a row too long is foreign
        values.DFA(((0, 0),), (1,)),
        values.DFA(((0, 0),), (0, 0)),
        values.DFA(((0, 1), (1, 1)), (1, 0)),
        values.DFA(((0, 0),) * 13, ()),
    ),
    "Program": (
        (),
        ("ADD",),
        ("PUSH 1", "ADD"),
        ("PUSH 1000",),
        ("PUSH 01",),
        ("PUSH",),
        ("dup",),
        ("LOADX\n",),
        ("LOADX",) * 41,
    ),
}


@cache
def samples(kind: Type[Any]) -> tuple[Any, ...]:
    return tuple(kind.sample(Random(f"{kind} {level} {n}"), level) for level in LEVELS for n in range(20))


@cache
def produced(name: str) -> tuple[Any, ...]:
    """Values of a type that bricks give."""
    bricks = [brick for brick in pool().values() if brick.codomain.name == name]
    results = [run(b, b.sample(Random(f"{b.name} {level}"), level)) for b in bricks for level in LEVELS]
    return tuple(each.value for each in results if each.done)


def values_of(kind: Type[Any]) -> tuple[Any, ...]:
    return (*samples(kind), *produced(kind.name), *kind.examples, *EDGES[kind.name])


@each_kind
def test_samples_belong_are_healthy_and_hashable_at_every_level(kind: Type[Any]) -> None:
    for value in samples(kind):
        assert kind.check(value) is value
        assert kind.healthy(value), value
        hash(value)


@each_kind
def test_a_sample_depends_on_its_generator_alone(kind: Type[Any]) -> None:
    again = tuple(kind.sample(Random(f"{kind} {level} {n}"), level) for level in LEVELS for n in range(20))
    assert again == samples(kind)
    assert len(set(again)) >= (2 if kind.name == "Bool" else 20)


@each_kind
def test_values_at_the_hard_bounds_belong(kind: Type[Any]) -> None:
    for value in EDGES[kind.name]:
        assert value in kind, value


@each_kind
def test_values_past_the_bounds_do_not_belong(kind: Type[Any]) -> None:
    anything = [[], {}, object(), math.nan, math.inf, "\x00", b"", (None,), ((),) * 200, -(10**30), 10**30]
    for value in [*FOREIGN[kind.name], *anything, *([] if kind.name == "BinTree" else [None])]:
        assert value not in kind, value
        with pytest.raises(InvalidValue):
            kind.check(value)


@each_kind
def test_canonical_json_is_read_back_as_the_same_value(kind: Type[Any]) -> None:
    for value in values_of(kind):
        text = kind.dumps(value)
        assert "\n" not in text
        for read in (kind.loads(text), kind.parse(text), kind.decode(json.loads(text))):
            assert read == value
            assert repr(read) == repr(value), "equal is not enough: 1 == True == 1.0"
            assert kind.dumps(read) == text


def wrapped(text: str) -> Iterator[str]:
    """The ways to write a JSON text that a prompt permits."""
    yield from (f"  {text} ", f"\n{text}\n", f"\t{text}\r\n", f"{text}.", f"{text} .", f"\u00a0{text}")
    yield from (f"```\n{text}\n```", f"```json\n{text}\n```", f"```json\n{text}\n```\n", f"```{text}```")
    yield from (f"${text}$", f"$${text}$$", f"\\({text}\\)", f"\\[ {text} \\]", f"**{text}**", f"**{text}**.")
    yield from (f"\\boxed{{{text}}}", f"\\text{{{text}}}", f"$\\boxed{{\\text{{{text}}}}}$.", f"\\mathrm{{{text}}}")
    if "`" not in text:
        yield f"`{text}`"


@each_kind
def test_every_wrapping_that_the_prompt_permits_is_read(kind: Type[Any]) -> None:
    for value in values_of(kind):
        for spelling in wrapped(kind.dumps(value)):
            assert kind.parse(spelling) == value, spelling


@each_kind
def test_json_may_be_spaced_and_escaped_as_one_likes(kind: Type[Any]) -> None:
    for value in values_of(kind):
        data = json.loads(kind.dumps(value))
        for text in (
            json.dumps(data, separators=(",", ":")),
            json.dumps(data, indent=2),
            json.dumps(data, indent="\t"),
        ):
            assert kind.parse(text) == value, text
        escaped = re.sub("[a-z]", lambda letter: f"\\u{ord(letter[0]):04x}", kind.dumps(value))
        if kind.dumps(value).startswith('"') and "\\" not in kind.dumps(value):
            assert kind.parse(escaped) == value, escaped


@each_kind
def test_quotes_around_the_whole_are_forgiven(kind: Type[Any]) -> None:
    for value in values_of(kind):
        text = kind.dumps(value)
        if not text.startswith('"'):
            assert kind.parse(json.dumps(text)) == value
            if '"' not in text:
                assert kind.parse(f"\u201c{text}\u201d") == value


@each_kind
def test_strings_may_stand_without_their_quotes(kind: Type[Any]) -> None:
    for value in samples(kind):
        text = kind.dumps(value)
        if text.startswith('"'):
            assert kind.parse(text[1:-1]) == value
            assert kind.parse(f"```\n{text[1:-1]}\n```") == value


@each_kind
def test_the_keys_of_an_object_may_stand_in_any_order(kind: Type[Any]) -> None:
    for number, value in enumerate(values_of(kind)):
        data = json.loads(kind.dumps(value))
        if isinstance(data, dict):
            keys = Random(f"keys {kind} {number}").sample(sorted(data), len(data))
            assert kind.parse(json.dumps({key: data[key] for key in keys})) == value


@pytest.mark.parametrize("name", ["Graph", "WeightedGraph", "DiGraph", "DAG"])
def test_edges_may_stand_in_any_order_and_arcs_not_in_any_direction(name: str) -> None:
    kind = VOCABULARY[name]
    for number, value in enumerate(values_of(kind)):
        rng, data = Random(f"edges {name} {number}"), json.loads(kind.dumps(value))
        key = "edges" if "edges" in data else "arcs"
        data[key] = rng.sample(data[key], len(data[key]))
        if key == "edges":
            data[key] = [[v, u, *rest] if rng.random() < 0.5 else [u, v, *rest] for u, v, *rest in data[key]]
            assert kind.parse(json.dumps(data)) == value
        else:
            assert kind.parse(json.dumps(data)) == value
            data[key] = [[v, u] for u, v in data[key]]
            turned = {(v, u) for u, v in value.arcs}
            assert kind.parse(json.dumps(data)) == value or turned != set(value.arcs)


def as_floats(data: Any) -> Any:
    match data:
        case bool() | str() | None:
            return data
        case int():
            return float(data)
        case list():
            return [as_floats(item) for item in data]
        case dict():
            return {key: as_floats(item) for key, item in data.items()}
    raise AssertionError(data)


@each_kind
def test_a_whole_number_may_be_spelled_with_a_point_zero(kind: Type[Any]) -> None:
    for value in values_of(kind):
        assert kind.parse(json.dumps(as_floats(json.loads(kind.dumps(value))))) == value


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Int", "+5", 5),
        ("Int", "5.0.", 5),
        ("Int", "1,234", 1234),
        ("Int", "-1,000,000", -BIG),
        ("Int", "\u22125", -5),
        ("Int", '"5"', 5),
        ("Int", "007", 7),
        ("Rational", "3", Fraction(3)),
        ("Rational", '"3"', Fraction(3)),
        ("Rational", "-22/7.", Fraction(-22, 7)),
        ("Rational", "\u221222 / 7", Fraction(-22, 7)),
        ("Rational", r"\frac{5}{12}", Fraction(5, 12)),
        ("Rational", r"$-\dfrac{22}{7}$", Fraction(-22, 7)),
        ("Bool", "True", True),
        ("Bool", "no.", False),
        ("Bool", '"Yes"', True),
        ("Date", "2031-05-09.", date(2031, 5, 9)),
        ("TimeOfDay", "7:05", (7, 5)),
        ("BitString", "0110", "0110"),
        ("BitString", "1000", "1000"),
        ("Word", "Lamp".lower() + ".", "lamp"),
        ("Word", r"\text{lamp}", "lamp"),
        ("Text", "some words here", "some words here"),
        ("BinTree", "null.", None),
        ("IntList", "[4.0, -7, 1e1]", (4, -7, 10)),
    ],
)
def test_these_spellings_are_read_too(name: str, text: str, value: Any) -> None:
    assert VOCABULARY[name].parse(text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Int", "5.5"),
        ("Int", "12,34"),
        ("Int", "1,2345"),
        ("Int", "0x10"),
        ("Int", "1_000"),
        ("Int", "5 apples"),
        ("Int", "[5]"),
        ("Int", "true"),
        ("Int", "2+3"),
        ("Int", "10**2"),
        ("Int", "9**9**9**9"),
        ("Int", "--5"),
        ("Int", "1000001"),
        ("Int", "1e999"),
        ("Int", "\u0665"),
        ("Int", "\uff15"),
        ("Int", "five"),
        ("Int", "5..5"),
        ("Rational", "6/4"),
        ("Rational", "1/0"),
        ("Rational", "3/-4"),
        ("Rational", "0.75"),
        ("Rational", "1/2/3"),
        ("Bool", "1"),
        ("Bool", "true or false"),
        ("Bool", "maybe"),
        ("Date", "2031-5-9"),
        ("Date", "2023-02-29"),
        ("Date", "09.05.2031"),
        ("TimeOfDay", "24:00"),
        ("TimeOfDay", "7:5"),
        ("TimeOfDay", "7:05 pm"),
        ("IntList", "4, 7"),
        ("IntList", "(4)"),
        ("IntList", "[4, 7,,]"),
        ("IntList", "[,]"),
        ("IntList", "[4 7]"),
        ("IntList", "[4, true]"),
        ("IntList", "[4, '7']"),
        ("IntList", "[4, null]"),
        ("IntList", "[4, NaN]"),
        ("IntList", "[4, Infinity]"),
        ("IntList", "[4, 7.5]"),
        ("IntList", "[4, 7] or [7, 4]"),
        ("IntList", "list(range(3))"),
        ("IntSet", "[5, 2]"),
        ("IntSet", "[2, 2]"),
        ("IntSet", "{2, 5}"),
        ("WordList", '["lamp", 5]'),
        ("WordList", "lamp, stone"),
        ("Tally", '{"lamp": 1, "lamp": 2}'),
        ("Tally", '{"lamp": 1, "lamp": 1}'),
        ("Tally", '{"lamp": 1.5}'),
        ("Tally", '{"lamp": true}'),
        ("Tally", '[["lamp", 1]]'),
        ("Graph", '{"n": 3, "n": 3, "edges": []}'),
        ("Graph", '{"n": 3, "edges": [[0, 1], [1, 0]]}'),
        ("Graph", '{"n": 3, "edges": [[0, 0]]}'),
        ("Graph", '{"n": 3, "edges": [[0, 3]]}'),
        ("Graph", '{"n": 3, "edges": [[0, 1]], "more": 1}'),
        ("Graph", '{"n": 3}'),
        ("Graph", '{"n": true, "edges": []}'),
        ("DAG", '{"n": 2, "arcs": [[0, 1], [1, 0]]}'),
        ("BinTree", "[5]"),
        ("BinTree", "[5, null, null, null]"),
        ("Poly", "[1, 0]"),
        ("Poly", "1 + x"),
    ],
)
def test_these_texts_are_never_read(name: str, text: str) -> None:
    with pytest.raises(Unparseable):
        VOCABULARY[name].parse(text)


JUNK = (
    *("", " ", "\n", ".", "null", "None", "NaN", "nan", "Infinity", "-Infinity", "inf", "1e999", "-1e999"),
    *("[]", "{}", "[[]]", '""', "[null]", "[NaN]", "()", "undefined", "?", "...", "\x00", "\ud800", '"\\ud800"'),
    *("9" * 4_000, "9" * 100_000, "-" * 500, "[" * 19_999, "[" * 900 + "]" * 900, "[" * 9_000 + "]" * 9_000),
    *('{"n":' * 3_000 + "1" + "}" * 3_000, '{"a":' * 900 + "1" + "}" * 900, "[5," * 900 + "5" + "]" * 900),
    *("\u0667", "\uff17", "\u00b2", "x" * 300_000, "``````", "$$$$", "****", "\\boxed{}", "import os", "lambda: 0"),
)


def read(kind: Type[Any], text: str) -> Any:
    """The value that is read, or the exception that says there is none."""
    try:
        return kind.check(kind.parse(text))
    except Unparseable as error:
        return error


@each_kind
def test_junk_is_unreadable_or_another_value(kind: Type[Any]) -> None:
    for text in JUNK:
        answer = read(kind, text)
        for value in values_of(kind):
            bare = value if isinstance(value, str) else kind.dumps(value)
            meant = (text.strip(), {"()": "[]", "None": "null"}.get(text.strip()))  # as it is, and as Python's spelling
            assert answer != value or {bare, kind.dumps(value)} & set(meant) or value == "", text


@each_kind
def test_a_hedge_or_a_list_of_candidates_never_means_the_value(kind: Type[Any]) -> None:
    every = samples(kind)
    for value, other in itertools.pairwise(every):
        a, b = kind.dumps(value), kind.dumps(other)
        hedges = [f"{a} or {b}", f"{b} or {a}", f"[{a}, {b}]", f"[{a}]", f"{a}, {b}", f"{a}; {b}", f"{a} {b}"]
        hedges += [f"{a}\n{b}", f"{a}{a}", f"either {a}", f"not {a}", f"{a}?", f"{a} (or {b})", f"**{a}** or **{b}**"]
        hedges += [f"```\n{a}\n```\n```\n{b}\n```", f"${a}$ or ${b}$", f"{{{a}}}", f"{a}" + " " * 30_000]
        hedges += [
            f"{a[1:-1]} # or {b[1:-1]}",
            f"{a} # or {b}",
            f"{a[1:-1]} or {b[1:-1]}",
            f"{a}; # {b}",
            f"{a} // {b}",
        ]
        for hedge in hedges:
            assert read(kind, hedge) != value, hedge


@each_kind
def test_a_key_that_comes_twice_is_never_read(kind: Type[Any]) -> None:
    for value in samples(kind):
        text = kind.dumps(value)
        if text.startswith("{"):
            first = text[1 : text.index(":")]
            again = text[:-1] + f", {first}: {json.dumps(json.loads(text)[json.loads(first)])}}}"
            assert isinstance(read(kind, again), Unparseable), again


@each_kind
@given(text=st.text(max_size=60) | st.text(alphabet='0123456789[]{}",:.-/ntruefalsedgscrab()\\$*`', max_size=30))
@settings(max_examples=60)
def test_any_text_is_read_as_a_value_of_the_type_or_is_unparseable(kind: Type[Any], text: str) -> None:
    answer = read(kind, text)
    if not isinstance(answer, Unparseable):
        assert kind.parse(kind.dumps(answer)) == answer


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 14)
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "UD", "01", "()", "2C", "1/2", "7:05", "2020-01-01", "\ud800", "\u0661"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["n", "edges", "arcs", "a"]), inner, max_size=3)
        | st.fixed_dictionaries({"n": inner, "edges": st.lists(inner, max_size=3)})
        | st.fixed_dictionaries({"n": inner, "arcs": st.lists(inner, max_size=3)})
    ),
    max_leaves=12,
)


@each_kind
@given(data=JSON)
@settings(max_examples=60)
def test_any_json_is_read_as_a_value_of_the_type_or_is_unparseable(kind: Type[Any], data: Any) -> None:
    answer = read(kind, json.dumps(data))
    if not isinstance(answer, Unparseable):
        assert kind.parse(kind.dumps(answer)) == answer
        assert repr(kind.loads(kind.dumps(answer))) == repr(answer)


@each_kind
def test_an_answer_with_one_character_changed_is_another_value_or_unparseable(kind: Type[Any]) -> None:
    rng = Random(f"damage {kind}")
    for value in samples(kind):
        text = kind.dumps(value)
        place, character = rng.randrange(len(text)), rng.choice("0123456789abxyzUDLR()[]#KQJTCDHS/:")
        damaged = text[:place] + character + text[place + 1 :]
        answer = read(kind, damaged)
        assert isinstance(answer, Unparseable) or answer != value or damaged.lower() == text.lower(), damaged


@each_kind
def test_the_supertypes_are_the_declared_ones(kind: Type[Any]) -> None:
    wider = {wide.name for wide in kind.supertypes()} - {kind.name}
    assert wider == SUPERTYPES.get(kind.name, set())
    assert {other.name for other in KINDS if kind.fits(other)} == wider | {kind.name}
    assert not any(other.fits(kind) for other in kind.supertypes() if other is not kind)


@each_kind
def test_every_value_is_a_value_of_each_supertype_with_the_same_json(kind: Type[Any]) -> None:
    for wide in kind.supertypes():
        for value in values_of(kind):
            assert value in wide, f"{kind.dumps(value)} is no {wide}"
            assert wide.dumps(value) == kind.dumps(value)
            assert wide.loads(kind.dumps(value)) == value


@each_kind
def test_the_examples_differ_and_belong(kind: Type[Any]) -> None:
    first, second = kind.examples
    assert first in kind
    assert second in kind
    assert kind.dumps(first) != kind.dumps(second)


@each_kind
def test_a_noun_and_a_notation_read_on_in_a_sentence(kind: Type[Any]) -> None:
    assert re.match(r"(a|an) ", kind.noun)
    assert not kind.notation.endswith(".")


def another(bound: Any) -> Any:
    """A bound of the same form that is not the same."""
    match bound:
        case int():
            return bound + 1
        case str():
            return bound + "x"
        case dict():
            return bound | {"more": 7}
    return (*bound[1:], 7_777)


def changed(kind: Type[Any], **bounds: Any) -> Type[Any]:
    return type(kind)(kind.name, kind.noun, kind.notation, kind.examples, kind.wider, **(kind.bounds | bounds))


@each_kind
def test_a_fingerprint_changes_with_every_bound(kind: Type[Any]) -> None:
    assert changed(kind).fingerprint == kind.fingerprint
    for name, bound in kind.bounds.items():
        other = another(bound)
        assert changed(kind, **{name: other}).fingerprint != kind.fingerprint, name


@each_kind
def test_a_fingerprint_changes_with_the_words_and_the_supertypes(kind: Type[Any]) -> None:
    parts = {"name": kind.name, "noun": kind.noun, "notation": kind.notation, "examples": kind.examples}
    for each in ({"noun": "a thing"}, {"notation": "a number"}, {"name": "Thing"}, {"wider": (*kind.wider, Int)}):
        other: Any = type(kind)(**(parts | {"wider": kind.wider} | each), **kind.bounds)
        assert other.fingerprint != kind.fingerprint


def test_no_two_types_have_the_same_name_or_fingerprint() -> None:
    assert len({kind.fingerprint for kind in KINDS}) == len({kind.name for kind in KINDS}) == len(KINDS)


@each_kind
def test_errors_say_what_was_expected_and_what_came(kind: Type[Any]) -> None:
    for bad in (object(), "x" * 1_000, (1,) * 500, math.nan):
        with pytest.raises(InvalidValue, match=rf"^expected .+ \({kind.name}\), got .+") as caught:
            kind.check(bad)
        assert len(str(caught.value)) < len(kind.noun) + 150
    with pytest.raises(InvalidValue, match=rf"^brick: expected .+ \({kind.name}\), got .+"):
        kind.check(object(), "brick")
    with pytest.raises(InvalidValue, match=r"^expected .+, got .+"):
        kind.loads("[[[")
    with pytest.raises(Unparseable, match=r"^expected .+, got .+"):
        kind.parse("\x01 no answer")
    with pytest.raises(Unparseable, match=r"^expected at most 8000 characters, got 8001"):
        kind.parse("1" * 8_001)


def test_a_value_that_cannot_be_printed_is_still_an_invalid_value() -> None:
    nested: Any = ()
    for _ in range(5_000):
        nested = (nested,)
    for bad in (10**5_000, (10**5_000,), nested):
        for name in ("Int", "IntList", "Ragged", "BinTree"):
            with pytest.raises(InvalidValue):
                VOCABULARY[name].check(bad)


@pytest.mark.parametrize(("name", "leaf", "label"), [("BinTree", None, 5), ("Expr", "x", "+"), ("BoolExpr", "a", "&")])
def test_a_huge_value_made_of_shared_parts_is_refused_quickly(name: str, leaf: Any, label: Any) -> None:
    """A brick builds such a value in a few steps; whoever asks whether it belongs must not walk through all of it."""
    tree = leaf
    for _ in range(20):
        tree = (label, tree, tree)
    begin = time.perf_counter()
    assert tree not in VOCABULARY[name]
    assert time.perf_counter() - begin < 0.2


@each_kind
def test_reading_is_quick_for_texts_made_to_be_slow(kind: Type[Any]) -> None:
    hard = [
        mark * (19_900 // len(mark)) for mark in ("`", "*", "$", "\\text{", "\\boxed{", "```\n", "\n", " ", ".", '"')
    ]
    hard += [
        mark * (19_900 // len(mark)) for mark in ("[", "{", '{"a":', "1,", "a ", "\\(", "```json\n", "**$", "()", "-")
    ]
    hard += ["```" + "a" * 19_900, "```" + "\t" * 9_000 + "\n" * 9_000 + "```", "**" + "* " * 9_900, "$" + "$ " * 9_900]
    begin = time.perf_counter()
    for text in hard:
        answer = read(kind, text)
        assert isinstance(answer, Unparseable) or answer in ("", text.strip()), text[:40]
    assert time.perf_counter() - begin < 2


def test_a_type_comes_out_of_an_annotation_and_out_of_nothing_else() -> None:
    assert type_of(Nat) is VOCABULARY["Nat"]
    assert type_of(VOCABULARY["Nat"]) is VOCABULARY["Nat"]
    for wrong in (int, "Nat", None, list[int]):
        with pytest.raises(DeclarationError, match=r"^expected a type of the vocabulary .*, got "):
            type_of(wrong)


@given(day=st.dates(date(1890, 1, 1), date(2310, 1, 1)))
def test_exactly_the_days_from_1900_to_2299_are_dates(day: date) -> None:
    assert (day in VOCABULARY["Date"]) == (1900 <= day.year <= 2299)
    assert isinstance(read(VOCABULARY["Date"], (day + timedelta(0)).isoformat()), date) == (1900 <= day.year <= 2299)


@given(p=st.integers(-200_000, 200_000), q=st.integers(1, 200_000))
def test_a_fraction_is_read_in_lowest_terms_alone(p: int, q: int) -> None:
    lowest = math.gcd(p, q) == 1 and abs(p) <= 99_999 and q <= 99_999
    answer = read(VOCABULARY["Rational"], f"{p}/{q}")
    assert answer == Fraction(p, q) if lowest else isinstance(answer, Unparseable)


@given(number=st.integers(-2_000_000, 2_000_000))
def test_an_integer_is_read_with_and_without_separators(number: int) -> None:
    for text in (str(number), f"{number:,}", f"{number}.0"):
        answer = read(VOCABULARY["Int"], text)
        assert answer == number if abs(number) <= BIG else isinstance(answer, Unparseable)
