"""Graphs, directed graphs, rooted trees and binary trees."""

import itertools
from random import Random
from typing import Annotated, Any

from races.environments import values
from races.environments.types.base import Type, are_ints, freeze, is_int
from races.environments.types.collections import Ints
from races.environments.types.scalars import BIG

_SIZES = (4, 5, 6, 7, 9)
MOST_NODES = 24  # of a binary tree


class GraphType(Type[values.Graph]):
    """Simple undirected graphs with at most twelve vertices."""

    def belongs(self, value: object) -> bool:
        if type(value) is not values.Graph or not is_int(value.n, 1, 12):
            return False
        return _sorted_pairs(value.edges, value.n) and all([u < v for u, v in value.edges])

    def healthy(self, value: values.Graph) -> bool:
        return 4 <= value.n <= 9 and 3 <= len(value.edges) < value.n * (value.n - 1) // 2

    def sample(self, rng: Random, level: int) -> values.Graph:
        n = _SIZES[level - 1]
        pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
        return values.graph(n, rng.sample(pairs, rng.randint(n - 1, min(len(pairs) - 1, n + n // 2))))

    def encode(self, value: values.Graph) -> dict[str, Any]:
        return {"n": value.n, "edges": value.edges}

    def decode(self, data: Any) -> values.Graph:
        n, edges = _fields(data, "edges")
        value = values.Graph(n, tuple(sorted([(min(u, v), max(u, v)) for u, v in edges])))
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


class DiGraphType(Type[values.DiGraph]):
    """Directed graphs with at most twelve vertices, without loops."""

    def belongs(self, value: object) -> bool:
        if type(value) is not values.DiGraph or not is_int(value.n, 1, 12):
            return False
        return _sorted_pairs(value.arcs, value.n) and all([u != v for u, v in value.arcs])

    def healthy(self, value: values.DiGraph) -> bool:
        return 3 <= value.n <= 9 and len(value.arcs) >= 3

    def sample(self, rng: Random, level: int) -> values.DiGraph:
        n = _SIZES[level - 1]
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
        return values.digraph(n, rng.sample(pairs, rng.randint(n, n + n // 2 + 1)))

    def encode(self, value: values.DiGraph) -> dict[str, Any]:
        return {"n": value.n, "arcs": value.arcs}

    def decode(self, data: Any) -> values.DiGraph:
        n, arcs = _fields(data, "arcs")
        value = values.DiGraph(n, tuple(sorted([(u, v) for u, v in arcs])))
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


class DagType(DiGraphType):
    """Directed graphs without cycles; an arc may lead to a smaller number."""

    def belongs(self, value: object) -> bool:
        return super().belongs(value) and isinstance(value, values.DiGraph) and _acyclic(value)

    def healthy(self, value: values.DiGraph) -> bool:
        return 4 <= value.n <= 9 and len(value.arcs) >= 3

    def sample(self, rng: Random, level: int) -> values.DiGraph:
        n = _SIZES[level - 1]
        order = rng.sample(range(n), n)
        pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
        return values.digraph(n, rng.sample(pairs, min(len(pairs), rng.randint(n - 1, n + n // 2))))


class WeightedGraphType(Type[values.WeightedGraph]):
    """Simple undirected graphs with at most twelve vertices and a positive weight on every edge."""

    def belongs(self, value: object) -> bool:
        if type(value) is not values.WeightedGraph or not is_int(value.n, 1, 12) or type(value.edges) is not tuple:
            return False
        if not all([are_ints(edge, 0, 999) and len(edge) == 3 for edge in value.edges]):
            return False
        pairs = tuple([(u, v) for u, v, _ in value.edges])
        ordered = all([u < v and weight >= 1 for u, v, weight in value.edges])
        return ordered and _sorted_pairs(pairs, value.n)

    def healthy(self, value: values.WeightedGraph) -> bool:
        return 3 <= value.n <= 9 and len(value.edges) >= 3

    def sample(self, rng: Random, level: int) -> values.WeightedGraph:
        """Connected, with different weights, so that few questions about it depend on ties."""
        n, top = (4, 4, 5, 6, 7)[level - 1], (12, 20, 30, 50, 99)[level - 1]
        order = rng.sample(range(n), n)
        pairs = {tuple(sorted((order[i], order[rng.randrange(i)]))) for i in range(1, n)}
        others = [(u, v) for u in range(n) for v in range(u + 1, n) if (u, v) not in pairs]
        edges = sorted(pairs) + rng.sample(others, min(len(others), rng.randint(1, n // 2 + 1)))
        weights = rng.sample(range(1, top + 1), len(edges))
        return values.weighted_graph(n, [(u, v, w) for (u, v), w in zip(edges, weights, strict=True)])

    def encode(self, value: values.WeightedGraph) -> dict[str, Any]:
        return {"n": value.n, "edges": value.edges}

    def decode(self, data: Any) -> values.WeightedGraph:
        n, edges = _fields(data, "edges", 3)
        value = values.WeightedGraph(n, tuple(sorted([(min(u, v), max(u, v), w) for u, v, w in edges])))
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


class RootedTreeType(Type[Ints]):
    """Rooted trees as parent arrays: entry i is the parent of vertex i, which is smaller than i; -1 for the root 0."""

    def belongs(self, value: object) -> bool:
        if not are_ints(value, -1, 23) or not 1 <= len(value) <= 24:
            return False
        parents: Any = value
        return parents[0] == -1 and all([0 <= parents[i] < i for i in range(1, len(parents))])

    def healthy(self, value: Ints) -> bool:
        degrees = [value.count(vertex) for vertex in range(len(value))]
        return 4 <= len(value) <= 14 and max(degrees) > 1 and max(degrees) < len(value) - 1

    def sample(self, rng: Random, level: int) -> Ints:
        while True:
            value = (-1, *[rng.randrange(i) for i in range(1, (5, 6, 8, 10, 13)[level - 1] + rng.randint(0, 1))])
            if self.healthy(value):
                return value


class BinTreeType(Type[Any]):
    """Binary trees with integer keys: None, or (key, left, right)."""

    def belongs(self, value: object) -> bool:
        return self._count(value) <= MOST_NODES

    def _count(self, tree: Any) -> int:
        """The number of nodes, or more than any tree may have if this is none; it stops at the first too many."""
        count, waiting = 0, [tree]
        while waiting:
            each = waiting.pop()
            if each is None:
                continue
            count += 1
            if count > MOST_NODES or type(each) is not tuple or len(each) != 3 or not is_int(each[0], -BIG, BIG):
                return MOST_NODES + 1
            waiting += each[1:]
        return count

    def healthy(self, value: Any) -> bool:
        return 3 <= self._count(value) <= 12

    def sample(self, rng: Random, level: int) -> Any:
        size, top = (4, 5, 7, 9, 11)[level - 1], (20, 30, 50, 99, 200)[level - 1]
        return self._grown(rng, rng.sample(range(1, top), size))

    def _grown(self, rng: Random, keys: list[int]) -> Any:
        if not keys:
            return None
        cut = rng.randint(0, len(keys) - 1)
        return keys[0], self._grown(rng, keys[1 : cut + 1]), self._grown(rng, keys[cut + 1 :])


def _sorted_pairs(pairs: object, n: int) -> bool:
    """Whether this is a strictly increasing tuple of pairs of vertices below n."""
    if type(pairs) is not tuple or not all([are_ints(pair, 0, n - 1) and len(pair) == 2 for pair in pairs]):
        return False
    return all([a < b for a, b in itertools.pairwise(pairs)])


def _acyclic(graph: values.DiGraph) -> bool:
    waiting = [0] * graph.n
    for _, v in graph.arcs:
        waiting[v] += 1
    ready = [v for v in range(graph.n) if not waiting[v]]
    after = graph.successors()
    for u in ready:
        for v in after[u]:
            waiting[v] -= 1
            if not waiting[v]:
                ready.append(v)
    return len(ready) == graph.n


def _fields(data: Any, name: str, width: int = 2) -> tuple[int, list[Ints]]:
    """The number of vertices and the edges of a JSON object such as {"n": 3, "edges": [[0, 1]]}."""
    if not isinstance(data, dict) or set(data) != {"n", name} or not isinstance(data[name], list):
        raise TypeError(f'expected an object with "n" and "{name}"')
    edges = list(freeze(data[name]))
    if not all([are_ints(edge, 0, 999) and len(edge) == width for edge in edges]):
        raise ValueError(f"expected lists of {width} integers in {name}")
    return freeze(data["n"]), edges


_EDGES = 'a JSON object with "n", the number of vertices, and "edges", '
_ARCS = 'a JSON object with "n", the number of vertices, and "arcs", the pairs [from, to] in any order'

Graph = Annotated[
    values.Graph,
    GraphType(
        "Graph",
        "an undirected graph on the vertices 0, 1, ..., n-1, given by n and its edges",
        _EDGES + "the pairs of joined vertices, in any order and either way round",
        (values.graph(4, [(0, 2), (1, 3)]), values.graph(3, [(0, 1), (1, 2)])),
    ),
]
DiGraph = Annotated[
    values.DiGraph,
    DiGraphType(
        "DiGraph",
        "a directed graph on the vertices 0, 1, ..., n-1, given by n and its arcs [from, to]",
        _ARCS,
        (values.digraph(4, [(2, 0), (1, 3)]), values.digraph(3, [(0, 1), (2, 1)])),
    ),
]
DAG = Annotated[
    values.DiGraph,
    DagType(
        "DAG",
        "a directed graph without cycles on the vertices 0, 1, ..., n-1, given by n and its arcs [from, to]",
        _ARCS,
        (values.digraph(4, [(2, 0), (1, 3)]), values.digraph(3, [(0, 1), (2, 1)])),
        (DiGraph,),
    ),
]
WeightedGraph = Annotated[
    values.WeightedGraph,
    WeightedGraphType(
        "WeightedGraph",
        "an undirected graph on the vertices 0, 1, ..., n-1 with weighted edges, given by n and its edges "
        "[vertex, vertex, weight]",
        _EDGES + "the triples [vertex, vertex, weight], in any order and with the two vertices either way round",
        (values.weighted_graph(3, [(0, 2, 7), (1, 2, 4)]), values.weighted_graph(4, [(0, 1, 3), (1, 3, 9)])),
    ),
]
RootedTree = Annotated[
    Ints,
    RootedTreeType(
        "RootedTree",
        "a rooted tree on the vertices 0, 1, ..., n-1, given as the list of the parents of 0, 1, ..., n-1, "
        "with -1 for the root 0",
        "a JSON array: the parents of the vertices 0, 1, ..., n-1, with -1 for the root 0",
        ((-1, 0, 0, 1), (-1, 0, 1, 1, 3)),
    ),
]
BinTree = Annotated[
    Any,
    BinTreeType(
        "BinTree",
        "a binary tree, where null is the empty tree and [key, left, right] a node with its left and its right subtree",
        "JSON: null for the empty tree, [key, left, right] for a node",
        ((5, (2, None, None), None), (8, None, (9, None, None))),
    ),
]
