"""Graphs and directed graphs turned into one another: friends, followers, jumps and new numbers."""

from itertools import combinations
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import DiGraph, Graph, NatList, PairList, Partition, SquareMatrix, type_of


def common_friends(graph: values.Graph) -> values.Graph:
    """The graph of those at distance two."""
    near = list(map(set, graph.neighbours()))
    pairs = combinations(range(graph.n), 2)
    return values.graph(graph.n, [(u, v) for u, v in pairs if v not in near[u] and near[u] & near[v]])


def graph_with_friends_of_friends(rng: Random, level: int) -> values.Graph:
    """At least three pairs of people who are no friends but have one in common."""
    n, size = ((5, 4), (5, 5), (6, 6), (7, 7), (8, 9))[level - 1]
    while True:
        graph = values.graph(n, rng.sample(list(combinations(range(n), 2)), size))
        if len(common_friends(graph).edges) >= 3:
            return graph


@environment(sample=graph_with_friends_of_friends)
def friends_of_friends(graph: Graph) -> Graph:
    """The edges of the graph join people who are friends. Draw a new graph on the same vertices: join two different
    people exactly when they are not friends of each other but have at least one friend in common.
    """
    return common_friends(graph)


def by_degree(graph: values.Graph) -> values.Graph:
    """The graph with its vertices numbered from most edges to fewest."""
    near = graph.neighbours()
    order = sorted(range(graph.n), key=lambda vertex: -len(near[vertex]))
    return values.graph(graph.n, [(order.index(u), order.index(v)) for u, v in graph.edges])


def graph_in_another_order(rng: Random, level: int) -> values.Graph:
    """A graph that the new numbers change."""
    while True:
        graph = type_of(Graph).sample(rng, level)
        if by_degree(graph) != graph:
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=graph_in_another_order, grade="course")
def renumbered_by_degree(graph: Graph) -> Graph:
    """Sort the vertices of the graph by their numbers of edges, from most to fewest, those with equally many in
    increasing order. The first vertex of this order gets the new number 0, the second one 1, and so on. Write the same
    graph in the new numbers.
    """
    return by_degree(graph)


@environment(grade="course")
def degree_partition(graph: Graph) -> Partition:
    """Count the edges at every vertex of the graph. List the counts from the largest to the smallest, leaving out those
    that are 0.
    """
    return tuple(sorted([len(near) for near in graph.neighbours() if near], reverse=True))


@environment(grade="course")
def most_popular_friend_arcs(graph: Graph) -> DiGraph:
    """The edges of the graph join people who are friends. Draw a directed graph on the same vertices, with an arc from
    each person who has friends to the one among them who has the most friends, or to the smallest of those who have
    the most.
    """
    near = graph.neighbours()
    most = [max(friends, key=lambda friend: len(near[friend]), default=u) for u, friends in enumerate(near)]
    return values.digraph(graph.n, enumerate(most))


def two_steps(graph: values.DiGraph) -> values.DiGraph:
    """The ways along two arcs that do not lead back."""
    after = graph.successors()
    return values.digraph(graph.n, [(u, w) for u, v in graph.arcs for w in after[v]])


def digraph_with_long_ways(rng: Random, level: int) -> values.DiGraph:
    """At least three ways along two arcs."""
    while True:
        graph = type_of(DiGraph).sample(rng, level)
        if len(two_steps(graph).arcs) >= 3:
            return graph  # type: ignore[no-any-return]  # type_of forgets which type it found


@environment(sample=digraph_with_long_ways, grade="course")
def two_step_arcs(graph: DiGraph) -> DiGraph:
    """Draw a new directed graph on the same vertices. It has an arc from one vertex to a different one exactly when two
    arcs of the graph, followed one after the other in their directions, lead from the first vertex to the second.
    """
    return two_steps(graph)


