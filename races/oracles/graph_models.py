"""Hand-worked examples and independent oracles for environments/themes/graphs/graph_models.py."""

from math import gcd
from typing import Any

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "graph_of_neighbouring_numbers": [
        ("[[30, -1], [20], [-1, 20, 20], [], [5, -1, 5]]", '{"n": 4, "edges": [[0, 1], [0, 2], [0, 3]]}'),
        ("[[7, 7]]", '{"n": 1, "edges": []}'),
        ("[[], []]", None),
        ("[[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13]]", None),
    ],
    "inversion_graph": [
        ("[5, -2, 5, 0]", '{"n": 4, "edges": [[0, 1], [0, 3], [2, 3]]}'),
        ("[4]", '{"n": 1, "edges": []}'),
        ("[]", None),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]", None),
        (str(list(range(12))), '{"n": 12, "edges": []}'),
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
        ("[5]", '{"n": 1, "arcs": []}'),
        (str(list(range(12, 24))), '{"n": 12, "arcs": []}'),
    ],
}


def graph_of_neighbouring_numbers(x: Any, y: Any) -> bool:
    """Each pair of vertices is looked for in the rows, written out as text with a bar around every number."""
    ranks = np.unique([number for row in x for number in row]).tolist()
    text = ";".join("".join(f"|{number}|" for number in row) for row in x)
    joined = {
        (i, j)
        for j, large in enumerate(ranks)
        for i, small in enumerate(ranks[:j])
        if f"|{small}||{large}|" in text or f"|{large}||{small}|" in text
    }
    return y.n == len(ranks) and set(y.edges) == joined


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
    "graph_of_neighbouring_numbers": graph_of_neighbouring_numbers,
    "inversion_graph": inversion_graph,
    "positive_entry_arcs": positive_entry_arcs,
    "divisibility_arcs": divisibility_arcs,
}
