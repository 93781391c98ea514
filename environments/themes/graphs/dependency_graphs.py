"""Directed graphs without cycles: what comes before what, in rounds, through others, and turned round."""

from graphlib import TopologicalSorter
from itertools import chain, combinations, filterfalse
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import DAG, Graph, IntervalList, Ragged, type_of


def one_after_another(intervals: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """The pairs of positions of which the first interval ends before the second one begins."""
    return [(i, j) for (i, one), (j, two) in combinations(enumerate(intervals), 2) if one[1] < two[0]]


def short_intervals(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """At least four intervals with at least three pairs that do not overlap, and one that does."""
    n, top = ((4, 15), (4, 30), (5, 40), (6, 70), (7, 120))[level - 1]
    while True:
        starts = [rng.randint(0, top) for _ in range(n)]
        intervals = tuple(sorted([(start, start + rng.randint(1, top // 3)) for start in starts]))
        if 3 <= len(one_after_another(intervals)) < n * (n - 1) // 2:
            return intervals


@environment(sample=short_intervals, grade="course")
def finished_before_arcs(intervals: IntervalList) -> DAG:
    """Make the intervals, numbered from 0 in the order of the list, the vertices of a directed graph. Draw an arc from
    one interval to another exactly when the first one ends before the second one begins; intervals that share an
    endpoint get no arc.
    """
    if not 1 <= len(intervals) <= 12:
        raise OutOfDomain(f"a directed graph has from 1 to 12 vertices, there are {len(intervals)} intervals")
    return values.digraph(len(intervals), one_after_another(intervals))


def all_descendants(graph: values.DiGraph) -> list[set[int]]:
    """For every vertex those that one can get to along one or more arcs."""
    after = graph.successors()
    below: list[set[int]] = [set(near) for near in after]
    for u in TopologicalSorter(dict(enumerate(after))).static_order():
        below[u] = below[u].union(*map(below.__getitem__, after[u]))
    return below


def unrelated(graph: values.DiGraph) -> list[tuple[int, int]]:
    """The pairs of vertices between which no way leads in either direction."""
    below = all_descendants(graph)
    return [(u, v) for u, v in combinations(range(graph.n), 2) if v not in below[u] and u not in below[v]]


def graph_with_unrelated_tasks(rng: Random, level: int) -> values.DiGraph:
    """At least three pairs of vertices between which no way leads, or two of the few pairs of the smallest level."""
    while True:
        graph = type_of(DAG).sample(rng, level)
        if len(unrelated(graph)) >= min(3, level + 1):
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=graph_with_unrelated_tasks, grade="course")
def independent_tasks(graph: DAG) -> Graph:
    """An arc from one task to another means that the first must be done before the second. Draw the undirected graph
    that joins two tasks exactly when neither of them must be done before the other, be it directly or because of tasks
    in between.
    """
    return values.graph(graph.n, unrelated(graph))


def bypassed(graph: values.DiGraph) -> values.DiGraph:
    """The graph in which the vertex with the most arcs is left out of every way."""
    busiest = max(range(graph.n), key=list(chain(*graph.arcs)).count)
    before = [u for u, v in graph.arcs if v == busiest]
    after = [v for u, v in graph.arcs if u == busiest]
    others = [arc for arc in graph.arcs if busiest not in arc]
    return values.digraph(graph.n, others + [(u, v) for u in before for v in after])


def graph_with_a_busy_vertex(rng: Random, level: int) -> values.DiGraph:
    """A graph that still has three arcs when its busiest vertex is bypassed."""
    n, size = ((5, 5), (5, 6), (6, 7), (7, 9), (9, 12))[level - 1]
    while True:
        order = rng.sample(range(n), n)
        graph = values.digraph(n, rng.sample(list(combinations(order, 2)), size))
        if len(bypassed(graph).arcs) >= 3:
            return graph


@environment(sample=graph_with_a_busy_vertex, grade="course")
def busiest_vertex_bypassed(graph: DAG) -> DAG:
    """Let v be the graph's vertex at which the most arcs start or end, the smallest one if there are several. Draw an
    arc from each vertex with an arc to v to each vertex that v has an arc to, unless it exists. Then remove all arcs at
    v.
    """
    return bypassed(graph)


def from_the_ends(graph: values.DiGraph) -> values.DiGraph:
    """The graph in the numbers of a topological order that is read against the arcs."""
    after = graph.successors()
    order: list[int] = []
    while len(order) < graph.n:
        left = filterfalse(order.__contains__, range(graph.n))
        order.append(next(v for v in left if set(after[v]) <= set(order)))
    return values.digraph(graph.n, [(order.index(u), order.index(v)) for u, v in graph.arcs])


def graph_in_another_order(rng: Random, level: int) -> values.DiGraph:
    """A graph that the new numbers change, with no more arcs than vertices, since each arc is written anew."""
    while True:
        graph = type_of(DAG).sample(rng, level)
        if len(graph.arcs) <= graph.n and from_the_ends(graph) != graph:
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=graph_in_another_order, grade="course")
def renumbered_from_the_ends(graph: DAG) -> DAG:
    """Give the new numbers 0, 1, 2, ... one after another: the next one goes to the smallest vertex without a new
    number whose outgoing arcs, if any, all lead to vertices that have theirs. Write the same graph in the new numbers.
    """
    return from_the_ends(graph)


@environment(grade="course")
def smallest_sink_turned(graph: DAG) -> DAG:
    """Find the smallest vertex of the graph to which at least one arc leads and at which no arc starts. Reverse all
    arcs that lead to this vertex, and keep all other arcs as they are.
    """
    if not graph.arcs:
        raise OutOfDomain("there is no arc, so there is no such vertex")
    sink = min({v for _, v in graph.arcs} - {u for u, _ in graph.arcs})
    return values.digraph(graph.n, [(v, u) if v == sink else (u, v) for u, v in graph.arcs])


def rounds(graph: values.DiGraph) -> list[tuple[int, ...]]:
    """The vertices in the rounds in which they get free."""
    before = graph.predecessors()
    left = list(range(graph.n))
    listed: list[tuple[int, ...]] = []
    while left:
        free = [v for v in left if set(before[v]).isdisjoint(left)]
        listed.append(tuple(free))
        left = sorted(set(left).difference(free))
    return listed


def graph_with_three_rounds(rng: Random, level: int) -> values.DiGraph:
    """Tasks that need at least three rounds."""
    while True:
        graph = type_of(DAG).sample(rng, level)
        if len(rounds(graph)) >= 3:
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=graph_with_three_rounds, grade="course")
def task_rounds(graph: DAG) -> Ragged:
    """An arc from one task to another means that the first must be done before the second. In each round, do all
    remaining tasks that need only tasks done in earlier rounds. List the tasks of each round in increasing order,
    round after round.
    """
    return tuple(rounds(graph))
