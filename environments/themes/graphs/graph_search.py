"""Searches through a graph: breadth first in layers, depth first in orders, trees and forests."""

from itertools import filterfalse
from operator import itemgetter
from random import Random

from races.environments import environment, values
from races.environments.types import DAG, DiGraph, Graph, Permutation, Ragged, RootedTree, type_of


def rings_around(near: list[list[int]], centre: int) -> list[list[int]]:
    """The vertices at distance 0, 1, 2, ... from a vertex, each ring in increasing order."""
    rings, met = [[centre]], {centre}
    while rings[-1]:
        rings.append(sorted({v for u in rings[-1] for v in near[u]} - met))
        met.update(rings[-1])
    return rings[:-1]


def graph_with_three_layers(rng: Random, level: int) -> values.Graph:
    """A graph in which some vertex is at least two edges away from vertex 0, and some two are equally far."""
    while True:
        graph = type_of(Graph).sample(rng, level)
        rings = rings_around(graph.neighbours(), 0)
        if len(rings) >= 3 and max(map(len, rings)) >= 2:
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=graph_with_three_layers, grade="course")
def breadth_first_layers(graph: Graph) -> Ragged:
    """Group the vertices of the graph into layers by the number of edges on a shortest path from vertex 0. List the
    layers by increasing distance, beginning with vertex 0 alone, and each layer in increasing order. Leave out the
    vertices that no path joins to vertex 0.
    """
    return tuple(map(tuple, rings_around(graph.neighbours(), 0)))


def visit(near: list[list[int]], vertex: int, order: list[int], arcs: list[tuple[int, int]]) -> None:
    """Search depth first from a new vertex; note the order of the vertices and the arcs to those that are new."""
    order.append(vertex)
    for after in filterfalse(order.__contains__, near[vertex]):  # lazily, since the order grows meanwhile
        arcs.append((vertex, after))
        visit(near, after, order, arcs)


def depth_first_parents(graph: values.Graph) -> tuple[int, ...]:
    """The parents, in new numbers, of the vertices that a depth-first search from vertex 0 meets."""
    order: list[int] = []
    arcs: list[tuple[int, int]] = []
    visit(graph.neighbours(), 0, order, arcs)
    return (-1, *map(order.index, map(itemgetter(0), arcs)))


def graph_with_a_branching_deep_search(rng: Random, level: int) -> values.Graph:
    """A connected graph whose depth-first tree is neither a path nor a star."""
    n, more = ((5, 1), (6, 1), (7, 2), (8, 2), (9, 3))[level - 1]
    while True:
        order = rng.sample(range(n), n)
        edges = [(order[i], order[rng.randrange(i)]) for i in range(1, n)]
        graph = values.graph(n, edges + [(rng.randrange(n), rng.randrange(n)) for _ in range(more)])
        if type_of(RootedTree).healthy(depth_first_parents(graph)):
            return graph


@environment(sample=graph_with_a_branching_deep_search, grade="course")
def depth_first_tree(graph: Graph) -> RootedTree:
    """Search the graph depth first from vertex 0, trying neighbours in increasing order. Number the visited vertices 0,
    1, 2, ... in the order of first visits, leaving out others. Write the tree in the new numbers; a vertex's parent is
    the one from which it was first visited.
    """
    return depth_first_parents(graph)


def visits(graph: values.DiGraph) -> tuple[list[int], list[tuple[int, int]]]:
    """The order and the arcs of a depth-first search of all vertices along the arcs."""
    after = graph.successors()
    order: list[int] = []
    arcs: list[tuple[int, int]] = []
    for start in filterfalse(order.__contains__, range(graph.n)):
        visit(after, start, order, arcs)
    return order, arcs


@environment(grade="course")
def depth_first_visits(graph: DiGraph) -> Permutation:
    """Search the graph depth first along its arcs, beginning at vertex 0 and trying the vertices that arcs lead to in
    increasing order. Whenever the search ends, begin again at the smallest vertex not yet visited. List all vertices
    in the order of their first visits.
    """
    return tuple(visits(graph)[0])


def digraph_with_search_arcs(rng: Random, level: int) -> values.DiGraph:
    """At least three arcs that lead to new vertices, and one that does not."""
    while True:
        graph = type_of(DiGraph).sample(rng, level)
        if 3 <= len(visits(graph)[1]) < len(graph.arcs):
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=digraph_with_search_arcs, grade="course")
def depth_first_forest(graph: DiGraph) -> DAG:
    """Search the graph depth first along its arcs, trying smaller vertices first. Begin at vertex 0 and, whenever the
    search ends, begin again at the smallest vertex not yet visited. Keep all vertices, but only the arcs along which
    a vertex is visited for the first time.
    """
    return values.digraph(graph.n, visits(graph)[1])
