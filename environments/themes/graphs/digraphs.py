"""Directed graphs, with cycles and without: directions, reachability and orders that respect the arcs."""

from graphlib import TopologicalSorter
from random import Random

from races.environments import environment, values
from races.environments.types import DAG, DiGraph, Graph, IntSet, NatList, Permutation


@environment(grade="course")
def reversed_digraph(graph: DiGraph) -> DiGraph:
    """Reverse the direction of every arc of the graph."""
    return values.digraph(graph.n, [(v, u) for u, v in graph.arcs])


def digraph_with_two_way_streets(rng: Random, level: int) -> values.DiGraph:
    """One or two arcs with their opposites among others, because only they make a difference here."""
    n = (4, 5, 6, 7, 9)[level - 1]
    arcs = rng.sample([(u, v) for u in range(n) for v in range(n) if u != v], n)
    return values.digraph(n, arcs + [(v, u) for u, v in arcs[: rng.randint(1, 2)]])


@environment(sample=digraph_with_two_way_streets, grade="course")
def underlying_graph(graph: DiGraph) -> Graph:
    """Forget the directions of the arcs: on the same vertices, draw one edge between two vertices whenever an arc leads
    from either of them to the other.
    """
    return values.graph(graph.n, graph.arcs)


def reached_from_zero(graph: values.DiGraph) -> list[int]:
    """Vertex 0 and all vertices that arcs lead to from it, in the order of discovery."""
    after = graph.successors()
    reached = [0]
    for u in reached:
        reached += [v for v in after[u] if v not in reached]
    return reached


def partly_reachable_digraph(rng: Random, level: int) -> values.DiGraph:
    """Some vertices within reach of vertex 0 and some out of reach."""
    n = (4, 5, 6, 7, 9)[level - 1]
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    while True:
        graph = values.digraph(n, rng.sample(pairs, rng.randint(n - 1, n + 1)))
        if n // 2 <= len(reached_from_zero(graph)) < n:
            return graph


@environment(sample=partly_reachable_digraph, grade="course")
def reachable_vertices(graph: DiGraph) -> IntSet:
    """Collect vertex 0 of the graph and all vertices that can be reached from it by following one or more arcs in their
    direction.
    """
    return tuple(sorted(reached_from_zero(graph)))


@environment(grade="course")
def orientation_by_degree(graph: Graph) -> DAG:
    """Count the edges at every vertex of the graph. Then turn each edge into an arc from the end with fewer edges to
    the end with more edges; if both ends have equally many, from the smaller vertex to the larger one.
    """
    degrees = [len(near) for near in graph.neighbours()]
    return values.digraph(graph.n, [(u, v) if degrees[u] <= degrees[v] else (v, u) for u, v in graph.edges])


@environment(grade="course")
def topological_order(graph: DAG) -> Permutation:
    """List all vertices of the graph one after another. The next one is always the smallest vertex among those that are
    not yet listed and whose incoming arcs all come from vertices that are already listed.
    """
    before = graph.predecessors()
    order: list[int] = []
    left = list(range(graph.n))
    while left:
        order.append(next(v for v in left if set(before[v]) <= set(order)))
        left.remove(order[-1])
    return tuple(order)


@environment(grade="course")
def longest_path_lengths(graph: DAG) -> NatList:
    """For each vertex of the graph, in increasing order of the vertices, give the number of arcs on the longest path
    that follows the arcs in their direction and ends at this vertex; it is 0 if no arc leads to the vertex.
    """
    before = graph.predecessors()
    lengths: dict[int, int] = {}
    for v in TopologicalSorter(dict(enumerate(before))).static_order():
        lengths[v] = max([lengths[u] + 1 for u in before[v]], default=0)
    return tuple([lengths[v] for v in range(graph.n)])
