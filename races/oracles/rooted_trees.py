"""Hand-worked examples and independent oracles for environments/themes/trees/rooted_trees.py."""

import json
from typing import Any

import networkx as nx

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "vertex_depths": [("[-1, 0, 0, 1, 3]", "[0, 1, 1, 2, 3]"), ("[-1]", "[0]")],
    "subtree_sizes": [("[-1, 0, 0, 1, 3]", "[5, 3, 1, 2, 1]"), ("[-1]", "[1]")],
    "arcs_to_parents": [
        ("[-1, 0, 0, 1]", '{"n": 4, "arcs": [[1, 0], [2, 0], [3, 1]]}'),
        ("[-1]", '{"n": 1, "arcs": []}'),
        ("[-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", None),
        (str([-1] + [0] * 11), json.dumps({"n": 12, "arcs": [[i, 0] for i in range(1, 12)]})),
    ],
    "brackets_of_tree": [
        ("[-1, 0, 0, 1]", '"(())()"'),
        ("[-1]", '""'),
        ("[-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", '"()()()()()()()()()()()()"'),
        ("[-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", None),
    ],
    "tree_of_brackets": [('"(()())()"', "[-1, 0, 1, 1, 0]"), ('""', "[-1]")],
    "breadth_first_tree": [
        ('{"n": 5, "edges": [[0, 3], [0, 4], [1, 3], [1, 4]]}', "[-1, 0, 0, 1]"),
        ('{"n": 5, "edges": [[0, 1], [0, 2], [1, 2], [1, 3], [1, 4]]}', "[-1, 0, 0, 1, 1]"),
        ('{"n": 4, "edges": [[0, 2], [1, 2], [1, 3]]}', "[-1, 0, 1, 2]"),
        ('{"n": 3, "edges": [[1, 2]]}', "[-1]"),
    ],
}


def drawn(parents: Any) -> Any:
    g = nx.DiGraph()
    g.add_nodes_from(range(len(parents)))
    g.add_edges_from((parent, vertex) for vertex, parent in enumerate(parents) if parent >= 0)
    return g


def vertex_depths(x: Any, y: Any) -> bool:
    return dict(enumerate(y)) == dict(nx.shortest_path_length(drawn(x), 0))


def subtree_sizes(x: Any, y: Any) -> bool:
    return list(y) == [1 + len(nx.descendants(drawn(x), vertex)) for vertex in range(len(x))]


def arcs_to_parents(x: Any, y: Any) -> bool:
    return y.n == len(x) and set(y.arcs) == set(drawn(x).reverse().edges)


def brackets_of_tree(x: Any, y: Any) -> bool:
    walk = nx.dfs_labeled_edges(drawn(x), 0, sort_neighbors=sorted)
    marks = {"forward": "(", "reverse": ")"}
    return y == "".join(marks[label] for u, v, label in walk if u != v)


def tree_of_brackets(x: Any, y: Any) -> bool:
    # the parent is the last earlier vertex that is one level higher
    heights = [x[: i + 1].count("(") - x[:i].count(")") for i, bracket in enumerate(x) if bracket == "("]
    levels = [0, *heights]
    parents = [max(i for i in range(k) if levels[i] == levels[k] - 1) for k in range(1, len(levels))]
    return list(y) == [-1, *parents]


def breadth_first_tree(x: Any, y: Any) -> bool:
    g = nx.Graph()
    g.add_nodes_from(range(x.n))
    g.add_edges_from(x.edges)
    found = list(nx.bfs_edges(g, 0, sort_neighbors=sorted))
    number = {vertex: i for i, vertex in enumerate([0, *(v for _, v in found)])}
    return list(y) == [-1, *(number[u] for u, _ in found)]


ORACLES = {
    "vertex_depths": vertex_depths,
    "subtree_sizes": subtree_sizes,
    "arcs_to_parents": arcs_to_parents,
    "brackets_of_tree": brackets_of_tree,
    "tree_of_brackets": tree_of_brackets,
    "breadth_first_tree": breadth_first_tree,
}
