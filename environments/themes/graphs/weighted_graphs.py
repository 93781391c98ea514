"""Graphs whose edges have weights: networks of distances, cheapest connections and shortest ways."""

from itertools import combinations
from operator import itemgetter
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import Graph, NatList, PointList, WeightedGraph


def few_points(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Few points, because every two of them give an edge."""
    n, top = ((3, 6), (4, 9), (5, 12), (6, 20), (7, 40))[level - 1]
    plane = [(x, y) for x in range(-top // 2, top + 1) for y in range(-top // 2, top + 1)]
    return tuple(rng.sample(plane, n))


@environment(sample=few_points, grade="course")
def manhattan_network(points: PointList) -> WeightedGraph:
    """Number the points 0, 1, 2, ... in the order of the list and make them the vertices of a weighted graph. Join
    every two by an edge whose weight is the absolute difference of their x coordinates plus the absolute difference
    of their y coordinates.
    """
    if not 1 <= len(points) <= 12:
        raise OutOfDomain(f"a weighted graph has from 1 to 12 vertices, there are {len(points)} points")
    pairs = combinations(enumerate(points), 2)
    return values.weighted_graph(len(points), [(i, j, abs(a - c) + abs(b - d)) for (i, (a, b)), (j, (c, d)) in pairs])


@environment(grade="course")
def degree_sum_weights(graph: Graph) -> WeightedGraph:
    """Count the edges at every vertex of the graph. Then give each edge a weight: the number of edges at one of its
    ends plus the number of edges at its other end. The edge itself thus counts twice.
    """
    degrees = [len(near) for near in graph.neighbours()]
    return values.weighted_graph(graph.n, [(u, v, degrees[u] + degrees[v]) for u, v in graph.edges])


@environment(grade="course")
def minimum_spanning_forest(graph: WeightedGraph) -> WeightedGraph:
    """Go through the edges from the lightest to the heaviest, those of equal weight in increasing order of their
    smaller end, then of their larger end. Keep an edge unless edges kept before already connect its two ends. Give
    the weighted graph of the kept edges on all the vertices.
    """
    group = {v: {v} for v in range(graph.n)}
    kept: list[tuple[int, int, int]] = []
    for u, v, weight in sorted(graph.edges, key=itemgetter(2, 0, 1)):
        if v not in group[u]:
            kept.append((u, v, weight))
            joined = group[u] | group[v]
            group.update(dict.fromkeys(joined, joined))
    return values.weighted_graph(graph.n, kept)


@environment(grade="course")
def shortest_distances(graph: WeightedGraph) -> NatList:
    """For each vertex of the graph, in increasing order of the vertices, give the smallest total weight of a path from
    vertex 0 to this vertex; for vertex 0 itself it is 0.
    """
    near = graph.neighbours()
    final: dict[int, int] = {}
    found = {0: 0}
    while found:
        u = min(found, key=found.__getitem__)
        final[u] = found.pop(u)
        found |= {v: min(final[u] + w, found.get(v, final[u] + w)) for v, w in near[u] if v not in final}
    if len(final) < graph.n:
        raise OutOfDomain("some vertex has no path from vertex 0")
    return tuple(map(final.__getitem__, range(graph.n)))


def above_average(graph: values.WeightedGraph) -> list[tuple[int, int]]:
    """The edges that weigh more than the mean, compared without division."""
    total = sum([weight for _, _, weight in graph.edges])
    return [(u, v) for u, v, weight in graph.edges if weight * len(graph.edges) > total]


def many_weighted_edges(rng: Random, level: int) -> values.WeightedGraph:
    """At least three edges above the average."""
    n, size, top = ((4, 6, 12), (5, 7, 20), (6, 8, 30), (6, 10, 50), (7, 12, 99))[level - 1]
    while True:
        pairs = rng.sample(list(combinations(range(n), 2)), size)
        weights = rng.sample(range(1, top + 1), size)
        graph = values.weighted_graph(n, [(u, v, weight) for (u, v), weight in zip(pairs, weights, strict=True)])
        if len(above_average(graph)) >= 3:
            return graph


@environment(sample=many_weighted_edges, grade="course")
def heavy_edges(graph: WeightedGraph) -> Graph:
    """Take the average (arithmetic mean) of the weights of all edges of the graph. Keep exactly the edges whose weight
    is greater than this average. Give the graph of these edges on all the vertices, without weights.
    """
    if not graph.edges:
        raise OutOfDomain("no edges have no average weight")
    return values.graph(graph.n, above_average(graph))
