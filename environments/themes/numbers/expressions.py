"""Expressions in x as texts and as trees: rewriting them, saying them, and making them of lists and trees."""

import re
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import BinTree, Expr, NatList, Text, type_of

CYCLED = str.maketrans("+-*", "-*+")
TURNED = str.maketrans("()", ")(")


def text_of(tree: Any) -> str:
    """The expression as it is written, with the brackets that it needs and no more."""
    written: str = type_of(Expr).encode(tree)
    return written


def expression_of(text: str) -> Any:
    """The expression that a text means, unless it is nested too deeply."""
    try:
        return type_of(Expr).bare(text)
    except ValueError as error:
        raise OutOfDomain("the expression would be too long or nested too deeply") from error


def bounded(tree: Any) -> Any:
    """The expression, unless it is too long, nested too deeply, or holds a number of more than five digits."""
    if tree not in type_of(Expr):
        raise OutOfDomain("the expression would be too long or nested too deeply, or hold too large a number")
    return tree


def degree(tree: Any) -> int:
    """The highest power of x that can come up when the expression is multiplied out."""
    if type(tree) is not tuple:
        return int(tree == "x")
    left, right = degree(tree[1]), degree(tree[2])
    return left + right if tree[0] == "*" else max(left, right)


def curved_expression(rng: Random, level: int) -> Any:
    """An expression of degree two to four: most others are linear, and then nothing much can be made of them."""
    while True:
        tree = type_of(Expr).sample(rng, level)
        if 2 <= degree(tree) <= 4:
            return tree


@environment(sample=curved_expression)
def reversed_expression(expression: Expr) -> Expr:
    """Write the expression with only those brackets that its grouping needs, operators of equal precedence associating
    to the left. Reverse this text symbol by symbol, but keep the digits of every number in order, and turn every
    opening bracket into a closing one and the other way round.
    """
    return expression_of("".join(re.findall(r"\d+|.", text_of(expression))[::-1]).translate(TURNED))


@environment(sample=curved_expression)
def operators_cycled(expression: Expr) -> Expr:
    """Write the expression with only those brackets that its grouping needs, operators of equal precedence associating
    to the left. In this text replace every + by -, every - by * and every * by +, all at once, and change nothing else.
    """
    return expression_of(text_of(expression).translate(CYCLED))


@environment(sample=curved_expression)
def x_replaced_by_x_plus_one(expression: Expr) -> Expr:
    """Substitute the sum x+1, as a single operand, for every x of the expression. Keep everything else as it is, and
    simplify nothing.
    """
    return expression_of(text_of(expression).replace("x", "(x+1)"))


@environment(sample=curved_expression)
def last_operands_exchanged(expression: Expr) -> Expr:
    """Find the operation that is carried out last when the expression is worked out, where * goes before + and -, and
    operators of equal precedence associate to the left. Exchange its two operands, each as a whole, and change nothing
    inside them.
    """
    if type(expression) is not tuple:
        raise OutOfDomain("the expression has no operation")
    sign, left, right = expression
    return bounded((sign, right, left))


def signed_terms(tree: Any, sign: str) -> list[tuple[str, Any]]:
    """The terms that a part stands for when it is added or subtracted, each with its own sign."""
    match tree:
        case ("*", left, right):
            return [(sign, ("*", without_sum_brackets(left), without_sum_brackets(right)))]
        case (inner, left, right):
            return signed_terms(left, sign) + signed_terms(right, "+" if inner == sign else "-")
    return [(sign, tree)]


def without_sum_brackets(tree: Any) -> Any:
    """The expression with its sums and differences written as chains of terms."""
    (_, chain), *rest = signed_terms(tree, "+")
    for sign, term in rest:
        chain = (sign, chain, term)
    return chain


def bracketed_sum(rng: Random, level: int) -> Any:
    """An expression in which a bracket is added or subtracted, because others stay as they are."""
    while True:
        tree = type_of(Expr).sample(rng, level)
        if without_sum_brackets(tree) != tree:
            return tree


@environment(sample=bracketed_sum)
def brackets_dissolved(expression: Expr) -> Expr:
    """Remove all brackets around sums and differences that are added or subtracted in the expression, also inside other
    brackets; if the brackets are subtracted, change the signs of their terms accordingly. Keep the order, and keep the
    brackets around factors of products. Simplify nothing else.
    """
    return bounded(without_sum_brackets(expression))


@environment()
def chained_calculation(values: NatList) -> Expr:
    """Start with x. Add the first number of the list, multiply the result by the second, subtract the third from that,
    and go on adding, multiplying and subtracting in turn through the whole list. Write this as one expression, always
    putting the next number on the right. Work nothing out.
    """
    tree: Any = "x"
    for i, value in enumerate(values):
        tree = ("+*-"[i % 3], tree, value)
    return bounded(tree)


def combined(tree: Any) -> Any:
    """What a binary tree stands for: x, or left part plus key times right part."""
    if tree is None:
        return "x"
    key, left, right = tree
    return "+" if key >= 0 else "-", combined(left), ("*", abs(key), combined(right))


@environment()
def expression_of_binary_tree(tree: BinTree) -> Expr:
    """The empty tree stands for x. A node with key k stands for L+k*R, where L and R, each as a single operand, are
    what its left and its right subtree stand for; a negative key -m gives L-m*R instead. Write what the whole tree
    stands for, and simplify nothing.
    """
    return bounded(combined(tree))


def valued(tree: Any) -> Any:
    """The binary tree of the values of all parts at x = 2."""
    if type(tree) is not tuple:
        return 2 if tree == "x" else tree, None, None
    left, right = valued(tree[1]), valued(tree[2])
    results = {"+": left[0] + right[0], "-": left[0] - right[0], "*": left[0] * right[0]}
    return results[tree[0]], left, right


@environment(grade="course")
def tree_of_values_at_two(expression: Expr) -> BinTree:
    """Draw how the expression is worked out for x = 2 as a binary tree: every number, every x and every operation is a
    node whose key is its value, and the left and the right operand of an operation are its left and its right child.
    """
    tree = valued(expression)
    if tree not in type_of(BinTree):
        raise OutOfDomain("the tree would have more than 24 nodes or a key beyond a million")
    return tree


NAMES = {"+": "sum", "-": "difference", "*": "product"}


def said(tree: Any) -> str:
    """The expression in words, its last operation first."""
    if type(tree) is not tuple:
        return str(tree)
    return f"{NAMES[tree[0]]} of {said(tree[1])} and {said(tree[2])}"


@environment(grade="course")
def expression_in_words(expression: Expr) -> Text:
    """Say the expression in words, beginning with the operation carried out last: "sum of A and B", "difference of A
    and B" or "product of A and B". Say A, the left operand, and B, the right one, in the same way; write numbers in
    digits and no brackets.
    """
    text = said(expression)
    if text not in type_of(Text):
        raise OutOfDomain("the text would have more than 40 words or 240 characters")
    return text