@environment(grade="course")
def arcs_turned_at_most_popular(graph: DiGraph) -> DiGraph:
    """Find the vertex of the graph to which the most arcs lead, the smallest one if there are several. Reverse every
    arc that leads to this vertex and every arc that starts at it. Keep all other arcs as they are.
    """
    popular = max(range(graph.n), key=[v for _, v in graph.arcs].count)
    return values.digraph(graph.n, [(v, u) if popular in (u, v) else (u, v) for u, v in graph.arcs])


@environment(grade="course")
def follower_counts(graph: DiGraph) -> PairList:
    """An arc from one person to another means that the first follows the second. For each person, in increasing order,
    give a pair: how many people follow this person and how many people this person follows.
    """
    starts, ends = [u for u, _ in graph.arcs], [v for _, v in graph.arcs]
    return tuple([(ends.count(vertex), starts.count(vertex)) for vertex in range(graph.n)])


def few_one_way_arcs(rng: Random, level: int) -> values.DiGraph:
    """At most five vertices, because a larger matrix is tedious to write, and arcs without an opposite among them."""
    n, size = ((3, 3), (4, 5), (4, 6), (5, 8), (5, 10))[level - 1]
    while True:
        arcs = rng.sample([(u, v) for u in range(n) for v in range(n) if u != v], size)
        if len([(u, v) for u, v in arcs if (v, u) not in arcs]) >= 2:
            return values.digraph(n, arcs)


@environment(sample=few_one_way_arcs, grade="course")
def one_way_matrix(graph: DiGraph) -> SquareMatrix:
    """Write a square matrix with a row and a column for each vertex of the graph, in increasing order. In row i and
    column j stands the number of arcs from i to j, which is 0 or 1, minus the number of arcs from j to i.
    """
    rows = [[0] * graph.n for _ in range(graph.n)]
    for u, v in graph.arcs:
        rows[u][v] += 1
        rows[v][u] -= 1
    return tuple(map(tuple, rows))


def jump_lengths(rng: Random, level: int) -> tuple[int, ...]:
    """Jumps that go round the circle at most a few times and seldom end where they began."""
    n, top = ((4, 6), (5, 9), (6, 15), (8, 30), (9, 60))[level - 1]
    while True:
        jumps = tuple([rng.randint(0, top) for _ in range(n)])
        if len([jump for jump in jumps if jump % n]) >= max(3, n - 2):
            return jumps


@environment(sample=jump_lengths, grade="course")
def jump_arcs(jumps: NatList) -> DiGraph:
    """The positions of the list, counted from 0, form a circle. From each position, jump as many positions forward as
    its entry says, with position 0 after the last. Draw the directed graph with an arc from the start to the end of
    each jump, unless they are the same.
    """
    n = len(jumps)
    if not 1 <= n <= 12:
        raise OutOfDomain(f"a directed graph has from 1 to 12 vertices, there are {n} positions")
    return values.digraph(n, [(i, (i + jump) % n) for i, jump in enumerate(jumps)])


def pairs_of_few_numbers(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Several pairs of few numbers, now and then a pair of equal ones."""
    size, n, top = ((4, 4, 9), (5, 5, 20), (6, 5, 50), (8, 6, 99), (10, 7, 300))[level - 1]
    numbers = rng.sample(range(1, top + 1), n)
    while True:
        pairs = tuple([(rng.choice(numbers), rng.choice(numbers)) for _ in range(size)])
        if len({pair for pair in pairs if pair[0] != pair[1]}) >= 3 and len({x for pair in pairs for x in pair}) >= 4:
            return pairs


@environment(sample=pairs_of_few_numbers, grade="course")
def arcs_between_ranks(pairs: PairList) -> DiGraph:
    """Number the different numbers in the pairs 0, 1, 2, ... from the smallest to the largest. These new numbers are
    the vertices of a directed graph. For each pair whose two numbers differ, draw an arc from the first one's new
    number to the second one's, each arc once.
    """
    numbers = sorted({number for pair in pairs for number in pair})
    if not 1 <= len(numbers) <= 12:
        raise OutOfDomain(f"a directed graph has from 1 to 12 vertices, there are {len(numbers)} different numbers")
    return values.digraph(len(numbers), [(numbers.index(a), numbers.index(b)) for a, b in pairs])
