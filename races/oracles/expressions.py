"""Hand-worked examples and independent oracles for environments/themes/numbers/expressions.py."""

from typing import Any

import sympy

from races.environments.types import Expr, type_of

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "reversed_expression": [
        ('"(x+3)*x-14"', '"14-x*(3+x)"'),
        ('"x-12-4"', '"4-12-x"'),
        ('"9-(x-20)"', '"20-x-9"'),
        ('"105"', '"105"'),
    ],
    "operators_cycled": [
        ('"(x+3)*x-14"', '"x-3+x*14"'),
        ('"x*(2*x)"', '"x+(2+x)"'),
        ('"x+2-5*x"', '"x-2*5+x"'),
        ('"x"', '"x"'),
        ('"' + "+".join(["1*1"] * 18) + '"', None),
    ],
    "x_replaced_by_x_plus_one": [
        ('"x*3-x"', '"(x+1)*3-(x+1)"'),
        ('"4+x"', '"4+(x+1)"'),
        ('"17"', '"17"'),
        ('"' + "+".join(["x*x*x*x*x*x*x"] * 8) + '"', None),
    ],
    "last_operands_exchanged": [
        ('"(x+3)*x-4"', '"4-(x+3)*x"'),
        ('"x+3+4"', '"4+(x+3)"'),
        ('"2*3-x*x*5"', '"x*x*5-2*3"'),
        ('"x*x*5"', '"5*(x*x)"'),
        ('"(x-1)*(5-x)"', '"(5-x)*(x-1)"'),
        ('"x"', None),
    ],
    "brackets_dissolved": [
        ('"9-(x-(2+x))"', '"9-x+2+x"'),
        ('"5+(x-3)*2"', '"5+(x-3)*2"'),
        ('"x*(7-(x+1))"', '"x*(7-x-1)"'),
        ('"5-(x-3*(2-(4-x)))"', '"5-x+3*(2-4+x)"'),
        ('"x"', '"x"'),
    ],
    "chained_calculation": [
        ("[4, 7, 12, 3, 2]", '"((x+4)*7-12+3)*2"'),
        ("[]", '"x"'),
        ("[0]", '"x+0"'),
        ("[100000]", None),
        ("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", None),
    ],
    "expression_of_binary_tree": [
        ("[5, [2, null, null], [-8, null, null]]", '"x+2*x+5*(x-8*x)"'),
        ("[-3, null, [0, null, null]]", '"x-3*(x+0*x)"'),
        ("null", '"x"'),
        ("[200000, null, null]", None),
    ],
    "tree_of_values_at_two": [
        ('"(x+3)*x-4"', "[6, [10, [5, [2, null, null], [3, null, null]], [2, null, null]], [4, null, null]]"),
        ('"1-x-x"', "[-3, [-1, [1, null, null], [2, null, null]], [2, null, null]]"),
        ('"7"', "[7, null, null]"),
        ('"99999*99999"', None),
    ],
    "expression_in_words": [
        ('"(x+3)*x-4"', '"difference of product of sum of x and 3 and x and 4"'),
        ('"x-(2-15)"', '"difference of x and difference of 2 and 15"'),
        ('"12"', '"12"'),
        ('"1+1+1+1+1+1+1+1+1+1+1+1"', None),
    ],
}


def text(tree: Any) -> str:
    return str(type_of(Expr).encode(tree))


def pieces(written: str) -> list[str]:
    found: list[str] = []
    for character in written:
        if character.isdigit() and found and found[-1].isdigit():
            found[-1] += character
        else:
            found.append(character)
    return found


def parsed(found: list[str]) -> Any:
    """Shunting yard: the tree of an infix text, operators of equal rank from left to right."""
    ranks, operands, waiting = {"+": 1, "-": 1, "*": 2}, [], []  # type: ignore[var-annotated]

    def reduce() -> None:
        right, left = operands.pop(), operands.pop()
        operands.append((waiting.pop(), left, right))

    for piece in found:
        if piece == "(":
            waiting.append(piece)
        elif piece == ")":
            while waiting[-1] != "(":
                reduce()
            waiting.pop()
        elif piece in ranks:
            while waiting and waiting[-1] != "(" and ranks[waiting[-1]] >= ranks[piece]:
                reduce()
            waiting.append(piece)
        else:
            operands.append(int(piece) if piece.isdigit() else piece)
    while waiting:
        reduce()
    (tree,) = operands
    return tree


