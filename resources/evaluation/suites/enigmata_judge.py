"""Run one verifier of Enigmata on one answer. Sent to a sandbox as source, so it imports only the standard library.

In the verifier's module `eval` is replaced: verifiers that evaluate the model's text get the value of literals and
arithmetic, and an exception for anything else. The builtin itself stays as it is: namedtuple needs it.
"""

import ast
import importlib
import operator
import os
from collections.abc import Callable
from typing import Any

MAX_BASE = 10**6  # of a power
MAX_EXPONENT = 64
OPERATORS: dict[type[ast.operator] | type[ast.unaryop], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def evaluate(source: Any, *_: Any) -> Any:
    """The value of an expression of literals and arithmetic; ValueError, TypeError or SyntaxError for all else."""
    if not isinstance(source, str):
        raise TypeError(f"expected a text to evaluate, got {type(source).__name__}")
    return value_of(ast.parse(source.lstrip(" \t"), mode="eval").body)


def value_of(node: ast.expr) -> Any:
    """The value of a subexpression."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.List(elts=parts):
            return [value_of(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(value_of(part) for part in parts)
        case ast.Set(elts=parts):
            return {value_of(part) for part in parts}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {value_of(key): value_of(value) for key, value in pairs if key is not None}
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](number(operand))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return combined(type(sign), number(left), number(right))
    raise ValueError(f"expected literals and arithmetic, got {type(node).__name__}")


def number(node: ast.expr) -> float:
    """The value of an operand, which must be a number: strings and lists may not be multiplied."""
    value = value_of(node)
    if not isinstance(value, (int, float)):
        raise TypeError(f"expected a number, got {type(value).__name__}")
    return value


def combined(sign: type[ast.operator], left: float, right: float) -> Any:
    """The result of an operation; ValueError for powers that would exhaust the memory."""
    if sign is ast.Pow and (abs(left) > MAX_BASE or abs(right) > MAX_EXPONENT):
        raise ValueError("a power too large")
    return OPERATORS[sign](left, right)


def judge(module: str, output: str, answer: Any, meta: Any) -> tuple[int, str]:
    """1 or 0, with a reason. An error while importing the verifier propagates."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # else numpy starts a thread per core
    verifier = importlib.import_module(module)
    verifier.eval = evaluate  # type: ignore[attr-defined]  # shadows the builtin
    try:
        right = verifier.verify(output, answer, meta) == 1
    except Exception as error:  # noqa: BLE001  # the authors' script counts whatever a verifier raises as wrong
        return 0, f"the verifier raised {type(error).__name__}: {error}"[:200]
    return int(right), "right" if right else "wrong answer"
