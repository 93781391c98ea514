"""The vocabulary: every type that a brick may take or give, by name."""

from typing import Any

from races.environments.types.base import LEVELS, Type, type_of
from races.environments.types.collections import (
    CellList,
    DigitList,
    IntervalList,
    IntList,
    IntPair,
    IntSet,
    NatList,
    PairList,
    Partition,
    Permutation,
    PointList,
    Ragged,
)
from races.environments.types.graphs import DAG, BinTree, DiGraph, Graph, RootedTree, WeightedGraph
from races.environments.types.machines import DFA, Program
from races.environments.types.matrices import BoolGrid, CharGrid, IntMatrix, SquareMatrix
from races.environments.types.polynomials import Poly
from races.environments.types.scalars import Bool, Date, Int, Nat, Rational, SmallNat, TimeOfDay
from races.environments.types.symbolic import BoolExpr, Expr
from races.environments.types.texts import BitString, CardList, DyckWord, Moves, Str, Tally, Text, Word, WordList

# fmt: off
_ALL = (
    Int, Nat, SmallNat, Rational, Bool, Date, TimeOfDay,
    IntPair, IntList, NatList, DigitList, IntSet, Permutation, Partition,
    Ragged, PairList, IntervalList, PointList, CellList,
    Str, Word, Text, WordList, BitString, DyckWord, Moves, Tally, CardList,
    IntMatrix, SquareMatrix, BoolGrid, CharGrid,
    Graph, DiGraph, DAG, WeightedGraph, RootedTree, BinTree, Poly,
    Expr, BoolExpr, DFA, Program,
)
# fmt: on

VOCABULARY: dict[str, Type[Any]] = {repr(each): each for each in map(type_of, _ALL)}

# fmt: off
__all__ = [
    "DAG",
    "DFA",
    "LEVELS",
    "VOCABULARY",
    "BinTree",
    "BitString",
    "Bool",
    "BoolExpr",
    "BoolGrid",
    "CardList",
    "CellList",
    "CharGrid",
    "Date",
    "DiGraph",
    "DigitList",
    "DyckWord",
    "Expr",
    "Graph",
    "Int",
    "IntList",
    "IntMatrix",
    "IntPair",
    "IntSet",
    "IntervalList",
    "Moves",
    "Nat",
    "NatList",
    "PairList",
    "Partition",
    "Permutation",
    "PointList",
    "Poly",
    "Program",
    "Ragged",
    "Rational",
    "RootedTree",
    "SmallNat",
    "SquareMatrix",
    "Str",
    "Tally",
    "Text",
    "TimeOfDay",
    "Type",
    "WeightedGraph",
    "Word",
    "WordList",
    "type_of",
]
# fmt: on
