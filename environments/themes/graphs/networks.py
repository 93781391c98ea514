"""Networks of roads and other connections with weights: drawing them, reading them, changing their weights."""

from itertools import combinations
from operator import itemgetter
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import IntMatrix, NatList, PairList, Ragged, SquareMatrix, WeightedGraph


def road_lengths(rng: Random, level: int) -> tuple[int, ...]:
    """Positive lengths and, in every other list from level 2 on, one road that is missing."""
    n, top = ((4, 12), (5, 30), (6, 60), (7, 120), (9, 300))[level - 1]
    lengths = [rng.randint(1, top) for _ in range(n)]
    if level >= 2 and rng.random() < 0.5:
        lengths[rng.randrange(n)] = 0
    return tuple(lengths)


@environment(sample=road_lengths)
def ring_road_network(lengths: NatList) -> WeightedGraph:
    """Draw a ring road as a weighted graph. Its towns are numbered 0, 1, 2, ... like the entries of the list, and each
    entry is the length of the road from its town to the next, from the last to town 0. An entry 0 means no road.
    """
    n = len(lengths)
    if not 3 <= n <= 12:
        raise OutOfDomain(f"a ring needs from 3 to 12 towns, the list has {n} entries")
    if max(lengths) > 999:
        raise OutOfDomain("a weight is at most 999")
    return values.weighted_graph(n, [(i, (i + 1) % n, length) for i, length in enumerate(lengths) if length])


def small_matrix(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Few short rows, because every two rows are compared."""
    rows, columns, top = ((3, 3, 5), (4, 2, 9), (4, 3, 9), (5, 3, 15), (5, 4, 25))[level - 1]
    while True:
        matrix = tuple([tuple([rng.randint(0, top) for _ in range(columns)]) for _ in range(rows)])
        if len(set(matrix)) >= 3:
            return matrix


@environment(sample=small_matrix, grade="course")
def row_distance_network(matrix: IntMatrix) -> WeightedGraph:
    """Make the rows of the matrix, counted from 0, the vertices of a weighted graph. Join every two rows that are not
    equal. The weight of their edge is the sum, over all columns, of the absolute difference between the two entries
    that the rows have there.
    """
    if len(matrix) > 12:
        raise OutOfDomain(f"a weighted graph has at most 12 vertices, the matrix has {len(matrix)} rows")
    edges: list[tuple[int, int, int]] = []
    for (i, one), (j, two) in combinations(enumerate(matrix), 2):
        edges.append((i, j, sum([abs(a - b) for a, b in zip(one, two, strict=True)])))
    if max(map(itemgetter(2), edges), default=0) > 999:
        raise OutOfDomain("a weight is at most 999")
    return values.weighted_graph(len(matrix), filter(itemgetter(2), edges))


@environment(grade="course")
def weight_sums_at_vertices(graph: WeightedGraph) -> NatList:
    """For each vertex of the graph, in increasing order of the vertices, add up the weights of all edges that have it
    as one of their two ends. A vertex without edges gets 0.
    """
    return tuple([sum([weight for _, weight in near]) for near in graph.neighbours()])


def network_with_equal_weights(rng: Random, level: int) -> values.WeightedGraph:
    """Small weights, of which some are often equal."""
    n, size, top = ((4, 4, 7), (5, 6, 9), (5, 7, 12), (6, 9, 20), (7, 11, 30))[level - 1]
    pairs = rng.sample(list(combinations(range(n), 2)), size)
    return values.weighted_graph(n, [(u, v, rng.randint(1, top)) for u, v in pairs])


@environment(sample=network_with_equal_weights, grade="course")
def edges_from_heaviest(graph: WeightedGraph) -> PairList:
    """List the edges of the graph from the heaviest to the lightest, each as the pair of its ends with the smaller one
    first, and without the weights. Edges of equal weight stand in increasing order of their smaller end, then of their
    larger end.
    """
    if len(graph.edges) > 32:
        raise OutOfDomain(f"a list has at most 32 pairs, the graph has {len(graph.edges)} edges")
    return tuple([(u, v) for u, v, _ in sorted(graph.edges, key=lambda edge: -edge[2])])


@environment(sample=network_with_equal_weights, grade="course")
def neighbours_by_weight(graph: WeightedGraph) -> Ragged:
    """For each vertex of the graph, in increasing order of the vertices, list its neighbours from the one at the
    lightest edge to the one at the heaviest edge, those at equally heavy edges in increasing order. A vertex without
    edges gets an empty list.
    """
    return tuple([tuple([v for v, _ in sorted(near, key=lambda pair: pair[1])]) for near in graph.neighbours()])


def network_for_a_small_matrix(rng: Random, level: int) -> values.WeightedGraph:
    """At most five vertices, because a larger matrix is tedious to write."""
    n, size, top = ((3, 3, 9), (4, 4, 20), (4, 5, 40), (5, 6, 60), (5, 7, 99))[level - 1]
    pairs = rng.sample(list(combinations(range(n), 2)), size)
    return values.weighted_graph(n, [(u, v, rng.randint(1, top)) for u, v in pairs])


@environment(sample=network_for_a_small_matrix, grade="course")
def weight_matrix(graph: WeightedGraph) -> SquareMatrix:
    """Write a square matrix with a row and a column for each vertex of the graph, in increasing order. In row i and
    column j stands the weight of the edge that joins vertices i and j, or 0 if no edge joins them.
    """
    rows = [[0] * graph.n for _ in range(graph.n)]
    for u, v, weight in graph.edges:
        rows[u][v] = rows[v][u] = weight
    return tuple(map(tuple, rows))


@environment(grade="course")
def weights_turned_over(graph: WeightedGraph) -> WeightedGraph:
    """Add the smallest and the largest weight that occur in the graph. Give each edge a new weight, this sum minus its
    old weight, so that the lightest edges become the heaviest ones and the other way round. The edges stay the same.
    """
    if not graph.edges:
        raise OutOfDomain("a graph without edges has no smallest weight")
    weights = [weight for _, _, weight in graph.edges]
    both = min(weights) + max(weights)
    return values.weighted_graph(graph.n, [(u, v, both - weight) for u, v, weight in graph.edges])


@environment(grade="course")
def weights_with_tolls(graph: WeightedGraph) -> WeightedGraph:
    """Each vertex of the graph takes a toll, which is the number of its edges. Add to the weight of every edge the
    tolls of its two ends. The edges stay the same.
    """
    tolls = [len(near) for near in graph.neighbours()]
    if any([weight + tolls[u] + tolls[v] > 999 for u, v, weight in graph.edges]):
        raise OutOfDomain("a weight is at most 999")
    return values.weighted_graph(graph.n, [(u, v, weight + tolls[u] + tolls[v]) for u, v, weight in graph.edges])
