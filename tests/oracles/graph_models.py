"""Hand-worked examples and independent oracles for environments/themes/graph_models.py."""

from collections import defaultdict
from math import gcd
from typing import Any

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "shared_number_graph": [
        ("[[3, 1], [2], [1, 2, 2], []]", '{"n": 4, "edges": [[0, 2], [1, 2]]}'),
        ("[[7, 7]]", '{"n": 1, "edges": []}'),
        ("[]", None),
        ("[[], [], [], [], [], [], [], [], [], [], [], [], []]", None),
    ],
    "inversion_graph": [
        ("[5, -2, 5, 0]", '{"n": 4, "edges": [[0, 1], [0, 3], [2, 3]]}'),
        ("[4]", '{"n": 1, "edges": []}'),
        ("[]", None),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]", None),
    ],
    "positive_entry_arcs": [
        ("[[1, 2, -1], [0, 0, 5], [3, 0, 7]]", '{"n": 3, "arcs": [[0, 1], [1, 2], [2, 0]]}'),
        ("[[9]]", '{"n": 1, "arcs": []}'),
        ("[[0, 1], [1, 0]]", '{"n": 2, "arcs": [[0, 1], [1, 0]]}'),
    ],
    "divisibility_arcs": [
        ("[2, 3, 4, 12]", '{"n": 4, "arcs": [[0, 2], [0, 3], [1, 3], [2, 3]]}'),
        ("[1, 5]", '{"n": 2, "arcs": [[0, 1]]}'),
        ("[5, 7]", '{"n": 2, "arcs": []}'),
        ("[0, 3]", None),
        ("[]", None),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]", None),
    ],
}


def shared_number_graph(x: Any, y: Any) -> bool:
    rows_of: dict[int, set[int]] = defaultdict(set)
    for i, row in enumerate(x):
        for number in row:
            rows_of[number].add(i)
    edges = {(i, j) for rows in rows_of.values() for i in rows for j in rows if i < j}
    return y.n == len(x) and set(y.edges) == edges


def inversion_graph(x: Any, y: Any) -> bool:
    values = np.array(x)
    edges = np.argwhere(np.triu(values[:, None] > values[None, :], 1))
    return y.n == len(x) and np.array_equal(edges.ravel(), np.array(y.edges, dtype=int).ravel())


def positive_entry_arcs(x: Any, y: Any) -> bool:
    matrix = np.array(x)
    np.fill_diagonal(matrix, 0)
    arcs = np.argwhere(matrix > 0)
    return y.n == len(x) and np.array_equal(arcs.ravel(), np.array(y.arcs, dtype=int).ravel())


def divisibility_arcs(x: Any, y: Any) -> bool:
    n = len(x)
    arcs = [(i, j) for i in range(n) for j in range(n) if i != j and gcd(x[i], x[j]) == x[i]]
    return y.n == n and list(y.arcs) == arcs


ORACLES = {
    "shared_number_graph": shared_number_graph,
    "inversion_graph": inversion_graph,
    "positive_entry_arcs": positive_entry_arcs,
    "divisibility_arcs": divisibility_arcs,
}
