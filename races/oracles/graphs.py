"""Hand-worked examples and independent oracles for environments/themes/graphs/graphs.py."""

import json
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

THIRTEEN_EDGES = str([[u, v] for u, v in combinations(range(6), 2)][:13])

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "vertex_degrees": [
        ('{"n": 4, "edges": [[0, 1], [0, 2], [2, 3]]}', "[2, 1, 2, 1]"),
        ('{"n": 1, "edges": []}', "[0]"),
    ],
    "laplacian_matrix": [
        ('{"n": 3, "edges": [[0, 1], [1, 2]]}', "[[1, -1, 0], [-1, 2, -1], [0, -1, 1]]"),
        ('{"n": 3, "edges": [[0, 2]]}', "[[1, 0, -1], [0, 0, 0], [-1, 0, 1]]"),
        ('{"n": 1, "edges": []}', "[[0]]"),
    ],
    "complement_graph": [
        ('{"n": 4, "edges": [[0, 1], [0, 2], [2, 3]]}', '{"n": 4, "edges": [[0, 3], [1, 2], [1, 3]]}'),
        ('{"n": 2, "edges": [[0, 1]]}', '{"n": 2, "edges": []}'),
        ('{"n": 1, "edges": []}', '{"n": 1, "edges": []}'),
    ],
    "line_graph": [
        (
            '{"n": 4, "edges": [[0, 1], [0, 2], [1, 2], [2, 3]]}',
            '{"n": 4, "edges": [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]}',
        ),
        ('{"n": 5, "edges": [[1, 4]]}', '{"n": 1, "edges": []}'),
        ('{"n": 3, "edges": []}', None),
        ('{"n": 6, "edges": ' + THIRTEEN_EDGES + "}", None),
        (
            json.dumps({"n": 12, "edges": [[0, 1], [0, 11], *([i, i + 1] for i in range(1, 11))]}),
            json.dumps({"n": 12, "edges": [[0, 1], [0, 2], [1, 11], *([i, i + 1] for i in range(2, 11))]}),
        ),
    ],
    "connected_components": [
        ('{"n": 5, "edges": [[0, 3], [1, 4]]}', "[[0, 3], [1, 4], [2]]"),
        ('{"n": 4, "edges": [[0, 3], [1, 2], [2, 3]]}', "[[0, 1, 2, 3]]"),
        ('{"n": 1, "edges": []}', "[[0]]"),
    ],
}


def drawn(x: Any) -> Any:
    g = nx.Graph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.edges)
    return g


def edge_set(g: Any) -> set[frozenset[int]]:
    return set(map(frozenset, g.edges))


def vertex_degrees(x: Any, y: Any) -> bool:
    return dict(enumerate(y)) == dict(drawn(x).degree)


def laplacian_matrix(x: Any, y: Any) -> bool:
    # L = B B^T for the incidence matrix B of any orientation
    incidence = np.zeros((x.n, len(x.edges)), dtype=int)
    for column, (u, v) in enumerate(x.edges):
        incidence[u, column], incidence[v, column] = 1, -1
    return np.array_equal(incidence @ incidence.T, np.array(y))


def complement_graph(x: Any, y: Any) -> bool:
    return y.n == x.n and edge_set(nx.complement(drawn(x))) == edge_set(drawn(y))


def line_graph(x: Any, y: Any) -> bool:
    ends = nx.line_graph(drawn(x))
    number = {edge: i for i, edge in enumerate(sorted(tuple(sorted(edge)) for edge in ends.nodes))}
    renamed = nx.relabel_nodes(ends, {edge: number[tuple(sorted(edge))] for edge in ends.nodes})
    return y.n == len(number) and edge_set(renamed) == edge_set(drawn(y))


def connected_components(x: Any, y: Any) -> bool:
    g = drawn(x)
    together = {frozenset(pair) for group in y for pair in combinations(group, 2)}
    right = all(nx.has_path(g, u, v) == (frozenset((u, v)) in together) for u, v in combinations(range(x.n), 2))
    written = all(list(group) == sorted(set(group)) for group in y) and [g[0] for g in y] == sorted(g[0] for g in y)
    return right and written and sorted(v for group in y for v in group) == list(range(x.n))


ORACLES = {
    "vertex_degrees": vertex_degrees,
    "laplacian_matrix": laplacian_matrix,
    "complement_graph": complement_graph,
    "line_graph": line_graph,
    "connected_components": connected_components,
}
