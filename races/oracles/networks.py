"""Hand-worked examples and independent oracles for environments/themes/graphs/networks.py."""

from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
from scipy.spatial.distance import cdist

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "ring_road_network": [
        ("[5, 0, 7, 2]", '{"n": 4, "edges": [[0, 1, 5], [0, 3, 2], [2, 3, 7]]}'),
        ("[0, 0, 0]", '{"n": 3, "edges": []}'),
        ("[1, 2]", None),
        ("[1, 2, 1000]", None),
        ("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", None),
        (str([0] * 12), '{"n": 12, "edges": []}'),
    ],
    "row_distance_network": [
        ("[[1, 5], [4, 3], [1, 5]]", '{"n": 3, "edges": [[0, 1, 5], [1, 2, 5]]}'),
        ("[[-3, 0], [3, 1]]", '{"n": 2, "edges": [[0, 1, 7]]}'),
        ("[[7]]", '{"n": 1, "edges": []}'),
        ("[[0], [1000]]", None),
    ],
    "weight_sums_at_vertices": [
        ('{"n": 4, "edges": [[0, 1, 5], [1, 2, 4]]}', "[5, 9, 4, 0]"),
        ('{"n": 1, "edges": []}', "[0]"),
    ],
    "edges_from_heaviest": [
        ('{"n": 3, "edges": [[0, 1, 5], [0, 2, 9], [1, 2, 5]]}', "[[0, 2], [0, 1], [1, 2]]"),
        ('{"n": 2, "edges": []}', "[]"),
    ],
    "neighbours_by_weight": [
        ('{"n": 4, "edges": [[0, 1, 5], [0, 2, 3], [1, 2, 5]]}', "[[2, 1], [0, 2], [0, 1], []]"),
        ('{"n": 1, "edges": []}', "[[]]"),
    ],
    "weight_matrix": [
        ('{"n": 3, "edges": [[0, 2, 7], [1, 2, 4]]}', "[[0, 0, 7], [0, 0, 4], [7, 4, 0]]"),
        ('{"n": 1, "edges": []}', "[[0]]"),
    ],
    "weights_turned_over": [
        (
            '{"n": 4, "edges": [[0, 1, 2], [0, 2, 5], [1, 2, 9]]}',
            '{"n": 4, "edges": [[0, 1, 9], [0, 2, 6], [1, 2, 2]]}',
        ),
        ('{"n": 2, "edges": [[0, 1, 4]]}', '{"n": 2, "edges": [[0, 1, 4]]}'),
        ('{"n": 2, "edges": []}', None),
    ],
    "weights_with_tolls": [
        (
            '{"n": 4, "edges": [[0, 1, 5], [0, 2, 3], [2, 3, 10]]}',
            '{"n": 4, "edges": [[0, 1, 8], [0, 2, 7], [2, 3, 13]]}',
        ),
        ('{"n": 2, "edges": []}', '{"n": 2, "edges": []}'),
        ('{"n": 2, "edges": [[0, 1, 997]]}', '{"n": 2, "edges": [[0, 1, 999]]}'),
        ('{"n": 2, "edges": [[0, 1, 998]]}', None),
    ],
}


def drawn(x: Any) -> Any:
    g = nx.Graph()
    g.add_nodes_from(range(x.n))
    g.add_weighted_edges_from(x.edges)
    return g


def ring_road_network(x: Any, y: Any) -> bool:
    g = drawn(y)
    read = [g.edges[i, j]["weight"] if g.has_edge(i, j) else 0 for i, j in pairwise([*range(len(x)), 0])]
    return y.n == len(x) and read == list(x) and len(y.edges) == sum(map(bool, x))


def row_distance_network(x: Any, y: Any) -> bool:
    distances = np.rint(cdist(x, x, "cityblock")).astype(int)
    return np.array_equal(nx.to_numpy_array(drawn(y), nodelist=range(len(x)), dtype=int), distances)


def weight_sums_at_vertices(x: Any, y: Any) -> bool:
    return dict(enumerate(y)) == dict(drawn(x).degree(weight="weight"))


def edges_from_heaviest(x: Any, y: Any) -> bool:
    weights = {(u, v): weight for u, v, weight in x.edges}
    if sorted(y) != sorted(weights):
        return False
    return all((-weights[a], a) < (-weights[b], b) for a, b in pairwise(y))


def neighbours_by_weight(x: Any, y: Any) -> bool:
    g = drawn(x)
    if len(y) != x.n or any(sorted(row) != sorted(g[v]) for v, row in enumerate(y)):
        return False
    keys = [[(g.edges[v, w]["weight"], w) for w in row] for v, row in enumerate(y)]
    return all(a < b for row in keys for a, b in pairwise(row))


def weight_matrix(x: Any, y: Any) -> bool:
    return np.array_equal(nx.to_numpy_array(drawn(x), nodelist=range(x.n), dtype=int), np.array(y))


def weights_turned_over(x: Any, y: Any) -> bool:
    old, new = np.array(x.edges), np.array(y.edges)
    if y.n != x.n or not np.array_equal(old[:, :2], new[:, :2]):
        return False
    # where the old weights rise, the new ones fall by the same amount, between the same bounds
    same_bounds = old[:, 2].min() == new[:, 2].min() and old[:, 2].max() == new[:, 2].max()
    return bool(same_bounds and np.array_equal(np.diff(old[:, 2]), -np.diff(new[:, 2])))


def weights_with_tolls(x: Any, y: Any) -> bool:
    # both tolls together: the edge itself twice, and every edge that it meets in the line graph once
    met = {tuple(sorted(edge)): degree for edge, degree in nx.line_graph(nx.Graph([e[:2] for e in x.edges])).degree}
    old = {(u, v): weight for u, v, weight in x.edges}
    new = {(u, v): weight for u, v, weight in y.edges}
    return y.n == x.n and set(old) == set(new) and all(new[e] - old[e] == met[e] + 2 for e in old)


ORACLES = {
    "ring_road_network": ring_road_network,
    "row_distance_network": row_distance_network,
    "weight_sums_at_vertices": weight_sums_at_vertices,
    "edges_from_heaviest": edges_from_heaviest,
    "neighbours_by_weight": neighbours_by_weight,
    "weight_matrix": weight_matrix,
    "weights_turned_over": weights_turned_over,
    "weights_with_tolls": weights_with_tolls,
}
