"""Rooted trees: depths, sizes, brackets, and the tree that a search through a graph leaves behind."""

from itertools import compress, count
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import DAG, DyckWord, Graph, NatList, RootedTree, type_of


@environment(grade="course")
def vertex_depths(tree: RootedTree) -> NatList:
    """For each vertex of the tree, in increasing order of the vertices, count the edges on the way from the root to
    this vertex.
    """
    depths: list[int] = []
    for parent in tree:
        depths.append(depths[parent] + 1 if depths else 0)
    return tuple(depths)


@environment()
def subtree_sizes(tree: RootedTree) -> NatList:
    """For each vertex of the tree, in increasing order of the vertices, count the vertices of its subtree: the vertex
    itself, its children, their children, and so on.
    """
    sizes = [1] * len(tree)
    for vertex in range(len(tree) - 1, 0, -1):
        sizes[tree[vertex]] += sizes[vertex]
    return tuple(sizes)


def small_tree(rng: Random, level: int) -> tuple[int, ...]:
    """A healthy tree with at most ten vertices, so that what is made of it is healthy too."""
    while True:
        tree = (-1, *[rng.randrange(i) for i in range(1, level + 4 + rng.randint(0, 1))])
        if type_of(RootedTree).healthy(tree):
            return tree


@environment(sample=small_tree, grade="course")
def arcs_to_parents(tree: RootedTree) -> DAG:
    """On the vertices of the tree, draw an arc from every vertex except the root to its parent."""
    if len(tree) > 12:
        raise OutOfDomain(f"a directed graph has at most 12 vertices, the tree has {len(tree)}")
    return values.digraph(len(tree), [(vertex, parent) for vertex, parent in enumerate(tree) if vertex])


def walk_below(tree: tuple[int, ...], vertex: int) -> str:
    """The brackets of the walk around the subtree of a vertex."""
    children = compress(count(), map(vertex.__eq__, tree))
    return "".join(["(" + walk_below(tree, child) + ")" for child in children])


@environment(sample=small_tree, grade="course")
def brackets_of_tree(tree: RootedTree) -> DyckWord:
    """Walk around the tree depth first, starting and ending at the root and visiting the children of each vertex in
    increasing order. Write ( whenever you go down an edge to a child and ) whenever you go back up an edge to a
    parent.
    """
    if len(tree) > 13:
        raise OutOfDomain(f"a string of brackets has at most 12 pairs, the tree has {len(tree) - 1} edges")
    return walk_below(tree, 0)


@environment(grade="course")
def tree_of_brackets(word: DyckWord) -> RootedTree:
    """Number the pairs of matching brackets in the string 1, 2, 3, ... by their opening brackets from left to right.
    Draw the tree with root 0 and these numbers: the parent of a pair is the innermost other pair around it, or the
    root if there is none.
    """
    parents, around = [-1], [0]
    for closings in word.split("(")[1:]:  # the brackets that close before the next one opens
        parents.append(around[-1])
        around.append(len(parents) - 1)
        del around[len(around) - len(closings) :]
    return tuple(parents)


def first_meetings(graph: values.Graph) -> tuple[int, ...]:
    """The parents, in new numbers, of the vertices that a breadth-first search from vertex 0 meets."""
    near = graph.neighbours()
    met, parents = [0], [-1]
    for number, u in enumerate(met):
        met += [v for v in near[u] if v not in met]
        parents += [number] * (len(met) - len(parents))
    return tuple(parents)


def graph_with_a_branching_search(rng: Random, level: int) -> values.Graph:
    """A connected graph whose search tree is neither a path nor a star."""
    n, more = ((5, 1), (6, 1), (6, 3), (7, 4), (9, 5))[level - 1]
    while True:
        order = rng.sample(range(n), n)
        edges = [(order[i], order[rng.randrange(i)]) for i in range(1, n)]
        graph = values.graph(n, edges + [(rng.randrange(n), rng.randrange(n)) for _ in range(more)])
        if type_of(RootedTree).healthy(first_meetings(graph)):
            return graph


@environment(sample=graph_with_a_branching_search, grade="course")
def breadth_first_tree(graph: Graph) -> RootedTree:
    """Search the graph breadth first from vertex 0, trying neighbours in increasing order. Number the vertices 0, 1, 2,
    ... as they are first met, leaving out those never met. Write the tree in the new numbers; a vertex's parent is the
    one from which it was first met.
    """
    return first_meetings(graph)
