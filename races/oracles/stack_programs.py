"""Hand-worked examples and independent oracles for environments/themes/logic/stack_programs.py."""

import ast
import json
import re
from collections import Counter
from typing import Any

import sympy

from races.environments.types import Expr, type_of

_SAMPLE = '["PUSH 5","LOADX","PUSH 2","MUL","SUB"]'

_FORMULA_OF_120 = (
    '"(x+x+(x+x)+(x+x+(x+x))+(x+x+(x+x)+(x+x+(x+x)))+(x+x+(x+x)+(x+x+(x+x))+'
    '(x+x+(x+x)+(x+x+(x+x)))))*(x+x+(x+x)+(x+x+(x+12)))"'
)
EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "horner_program": [
        ("[5,0,-3]", '["PUSH -3","LOADX","MUL","PUSH 0","ADD","LOADX","MUL","PUSH 5","ADD"]'),
        ("[0]", '["PUSH 0"]'),
        ("[1000,1]", None),
        ("[0,0,0,0,0,0,0,0,0,0,1]", None),
    ],
    "alternating_sum_program": [
        ("[4,-7,12]", '["PUSH 4","PUSH -7","SUB","PUSH 12","ADD"]'),
        ("[5]", '["PUSH 5"]'),
        ("[]", None),
        ("[-1000]", None),
        ("[999]", '["PUSH 999"]'),
    ],
    "sum_of_products_program": [
        ("[[2,3],[4,-1]]", '["PUSH 2","PUSH 3","MUL","PUSH 4","PUSH -1","MUL","ADD"]'),
        ("[[0,9]]", '["PUSH 0","PUSH 9","MUL"]'),
        ("[]", None),
    ],
    "postfix_program": [
        ('"(x+3)*x-4"', '["LOADX","PUSH 3","ADD","LOADX","MUL","PUSH 4","SUB"]'),
        ('"x"', '["LOADX"]'),
        ('"2-(3-x)"', '["PUSH 2","PUSH 3","LOADX","SUB","SUB"]'),
        ('"1000+x"', None),
        ('"999+x"', '["PUSH 999","LOADX","ADD"]'),
    ],
    "cycled_operations": [
        (
            '["PUSH 3","LOADX","ADD","DUP","MUL","PUSH 1","SUB"]',
            '["PUSH 3","LOADX","SUB","DUP","ADD","PUSH 1","MUL"]',
        ),
        ('["LOADX"]', '["LOADX"]'),
    ],
    "constants_in_reverse_order": [
        ('["PUSH 3","PUSH 4","SUB","PUSH 5","ADD"]', '["PUSH 5","PUSH 4","SUB","PUSH 3","ADD"]'),
        ('["LOADX","DUP","MUL"]', '["LOADX","DUP","MUL"]'),
    ],
    "program_at_x_squared": [
        ('["LOADX","DUP","MUL"]', '["LOADX","DUP","MUL","DUP","MUL"]'),
        ('["PUSH 7"]', '["PUSH 7"]'),
        ("[" + ",".join(['"LOADX"'] * 14) + "]", None),
    ],
    "formula_of_program": [
        ('["LOADX","PUSH 3","ADD","DUP","MUL"]', '"(x+3)*(x+3)"'),
        ('["PUSH 1","LOADX","PUSH 2","SWAP","SUB","ADD"]', '"1+(2-x)"'),
        ('["PUSH -1"]', None),
        ("[" + ",".join(['"LOADX"', *['"DUP"', '"ADD"'] * 8]) + "]", None),
        (json.dumps(["LOADX", *["DUP", "ADD"] * 5, "LOADX", *["DUP", "ADD"] * 3, "PUSH 5", "ADD", "MUL"]), None),
        (
            json.dumps(
                [
                    "LOADX",
                    *["DUP", "ADD"] * 5,
                    "LOADX",
                    *["DUP", "ADD"] * 2,
                    "LOADX",
                    "DUP",
                    "ADD",
                    "LOADX",
                    "PUSH 12",
                    *["ADD"] * 3,
                    "MUL",
                ]
            ),
            _FORMULA_OF_120,
        ),
    ],
    "program_result": [
        ('["PUSH 5","LOADX","SUB"]', "3"),
        ('["PUSH 3","LOADX","DUP","MUL","SWAP","SUB"]', "1"),
        ('["PUSH 999","DUP","MUL","PUSH 999","MUL"]', None),
    ],
    "stack_history": [(_SAMPLE, "[[5,6],[-1]]"), ('["LOADX"]', "[]")],
    "stack_heights": [(_SAMPLE, "[1,2,3,2,1]"), ('["PUSH 5","DUP","SWAP"]', "[1,2,2]")],
    "instruction_tally": [(_SAMPLE, '{"PUSH":2,"LOADX":1,"MUL":1,"SUB":1}'), ('["LOADX"]', '{"LOADX":1}')],
}

Program = tuple[str, ...]
SIGNS = {"ADD": "+", "SUB": "-", "MUL": "*"}


