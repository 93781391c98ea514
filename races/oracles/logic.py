"""Hand-worked examples and independent oracles for environments/themes/logic/logic.py."""

from itertools import product
from random import Random
from typing import Any

import networkx as nx

from races.environments.types import BoolExpr, type_of

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "variables_rotated": [('"~a&b|(c>a)"', '"~b&c|(a>b)"'), ('"T"', '"T"')],
    "and_exchanged_with_or": [
        ('"(a|c)&~b"', '"a&c|~b"'),
        ('"a&b|c"', '"a|b&c"'),
        ('"(a>b)|~(c&T)"', '"(a>b)&~(c|T)"'),
        ('"c>a"', '"c>a"'),
    ],
    "implications_replaced": [
        ('"a|b>c"', '"~(a|b)|c"'),
        ('"c&((a>b)>~c)"', '"c&(~(~a|b)|~c)"'),
        ('"~a>b"', '"~~a|b"'),
        ('"a&b"', '"a&b"'),
    ],
    "alternatives_as_implications": [
        ('"(a|~b)&c"', '"(~a>~b)&c"'),
        ('"a|b|c"', '"~(~a>b)>c"'),
        ('"(a>b)|(~c|T)"', '"~(a>b)>(~~c>T)"'),
        ('"a&b"', '"a&b"'),
        ('"' + "|".join("abcabcabcabcabcabcabcabcabcabca") + '"', None),
    ],
    "negation_pushed_inwards": [
        ('"a&(b>~c)"', '"~a|b&c"'),
        ('"~(a|T)"', '"a|T"'),
        ('"a|(b|c)"', '"~a&(~b&~c)"'),
        ('"(a>b)|c"', '"a&~b&~c"'),
        ('"(a>b)>c"', '"(~a|b)&~c"'),
        ('"F"', '"T"'),
    ],
    "a_replaced_by_implication": [
        ('"~a&b|(c>a)"', '"~(c>a)&b|(c>(c>a))"'),
        ('"a"', '"c>a"'),
        ('"b"', '"b"'),
    ],
    "statement_of_bits": [
        ('"0110"', '"(a|b)&c&a|b"'),
        ('"1"', '"a&b"'),
        ('"1111111111111111111111111111111"', '"' + "&".join("abcabcabcabcabcabcabcabcabcabcab") + '"'),
        ('"11111111111111111111111111111111"', None),
    ],
    "and_or_tree": [
        ("[-1, 0, 0, 1, 1, 0]", '"(b|c)&a&a"'),
        ("[-1, 0, 1, 2, 1, 2]", '"a&c|b"'),
        ("[-1]", '"a"'),
        ("[-1, 0, 1, 2]", '"a"'),
        ("[-1, 0, 0]", '"a&b"'),
    ],
    "tree_of_statement": [
        ('"~a&b|(c>a)"', "[-1, 0, 1, 2, 1, 0, 5, 5]"),
        ('"T"', "[-1]"),
        ('"' + "&".join("abcabcabcabca") + '"', None),
        ('"' + "~" * 21 + '(a&b)"', str([-1, *range(21), 21, 21])),
    ],
    "polish_notation": [
        ('"~a&b|(c>a)"', '"|&~ab>ca"'),
        ('"a|(b|~(c&a))"', '"|a|b~&ca"'),
        ('"F"', '"F"'),
    ],
}


def text(tree: Any) -> str:
    return str(type_of(BoolExpr).encode(tree))


def parsed(written: str) -> Any:
    """The tree of an infix text, by descending from the loosest sign to the tightest."""
    left = list(written)

    def chain(signs: str) -> Any:
        tree = chain(signs[1:]) if signs else part()
        while left and signs and left[0] == signs[0]:
            sign = left.pop(0)
            tree = (sign, tree, chain(signs[1:]))
        return tree

    def part() -> Any:
        piece = left.pop(0)
        if piece == "~":
            return "~", part()
        if piece != "(":
            return piece
        tree = chain(">|&")
        assert left.pop(0) == ")"
        return tree

    tree = chain(">|&")
    assert not left
    return tree


def replaced(tree: Any, new: dict[str, Any]) -> Any:
    if type(tree) is tuple:
        return (tree[0], *[replaced(part, new) for part in tree[1:]])
    return new.get(tree, tree)


def shape(tree: Any) -> Any:
    """The tree with its negations and signs left out, and its letters."""
    while type(tree) is tuple and len(tree) == 2:
        tree = tree[1]
    return tuple([shape(part) for part in tree[1:]]) if type(tree) is tuple else tree


def leaves(tree: Any) -> list[str]:
    return [leaf for part in tree[1:] for leaf in leaves(part)] if type(tree) is tuple else [tree]


def negations(tree: Any, new: str = "", above: int = 0) -> list[int]:
    """How many ~ stand above each letter, where those before the left part of a new sign are counted as well."""
    if type(tree) is not tuple:
        return [above]
    if len(tree) == 2:
        return negations(tree[1], new, above + 1)
    return negations(tree[1], new, above + (tree[0] == new)) + negations(tree[2], new, above)


