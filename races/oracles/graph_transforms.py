"""Hand-worked examples and independent oracles for environments/themes/graphs/graph_transforms.py."""

from collections import Counter
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "friends_of_friends": [
        ('{"n": 4, "edges": [[0, 1], [1, 2], [2, 3]]}', '{"n": 4, "edges": [[0, 2], [1, 3]]}'),
        ('{"n": 3, "edges": [[0, 1], [0, 2], [1, 2]]}', '{"n": 3, "edges": []}'),
        ('{"n": 1, "edges": []}', '{"n": 1, "edges": []}'),
    ],
    "renumbered_by_degree": [
        (
            '{"n": 4, "edges": [[0, 3], [1, 2], [1, 3], [2, 3]]}',
            '{"n": 4, "edges": [[0, 1], [0, 2], [0, 3], [1, 2]]}',
        ),
        ('{"n": 3, "edges": [[1, 2]]}', '{"n": 3, "edges": [[0, 1]]}'),
        ('{"n": 2, "edges": []}', '{"n": 2, "edges": []}'),
    ],
    "degree_partition": [
        ('{"n": 5, "edges": [[0, 1], [0, 2], [0, 3]]}', "[3, 1, 1, 1]"),
        ('{"n": 2, "edges": []}', "[]"),
    ],
    "most_popular_friend_arcs": [
        (
            '{"n": 5, "edges": [[0, 1], [1, 2], [1, 3], [2, 3]]}',
            '{"n": 5, "arcs": [[0, 1], [1, 2], [2, 1], [3, 1]]}',
        ),
        ('{"n": 2, "edges": []}', '{"n": 2, "arcs": []}'),
    ],
    "two_step_arcs": [
        ('{"n": 4, "arcs": [[0, 1], [1, 0], [1, 2], [2, 3]]}', '{"n": 4, "arcs": [[0, 2], [1, 3]]}'),
        ('{"n": 3, "arcs": [[0, 1], [0, 2], [1, 2]]}', '{"n": 3, "arcs": [[0, 2]]}'),
        ('{"n": 2, "arcs": [[0, 1]]}', '{"n": 2, "arcs": []}'),
    ],
    "arcs_turned_at_most_popular": [
        (
            '{"n": 4, "arcs": [[0, 2], [1, 2], [2, 3], [3, 0], [3, 1]]}',
            '{"n": 4, "arcs": [[2, 0], [2, 1], [3, 0], [3, 1], [3, 2]]}',
        ),
        ('{"n": 3, "arcs": [[0, 1], [1, 2]]}', '{"n": 3, "arcs": [[1, 0], [2, 1]]}'),
        ('{"n": 2, "arcs": [[0, 1], [1, 0]]}', '{"n": 2, "arcs": [[0, 1], [1, 0]]}'),
        ('{"n": 2, "arcs": []}', '{"n": 2, "arcs": []}'),
    ],
    "follower_counts": [
        ('{"n": 3, "arcs": [[0, 1], [0, 2], [2, 1]]}', "[[0, 2], [2, 0], [1, 1]]"),
        ('{"n": 1, "arcs": []}', "[[0, 0]]"),
    ],
    "one_way_matrix": [
        ('{"n": 3, "arcs": [[0, 1], [1, 0], [1, 2]]}', "[[0, 0, 0], [0, 0, 1], [0, -1, 0]]"),
        ('{"n": 1, "arcs": []}', "[[0]]"),
    ],
    "jump_arcs": [
        ("[1, 5, 0, 3]", '{"n": 4, "arcs": [[0, 1], [1, 2], [3, 2]]}'),
        ("[7]", '{"n": 1, "arcs": []}'),
        ("[]", None),
        ("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", None),
        (str([0] * 12), '{"n": 12, "arcs": []}'),
    ],
    "arcs_between_ranks": [
        ("[[5, 2], [2, 9], [5, 2], [9, 9]]", '{"n": 3, "arcs": [[0, 2], [1, 0]]}'),
        ("[[-4, -4]]", '{"n": 1, "arcs": []}'),
        ("[]", None),
        ("[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 1]]", None),
        (str([[n, n] for n in range(12)]), '{"n": 12, "arcs": []}'),
    ],
}


