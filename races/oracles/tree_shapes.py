"""Hand-worked examples and independent oracles for environments/themes/trees/tree_shapes.py."""

from collections import Counter
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

SPINE_WITH_TWELVE_LEAVES = str([-1, *range(11), *[11] * 12])
PATH_OF_SEVENTEEN = str([-1, *range(16)])
STAR_OF_EIGHTEEN = str([-1, *[0] * 17])
STAR_OF_THIRTEEN = str([-1, *[0] * 12])

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "moved_to_grandparents": [
        ("[-1, 0, 1, 2, 2]", "[-1, 0, 0, 1, 1]"),
        ("[-1, 0, 0]", "[-1, 0, 0]"),
        ("[-1]", "[-1]"),
    ],
    "larger_children_first_tree": [("[-1, 0, 0, 1, 1]", "[-1, 0, 0, 2, 2]"), ("[-1]", "[-1]")],
    "rerooted_tree": [
        ("[-1, 0, 0, 1]", "[-1, 0, 1, 2]"),
        ("[-1, 0, 0, 0]", "[-1, 0, 1, 1]"),
        ("[-1]", "[-1]"),
    ],
    "paths_to_the_root": [
        ("[-1, 0, 0, 1, 1]", "[[2, 0], [3, 1, 0], [4, 1, 0]]"),
        ("[-1]", "[[0]]"),
        (SPINE_WITH_TWELVE_LEAVES, None),
    ],
    "level_sizes": [
        ("[-1, 0, 0, 1, 1, 1]", "[3, 2, 1]"),
        ("[-1]", "[1]"),
        (PATH_OF_SEVENTEEN, None),
        (STAR_OF_EIGHTEEN, None),
    ],
    "visit_intervals": [
        ("[-1, 0, 0, 1]", "[[0, 6], [1, 3], [2, 2], [5, 5]]"),
        ("[-1]", "[[0, 0]]"),
        (PATH_OF_SEVENTEEN, None),
        (str([-1, *range(15)]), str([[i, 30 - i] for i in range(16)])),
    ],
    "earlier_smaller_tree": [
        ("[3, 5, 4, 4, 1]", "[-1, 0, 1, 1, 1, 0]"),
        ("[-2, 7]", "[-1, 0, 1]"),
        ("[]", "[-1]"),
        (str([1] * 24), None),
    ],
    "grandchild_arcs": [
        ("[-1, 0, 1, 1, 2]", '{"n": 5, "arcs": [[0, 2], [0, 3], [1, 4]]}'),
        ("[-1]", '{"n": 1, "arcs": []}'),
        (STAR_OF_THIRTEEN, None),
        (str([-1] + [0] * 11), '{"n": 12, "arcs": []}'),
    ],
}


def drawn(parents: Any) -> Any:
    g = nx.DiGraph()
    g.add_nodes_from(range(len(parents)))
    g.add_edges_from((parent, vertex) for vertex, parent in enumerate(parents) if parent >= 0)
    return g


def renamed(found: list[tuple[int, int]], root: int) -> list[int]:
    """The parents of the vertices in the order in which arcs to them were found."""
    number = {vertex: i for i, vertex in enumerate([root, *(v for _, v in found)])}
    return [-1, *(number[u] for u, _ in found)]


def moved_to_grandparents(x: Any, y: Any) -> bool:
    ways = nx.single_source_shortest_path(drawn(x), 0)
    return y[0] == -1 and all(y[v] == ways[v][-3 if len(ways[v]) > 2 else -2] for v in range(1, len(x)))


def larger_children_first_tree(x: Any, y: Any) -> bool:
    walk = nx.dfs_edges(drawn(x), 0, sort_neighbors=lambda vertices: sorted(vertices, reverse=True))
    return list(y) == renamed(list(walk), 0)


def rerooted_tree(x: Any, y: Any) -> bool:
    last = len(x) - 1
    return list(y) == renamed(list(nx.bfs_edges(drawn(x).to_undirected(), last, sort_neighbors=sorted)), last)


def paths_to_the_root(x: Any, y: Any) -> bool:
    g = drawn(x)
    leaves = sorted(v for v in g if not g.out_degree[v])
    return [list(way)[::-1] for way in y] == [nx.shortest_path(g, 0, leaf) for leaf in leaves]


def level_sizes(x: Any, y: Any) -> bool:
    levels = Counter(len(layer) for layer in nx.bfs_layers(drawn(x), 0))
    return Counter(y) == levels and all(a >= b for a, b in pairwise(y))


def visit_intervals(x: Any, y: Any) -> bool:
    # write down where the walk is at each time
    place = [0]
    for u, v, label in nx.dfs_labeled_edges(drawn(x), 0, sort_neighbors=sorted):
        if u != v:
            place.append(v if label == "forward" else u)
    seen = dict.fromkeys(place)
    return list(y) == [(place.index(v), len(place) - 1 - place[::-1].index(v)) for v in seen]


def earlier_smaller_tree(x: Any, y: Any) -> bool:
    if len(y) != len(x) + 1 or y[0] != -1:
        return False
    entries = [None, *x]
    for i in range(1, len(y)):
        between = [entries[j] for j in range(y[i] + 1, i)]
        if (y[i] and entries[y[i]] >= entries[i]) or any(entry < entries[i] for entry in between):
            return False
    return True


def grandchild_arcs(x: Any, y: Any) -> bool:
    arcs = nx.to_numpy_array(drawn(x), nodelist=range(len(x)), dtype=int)
    return y.n == len(x) and set(y.arcs) == {(int(u), int(v)) for u, v in np.argwhere(arcs @ arcs)}


ORACLES = {
    "moved_to_grandparents": moved_to_grandparents,
    "larger_children_first_tree": larger_children_first_tree,
    "rerooted_tree": rerooted_tree,
    "paths_to_the_root": paths_to_the_root,
    "level_sizes": level_sizes,
    "visit_intervals": visit_intervals,
    "earlier_smaller_tree": earlier_smaller_tree,
    "grandchild_arcs": grandchild_arcs,
}
