"""Values of every type of the vocabulary: samples, bounds, what bricks give, and what only looks like a value."""

from datetime import date
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest

from races.environments import pool, values
from races.environments.errors import Unparseable
from races.environments.execution import run
from races.environments.types import LEVELS, VOCABULARY, Type

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
LOOKALIKES: dict[str, tuple[Any, ...]] = {
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


def read(kind: Type[Any], text: str) -> Any:
    """The value that is read, or the exception that says there is none."""
    try:
        return kind.check(kind.parse(text))
    except Unparseable as error:
        return error