def drawn(x: Any) -> Any:
    g = nx.DiGraph() if hasattr(x, "arcs") else nx.Graph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.arcs if hasattr(x, "arcs") else x.edges)
    return g


def table(x: Any) -> Any:
    return nx.to_numpy_array(drawn(x), nodelist=range(x.n), dtype=int)


def friends_of_friends(x: Any, y: Any) -> bool:
    friends = table(x)
    common = (friends @ friends > 0) & (friends == 0) & ~np.eye(x.n, dtype=bool)
    return y.n == x.n and np.array_equal(table(y) > 0, common)


def renumbered_by_degree(x: Any, y: Any) -> bool:
    degree = table(x).sum(axis=1)
    # the new number of a vertex is the number of those that stand before it
    number = {v: sum((-degree[u], u) < (-degree[v], v) for u in range(x.n)) for v in range(x.n)}
    return y.n == x.n and nx.utils.graphs_equal(nx.relabel_nodes(drawn(x), number), drawn(y))


def degree_partition(x: Any, y: Any) -> bool:
    degrees = Counter(table(x).sum(axis=0).tolist())
    del degrees[0]
    return Counter(y) == degrees and all(a >= b for a, b in pairwise(y))


def most_popular_friend_arcs(x: Any, y: Any) -> bool:
    g = drawn(x)
    chosen = dict(y.arcs)
    if y.n != x.n or len(chosen) != len(y.arcs) or set(chosen) != {u for u in g if g.degree[u]}:
        return False
    return all(
        g.has_edge(u, v) and all((g.degree[w], -w) <= (g.degree[v], -v) for w in g[u]) for u, v in chosen.items()
    )


def two_step_arcs(x: Any, y: Any) -> bool:
    reached = (table(x) @ table(x) > 0) & ~np.eye(x.n, dtype=bool)
    return y.n == x.n and np.array_equal(table(y) > 0, reached)


def arcs_turned_at_most_popular(x: Any, y: Any) -> bool:
    expected = table(x)
    popular = int(expected.sum(axis=0).argmax())
    row, column = expected[popular, :].copy(), expected[:, popular].copy()
    expected[popular, :], expected[:, popular] = column, row
    return y.n == x.n and np.array_equal(table(y), expected)


def follower_counts(x: Any, y: Any) -> bool:
    g = drawn(x)
    return list(y) == [(g.in_degree[v], g.out_degree[v]) for v in range(x.n)]


def one_way_matrix(x: Any, y: Any) -> bool:
    return np.array_equal(np.array(y), table(x) - table(x).T)


def jump_arcs(x: Any, y: Any) -> bool:
    following = [*range(1, len(x)), 0]
    arcs = set()
    for start, jump in enumerate(x):
        place = start
        for _ in range(jump):
            place = following[place]
        arcs.add((start, place))
    return y.n == len(x) and set(y.arcs) == {(a, b) for a, b in arcs if a != b} and list(y.arcs) == sorted(y.arcs)


def arcs_between_ranks(x: Any, y: Any) -> bool:
    numbers, ranks = np.unique(np.array(x), return_inverse=True)
    pairs = ranks.reshape(-1, 2).tolist()
    return y.n == len(numbers) and set(y.arcs) == {(a, b) for a, b in pairs if a != b}


ORACLES = {
    "friends_of_friends": friends_of_friends,
    "renumbered_by_degree": renumbered_by_degree,
    "degree_partition": degree_partition,
    "most_popular_friend_arcs": most_popular_friend_arcs,
    "two_step_arcs": two_step_arcs,
    "arcs_turned_at_most_popular": arcs_turned_at_most_popular,
    "follower_counts": follower_counts,
    "one_way_matrix": one_way_matrix,
    "jump_arcs": jump_arcs,
    "arcs_between_ranks": arcs_between_ranks,
}