def values(program: Program, x: Any) -> list[Any]:
    """The stack at the end, by way of Python assignments, one for each operation."""
    code: list[str] = []
    stack: list[str] = []
    for number, line in enumerate(program):
        if line == "DUP":
            stack.append(stack[-1])
        elif line == "SWAP":
            stack.insert(-1, stack.pop())
        elif line in SIGNS:
            top = stack.pop()
            code.append(f"v{number} = {stack.pop()} {SIGNS[line]} {top}")
            stack.append(f"v{number}")
        else:
            stack.append("x" if line == "LOADX" else line.removeprefix("PUSH ").join("()"))
    space = {"x": x}
    exec("\n".join(code), space)
    return [eval(name, space) for name in stack]


def formulas(program: Program) -> list[str]:
    """The stack at the end, as texts with brackets round every operation."""
    stack: list[str] = []
    for line in program:
        if line == "DUP":
            stack.append(stack[-1])
        elif line == "SWAP":
            stack.insert(-1, stack.pop())
        elif line in SIGNS:
            top = stack.pop()
            stack.append(f"({stack.pop()}{SIGNS[line]}{top})")
        else:
            stack.append("x" if line == "LOADX" else line.removeprefix("PUSH "))
    return stack


def tree(text: str) -> str:
    """A text as Python reads it, whatever its brackets."""
    return ast.dump(ast.parse(text, mode="eval"))


def constants(program: Program) -> list[int]:
    return [int(line[5:]) for line in program if line.startswith("PUSH ")]


def shape(program: Program) -> str:
    """One letter for each instruction."""
    return "".join({"LOADX": "X", "SWAP": "W"}.get(line, line[0]) for line in program)


def horner_program(x: tuple[int, ...], y: Program) -> bool:
    """The program computes the polynomial, and has the shape of Horner's rule."""
    variable = sympy.Symbol("x")
    rest = sympy.expand(values(y, variable)[-1] - sum(c * variable**i for i, c in enumerate(x)))
    return rest == 0 and re.fullmatch("P(XMPA)*", shape(y)) is not None and constants(y)[::-1] == list(x)


def alternating_sum_program(x: tuple[int, ...], y: Program) -> bool:
    pattern = re.fullmatch("P(PSPA)*(PS)?", shape(y))
    return pattern is not None and constants(y) == list(x) and values(y, 0) == [sum(x[::2]) - sum(x[1::2])]


def sum_of_products_program(x: tuple[tuple[int, int], ...], y: Program) -> bool:
    pattern = re.fullmatch("PPM(PPMA)*", shape(y))
    flat = [number for pair in x for number in pair]
    return pattern is not None and constants(y) == flat and values(y, 0) == [sum(a * b for a, b in x)]


def postfix_program(x: Any, y: Program) -> bool:
    return tree(formulas(y)[-1]) == tree(type_of(Expr).encode(x))


def cycled_operations(x: Program, y: Program) -> bool:
    """Three rounds of the same exchange would lead back, so two from the answer."""
    back = "|".join(y)
    for old, new in (("ADD", "mul"), ("SUB", "ADD"), ("MUL", "SUB"), ("mul", "MUL")):
        back = back.replace(old, new)
    return back == "|".join(x)


def constants_in_reverse_order(x: Program, y: Program) -> bool:
    return shape(x) == shape(y) and constants(x) == constants(y)[::-1]


def program_at_x_squared(x: Program, y: Program) -> bool:
    back = "|".join(y).replace("LOADX|DUP|MUL", "LOADX")
    return back == "|".join(x) and all(values(y, at) == values(x, at**2) for at in (-2, 0, 3))


def formula_of_program(x: Program, y: Any) -> bool:
    return tree(formulas(x)[-1]) == tree(type_of(Expr).encode(y))


def program_result(x: Program, y: int) -> bool:
    return values(x, 2)[-1] == y


def stack_history(x: Program, y: tuple[tuple[int, ...], ...]) -> bool:
    ends = [place for place, line in enumerate(x, start=1) if line in SIGNS]
    return [list(stack) for stack in y] == [values(x[:end], 3) for end in ends]


def stack_heights(x: Program, y: tuple[int, ...]) -> bool:
    return y == tuple(len(values(x[:end], 1)) for end in range(1, len(x) + 1))


def instruction_tally(x: Program, y: tuple[tuple[str, int], ...]) -> bool:
    return dict(y) == Counter(re.findall("[A-Z]+", " ".join(x)))


ORACLES = {
    "horner_program": horner_program,
    "alternating_sum_program": alternating_sum_program,
    "sum_of_products_program": sum_of_products_program,
    "postfix_program": postfix_program,
    "cycled_operations": cycled_operations,
    "constants_in_reverse_order": constants_in_reverse_order,
    "program_at_x_squared": program_at_x_squared,
    "formula_of_program": formula_of_program,
    "program_result": program_result,
    "stack_history": stack_history,
    "stack_heights": stack_heights,
    "instruction_tally": instruction_tally,
}