def truth(tree: Any, values: list[bool]) -> bool:
    """Whether the statement holds where its letters, from left to right, have these values."""
    rest = list(values)

    def of(part: Any) -> bool:
        if type(part) is not tuple:
            return rest.pop(0)
        if len(part) == 2:
            return not of(part[1])
        first, second = of(part[1]), of(part[2])
        return {"&": first and second, "|": first or second, ">": second or not first}[part[0]]

    return of(tree)


def choices(count: int) -> list[tuple[bool, ...]]:
    if count <= 7:
        return list(product((False, True), repeat=count))
    rng = Random(count)
    return [tuple(rng.random() < 0.5 for _ in range(count)) for _ in range(150)]


def variables_rotated(x: Any, y: Any) -> bool:
    return bool(replaced(x, {"a": "b", "b": "c", "c": "a"}) == y)


def and_exchanged_with_or(x: Any, y: Any) -> bool:
    written = text(x).replace("&", "/").replace("|", "&").replace("/", "|")
    return bool(parsed(written) == y)


def implications_replaced(x: Any, y: Any) -> bool:
    """It is true for the same values, with a letter of its own in every place, and has one ~ more for each >."""
    first, second = text(x), text(y)
    signs = ">" not in second and second.count("&") == first.count("&")
    same = all(truth(x, list(values)) == truth(y, list(values)) for values in choices(len(leaves(x))))
    return signs and same and shape(x) == shape(y) and negations(x, ">") == negations(y)


def alternatives_as_implications(x: Any, y: Any) -> bool:
    """Read the new signs back: an implication that was none before is an alternative with one ~ less."""
    first, second = text(x), text(y)
    signs = second.count("|") == 0 and second.count(">") == first.count(">") + first.count("|")
    same = all(truth(x, list(values)) == truth(y, list(values)) for values in choices(len(leaves(x))))
    return signs and same and shape(x) == shape(y) and negations(x, "|") == negations(y)


def negation_pushed_inwards(x: Any, y: Any) -> bool:
    """It is false exactly where the statement is true, with a letter of its own in every place."""
    constants = {"T": "F", "F": "T"}
    # a constant that was negated is read as the negation of the letter in its place
    flipped = [old != new for old, new in zip(leaves(x), leaves(y), strict=True)]
    same_letters = all(a == b or constants.get(a) == b for a, b in zip(leaves(x), leaves(y), strict=True))
    opposite = all(
        truth(x, list(values)) != truth(y, [v != f for v, f in zip(values, flipped, strict=True)])
        for values in choices(len(flipped))
    )
    tidy = not any(sign in text(y) for sign in (">", "~~", "~(", "~T", "~F"))
    kept = shape(replaced(x, {"F": "T"})) == shape(replaced(y, {"F": "T"}))
    return same_letters and opposite and tidy and kept


def a_replaced_by_implication(x: Any, y: Any) -> bool:
    return bool(replaced(x, {"a": (">", "c", "a")}) == y)


def statement_of_bits(x: str, y: Any) -> bool:
    written = "a"
    for bit, letter in zip(x, "bca" * len(x), strict=False):
        written = f"({written}){'|&'[int(bit)]}{letter}"
    return bool(parsed(written) == y)


def and_or_tree(x: Any, y: Any) -> bool:
    g = nx.DiGraph()
    g.add_nodes_from(range(len(x)))
    g.add_edges_from((parent, vertex) for vertex, parent in enumerate(x) if parent >= 0)
    depths = nx.shortest_path_length(g, 0)
    names = dict(zip(sorted(v for v in g if not g.out_degree(v)), "abc" * len(x), strict=False))

    def written(vertex: int) -> str:
        below = [f"({written(child)})" for child in sorted(g.successors(vertex))]
        return "|&"[depths[vertex] % 2 == 0].join(below) or names[vertex]

    return bool(parsed(written(0)) == y)


def tree_of_statement(x: Any, y: Any) -> bool:
    """Read the signs in Polish order: each belongs to the last one that still lacks a part."""
    signs = [sign for sign in str(x).replace("'", "") if sign in "~&|>abcTF"]
    parents, open_signs = [], []  # type: ignore[var-annotated]
    for number, sign in enumerate(signs):
        parents.append(open_signs[-1] if open_signs else -1)
        if open_signs:
            open_signs.pop()
        open_signs += [number] * {"~": 1, "&": 2, "|": 2, ">": 2}.get(sign, 0)
    return parents == list(y)


def polish_notation(x: Any, y: str) -> bool:
    stack: list[Any] = []
    for sign in reversed(y):
        parts = {"&": 2, "|": 2, ">": 2, "~": 1}.get(sign, 0)
        if parts > len(stack):
            return False
        stack.append((sign, *[stack.pop() for _ in range(parts)]) if parts else sign)
    return stack == [x]


ORACLES = {
    "variables_rotated": variables_rotated,
    "and_exchanged_with_or": and_exchanged_with_or,
    "implications_replaced": implications_replaced,
    "alternatives_as_implications": alternatives_as_implications,
    "negation_pushed_inwards": negation_pushed_inwards,
    "a_replaced_by_implication": a_replaced_by_implication,
    "statement_of_bits": statement_of_bits,
    "and_or_tree": and_or_tree,
    "tree_of_statement": tree_of_statement,
    "polish_notation": polish_notation,
}
