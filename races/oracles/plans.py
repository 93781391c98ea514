"""Hand-worked examples and independent oracles for environments/themes/everyday/plans.py."""

from collections import Counter

import networkx as nx
import numpy as np

from races.environments.values import DiGraph

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "service_intervals": [
        ("[[5, 2], [6, 4], [2, 1]]", "[[2, 3], [5, 7], [7, 11]]"),
        ("[[4, 3], [4, 1], [0, 9]]", "[[0, 9], [9, 12], [12, 13]]"),
        ("[[7, 0], [7, 5]]", "[[7, 7], [7, 12]]"),
        ("[]", "[]"),
        ("[[3, -1]]", None),
        ("[[9999, 1]]", None),
        (str([[1, 1]] * 17), None),
        ("[[-1, 3]]", None),
        (str([[0, 1]] * 16), str([[i, i + 1] for i in range(16)])),
    ],
    "tasks_of_two_workers": [
        ("[3, 5, 2, 4]", "[[0, 3], [0, 5], [3, 5], [5, 9]]"),
        ("[4, 1, 1, 1, 6]", "[[0, 1], [0, 4], [1, 2], [2, 3], [3, 9]]"),
        ("[7]", "[[0, 7]]"),
        ("[]", "[]"),
        ("[2, 0, 3]", "[[0, 0], [0, 2], [0, 3]]"),
        ("[10000]", None),
        (str([1] * 17), None),
    ],
    "earliest_schedule": [
        ('{"n": 4, "arcs": [[0, 2], [1, 2], [3, 1]]}', "[[0, 1], [0, 4], [4, 6], [6, 9]]"),
        ('{"n": 3, "arcs": []}', "[[0, 1], [0, 2], [0, 3]]"),
        ('{"n": 1, "arcs": []}', "[[0, 1]]"),
        ('{"n": 3, "arcs": [[2, 0], [2, 1]]}', "[[0, 3], [3, 4], [3, 5]]"),
    ],
    "interval_chart": [
        ("[[3, 4], [3, 9], [5, 9]]", "[[1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]]"),
        ("[[2, 2]]", "[[1]]"),
        ("[[0, 4], [1, 6]]", "[[1, 1, 1, 0], [0, 1, 1, 1]]"),
        ("[]", None),
        (str([[i, 2 * i + 20] for i in range(7)]), None),
        (str([[1, 2]] * 13), None),
        (str([[2 * i, 2 * i + 1] for i in range(6)]), str([[int(c // 2 == i) for c in range(12)] for i in range(6)])),
    ],
}
Pairs = tuple[tuple[int, int], ...]


def service_intervals(x: Pairs, y: Pairs) -> bool:
    """Each service begins when the customer has come and the clerk is free, and not later than that."""
    order = [index for _, index in sorted((arrival, index) for index, (arrival, _) in enumerate(x))]
    if [end - start for start, end in y] != [x[index][1] for index in order]:
        return False
    ends = [0, *[end for _, end in y]]
    return all(
        start >= x[index][0] and start >= free and start in (x[index][0], free)
        for (start, _), index, free in zip(y, order, ends, strict=False)
    )


def tasks_of_two_workers(x: tuple[int, ...], y: Pairs) -> bool:
    """Each task begins at the smallest time at which fewer than two of the earlier tasks are still to end."""
    tasks: list[tuple[int, int]] = []
    for duration in x:
        ends = sorted((end for _, end in tasks), reverse=True)
        start = ends[1] if len(ends) > 1 else 0
        tasks.append((start, start + duration))
    return Counter(tasks) == Counter(y) and list(y) == sorted(y)


def earliest_schedule(x: DiGraph, y: Pairs) -> bool:
    """A task ends after the longest chain of tasks that leads up to it."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(x.n))
    graph.add_edges_from(x.arcs)
    intervals = []
    for task in range(x.n):
        before = graph.subgraph(nx.ancestors(graph, task) | {task}).copy()
        before.add_edges_from([("start", other) for other in list(before)])
        for _, other, data in before.edges(data=True):
            data["weight"] = other + 1
        end = nx.dag_longest_path_length(before)
        intervals.append((end - task - 1, end))
    return list(y) == sorted(intervals)


def interval_chart(x: Pairs, y: tuple[tuple[int, ...], ...]) -> bool:
    ends = np.unique(np.array(x))
    pairs = np.array(x)
    return np.array_equal(np.array(y), (pairs[:, :1] <= ends) & (ends <= pairs[:, 1:]))


ORACLES = {
    "service_intervals": service_intervals,
    "tasks_of_two_workers": tasks_of_two_workers,
    "earliest_schedule": earliest_schedule,
    "interval_chart": interval_chart,
}
