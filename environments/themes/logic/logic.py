"""Statements of logic about a, b and c: rewriting them, drawing them, and making them of trees and bits."""

import re
from itertools import compress, count
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, BoolExpr, RootedTree, Str, type_of

ROTATED = str.maketrans("abc", "bca")
PARTS = {"~": 1, "&": 2, "|": 2, ">": 2}
OPPOSITE = {"T": "F", "F": "T", "&": "|", "|": "&"}
EXCHANGED = str.maketrans("&|", "|&")


def text_of(tree: Any) -> str:
    """The statement as it is written, with the brackets that it needs and no more."""
    written: str = type_of(BoolExpr).encode(tree)
    return written


def statement_of(text: str) -> Any:
    """The statement that a text means, unless it is too long or nested too deeply."""
    try:
        return type_of(BoolExpr).bare(text)
    except ValueError as error:
        raise OutOfDomain("the statement would be too long or nested too deeply") from error


def bounded(tree: Any) -> Any:
    """The statement, unless it is too long or nested too deeply."""
    if tree not in type_of(BoolExpr):
        raise OutOfDomain("the statement would be too long or nested too deeply")
    return tree


@environment(grade="course")
def variables_rotated(statement: BoolExpr) -> BoolExpr:
    """Write b for every a, c for every b and a for every c of the statement, all at once. Keep everything else as it
    is.
    """
    return statement_of(text_of(statement).translate(ROTATED))


def with_both_signs(rng: Random, level: int) -> Any:
    """A statement with & or |, because others stay as they are."""
    while True:
        tree = type_of(BoolExpr).sample(rng, level)
        if "&" in text_of(tree) or "|" in text_of(tree):
            return tree


@environment(sample=with_both_signs, grade="course")
def and_exchanged_with_or(statement: BoolExpr) -> BoolExpr:
    """Write the statement with only those brackets that its grouping needs, where & binds tighter than | and both
    associate to the left. In this text replace every & by | and every | by &, all at once, and change nothing else.
    """
    return statement_of(text_of(statement).translate(EXCHANGED))


def rewritten(tree: Any, old: str, new: str) -> Any:
    """The statement with (new, ~u, v) for every part (old, u, v)."""
    if type(tree) is not tuple:
        return tree
    if len(tree) == 2:
        return "~", rewritten(tree[1], old, new)
    left, right = rewritten(tree[1], old, new), rewritten(tree[2], old, new)
    return (new, ("~", left), right) if tree[0] == old else (tree[0], left, right)


def with_implication(rng: Random, level: int) -> Any:
    """A statement with an implication, because others stay as they are."""
    while True:
        tree = type_of(BoolExpr).sample(rng, level)
        if ">" in text_of(tree):
            return tree


@environment(sample=with_implication, grade="course")
def implications_replaced(statement: BoolExpr) -> BoolExpr:
    """Replace every implication u>v of the statement, also inside other parts, by w|v as a single operand, where w is
    the negation of the whole of u. Keep double negations, and simplify nothing.
    """
    return bounded(rewritten(statement, ">", "|"))


def with_alternative(rng: Random, level: int) -> Any:
    """A statement with the sign |, because others stay as they are."""
    while True:
        tree = type_of(BoolExpr).sample(rng, level)
        if "|" in text_of(tree):
            return tree


@environment(sample=with_alternative, grade="course")
def alternatives_as_implications(statement: BoolExpr) -> BoolExpr:
    """Replace every part u|v of the statement, also inside other parts, by w>v as a single operand, where w is the
    negation of the whole of u. The operator | associates to the left. Keep double negations, and simplify nothing.
    """
    return bounded(rewritten(statement, "|", ">"))


def pushed(tree: Any, negate: bool) -> Any:
    """The statement or its negation, with ~ directly before letters only."""
    match tree:
        case ("~", part):
            return pushed(part, not negate)
        case (">", left, right):
            return ("&" if negate else "|"), pushed(left, not negate), pushed(right, negate)
        case (sign, left, right):
            return (OPPOSITE[sign] if negate else sign), pushed(left, negate), pushed(right, negate)
    return OPPOSITE.get(tree, ("~", tree)) if negate else tree


