"""The shapes of rooted trees: levels, ways to the root, moving up, other roots and orders, a tree out of a list."""

from operator import itemgetter
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import DAG, IntervalList, IntList, Partition, Ragged, RootedTree, type_of


def tree_of_depth(rng: Random, n: int) -> tuple[int, ...]:
    """A tree that is deeper than most, since every parent is one of the last few vertices before its child."""
    return (-1, *[rng.randrange(max(0, i - 4), i) for i in range(1, n)])


def moved_up(tree: tuple[int, ...]) -> tuple[int, ...]:
    """Every vertex below the root's children at its grandparent."""
    return tuple([tree[parent] if parent > 0 else parent for parent in tree])


def deep_tree(rng: Random, level: int) -> tuple[int, ...]:
    """A tree of which some, but not all, vertices have a grandparent that is not the root."""
    while True:
        tree = tree_of_depth(rng, (6, 7, 9, 11, 13)[level - 1])
        if type_of(RootedTree).healthy(moved_up(tree)):
            return tree


@environment(sample=deep_tree, grade="course")
def moved_to_grandparents(tree: RootedTree) -> RootedTree:
    """Attach every vertex whose parent is not the root to its grandparent, that is, to the parent that its parent had
    before. All vertices move at once and keep their numbers; the root and its children stay where they are.
    """
    return moved_up(tree)


def larger_children_first(tree: tuple[int, ...]) -> tuple[int, ...]:
    """The parents, in new numbers, of a walk that visits larger children first."""
    ways: list[tuple[int, ...]] = [()]  # from the root to each vertex, larger vertices as smaller numbers
    for vertex, parent in enumerate(tree[1:], 1):
        ways.append((*ways[parent], -vertex))
    order = sorted(range(len(tree)), key=ways.__getitem__)
    return (-1, *[order.index(tree[vertex]) for vertex in order[1:]])


def tree_with_another_order(rng: Random, level: int) -> tuple[int, ...]:
    """A tree that the new numbers change."""
    while True:
        tree = type_of(RootedTree).sample(rng, level)
        if larger_children_first(tree) != tree:
            return tree  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=tree_with_another_order, grade="course")
def larger_children_first_tree(tree: RootedTree) -> RootedTree:
    """Walk through the tree depth first from the root, visiting the children of each vertex from the largest to the
    smallest. Number the vertices anew 0, 1, 2, ... in the order of their first visits, and write the same tree in the
    new numbers.
    """
    return larger_children_first(tree)


def rerooted_parents(tree: tuple[int, ...]) -> tuple[int, ...]:
    """The parents, in new numbers, of a breadth-first search that starts at the last vertex."""
    near = values.graph(len(tree), list(enumerate(tree))[1:]).neighbours()
    met = [(len(tree) - 1, -1, -1)]  # each with its new parent, in the old numbers and in the new
    for number, (u, parent, _) in enumerate(met):
        met += [(v, u, number) for v in near[u] if v != parent]
    return tuple(map(itemgetter(2), met))


def tree_worth_turning(rng: Random, level: int) -> tuple[int, ...]:
    """A tree that looks different from its last vertex."""
    while True:
        tree = type_of(RootedTree).sample(rng, level)
        if rerooted_parents(tree) != tree:
            return tree  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=tree_worth_turning, grade="course")
def rerooted_tree(tree: RootedTree) -> RootedTree:
    """Keep the edges of the tree, but make the vertex with the largest number the root. Search breadth first from
    there, trying neighbours in increasing order, and number the vertices anew 0, 1, 2, ... in the order in which they
    are met. Write the tree in the new numbers.
    """
    return rerooted_parents(tree)


def with_ancestors(tree: tuple[int, ...], vertex: int) -> tuple[int, ...]:
    """The vertices from one up to the root."""
    return (vertex, *(with_ancestors(tree, tree[vertex]) if vertex else ()))


@environment(grade="course")
def paths_to_the_root(tree: RootedTree) -> Ragged:
    """For each vertex of the tree that has no children, in increasing order, list the vertices on the way from it up to
    the root, with itself first and the root last.
    """
    paths = [with_ancestors(tree, vertex) for vertex in range(len(tree)) if vertex not in tree]
    if sum(map(len, paths)) > 150:
        raise OutOfDomain("the paths have more than 150 vertices together")
    return tuple(paths)


