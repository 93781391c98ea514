"""Hand-worked examples and independent oracles for environments/themes/lists/dynamic_programming.py."""

from functools import cache
from itertools import product

import networkx as nx

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "minimal_path_sums": [
        ("[[1, 5, 2], [3, 1, 9], [4, 2, 1]]", "[[1, 6, 8], [4, 5, 14], [8, 7, 8]]"),
        ("[[-3]]", "[[-3]]"),
        ("[[2, -5, 4]]", "[[2, -3, 1]]"),
        ("[[6000], [6000]]", None),
    ],
    "increasing_subsequence_lengths": [
        ("[3, 1, 4, 1, 5, 9, 2, 6]", "[1, 1, 2, 1, 3, 4, 2, 4]"),
        ("[7, 7, 7]", "[1, 1, 1]"),
        ("[]", "[]"),
        ("[-5, 0, 2]", "[1, 2, 3]"),
    ],
    "frog_jump_costs": [
        ("[10, 30, 40, 20, 25]", "[0, 20, 30, 30, 35]"),
        ("[5, -5, 5, 9]", "[0, 10, 0, 4]"),
        ("[]", "[]"),
        ("[8]", "[0]"),
        ("[-1000000, 1000000]", None),
    ],
    "best_totals_without_neighbours": [
        ("[4, 9, 6, 1, 7]", "[4, 9, 10, 10, 17]"),
        ("[5, 1, 1, 5]", "[5, 5, 6, 10]"),
        ("[]", "[]"),
        ("[0]", "[0]"),
        ("[1000000, 1, 1]", None),
    ],
}


def minimal_path_sums(x: tuple[Ints, ...], y: tuple[Ints, ...]) -> bool:
    """Shortest paths in the graph of cells, where entering a cell costs its entry."""
    graph = nx.DiGraph()
    graph.add_node((0, 0))
    for i, j in product(range(len(x)), range(len(x[0]))):
        for cell in ((i + 1, j), (i, j + 1)):
            if cell[0] < len(x) and cell[1] < len(x[0]):
                graph.add_edge((i, j), cell, weight=x[cell[0]][cell[1]])
    costs = nx.single_source_bellman_ford_path_length(graph, (0, 0))
    return [[x[0][0] + costs[i, j] for j in range(len(x[0]))] for i in range(len(x))] == [list(row) for row in y]


def increasing_subsequence_lengths(x: Ints, y: Ints) -> bool:
    """Longest paths in the graph that leads from each entry to the later and larger ones."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(x)))
    graph.add_edges_from((i, j) for j in range(len(x)) for i in range(j) if x[i] < x[j])
    longest: dict[int, int] = {}
    for node in nx.topological_sort(graph):
        longest[node] = 1 + max([longest[before] for before in graph.predecessors(node)], default=0)
    return list(y) == [longest[i] for i in range(len(x))]


def frog_jump_costs(x: Ints, y: Ints) -> bool:
    """Shortest paths in the graph of stones."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(x)))
    graph.add_weighted_edges_from((i, j, abs(x[i] - x[j])) for i in range(len(x)) for j in (i + 1, i + 2) if j < len(x))
    forward = nx.DiGraph((i, j, data) if i < j else (j, i, data) for i, j, data in graph.edges(data=True))
    costs = nx.single_source_dijkstra_path_length(forward, 0) if len(x) > 1 else {0: 0}
    return list(y) == [costs[i] for i in range(len(x))]


def best_totals_without_neighbours(x: Ints, y: Ints) -> bool:
    """Divide and conquer: choose the middle entry or leave it out."""

    @cache
    def best(start: int, end: int) -> int:
        """The best sum of the entries from start to before end, by halves around a middle entry."""
        if start >= end:
            return 0
        middle = (start + end) // 2
        without = best(start, middle) + best(middle + 1, end)
        return max(without, best(start, middle - 1) + x[middle] + best(middle + 2, end))

    return list(y) == [best(0, end) for end in range(1, len(x) + 1)]


ORACLES = {
    "minimal_path_sums": minimal_path_sums,
    "increasing_subsequence_lengths": increasing_subsequence_lengths,
    "frog_jump_costs": frog_jump_costs,
    "best_totals_without_neighbours": best_totals_without_neighbours,
}