@environment(grade="course")
def negation_pushed_inwards(statement: BoolExpr) -> BoolExpr:
    """Negate the statement so that ~ stands only directly before letters: ~(u&v) becomes ~u|~v, ~(u|v) becomes ~u&~v,
    ~(u>v) becomes u&~v, u>v becomes ~u|v, ~~u becomes u, ~T becomes F and ~F becomes T. Keep order and grouping of all
    parts, and simplify nothing else.
    """
    return bounded(pushed(statement, negate=True))


def with_letter_a(rng: Random, level: int) -> Any:
    """A statement in which a occurs."""
    while True:
        tree = type_of(BoolExpr).sample(rng, level)
        if "a" in text_of(tree):
            return tree


@environment(sample=with_letter_a, grade="course")
def a_replaced_by_implication(statement: BoolExpr) -> BoolExpr:
    """Substitute the implication c>a, as a single operand, for every a of the statement. Keep everything else as it is,
    and simplify nothing.
    """
    return statement_of(text_of(statement).replace("a", "(c>a)"))


@environment(grade="course")
def statement_of_bits(bits: BitString) -> BoolExpr:
    """Start with the letter a. For each bit from left to right, take the whole as a single operand and join a letter to
    its right, by & for 1 and by | for 0; these letters are b, c, a, b, c, a and so on. Give the result.
    """
    tree: Any = "a"
    for i, bit in enumerate(bits):
        tree = ("&" if bit == "1" else "|", tree, "bca"[i % 3])
    return bounded(tree)


def small_tree(rng: Random, level: int) -> tuple[int, ...]:
    """A healthy tree with at most nine vertices, so that its statement is not too long to work with."""
    while True:
        tree = (-1, *[rng.randrange(i) for i in range(1, level + 4)])
        if type_of(RootedTree).healthy(tree):
            return tree


def joined_below(tree: tuple[int, ...], vertex: int, signs: str, names: dict[int, str]) -> Any:
    """The statement of a vertex; signs: how its children's statements are joined, then those of its grandchildren."""
    if vertex in names:
        return names[vertex]
    children = compress(count(), map(vertex.__eq__, tree))
    first, *others = [joined_below(tree, child, signs[::-1], names) for child in children]
    for other in others:
        first = (signs[0], first, other)
    return first


@environment(sample=small_tree, grade="course")
def and_or_tree(tree: RootedTree) -> BoolExpr:
    """Name the vertices without children a, b, c, a, b, ... in increasing order. Any other vertex joins its children's
    statements, each a single operand, in increasing order from the left, by & if its depth is even, else by |. Write
    the statement of the root, at depth 0.
    """
    leaves = sorted({*range(len(tree))}.difference(tree))
    return bounded(joined_below(tree, 0, "&|", dict(zip(leaves, "abc" * 8, strict=False))))


@environment(grade="course")
def tree_of_statement(statement: BoolExpr) -> RootedTree:
    """Draw the statement as a rooted tree, without brackets, with a vertex for each letter and each sign; a sign is the
    parent of the two parts that it joins, ~ of its one part. Number the vertices from 0 in preorder: a sign, its left
    part, its right part.
    """
    written = re.findall(r"[a-cTF~&|>]", repr(statement))  # a tree is written with every sign before its parts
    if len(written) > 24:
        raise OutOfDomain("the tree would have more than 24 vertices")
    parents: list[int] = []
    places = [-1]  # the parents that still wait for a part, the next one last
    for vertex, sign in enumerate(written):
        parents.append(places.pop())
        places += [vertex] * PARTS.get(sign, 0)
    return tuple(parents)


def prefixed(tree: Any) -> str:
    """The statement with every sign before its parts."""
    return "".join([tree[0], *[prefixed(part) for part in tree[1:]]]) if type(tree) is tuple else str(tree)


@environment(grade="course")
def polish_notation(statement: BoolExpr) -> Str:
    """Write the statement in prefix notation, as a string without brackets and spaces: every sign ~, &, |, > comes
    directly before its operands, the left operand before the right one, and the operands are written in the same way.
    """
    text = prefixed(statement)
    if len(text) > 64:
        raise OutOfDomain("the string would have more than 64 characters")
    return text