@environment(grade="course")
def level_sizes(tree: RootedTree) -> Partition:
    """Count the vertices on each level of the tree: the root alone, then its children, then their children, and so on
    down to the last level that has vertices. List these counts from the largest to the smallest.
    """
    depths: list[int] = []
    for parent in tree:
        depths.append(depths[parent] + 1 if depths else 0)
    sizes = sorted([depths.count(depth) for depth in range(max(depths) + 1)], reverse=True)
    if len(sizes) > 16 or sizes[0] > 16:
        raise OutOfDomain("a partition has at most 16 parts, each at most 16")
    return tuple(sizes)


def tree_for_a_walk(rng: Random, level: int) -> tuple[int, ...]:
    """At most ten vertices, so that the list of intervals stays readable."""
    while True:
        tree = (-1, *[rng.randrange(i) for i in range(1, level + 4 + rng.choice((0, 0, 1)))])
        if type_of(RootedTree).healthy(tree):
            return tree


@environment(sample=tree_for_a_walk, grade="course")
def visit_intervals(tree: RootedTree) -> IntervalList:
    """Walk around the tree depth first, from the root at time 0 back to the root, visiting children in increasing
    order; every edge takes time 1 down and time 1 up. For each vertex, in the order of first visits, give the times of
    its first and its last visit.
    """
    n = len(tree)
    if n > 16:
        raise OutOfDomain(f"a list has at most 16 intervals, the tree has {n} vertices")
    sizes = [1] * n
    for vertex in range(n - 1, 0, -1):
        sizes[tree[vertex]] += sizes[vertex]
    first = [0] * n
    latest = [0] * n  # when the walk was last at each vertex, as far as the children before have brought it
    for vertex in range(1, n):
        first[vertex] = latest[vertex] = latest[tree[vertex]] + 1
        latest[tree[vertex]] += 2 * sizes[vertex]
    return tuple(sorted(zip(first, latest, strict=True)))


def smaller_before(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """For each entry the number of the nearest smaller one to its left."""
    parents = [-1]
    for i, number in enumerate(numbers):
        parents.append(next((j + 1 for j in range(i - 1, -1, -1) if numbers[j] < number), 0))
    return tuple(parents)


def list_with_ups_and_downs(rng: Random, level: int) -> tuple[int, ...]:
    """A list, often with equal entries, whose tree is neither a path nor a star."""
    n, top = ((5, 9), (6, 9), (8, 15), (10, 25), (12, 40))[level - 1]
    while True:
        numbers = tuple([rng.randint(-top // 3, top) for _ in range(n)])
        if type_of(RootedTree).healthy(smaller_before(numbers)):
            return numbers


@environment(sample=list_with_ups_and_downs, grade="course")
def earlier_smaller_tree(numbers: IntList) -> RootedTree:
    """Number the entries of the list 1, 2, 3, ... from left to right. Draw the tree with root 0 and these numbers: the
    parent of an entry is the nearest entry to its left that is smaller than the entry itself, or the root if there is
    none.
    """
    if len(numbers) > 23:
        raise OutOfDomain(f"a tree has at most 24 vertices, the list has {len(numbers)} entries")
    return smaller_before(numbers)


def grandchildren(tree: tuple[int, ...]) -> list[tuple[int, int]]:
    """The pairs of a vertex and a child of one of its children."""
    return [(tree[parent], vertex) for vertex, parent in enumerate(tree) if parent > 0]


def tree_with_grandchildren(rng: Random, level: int) -> tuple[int, ...]:
    """At least three vertices that have a grandparent."""
    while True:
        tree = (-1, *[rng.randrange(i) for i in range(1, level + 4)])
        if len(grandchildren(tree)) >= 3:
            return tree


@environment(sample=tree_with_grandchildren, grade="course")
def grandchild_arcs(tree: RootedTree) -> DAG:
    """On the vertices of the tree, draw an arc from each vertex to each of its grandchildren, that is, to the children
    of its children, and no other arcs.
    """
    if len(tree) > 12:
        raise OutOfDomain(f"a directed graph has at most 12 vertices, the tree has {len(tree)}")
    return values.digraph(len(tree), grandchildren(tree))
