"""Hand-worked examples and independent oracles for environments/themes/lists/intervals.py."""

from collections import Counter
from typing import Any

import networkx as nx

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "merge_intervals": [
        ("[[0, 3], [2, 5], [5, 6], [7, 9]]", "[[0, 6], [7, 9]]"),
        ("[[1, 20], [2, 3], [8, 9], [21, 21]]", "[[1, 20], [21, 21]]"),
        ("[[4, 4], [4, 4]]", "[[4, 4]]"),
        ("[]", "[]"),
    ],
    "interval_gaps": [
        ("[[0, 3], [5, 6], [9, 12]]", "[[4, 4], [7, 8]]"),
        ("[[1, 20], [2, 3], [8, 9], [30, 31]]", "[[21, 29]]"),
        ("[[1, 3], [4, 6]]", "[]"),
        ("[]", None),
    ],
    "interval_lengths": [("[[0, 3], [2, 2], [4, 11]]", "[3, 0, 7]"), ("[]", "[]")],
    "interval_overlap_graph": [
        ("[[0, 4], [2, 3], [4, 9], [10, 12]]", '{"n": 4, "edges": [[0, 1], [0, 2]]}'),
        ("[[5, 5], [5, 5], [6, 7]]", '{"n": 3, "edges": [[0, 1]]}'),
        ("[]", None),
        (str([[k, k] for k in range(13)]), None),
    ],
    "booking_intervals": [
        ("[[9, 2], [4, 10], [4, 1]]", "[[4, 5], [4, 14], [9, 11]]"),
        ("[[3, 0], [3, 0]]", "[[3, 3], [3, 3]]"),
        ("[[9000, 1000]]", None),
        ("[[2, -1]]", None),
        ("[]", "[]"),
        ("[[0, 3]]", "[[0, 3]]"),
        (str([[5, 1]] * 16), str([[5, 6]] * 16)),
    ],
}
Pairs = tuple[tuple[int, int], ...]


def _meeting(first: tuple[int, int], second: tuple[int, int]) -> bool:
    return bool(set(range(first[0], first[1] + 1)) & set(range(second[0], second[1] + 1)))


def _overlaps(x: Pairs) -> nx.Graph:
    graph = nx.empty_graph(len(x))
    graph.add_edges_from((i, j) for i in range(len(x)) for j in range(i) if _meeting(x[i], x[j]))
    return graph


def merge_intervals(x: Pairs, y: Pairs) -> bool:
    """Clusters of overlapping intervals are the connected components of the overlap graph."""
    parts = [[x[i] for i in part] for part in nx.connected_components(_overlaps(x))]
    return list(y) == sorted((min(left for left, _ in part), max(right for _, right in part)) for part in parts)


def interval_gaps(x: Pairs, y: Pairs) -> bool:
    covered = {number for left, right in x for number in range(left, right + 1)}
    free = set(range(min(covered), max(covered) + 1)) - covered
    given = [number for left, right in y for number in range(left, right + 1)]
    apart = all(left - 1 not in free and right + 1 not in free for left, right in y)
    return len(given) == len(free) and set(given) == free and apart and list(y) == sorted(y)


def interval_lengths(x: Pairs, y: tuple[int, ...]) -> bool:
    return len(x) == len(y) and all(left + length == right for (left, right), length in zip(x, y, strict=True))


def interval_overlap_graph(x: Pairs, y: Any) -> bool:
    expected = _overlaps(x)
    return y.n == len(x) and {frozenset(e) for e in y.edges} == {frozenset(e) for e in expected.edges}


def booking_intervals(x: Pairs, y: Pairs) -> bool:
    return Counter(x) == Counter((left, right - left) for left, right in y) and list(y) == sorted(y)


ORACLES = {
    "merge_intervals": merge_intervals,
    "interval_gaps": interval_gaps,
    "interval_lengths": interval_lengths,
    "interval_overlap_graph": interval_overlap_graph,
    "booking_intervals": booking_intervals,
}
