"""Expressions: arithmetic in one variable, and logic in three. A value is a tree; JSON holds its text.

The text has the brackets that its tree needs and no more. An answer may have more of them, and spaces: trees are
compared. Texts are read by Python's own grammar, whose precedences are those of these expressions, and are never
evaluated.
"""

import ast
import operator
import re
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Annotated, Any, ClassVar

from races.environments.types.base import Type, is_int

DEEPEST = 30  # levels of a tree; deeper ones cannot be written within the length bounds


class TreeType(Type[Any]):
    """Trees of operators over leaves, written as text."""

    longest: int
    operators: dict[str, int]  # operators and how tightly they bind
    characters: ClassVar[re.Pattern[str]]

    def belongs(self, value: object) -> bool:
        return self._sound(value) and len(self.encode(value)) <= self.longest

    def _sound(self, value: object) -> bool:
        """Whether this is a tree, of no more parts than its text may have characters and not too deep."""
        parts, waiting = 0, [(value, 0)]
        while waiting:
            tree, depth = waiting.pop()
            parts += 1
            if parts > self.longest:
                return False
            if type(tree) is not tuple:
                if not self._leaf(tree):
                    return False
            elif depth > DEEPEST:
                return False
            elif len(tree) == 2:
                if tree[0] != "~" or "~" not in self.operators:
                    return False
                waiting.append((tree[1], depth + 1))
            elif len(tree) != 3 or type(tree[0]) is not str or tree[0] not in self.operators or tree[0] == "~":
                return False
            else:
                waiting += [(tree[1], depth + 1), (tree[2], depth + 1)]
        return True

    def _leaf(self, leaf: Any) -> bool:
        raise NotImplementedError

    def encode(self, value: Any) -> str:
        """The text with as few brackets as the tree allows; > always has its own."""
        return self._text(value, 0, whole=True)

    def _text(self, tree: Any, outside: int, whole: bool = False) -> str:
        """The text of a tree under an operator that binds this tightly."""
        if type(tree) is not tuple:
            return str(tree)
        binds = self.operators[tree[0]]
        if len(tree) == 2:
            return "~" + self._text(tree[1], binds)
        text = self._text(tree[1], binds) + tree[0] + self._text(tree[2], binds + 1)
        if tree[0] == ">":
            text = self._text(tree[1], binds + 1) + ">" + self._text(tree[2], binds + 1)
            return text if whole else f"({text})"
        return f"({text})" if binds < outside else text

    def decode(self, data: Any) -> Any:
        if type(data) is int and self._leaf(data):
            return data
        if not isinstance(data, str):
            raise TypeError(f"expected {self.notation}")
        return self.bare(data)

    def bare(self, text: str) -> Any:
        # What the grammar of these expressions does not have (comments, 0x1, 1_000) must not reach Python's.
        if len(text) > 3 * self.longest or not self.characters.fullmatch(text):
            raise ValueError(f"expected {self.notation}")
        try:
            tree = self._tree(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(f"expected {self.notation}") from error
        if not self.belongs(tree):
            raise ValueError(f"expected {self.noun}")
        return tree

    def _tree(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int(number)) if type(number) is int:
                return number
            case ast.Name(id=name):
                return name
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
                return _SIGNS[type(sign)], self._tree(left), self._tree(right)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return "~", self._tree(operand)
            case ast.Compare(left=left, ops=[ast.Gt()], comparators=[right]):
                return ">", self._tree(left), self._tree(right)
        raise ValueError(f"expected {self.notation}")


_SIGNS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|"}


class ExprType(TreeType):
    """Sums, differences and products of x and whole numbers: an int, "x", or (sign, left, right)."""

    characters = re.compile(r"(?:\d+(?!x)|x(?![\dx])|\*(?!\*)|[-+() ])+", re.ASCII)

    def _leaf(self, leaf: Any) -> bool:
        return leaf == "x" or is_int(leaf, 0, 99_999)

    def healthy(self, value: Any) -> bool:
        return type(value) is tuple

    def sample(self, rng: Random, level: int) -> Any:
        leaves, top = (3, 4, 5, 6, 7)[level - 1], (9, 9, 12, 20, 50)[level - 1]
        tree = self._grown(rng, leaves, top)
        return tree if "x" in self.encode(tree) else ("+", tree, "x")

    def _grown(self, rng: Random, leaves: int, top: int) -> Any:
        if leaves == 1:
            return "x" if rng.random() < 0.4 else rng.randint(2, top)
        left = rng.randint(1, leaves - 1)
        return rng.choice("++-*"), self._grown(rng, left, top), self._grown(rng, leaves - left, top)


VARIABLES = ("a", "b", "c")
_LOGIC: dict[str, Callable[[bool, bool], bool]] = {"&": operator.and_, "|": operator.or_, ">": operator.le}


class BoolExprType(TreeType):
    """Statements of logic about a, b and c: a name, "T", "F", ("~", part) or (sign, left, right)."""

    characters = re.compile(r"[abcTF~&|>() ]+")

    def _leaf(self, leaf: Any) -> bool:
        return leaf in ("a", "b", "c", "T", "F")

    def healthy(self, value: Any) -> bool:
        return len(set(truth_table(value))) == 2

    def sample(self, rng: Random, level: int) -> Any:
        while True:
            value = self._grown(rng, (3, 4, 5, 6, 7)[level - 1])
            if self.healthy(value) and len(set(self.encode(value)) & set(VARIABLES)) >= min(3, level + 1):
                return value

    def _grown(self, rng: Random, leaves: int) -> Any:
        if rng.random() < 0.2:
            return "~", self._grown(rng, leaves) if leaves > 1 else rng.choice(VARIABLES)
        if leaves == 1:
            return rng.choice(VARIABLES)
        cut = rng.randint(1, leaves - 1)
        left, right = self._grown(rng, cut), self._grown(rng, leaves - cut)
        return (rng.choice("&&||>"), left, right) if left != right else ("&", left, ("~", right))


def truth_value(tree: Any, true: frozenset[str]) -> bool:
    """Whether a statement of logic holds when exactly these of its variables are true."""
    if type(tree) is not tuple:
        return tree == "T" or tree in true
    if len(tree) == 2:
        return not truth_value(tree[1], true)
    return _LOGIC[tree[0]](truth_value(tree[1], true), truth_value(tree[2], true))


def truth_table(tree: Any) -> tuple[bool, ...]:
    """The truth values for all choices of a, b, c, from false, false, false on, with c changing fastest."""
    rows = product((False, True), repeat=len(VARIABLES))
    return tuple([truth_value(tree, frozenset(v for v, on in zip(VARIABLES, row, strict=True) if on)) for row in rows])


Expr = Annotated[
    Any,
    ExprType(
        "Expr",
        "an expression in x, with the operators +, - and *",
        "a string such as (x+3)*x-4, where operators of equal precedence associate to the left, so that x+(3+4) is not "
        "x+3+4; more brackets than the grouping needs do no harm",
        (("-", ("*", ("+", "x", 3), "x"), 4), ("*", 2, ("-", "x", 7))),
        longest=120,
        operators={"+": 1, "-": 1, "*": 2},
    ),
]
BoolExpr = Annotated[
    Any,
    BoolExprType(
        "BoolExpr",
        "a statement of logic about a, b and c, where ~ means not, & and, | or, > implies, T true and F false; "
        "~ binds tighter than &, & tighter than |, and | tighter than >; & and | associate to the left, and > inside > "
        "always has brackets",
        "a string such as ~a&b|(c>a), where ~ binds tighter than &, & tighter than |, and | tighter than >, and & and "
        "| associate to the left, so that a&(b&c) is not a&b&c; > inside > needs brackets, and more brackets than the "
        "grouping needs do no harm",
        (("|", ("&", ("~", "a"), "b"), (">", "c", "a")), ("&", ("|", "a", "c"), ("~", "b"))),
        longest=240,
        operators={"|": 1, "&": 2, "~": 3, ">": 0},
    ),
]
