"""Binary trees: building, turning and reading them."""

from random import Random
from typing import Any

from races.environments import OutOfDomain, environment
from races.environments.types import BinTree, IntList, Ragged, RootedTree


def search_tree(keys: list[int]) -> Any:
    """The search tree of different keys in the order of their insertion: the first one separates the others."""
    if not keys:
        return None
    root = keys[0]
    return root, search_tree(list(filter(root.__gt__, keys))), search_tree(list(filter(root.__lt__, keys)))


def keys_with_a_repetition(rng: Random, level: int) -> tuple[int, ...]:
    """Different keys and, from level 2 on, one of them twice."""
    size, top = ((4, 12), (5, 30), (7, 60), (9, 99), (11, 300))[level - 1]
    keys = rng.sample(range(-top // 4, top), size)
    if level >= 2:
        keys.insert(rng.randint(2, size), keys[rng.randint(0, 1)])
    return tuple(keys)


@environment(sample=keys_with_a_repetition, grade="course")
def search_tree_by_insertion(numbers: IntList) -> BinTree:
    """Insert the entries of the list as keys, from first to last, into a binary search tree that is empty at first.
    Smaller keys go to the left and larger keys to the right; skip an entry that is already in the tree. Do not
    rebalance the tree.
    """
    keys = list(dict.fromkeys(numbers))
    if len(keys) > 24:
        raise OutOfDomain(f"a tree has at most 24 nodes, there are {len(keys)} different entries")
    return search_tree(keys)


def mirror(tree: Any) -> Any:
    """The tree with left and right exchanged everywhere."""
    return None if tree is None else (tree[0], mirror(tree[2]), mirror(tree[1]))


@environment(grade="course")
def mirrored_tree(tree: BinTree) -> BinTree:
    """Mirror the binary tree: exchange the left and the right subtree at every node."""
    return mirror(tree)


def in_order(tree: Any) -> tuple[int, ...]:
    """The keys from left to right."""
    return () if tree is None else (*in_order(tree[1]), tree[0], *in_order(tree[2]))


@environment(grade="course")
def inorder_keys(tree: BinTree) -> IntList:
    """List all keys of the binary tree in inorder: at each node, first the keys of its left subtree, then its own key,
    then the keys of its right subtree. The empty tree gives the empty list.
    """
    return in_order(tree)


@environment(grade="course")
def keys_by_level(tree: BinTree) -> Ragged:
    """List the keys of the binary tree level by level, from the root down: one list for each level that has nodes,
    with the keys of this level from left to right. The empty tree gives the empty list.
    """
    rows: list[tuple[int, ...]] = []
    level = [] if tree is None else [tree]
    while level:
        rows.append(tuple([node[0] for node in level]))
        level = [child for node in level for child in filter(None, node[1:])]
    return tuple(rows)


def preorder_parents(tree: Any) -> tuple[int, ...]:
    """The parents of the nodes, numbered in preorder."""
    parents: list[int] = []
    waiting = [(tree, -1)]
    while waiting:
        (_, left, right), parent = waiting.pop()
        waiting += [(child, len(parents)) for child in filter(None, (right, left))]
        parents.append(parent)
    return tuple(parents)


def branching_tree(rng: Random, level: int) -> Any:
    """A search tree of different keys that is no path."""
    size, top = ((5, 20), (6, 30), (7, 50), (9, 99), (11, 200))[level - 1]
    while True:
        tree = search_tree(rng.sample(range(1, top), size))
        if preorder_parents(tree) != tuple(range(-1, size - 1)):
            return tree


@environment(sample=branching_tree, grade="course")
def preorder_tree(tree: BinTree) -> RootedTree:
    """Number the nodes of the binary tree 0, 1, 2, ... in preorder: first a node, then the nodes of its left subtree,
    then the nodes of its right subtree. Give the rooted tree of these numbers in which every node keeps its parent,
    without the keys.
    """
    if tree is None:
        raise OutOfDomain("the empty tree has no root")
    return preorder_parents(tree)
