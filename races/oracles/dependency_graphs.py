"""Hand-worked examples and independent oracles for environments/themes/graphs/dependency_graphs.py."""

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "finished_before_arcs": [
        ("[[0, 3], [2, 5], [3, 4], [6, 9]]", '{"n": 4, "arcs": [[0, 3], [1, 3], [2, 3]]}'),
        ("[[0, 1], [2, 3]]", '{"n": 2, "arcs": [[0, 1]]}'),
        ("[[4, 4]]", '{"n": 1, "arcs": []}'),
        ("[]", None),
        (str([[i, i] for i in range(13)]), None),
    ],
    "independent_tasks": [
        ('{"n": 4, "arcs": [[0, 1], [1, 2]]}', '{"n": 4, "edges": [[0, 3], [1, 3], [2, 3]]}'),
        ('{"n": 2, "arcs": [[1, 0]]}', '{"n": 2, "edges": []}'),
        ('{"n": 1, "arcs": []}', '{"n": 1, "edges": []}'),
    ],
    "busiest_vertex_bypassed": [
        (
            '{"n": 4, "arcs": [[0, 1], [0, 2], [1, 2], [1, 3]]}',
            '{"n": 4, "arcs": [[0, 2], [0, 3]]}',
        ),
        ('{"n": 3, "arcs": [[1, 0], [2, 1]]}', '{"n": 3, "arcs": [[2, 0]]}'),
        ('{"n": 4, "arcs": [[0, 1], [2, 3]]}', '{"n": 4, "arcs": [[2, 3]]}'),
        ('{"n": 2, "arcs": []}', '{"n": 2, "arcs": []}'),
    ],
    "renumbered_from_the_ends": [
        ('{"n": 4, "arcs": [[0, 1], [0, 2], [2, 3]]}', '{"n": 4, "arcs": [[2, 1], [3, 0], [3, 2]]}'),
        ('{"n": 3, "arcs": [[2, 0]]}', '{"n": 3, "arcs": [[2, 0]]}'),
        ('{"n": 3, "arcs": []}', '{"n": 3, "arcs": []}'),
    ],
    "smallest_sink_turned": [
        ('{"n": 4, "arcs": [[0, 1], [0, 3], [2, 1]]}', '{"n": 4, "arcs": [[0, 3], [1, 0], [1, 2]]}'),
        ('{"n": 3, "arcs": [[1, 2]]}', '{"n": 3, "arcs": [[2, 1]]}'),
        ('{"n": 2, "arcs": []}', None),
    ],
    "task_rounds": [
        ('{"n": 5, "arcs": [[0, 1], [3, 0], [3, 1]]}', "[[2, 3, 4], [0], [1]]"),
        ('{"n": 1, "arcs": []}', "[[0]]"),
    ],
}


def drawn(x: Any) -> Any:
    g = nx.DiGraph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.arcs)
    return g


def table(x: Any) -> Any:
    return nx.to_numpy_array(drawn(x), nodelist=range(x.n), dtype=int)


def finished_before_arcs(x: Any, y: Any) -> bool:
    lefts, rights = np.array(x).T
    return y.n == len(x) and np.array_equal(table(y) > 0, rights[:, None] < lefts[None, :])


def independent_tasks(x: Any, y: Any) -> bool:
    g = nx.transitive_closure_dag(drawn(x))
    joined = set(y.edges)
    pairs = combinations(range(x.n), 2)
    return y.n == x.n and all(((u, v) in joined) != (g.has_edge(u, v) or g.has_edge(v, u)) for u, v in pairs)


def busiest_vertex_bypassed(x: Any, y: Any) -> bool:
    arcs = table(x)
    busiest = int((arcs.sum(axis=0) + arcs.sum(axis=1)).argmax())
    expected = np.minimum(arcs + np.outer(arcs[:, busiest], arcs[busiest, :]), 1)
    expected[busiest, :] = expected[:, busiest] = 0
    return y.n == x.n and np.array_equal(table(y), expected)


def renumbered_from_the_ends(x: Any, y: Any) -> bool:
    order = list(nx.lexicographical_topological_sort(drawn(x).reverse()))
    number = {vertex: i for i, vertex in enumerate(order)}
    return y.n == x.n and nx.utils.graphs_equal(nx.relabel_nodes(drawn(x), number), drawn(y))


def smallest_sink_turned(x: Any, y: Any) -> bool:
    g = drawn(x)
    sink = next(v for v in range(x.n) if g.in_degree[v] and not g.out_degree[v])
    expected = table(x)
    expected[sink, :] = expected[:, sink]
    expected[:, sink] = 0
    return y.n == x.n and np.array_equal(table(y), expected)


def task_rounds(x: Any, y: Any) -> bool:
    return [list(each) for each in y] == [sorted(each) for each in nx.topological_generations(drawn(x))]


ORACLES = {
    "finished_before_arcs": finished_before_arcs,
    "independent_tasks": independent_tasks,
    "busiest_vertex_bypassed": busiest_vertex_bypassed,
    "renumbered_from_the_ends": renumbered_from_the_ends,
    "smallest_sink_turned": smallest_sink_turned,
    "task_rounds": task_rounds,
}
