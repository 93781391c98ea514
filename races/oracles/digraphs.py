"""Hand-worked examples and independent oracles for environments/themes/graphs/digraphs.py."""

from typing import Any

import networkx as nx
import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "reversed_digraph": [
        ('{"n": 3, "arcs": [[0, 1], [2, 1]]}', '{"n": 3, "arcs": [[1, 0], [1, 2]]}'),
        ('{"n": 2, "arcs": [[0, 1], [1, 0]]}', '{"n": 2, "arcs": [[0, 1], [1, 0]]}'),
    ],
    "underlying_graph": [
        ('{"n": 4, "arcs": [[0, 1], [1, 0], [3, 2]]}', '{"n": 4, "edges": [[0, 1], [2, 3]]}'),
        ('{"n": 1, "arcs": []}', '{"n": 1, "edges": []}'),
    ],
    "reachable_vertices": [
        ('{"n": 5, "arcs": [[0, 3], [2, 0], [3, 1]]}', "[0, 1, 3]"),
        ('{"n": 2, "arcs": [[1, 0]]}', "[0]"),
        ('{"n": 2, "arcs": [[0, 1], [1, 0]]}', "[0, 1]"),
    ],
    "orientation_by_degree": [
        (
            '{"n": 4, "edges": [[0, 1], [1, 2], [1, 3], [2, 3]]}',
            '{"n": 4, "arcs": [[0, 1], [2, 1], [2, 3], [3, 1]]}',
        ),
        ('{"n": 2, "edges": [[0, 1]]}', '{"n": 2, "arcs": [[0, 1]]}'),
    ],
    "topological_order": [
        ('{"n": 4, "arcs": [[1, 0], [3, 1], [3, 2]]}', "[3, 1, 0, 2]"),
        ('{"n": 3, "arcs": []}', "[0, 1, 2]"),
    ],
    "longest_path_lengths": [
        ('{"n": 4, "arcs": [[1, 0], [3, 1], [3, 2]]}', "[2, 1, 1, 0]"),
        ('{"n": 3, "arcs": [[0, 1], [0, 2], [1, 2]]}', "[0, 1, 2]"),
        ('{"n": 1, "arcs": []}', "[0]"),
    ],
}


def drawn(x: Any) -> Any:
    g = nx.DiGraph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.arcs)
    return g


def adjacency(x: Any) -> Any:
    matrix = np.zeros((x.n, x.n), dtype=int)
    for u, v in x.arcs:
        matrix[u, v] = 1
    return matrix


def reversed_digraph(x: Any, y: Any) -> bool:
    return y.n == x.n and np.array_equal(adjacency(x).T, adjacency(y))


def underlying_graph(x: Any, y: Any) -> bool:
    edges = {tuple(sorted(edge)) for edge in drawn(x).to_undirected().edges}
    return y.n == x.n and set(y.edges) == edges


def reachable_vertices(x: Any, y: Any) -> bool:
    return set(y) == nx.descendants(drawn(x), 0) | {0}


def orientation_by_degree(x: Any, y: Any) -> bool:
    ends = [vertex for edge in x.edges for vertex in edge]
    rank = {v: place for place, v in enumerate(sorted(range(x.n), key=lambda v: (ends.count(v), v)))}
    forward = all(rank[u] < rank[v] for u, v in y.arcs)
    return y.n == x.n and forward and sorted(tuple(sorted(arc)) for arc in y.arcs) == list(x.edges)


def topological_order(x: Any, y: Any) -> bool:
    return list(y) == list(nx.lexicographical_topological_sort(drawn(x)))


def longest_path_lengths(x: Any, y: Any) -> bool:
    # entry (u, v) of the k-th power counts the walks of length k; without cycles every walk is a path
    power, lengths = np.eye(x.n, dtype=int), np.zeros(x.n, dtype=int)
    for length in range(x.n):
        lengths[power.sum(axis=0) > 0] = length
        power = (power @ adjacency(x) > 0).astype(int)
    return list(y) == lengths.tolist()


ORACLES = {
    "reversed_digraph": reversed_digraph,
    "underlying_graph": underlying_graph,
    "reachable_vertices": reachable_vertices,
    "orientation_by_degree": orientation_by_degree,
    "topological_order": topological_order,
    "longest_path_lengths": longest_path_lengths,
}
