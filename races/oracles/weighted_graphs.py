"""Hand-worked examples and independent oracles for environments/themes/graphs/weighted_graphs.py."""

import json
from statistics import fmean
from typing import Any

import networkx as nx
import numpy as np
from scipy.spatial.distance import cdist

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "manhattan_network": [
        ("[[0, 0], [3, -1], [-2, 4]]", '{"n": 3, "edges": [[0, 1, 4], [0, 2, 6], [1, 2, 10]]}'),
        ("[[5, 5]]", '{"n": 1, "edges": []}'),
        ("[]", None),
        (
            "[[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [0, 6], [0, 7], [0, 8], [0, 9], [1, 0], [1, 1], [1, 2]]",
            None,
        ),
        (
            str([[i, 0] for i in range(12)]),
            json.dumps({"n": 12, "edges": [[i, j, j - i] for i in range(12) for j in range(i + 1, 12)]}),
        ),
    ],
    "degree_sum_weights": [
        (
            '{"n": 4, "edges": [[0, 1], [0, 2], [1, 2], [2, 3]]}',
            '{"n": 4, "edges": [[0, 1, 4], [0, 2, 5], [1, 2, 5], [2, 3, 4]]}',
        ),
        ('{"n": 3, "edges": [[0, 2]]}', '{"n": 3, "edges": [[0, 2, 2]]}'),
        ('{"n": 1, "edges": []}', '{"n": 1, "edges": []}'),
    ],
    "minimum_spanning_forest": [
        (
            '{"n": 4, "edges": [[0, 1, 5], [0, 2, 5], [1, 2, 5], [2, 3, 1]]}',
            '{"n": 4, "edges": [[0, 1, 5], [0, 2, 5], [2, 3, 1]]}',
        ),
        (
            '{"n": 5, "edges": [[0, 2, 6], [0, 4, 6], [1, 3, 6], [1, 4, 6], [2, 3, 6]]}',
            '{"n": 5, "edges": [[0, 2, 6], [0, 4, 6], [1, 3, 6], [1, 4, 6]]}',
        ),
        ('{"n": 4, "edges": [[0, 1, 3]]}', '{"n": 4, "edges": [[0, 1, 3]]}'),
        (
            '{"n": 5, "edges": [[0, 1, 4], [0, 4, 2], [1, 4, 3], [2, 3, 9]]}',
            '{"n": 5, "edges": [[0, 4, 2], [1, 4, 3], [2, 3, 9]]}',
        ),
    ],
    "shortest_distances": [
        ('{"n": 3, "edges": [[0, 1, 9], [0, 2, 2], [1, 2, 4]]}', "[0, 6, 2]"),
        ('{"n": 1, "edges": []}', "[0]"),
        ('{"n": 3, "edges": [[0, 1, 9]]}', None),
    ],
    "heavy_edges": [
        ('{"n": 4, "edges": [[0, 1, 4], [0, 2, 6], [1, 3, 8]]}', '{"n": 4, "edges": [[1, 3]]}'),
        ('{"n": 3, "edges": [[0, 1, 5], [1, 2, 5]]}', '{"n": 3, "edges": []}'),
        ('{"n": 2, "edges": []}', None),
    ],
}


def manhattan_network(x: Any, y: Any) -> bool:
    distances = cdist(x, x, "cityblock")
    edges = [(int(i), int(j), int(distances[i, j])) for i, j in zip(*np.triu_indices(len(x), 1), strict=True)]
    return y.n == len(x) and list(y.edges) == edges


def degree_sum_weights(x: Any, y: Any) -> bool:
    # an edge's neighbours in the line graph are the edges at its ends without the edge itself, which counts twice
    g = nx.Graph(list(x.edges))
    near = {tuple(sorted(edge)): degree for edge, degree in nx.line_graph(g).degree}
    return y.n == x.n and {(u, v): weight - 2 for u, v, weight in y.edges} == near


def minimum_spanning_forest(x: Any, y: Any) -> bool:
    # the order of the edges as weights: they are all different, so that the forest is unique
    g = nx.Graph()
    for rank, (u, v, weight) in enumerate(sorted(x.edges, key=lambda edge: (edge[2], edge[:2]))):
        g.add_edge(u, v, rank=rank, weight=weight)
    forest = nx.minimum_spanning_edges(g, algorithm="boruvka", weight="rank", data=True)
    return y.n == x.n and sorted((min(u, v), max(u, v), data["weight"]) for u, v, data in forest) == list(y.edges)


def shortest_distances(x: Any, y: Any) -> bool:
    matrix = np.full((x.n, x.n), np.inf)
    np.fill_diagonal(matrix, 0)
    for u, v, weight in x.edges:
        matrix[u, v] = matrix[v, u] = weight
    for middle in range(x.n):
        matrix = np.minimum(matrix, matrix[:, [middle]] + matrix[[middle], :])
    return list(y) == matrix[0].tolist()


def heavy_edges(x: Any, y: Any) -> bool:
    mean = fmean(weight for _, _, weight in x.edges)
    light = {(u, v) for u, v, weight in x.edges if weight <= mean}
    return y.n == x.n and light | set(y.edges) == {edge[:2] for edge in x.edges} and not light & set(y.edges)


ORACLES = {
    "manhattan_network": manhattan_network,
    "degree_sum_weights": degree_sum_weights,
    "minimum_spanning_forest": minimum_spanning_forest,
    "shortest_distances": shortest_distances,
    "heavy_edges": heavy_edges,
}
