"""Values that plain Python lacks: immutable, hashable, and canonical once they are built by the functions here."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Graph:
    """A simple undirected graph on the vertices 0 .. n-1; edges are sorted pairs (u, v) with u < v."""

    n: int
    edges: tuple[tuple[int, int], ...]

    def neighbours(self) -> list[list[int]]:
        """The neighbours of every vertex, in increasing order."""
        near: list[list[int]] = [[] for _ in range(self.n)]
        for u, v in self.edges:
            near[u].append(v)
            near[v].append(u)
        return [sorted(row) for row in near]


@dataclass(frozen=True, slots=True)
class DiGraph:
    """A directed graph on the vertices 0 .. n-1 without loops; arcs are sorted pairs (from, to)."""

    n: int
    arcs: tuple[tuple[int, int], ...]

    def successors(self) -> list[list[int]]:
        """The vertices that every vertex has an arc to, in increasing order."""
        near: list[list[int]] = [[] for _ in range(self.n)]
        for u, v in self.arcs:
            near[u].append(v)
        return near

    def predecessors(self) -> list[list[int]]:
        """The vertices that have an arc to every vertex, in increasing order."""
        near: list[list[int]] = [[] for _ in range(self.n)]
        for u, v in self.arcs:
            near[v].append(u)
        return near


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """A simple undirected graph whose edges are sorted triples (u, v, weight) with u < v."""

    n: int
    edges: tuple[tuple[int, int, int], ...]

    def neighbours(self) -> list[list[tuple[int, int]]]:
        """For every vertex the pairs (neighbour, weight), in increasing order."""
        near: list[list[tuple[int, int]]] = [[] for _ in range(self.n)]
        for u, v, weight in self.edges:
            near[u].append((v, weight))
            near[v].append((u, weight))
        return [sorted(row) for row in near]


def graph(n: int, edges: Iterable[tuple[int, int]]) -> Graph:
    """An undirected graph from pairs in any order and direction, repeated or not; loops are dropped."""
    return Graph(n, tuple(sorted({(min(u, v), max(u, v)) for u, v in edges if u != v})))


def digraph(n: int, arcs: Iterable[tuple[int, int]]) -> DiGraph:
    """A directed graph from pairs in any order, repeated or not; loops are dropped."""
    return DiGraph(n, tuple(sorted({(u, v) for u, v in arcs if u != v})))


def weighted_graph(n: int, edges: Iterable[tuple[int, int, int]]) -> WeightedGraph:
    """A weighted graph from triples in any order and direction, each pair of vertices at most once."""
    return WeightedGraph(n, tuple(sorted((min(u, v), max(u, v), weight) for u, v, weight in edges)))


def tally(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """A tally from a dictionary: keys in ASCII order, zero counts dropped."""
    return tuple(sorted((key, count) for key, count in counts.items() if count))


@dataclass(frozen=True, slots=True)
class DFA:
    """A finite automaton over 0 and 1 that starts in state 0; delta[state] is (state after 0, state after 1)."""

    delta: tuple[tuple[int, int], ...]
    accept: tuple[int, ...]

    def reachable(self) -> list[int]:
        """The states that some string leads to from the start, in increasing order."""
        seen = [0]
        for state in seen:
            seen += [after for after in dict.fromkeys(self.delta[state]) if after not in seen]
        return sorted(seen)

    def accepts(self, bits: str) -> bool:
        """Whether the automaton ends in an accepting state after reading the bits."""
        state = 0
        for bit in bits:
            state = self.delta[state][int(bit)]
        return state in self.accept
