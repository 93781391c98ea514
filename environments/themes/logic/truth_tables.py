"""Truth tables of statements about a, b and c: the eight rows from false, false, false to true, true, true."""

from collections.abc import Callable
from operator import and_, or_
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, BoolExpr, BoolGrid, IntSet

ALL = 0b11111111
COLUMNS = {"a": 0b00001111, "b": 0b00110011, "c": 0b01010101, "T": ALL, "F": 0}  # a bit for each row, row 000 first


def implied(left: int, right: int) -> int:
    """Where the left one is false or the right one true."""
    return (ALL ^ left) | right


JOINED: dict[str, Callable[..., int]] = {"~": ALL.__xor__, "&": and_, "|": or_, ">": implied}


def column(tree: Any) -> int:
    """The truth values of a statement in all rows at once."""
    if type(tree) is not tuple:
        return COLUMNS[tree]
    return JOINED[tree[0]](*map(column, tree[1:]))


def table(statement: Any) -> str:
    """The truth values of a statement, row 000 first."""
    return f"{column(statement):08b}"


@environment(grade="course")
def truth_table_bits(statement: BoolExpr) -> BitString:
    """Work out the statement for all truth values of a, b and c, in the order 000, 001, 010 and so on up to 111, where
    the digits stand for a, b, c and 1 means true. Write the eight results as bits, 1 for true.
    """
    return table(statement)


@environment(grade="course")
def true_row_numbers(statement: BoolExpr) -> IntSet:
    """Of the eight choices of truth values for a, b and c take those that make the statement true. Give each of them a
    number: 4 if a is true, plus 2 if b is true, plus 1 if c is true. Give the set of these numbers.
    """
    return tuple([row for row, bit in enumerate(table(statement)) if bit == "1"])


@environment(grade="course")
def karnaugh_map(statement: BoolExpr) -> BoolGrid:
    """Write the truth values of the statement, 1 for true and 0 for false, as a grid: the top row for a false, the
    bottom row for a true; four columns, from left to right for neither b nor c true, only c, both, and only b.
    """
    bits = tuple(map(int, table(statement)))
    return tuple([tuple([bits[row + column] for column in (0, 1, 3, 2)]) for row in (0, 4)])


def row_bits(rng: Random, level: int) -> str:
    """As many bits as there are rows at the higher levels, and fewer at the lower ones."""
    while True:
        bits = "".join([rng.choice("01") for _ in range((4, 5, 6, 7, 8)[level - 1])])
        if "1" in bits and "0" in bits:
            return bits


@environment(sample=row_bits, grade="course")
def statement_of_truth_table(bits: BitString) -> BoolExpr:
    """The bits, from left to right, belong to abc = 000, 001, 010 and so on up to 111, where 1 means true; missing bits
    are 0. For each bit 1 in turn write a&b&c, with ~ before letters that are 0. Join these by |; without any, write F.
    """
    if len(bits) > 8:
        raise OutOfDomain("the table has eight rows only")
    tree: Any = None
    for row, bit in enumerate(bits):
        if bit == "1":
            a, b, c = [name if row & weight else ("~", name) for name, weight in (("a", 4), ("b", 2), ("c", 1))]
            part = ("&", ("&", a, b), c)
            tree = ("|", tree, part) if tree else part
    return tree or "F"