def reversed_expression(x: Any, y: Any) -> bool:
    """Turn round every chain of terms and every chain of factors."""

    def turned(tree: Any) -> Any:
        for signs in ("+-", "*"):
            first, rest = tree, []
            while type(first) is tuple and first[0] in signs:
                rest.append((first[0], first[2]))
                first = first[1]
            if rest:
                operands, joints = [operand for _, operand in rest] + [first], [sign for sign, _ in rest]
                result = turned(operands[0])
                for sign, operand in zip(joints, operands[1:], strict=True):
                    result = (sign, result, turned(operand))
                return result
        return tree

    return bool(turned(x) == y)


def operators_cycled(x: Any, y: Any) -> bool:
    after = {"+": "-", "-": "*", "*": "+"}
    return bool(parsed([after.get(piece, piece) for piece in pieces(text(x))]) == y)


def x_replaced_by_x_plus_one(x: Any, y: Any) -> bool:
    def replaced(tree: Any) -> Any:
        if type(tree) is tuple:
            return tree[0], replaced(tree[1]), replaced(tree[2])
        return ("+", "x", 1) if tree == "x" else tree

    return bool(replaced(x) == y)


def last_operands_exchanged(x: Any, y: Any) -> bool:
    """The last operation is the rightmost sign of the lowest rank outside all brackets."""
    found, depth, places = pieces(text(x)), 0, {"+-": [-1], "*": [-1]}
    for i, piece in enumerate(found):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        for signs in places:
            if piece in signs and not depth:
                places[signs].append(i)
    cut = places["+-"][-1] if places["+-"][-1] >= 0 else places["*"][-1]
    if cut < 0:  # the whole expression is a single number or x
        return False
    return bool(parsed(["(", *found[cut + 1 :], ")", found[cut], "(", *found[:cut], ")"]) == y)


def brackets_dissolved(x: Any, y: Any) -> bool:
    """With a letter of its own for every leaf it is the same polynomial, in the same order, without such brackets."""

    def polynomial(tree: Any, leaves: list[Any], products: list[bool], sums: list[bool]) -> Any:
        if type(tree) is not tuple:
            leaves.append(tree)
            return sympy.Symbol(f"v{len(leaves)}")
        left, right = (polynomial(part, leaves, products, sums) for part in tree[1:])
        (products if tree[0] == "*" else sums).append(
            type(tree[2]) is tuple and (tree[2][0] == "*") == (tree[0] == "*")
        )
        return {"+": left + right, "-": left - right, "*": left * right}[tree[0]]

    first: tuple[list[Any], list[bool], list[bool]] = ([], [], [])
    second: tuple[list[Any], list[bool], list[bool]] = ([], [], [])
    same = sympy.expand(polynomial(x, *first) - polynomial(y, *second)) == 0
    return bool(same and first[0] == second[0] and first[1] == second[1] and not any(second[2]))


def chained_calculation(x: Any, y: Any) -> bool:
    written = "x"
    for i, value in enumerate(x):
        written = f"({written}){'+*-'[i % 3]}{value}"
    return bool(parsed(pieces(written)) == y)


def expression_of_binary_tree(x: Any, y: Any) -> bool:
    def written(tree: Any) -> str:
        if tree is None:
            return "x"
        return f"({written(tree[1])})+{tree[0]}*({written(tree[2])})".replace("+-", "-")

    return bool(parsed(pieces(written(x))) == y)


def tree_of_values_at_two(x: Any, y: Any) -> bool:
    if y is None or y[0] != eval(text(x), {"x": 2}):
        return False
    if type(x) is not tuple:
        return bool(y[1:] == (None, None))
    return tree_of_values_at_two(x[1], y[1]) and tree_of_values_at_two(x[2], y[2])


def expression_in_words(x: Any, y: str) -> bool:
    """Read the words from the end and put the operands on a stack."""
    stack: list[Any] = []
    for word in reversed(y.replace("sum of", "+").replace("difference of", "-").replace("product of", "*").split()):
        if word in "+-*":
            stack.append((word, stack.pop(), stack.pop()))
        elif word != "and":
            stack.append(int(word) if word.isdigit() else word)
    return stack == [x]


ORACLES = {
    "reversed_expression": reversed_expression,
    "operators_cycled": operators_cycled,
    "x_replaced_by_x_plus_one": x_replaced_by_x_plus_one,
    "last_operands_exchanged": last_operands_exchanged,
    "brackets_dissolved": brackets_dissolved,
    "chained_calculation": chained_calculation,
    "expression_of_binary_tree": expression_of_binary_tree,
    "tree_of_values_at_two": tree_of_values_at_two,
    "expression_in_words": expression_in_words,
}
