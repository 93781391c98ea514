"""Undirected graphs: what they count, how they fall apart, and graphs made out of graphs."""

from itertools import combinations
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import Graph, NatList, Ragged, SquareMatrix


def random_graph(rng: Random, n: int, size: int) -> values.Graph:
    """A graph with n vertices and so many edges, each such graph equally likely."""
    return values.graph(n, rng.sample(list(combinations(range(n), 2)), size))


@environment()
def vertex_degrees(graph: Graph) -> NatList:
    """For each vertex of the graph, in increasing order of the vertices, count the edges that have it as one of
    their two ends.
    """
    return tuple([len(near) for near in graph.neighbours()])


def graph_for_a_small_matrix(rng: Random, level: int) -> values.Graph:
    """Five vertices, because a larger matrix is tedious to write; the level adds edges."""
    return random_graph(rng, 5, (3, 4, 5, 6, 7)[level - 1])


@environment(sample=graph_for_a_small_matrix, grade="course")
def laplacian_matrix(graph: Graph) -> SquareMatrix:
    """Write a matrix with a row and a column for each vertex of the graph, in increasing order. In row i and column i
    stands the number of edges at vertex i; in row i and another column j stands -1 if an edge joins i and j, otherwise
    0.
    """
    rows = [[0] * graph.n for _ in range(graph.n)]
    for u, v in graph.edges:
        rows[u][v] = rows[v][u] = -1
    for i, row in enumerate(rows):
        row[i] = -sum(row)
    return tuple(map(tuple, rows))


def half_filled_graph(rng: Random, level: int) -> values.Graph:
    """About as many edges as pairs without an edge, so that the complement is as large as the graph."""
    n, size = ((5, 4), (5, 5), (6, 7), (7, 10), (8, 14))[level - 1]
    return random_graph(rng, n, size)


@environment(sample=half_filled_graph)
def complement_graph(graph: Graph) -> Graph:
    """Keep the vertices of the graph, remove all its edges, and join instead every two different vertices that were not
    joined before.
    """
    missing = [pair for pair in combinations(range(graph.n), 2) if pair not in graph.edges]
    return values.graph(graph.n, missing)


def graph_with_few_edges(rng: Random, level: int) -> values.Graph:
    """Few edges, because each of them becomes a vertex that is compared with all others."""
    n, size = ((5, 4), (6, 5), (6, 6), (7, 7), (8, 8))[level - 1]
    return random_graph(rng, n, size)


@environment(sample=graph_with_few_edges, grade="course")
def line_graph(graph: Graph) -> Graph:
    """Number the edges of the graph 0, 1, 2, ... in increasing order of their smaller end, then of their larger end.
    Make these numbers the vertices of a new graph and join two of them when the two edges have an end in common.
    """
    if not graph.edges:
        raise OutOfDomain("a graph without edges would give a graph without vertices")
    if len(graph.edges) > 12:
        raise OutOfDomain("more than 12 edges would give a graph with more than 12 vertices")
    numbered = combinations(enumerate(graph.edges), 2)
    return values.graph(len(graph.edges), [(i, j) for (i, one), (j, two) in numbered if set(one) & set(two)])


def scattered_graph(rng: Random, level: int) -> values.Graph:
    """Too few edges to connect all vertices."""
    n = (5, 6, 7, 8, 9)[level - 1]
    return random_graph(rng, n, rng.randint(max(3, n - 3), n - 2))


@environment(sample=scattered_graph)
def connected_components(graph: Graph) -> Ragged:
    """Split the vertices of the graph into connected components: two vertices are in the same one exactly when a path
    of edges joins them, and a vertex without edges forms one of its own. List each component in increasing order, and
    the components in increasing order of their smallest vertices.
    """
    group = {v: {v} for v in range(graph.n)}
    for u, v in graph.edges:
        joined = group[u] | group[v]
        group.update(dict.fromkeys(joined, joined))
    return tuple(sorted({tuple(sorted(each)) for each in group.values()}))
