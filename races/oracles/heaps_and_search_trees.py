"""Hand-worked examples and independent oracles for environments/themes/trees/heaps_and_search_trees.py."""

from collections import Counter
from itertools import groupby
from typing import Any

PATH_OF_THIRTEEN = "[1, " * 13 + "null" + ", null]" * 13

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "middle_entry_tree": [
        ("[4, 7, 1, 9]", "[7, [4, null, null], [1, null, [9, null, null]]]"),
        ("[]", "null"),
        (str(list(range(25))), None),
    ],
    "level_by_level_tree": [
        ("[5, 2, 8, 1]", "[5, [2, [1, null, null], null], [8, null, null]]"),
        ("[]", "null"),
        (str(list(range(25))), None),
    ],
    "left_child_right_sibling": [
        ("[-1, 0, 0, 1, 0]", "[0, [1, [3, null, null], [2, null, [4, null, null]]], null]"),
        ("[-1]", "[0, null, null]"),
    ],
    "subtree_sum_tree": [
        (
            "[5, [2, null, [-4, null, null]], [1, null, null]]",
            "[4, [-2, null, [-4, null, null]], [1, null, null]]",
        ),
        ("null", "null"),
        ("[1000000, [1, null, null], null]", None),
        ("[-5, [1000000, null, [1, null, null]], null]", None),
    ],
    "tree_without_root": [
        (
            "[5, [3, null, null], [8, [6, null, [7, null, null]], [9, null, null]]]",
            "[6, [3, null, null], [8, [7, null, null], [9, null, null]]]",
        ),
        (
            "[5, [1, null, null], [8, null, [9, null, null]]]",
            "[8, [1, null, null], [9, null, null]]",
        ),
        (
            "[1, [3, null, null], [10, [20, [10, null, null], null], null]]",
            "[10, [3, null, null], [10, [20, null, null], null]]",
        ),
        ("[5, null, [8, [7, null, null], null]]", "[8, [7, null, null], null]"),
        ("[5, null, null]", "null"),
        ("null", None),
    ],
    "keys_sorted_by_level": [
        (
            "[5, [9, null, [1, null, null]], [3, null, null]]",
            "[1, [3, null, [9, null, null]], [5, null, null]]",
        ),
        ("[4, null, [4, [2, null, null], [1, null, null]]]", "[1, null, [2, [4, null, null], [4, null, null]]]"),
        ("null", "null"),
    ],
    "keys_by_column": [
        (
            "[5, [3, [1, null, null], [4, null, null]], [8, [6, null, null], null]]",
            "[[1], [3], [5, 4, 6], [8]]",
        ),
        ("[2, null, [7, null, null]]", "[[2], [7]]"),
        ("null", "[]"),
    ],
    "brackets_of_binary_tree": [
        ("[5, [3, null, [4, null, null]], [8, null, null]]", '"(()())()"'),
        ("null", '""'),
        (PATH_OF_THIRTEEN, None),
        ("[1, " * 12 + "null" + ", null]" * 12, '"' + "(" * 12 + ")" * 12 + '"'),
    ],
}


def placed(tree: Any, place: int = 1) -> dict[int, int]:
    """The key at every place: the root has place 1, the children of place p have places 2p and 2p + 1."""
    if tree is None:
        return {}
    return {place: tree[0], **placed(tree[1], 2 * place), **placed(tree[2], 2 * place + 1)}


def inorder(tree: Any) -> list[int]:
    return [] if tree is None else [*inorder(tree[1]), tree[0], *inorder(tree[2])]


def preorder(tree: Any) -> list[int]:
    return [] if tree is None else [tree[0], *preorder(tree[1]), *preorder(tree[2])]


def middle_entry_tree(x: Any, y: Any) -> bool:
    def balanced(tree: Any) -> bool:
        if tree is None:
            return True
        left, right = len(inorder(tree[1])), len(inorder(tree[2]))
        return right - left in (0, 1) and balanced(tree[1]) and balanced(tree[2])

    return inorder(y) == list(x) and balanced(y)


def level_by_level_tree(x: Any, y: Any) -> bool:
    return placed(y) == dict(enumerate(x, start=1))


def left_child_right_sibling(x: Any, y: Any) -> bool:
    parents: dict[int, int] = {}

    def read(node: Any, parent: int, older: int) -> bool:
        if node is None:
            return True
        vertex, first, following = node
        parents[vertex] = parent
        return vertex > older and read(first, vertex, -1) and read(following, parent, vertex)

    return read(y, -1, -1) and y[2] is None and [parents.get(v) for v in range(len(x))] == list(x)


def subtree_sum_tree(x: Any, y: Any) -> bool:
    sums = placed(y)
    own = {p: total - sums.get(2 * p, 0) - sums.get(2 * p + 1, 0) for p, total in sums.items()}
    return own == placed(x)


def tree_without_root(x: Any, y: Any) -> bool:
    if x[1] is None or x[2] is None:
        return placed(y) == placed(x[1]) | placed(x[2])
    successor = inorder(x[2])[0]
    before, after = inorder(x[1]), inorder(x[2])[1:]
    # at most one node leaves the right subtree, so its places say the rest; preorder begins with the way down to it
    lost = preorder(x[2])
    del lost[max(place.bit_length() for place in placed(x[2]) if place.bit_count() == 1) - 1]
    return inorder(y) == [*before, successor, *after] and y[0] == successor and y[1] == x[1] and preorder(y[2]) == lost


def keys_sorted_by_level(x: Any, y: Any) -> bool:
    old, new = placed(x), placed(y)
    in_order = [new[place] for place in sorted(new)]
    return set(old) == set(new) and Counter(old.values()) == Counter(in_order) and in_order == sorted(in_order)


def keys_by_column(x: Any, y: Any) -> bool:
    found = []
    for place, key in placed(x).items():
        turns = bin(place)[3:]
        found.append((turns.count("1") - turns.count("0"), place, key))
    columns = [[key for _, _, key in group] for _, group in groupby(sorted(found), key=lambda each: each[0])]
    return [list(column) for column in y] == columns


def brackets_of_binary_tree(x: Any, y: Any) -> bool:
    # in the word, a pair's left child is the pair that opens next inside it, its right child the pair that opens
    # directly behind it
    partner, opened = {}, []
    for i, bracket in enumerate(y):
        if bracket == "(":
            opened.append(i)
        else:
            partner[opened.pop()] = i
    places = {0: 1} if y else {}
    for i in sorted(partner):
        below = {i + 1: 2 * places[i], partner[i] + 1: 2 * places[i] + 1}
        places |= {child: place for child, place in below.items() if child in partner}
    return not opened and set(places.values()) == set(placed(x))


ORACLES = {
    "middle_entry_tree": middle_entry_tree,
    "level_by_level_tree": level_by_level_tree,
    "left_child_right_sibling": left_child_right_sibling,
    "subtree_sum_tree": subtree_sum_tree,
    "tree_without_root": tree_without_root,
    "keys_sorted_by_level": keys_sorted_by_level,
    "keys_by_column": keys_by_column,
    "brackets_of_binary_tree": brackets_of_binary_tree,
}
