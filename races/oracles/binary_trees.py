"""Hand-worked examples and independent oracles for environments/themes/trees/binary_trees.py."""

from fractions import Fraction
from typing import Any

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "search_tree_by_insertion": [
        ("[4, 2, 7, 2, 3]", "[4, [2, null, [3, null, null]], [7, null, null]]"),
        ("[-1, -5]", "[-1, [-5, null, null], null]"),
        ("[]", "null"),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]", None),
    ],
    "mirrored_tree": [
        (
            "[4, [2, null, [3, null, null]], [7, null, null]]",
            "[4, [7, null, null], [2, [3, null, null], null]]",
        ),
        ("null", "null"),
    ],
    "inorder_keys": [
        ("[5, [9, null, [1, null, null]], [2, [4, null, null], null]]", "[9, 1, 5, 4, 2]"),
        ("null", "[]"),
    ],
    "keys_by_level": [
        ("[5, [9, null, [1, null, null]], [2, [4, null, null], null]]", "[[5], [9, 2], [1, 4]]"),
        ("null", "[]"),
    ],
    "preorder_tree": [
        ("[5, [9, null, [1, null, null]], [2, [4, null, null], null]]", "[-1, 0, 1, 0, 3]"),
        ("[5, [9, null, [1, null, null]], [2, null, null]]", "[-1, 0, 1, 0]"),
        ("[7, null, null]", "[-1]"),
        ("null", None),
    ],
}


def by_path(tree: Any) -> dict[str, int]:
    """The keys of the nodes by the way from the root to them, such as "LR"."""
    found, waiting = {}, [("", tree)]
    for path, node in waiting:
        if node is not None:
            found[path] = node[0]
            waiting += [(path + "L", node[1]), (path + "R", node[2])]
    return found


def across(path: str) -> Fraction:
    """How far to the right a node stands: each turn halves what is left."""
    return sum((Fraction(1 if turn == "R" else -1, 2**i) for i, turn in enumerate(path, 1)), Fraction(0))


def search_tree_by_insertion(x: Any, y: Any) -> bool:
    # the only tree whose keys increase from left to right and were inserted later the deeper they stand
    nodes = by_path(y)
    ordered = [nodes[path] for path in sorted(nodes, key=across)]
    later = all(x.index(nodes[path[:-1]]) < x.index(key) for path, key in nodes.items() if path)
    return ordered == sorted(set(x)) and later


def mirrored_tree(x: Any, y: Any) -> bool:
    swapped = str.maketrans("LR", "RL")
    return {path.translate(swapped): key for path, key in by_path(x).items()} == by_path(y)


def inorder_keys(x: Any, y: Any) -> bool:
    nodes = by_path(x)
    return list(y) == [nodes[path] for path in sorted(nodes, key=across)]


def keys_by_level(x: Any, y: Any) -> bool:
    nodes = by_path(x)
    depths = sorted(set(map(len, nodes)))
    return list(y) == [tuple(nodes[path] for path in sorted(nodes) if len(path) == depth) for depth in depths]


def preorder_tree(x: Any, y: Any) -> bool:
    # a beginning sorts before its continuations, and L before R
    paths = sorted(by_path(x))
    return list(y) == [paths.index(path[:-1]) if path else -1 for path in paths]


ORACLES = {
    "search_tree_by_insertion": search_tree_by_insertion,
    "mirrored_tree": mirrored_tree,
    "inorder_keys": inorder_keys,
    "keys_by_level": keys_by_level,
    "preorder_tree": preorder_tree,
}
