"""Binary trees as heaps and search trees: filling them, deleting roots, sorting keys, columns, sums and brackets."""

from operator import itemgetter
from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import BinTree, DyckWord, IntList, Ragged, RootedTree, type_of


def require_nodes(count: int) -> None:
    """Refuse what would give a tree with more nodes than a tree may have."""
    if count > 24:
        raise OutOfDomain(f"a tree has at most 24 nodes, the list has {count} entries")


def different_numbers(rng: Random, level: int) -> tuple[int, ...]:
    """At most eleven different numbers, because a list of fourteen makes a large tree."""
    size, top = ((4, 12), (5, 30), (7, 60), (9, 99), (11, 300))[level - 1]
    return tuple(rng.sample(range(-top // 4, top), size))


def halved(numbers: tuple[int, ...]) -> Any:
    """The tree whose root is the middle entry, the left one of two."""
    if not numbers:
        return None
    middle = (len(numbers) - 1) // 2
    return numbers[middle], halved(numbers[:middle]), halved(numbers[middle + 1 :])


@environment(sample=different_numbers, grade="course")
def middle_entry_tree(numbers: IntList) -> BinTree:
    """Build a binary tree from the list. Its root is the middle entry, or the left one of the two middle entries. Build
    the left subtree in the same way from the entries before it and the right subtree from the entries after it. No
    entries give the empty tree.
    """
    require_nodes(len(numbers))
    return halved(numbers)


def filled(numbers: tuple[int, ...], position: int) -> Any:
    """The part of an array heap below a position."""
    if position >= len(numbers):
        return None
    return numbers[position], filled(numbers, 2 * position + 1), filled(numbers, 2 * position + 2)


@environment(sample=different_numbers, grade="course")
def level_by_level_tree(numbers: IntList) -> BinTree:
    """Fill a binary tree with the entries of the list, in their order, level by level from the root down and each level
    from left to right. Begin a new level only when the one above has all the nodes that it can have. No entries give
    the empty tree.
    """
    require_nodes(len(numbers))
    return filled(numbers, 0)


def small_rooted_tree(rng: Random, level: int) -> tuple[int, ...]:
    """A healthy tree with at most twelve vertices."""
    while True:
        tree = (-1, *[rng.randrange(i) for i in range(1, (5, 6, 8, 10, 12)[level - 1])])
        if type_of(RootedTree).healthy(tree):
            return tree


@environment(sample=small_rooted_tree, grade="course")
def left_child_right_sibling(tree: RootedTree) -> BinTree:
    """Turn the rooted tree into a binary tree with its vertices as keys. The left child of a node is its smallest child
    in the rooted tree, if it has any; the right child is its next larger sibling, if it has one.
    """
    chains: list[Any] = [None] * len(tree)  # for each vertex its children so far, the smallest of them on top
    for vertex in range(len(tree) - 1, 0, -1):
        chains[tree[vertex]] = (vertex, chains[vertex], chains[tree[vertex]])
    return 0, chains[0], None


def summed(tree: Any) -> Any:
    """The tree with the sum of each subtree at its root."""
    left, right = tree[1] and summed(tree[1]), tree[2] and summed(tree[2])
    total = tree[0] + (left or (0,))[0] + (right or (0,))[0]
    if abs(total) > 1_000_000:
        raise OutOfDomain("some sum lies beyond a million")
    return total, left, right


@environment()
def subtree_sum_tree(tree: BinTree) -> BinTree:
    """Replace the key of every node of the binary tree by the sum of all keys in its subtree: its own old key and the
    old keys of all nodes below it. Keep the shape of the tree.
    """
    return tree and summed(tree)


def without_first(tree: Any) -> tuple[int, Any]:
    """The leftmost key of a tree, and the tree without its node."""
    key, left, right = tree
    if left is None:
        return key, right
    first, rest = without_first(left)
    return first, (key, rest, right)


def tree_with_two_branches(rng: Random, level: int) -> Any:
    """A tree that is mostly no path from its root on, since otherwise its root just drops off."""
    while True:
        tree = type_of(BinTree).sample(rng, level)
        if (tree[1] and tree[2]) or rng.random() < 0.1:
            return tree


@environment(sample=tree_with_two_branches, grade="course")
def tree_without_root(tree: BinTree) -> BinTree:
    """Delete the root of the binary tree. With at most one child, only that child's subtree, if any, remains. Otherwise
    go to the right child and then left as far as possible: the key found there becomes the root's, and its old node is
    replaced by its right subtree.
    """
    if tree is None:
        raise OutOfDomain("the empty tree has no root")
    _, left, right = tree
    if left is None or right is None:
        return left or right
    key, rest = without_first(right)
    return key, left, rest


@environment(grade="course")
def keys_sorted_by_level(tree: BinTree) -> BinTree:
    """Keep the shape of the binary tree, but distribute its keys anew: write them, from the smallest to the largest,
    into the nodes level by level from the root down, and in each level from left to right.
    """
    nodes = [tree] if tree else []
    for node in nodes:
        nodes += filter(None, node[1:])
    rebuilt: list[Any] = []  # from the last node to the first, so that the next children wait in front
    for node, key in zip(reversed(nodes), sorted(map(itemgetter(0), nodes), reverse=True), strict=True):
        # Backwards through the level order, so that a right child comes before a left one.
        rebuilt.append((node[2] and rebuilt.pop(0), node[1] and rebuilt.pop(0), key)[::-1])
    return rebuilt[0] if rebuilt else None


@environment(grade="course")
def keys_by_column(tree: BinTree) -> Ragged:
    """Every left child in the binary tree stands one column left of its parent, every right child one column right. For
    each column, from left to right, list its keys from top to bottom; on the same level, the node farther left in the
    tree comes first.
    """
    columns: dict[int, list[int]] = {}
    waiting = [(tree, 0)] if tree else []
    for (key, left, right), column in waiting:
        columns.setdefault(column, []).append(key)
        waiting += filter(itemgetter(0), ((left, column - 1), (right, column + 1)))
    return tuple([tuple(columns[column]) for column in sorted(columns)])


def with_key(tree: Any, key: int) -> Any:
    """The search tree with one key more."""
    if tree is None:
        return key, None, None
    root, left, right = tree
    return (root, with_key(left, key), right) if key < root else (root, left, with_key(right, key))


def shape(tree: Any) -> str:
    """The brackets of a tree."""
    return f"({shape(tree[1])}){shape(tree[2])}" if tree else ""


def small_binary_tree(rng: Random, level: int) -> Any:
    """A search tree of at most ten nodes, whose brackets are healthy."""
    tree: Any = None
    for key in rng.sample(range(1, 100), level + 3 + (level >= 3) + (level >= 5)):
        tree = with_key(tree, key)
    return tree


@environment(sample=small_binary_tree, grade="course")
def brackets_of_binary_tree(tree: BinTree) -> DyckWord:
    """Write the shape of the binary tree with brackets. The empty tree gives nothing. Any other tree gives an opening
    bracket, then what its left subtree gives, then a closing bracket, then what its right subtree gives. The keys do
    not matter.
    """
    word = shape(tree)
    if len(word) > 24:
        raise OutOfDomain(f"a string of brackets has at most 12 pairs, the tree has {len(word) // 2} nodes")
    return word
