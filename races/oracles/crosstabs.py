"""Hand-worked examples and independent oracles for environments/themes/everyday/crosstabs.py."""

from itertools import pairwise, zip_longest

import networkx as nx
import numpy as np

from races.environments.values import Graph

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "mismatch_table": [
        ('["lamp", "limps", "damp"]', "[[0, 2, 1], [2, 0, 3], [1, 3, 0]]"),
        ('["fox"]', "[[0]]"),
        ("[]", None),
        (str(["a"] * 13).replace("'", '"'), None),
    ],
    "firsts_minus_seconds": [
        ("[[5, 6], [9, 4], [0, -1]]", "[[-1, 1, 6], [3, 5, 10], [-6, -4, 1]]"),
        ("[[3, 10002]]", "[[-9999]]"),
        ("[[3, 10003]]", None),
        ("[]", None),
        (str([[1, 1]] * 13), None),
        ("[[0, 1], [0, 10000]]", None),
        (str([[0, 0]] * 12), str([[0] * 12] * 12)),
    ],
    "mileage_table": [
        ("[5, 6, 2]", "[[0, 5, 11, 13], [5, 0, 6, 8], [11, 6, 0, 2], [13, 8, 2, 0]]"),
        ("[]", "[[0]]"),
        ("[0]", "[[0, 0], [0, 0]]"),
        ("[9000, 1000]", None),
        (str([1] * 12), None),
    ],
    "common_neighbour_counts": [
        (
            '{"n": 4, "edges": [[0, 1], [0, 2], [1, 2], [2, 3]]}',
            "[[2, 1, 1, 1], [1, 2, 1, 1], [1, 1, 3, 0], [1, 1, 0, 1]]",
        ),
        ('{"n": 1, "edges": []}', "[[0]]"),
        ('{"n": 2, "edges": [[0, 1]]}', "[[1, 0], [0, 1]]"),
    ],
    "overlap_lengths": [
        ("[[2, 7], [3, 5], [6, 9]]", "[[5, 2, 1], [2, 2, 0], [1, 0, 3]]"),
        ("[[1, 4], [4, 6]]", "[[3, 0], [0, 2]]"),
        ("[[8, 8]]", "[[0]]"),
        ("[]", None),
        (str([[1, 2]] * 13), None),
    ],
    "table_with_totals": [
        ("[[4, 5, 0], [-3, 3, 1]]", "[[4, 5, 0, 9], [-3, 3, 1, 1], [1, 8, 1, 10]]"),
        ("[[7]]", "[[7, 7], [7, 7]]"),
        ("[[9999, 1]]", None),
        (str([[1] * 12]), None),
        (str([[1]] * 12), None),
    ],
    "move_followers": [
        ('"URRDRR"', "[[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 2]]"),
        ('"UUULD"', "[[2, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]"),
        ('""', "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]"),
    ],
}
Matrix = tuple[tuple[int, ...], ...]
Pairs = tuple[tuple[int, int], ...]


def mismatch_table(x: tuple[str, ...], y: Matrix) -> bool:
    return [list(row) for row in y] == [
        [sum(a is None or b is None or a != b for a, b in zip_longest(one, two)) for two in x] for one in x
    ]


def firsts_minus_seconds(x: Pairs, y: Matrix) -> bool:
    firsts, seconds = np.array(x).T
    return np.array_equal(np.subtract.outer(firsts, seconds), np.array(y))


def mileage_table(x: tuple[int, ...], y: Matrix) -> bool:
    """The shortest ways along a path graph."""
    road = nx.path_graph(len(x) + 1)
    for town, distance in enumerate(x):
        road[town][town + 1]["weight"] = distance
    ways = dict(nx.all_pairs_dijkstra_path_length(road))
    return [list(row) for row in y] == [[ways[a][b] for b in road] for a in road]


def common_neighbour_counts(x: Graph, y: Matrix) -> bool:
    """The square of the adjacency matrix counts the walks of two edges."""
    adjacent = np.zeros((x.n, x.n), dtype=int)
    for u, v in x.edges:
        adjacent[u, v] = adjacent[v, u] = 1
    return np.array_equal(adjacent @ adjacent, np.array(y))


def overlap_lengths(x: Pairs, y: Matrix) -> bool:
    """Between two neighbouring whole numbers lies a piece of length 1; count the pieces that intervals share."""
    pieces = np.zeros((len(x), max(right for _, right in x) + 1), dtype=int)
    for number, (left, right) in enumerate(x):
        pieces[number, left:right] = 1
    return np.array_equal(pieces @ pieces.T, np.array(y))


def table_with_totals(x: Matrix, y: Matrix) -> bool:
    """Every row and every column of the new table adds up to twice its last entry."""
    old, new = np.array(x), np.array(y)
    fits = new.shape == (old.shape[0] + 1, old.shape[1] + 1) and np.array_equal(new[:-1, :-1], old)
    return fits and bool((new.sum(axis=0) == 2 * new[-1]).all() and (new.sum(axis=1) == 2 * new[:, -1]).all())


def move_followers(x: str, y: Matrix) -> bool:
    """Take every two neighbouring moves away from the table until only zeros are left."""
    table = np.array(y)
    for move, following in pairwise(x):
        table["UDLR".index(move), "UDLR".index(following)] -= 1
    return table.shape == (4, 4) and not table.any()


ORACLES = {
    "mismatch_table": mismatch_table,
    "firsts_minus_seconds": firsts_minus_seconds,
    "mileage_table": mileage_table,
    "common_neighbour_counts": common_neighbour_counts,
    "overlap_lengths": overlap_lengths,
    "table_with_totals": table_with_totals,
    "move_followers": move_followers,
}
