"""Hand-worked examples and independent oracles for environments/themes/graphs/graph_search.py."""

from typing import Any

import networkx as nx

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "breadth_first_layers": [
        ('{"n": 5, "edges": [[0, 3], [1, 3], [1, 4], [3, 4]]}', "[[0], [3], [1, 4]]"),
        ('{"n": 3, "edges": [[1, 2]]}', "[[0]]"),
    ],
    "depth_first_tree": [
        ('{"n": 5, "edges": [[0, 1], [0, 2], [1, 2], [1, 3], [1, 4]]}', "[-1, 0, 1, 1, 1]"),
        ('{"n": 4, "edges": [[0, 2], [0, 3], [1, 2]]}', "[-1, 0, 1, 0]"),
        ('{"n": 3, "edges": [[1, 2]]}', "[-1]"),
    ],
    "depth_first_visits": [
        ('{"n": 4, "arcs": [[0, 3], [2, 1], [3, 1]]}', "[0, 3, 1, 2]"),
        ('{"n": 3, "arcs": [[2, 0], [2, 1]]}', "[0, 1, 2]"),
        ('{"n": 1, "arcs": []}', "[0]"),
    ],
    "depth_first_forest": [
        (
            '{"n": 4, "arcs": [[0, 2], [0, 3], [1, 0], [1, 3], [2, 0], [2, 3]]}',
            '{"n": 4, "arcs": [[0, 2], [2, 3]]}',
        ),
        ('{"n": 3, "arcs": [[1, 0], [2, 1]]}', '{"n": 3, "arcs": []}'),
        ('{"n": 2, "arcs": []}', '{"n": 2, "arcs": []}'),
    ],
}


def drawn(x: Any) -> Any:
    g = nx.Graph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.edges)
    return g


def walked(x: Any) -> list[tuple[int, int]]:
    """The arcs to new vertices, with (start, start) at the beginning of each search."""
    g = nx.DiGraph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.arcs)
    return [(u, v) for u, v, label in nx.dfs_labeled_edges(g, sort_neighbors=sorted) if label == "forward"]


def breadth_first_layers(x: Any, y: Any) -> bool:
    distances = nx.single_source_shortest_path_length(drawn(x), 0)
    placed = {v: distance for distance, layer in enumerate(y) for v in layer}
    return placed == dict(distances) and all(layer and list(layer) == sorted(set(layer)) for layer in y)


def depth_first_tree(x: Any, y: Any) -> bool:
    found = list(nx.dfs_edges(drawn(x), 0, sort_neighbors=sorted))
    number = {vertex: i for i, vertex in enumerate([0, *(v for _, v in found)])}
    return list(y) == [-1, *(number[u] for u, _ in found)]


def depth_first_visits(x: Any, y: Any) -> bool:
    return list(y) == [v for _, v in walked(x)]


def depth_first_forest(x: Any, y: Any) -> bool:
    return y.n == x.n and set(y.arcs) == {(u, v) for u, v in walked(x) if u != v}


ORACLES = {
    "breadth_first_layers": breadth_first_layers,
    "depth_first_tree": depth_first_tree,
    "depth_first_visits": depth_first_visits,
    "depth_first_forest": depth_first_forest,
}
