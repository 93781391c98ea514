"""Graphs drawn from lists, sets and matrices: who stands beside whom, who exceeds, who divides."""

from itertools import chain, combinations, pairwise
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import DAG, DiGraph, Graph, IntList, IntSet, Ragged, SquareMatrix, type_of


def require_vertices(count: int, things: str) -> None:
    """Refuse what would give a graph without vertices or with more than twelve."""
    if not 1 <= count <= 12:
        raise OutOfDomain(f"a graph has from 1 to 12 vertices, there are {count} {things}")


def neighbours_in_rows(rows: tuple[tuple[int, ...], ...]) -> values.Graph:
    """The graph of the different numbers, in increasing order, that joins those beside each other in a row."""
    numbers = sorted(set(chain(*rows)))
    require_vertices(len(numbers), "different numbers")
    pairs = chain(*map(pairwise, rows))
    return values.graph(len(numbers), [(numbers.index(one), numbers.index(two)) for one, two in pairs])


def overlapping_rows(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Short rows from few different numbers, so that numbers have neighbours in several rows."""
    rows, count, top = ((2, 4, 9), (3, 5, 20), (3, 6, 40), (4, 7, 60), (5, 8, 99))[level - 1]
    while True:
        numbers = rng.sample(range(1, top + 1), count)
        value = tuple([tuple(rng.choices(numbers, k=rng.randint(2, 4))) for _ in range(rows)])
        if type_of(Graph).healthy(neighbours_in_rows(value)):
            return value


@environment(sample=overlapping_rows, grade="course")
def graph_of_neighbouring_numbers(rows: Ragged) -> Graph:
    """Number the different numbers in the inner lists 0, 1, 2, ... from the smallest to the largest. Draw the graph
    with these new numbers as vertices that joins two different ones exactly when the numbers they stand for are
    directly beside each other somewhere in an inner list.
    """
    return neighbours_in_rows(rows)


def unsorted_list(rng: Random, level: int) -> tuple[int, ...]:
    """At least three inversions, but not a falling list, which would give a complete graph."""
    n, top = ((4, 12), (5, 30), (6, 60), (7, 120), (9, 300))[level - 1]
    while True:
        value = tuple([rng.randint(-top // 4, top) for _ in range(n)])
        if 3 <= sum([a > b for a, b in combinations(value, 2)]) < n * (n - 1) // 2:
            return value


@environment(sample=unsorted_list, grade="course")
def inversion_graph(numbers: IntList) -> Graph:
    """Make the positions of the list, counted from 0, the vertices of a graph. Join two positions when the entry at the
    earlier position is greater than the entry at the later position.
    """
    require_vertices(len(numbers), "entries")
    pairs = combinations(range(len(numbers)), 2)
    return values.graph(len(numbers), [(i, j) for i, j in pairs if numbers[i] > numbers[j]])


def matrix_of_both_signs(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """About half of the entries positive, so that the arcs are neither few nor all."""
    n, top = ((3, 9), (4, 9), (4, 50), (5, 50), (5, 400))[level - 1]
    while True:
        value = tuple([tuple([rng.randint(-top, top) for _ in range(n)]) for _ in range(n)])
        if sum([value[i][j] > 0 for i in range(n) for j in range(n) if i != j]) >= 3:
            return value


@environment(sample=matrix_of_both_signs, grade="course")
def positive_entry_arcs(matrix: SquareMatrix) -> DiGraph:
    """Draw a directed graph with one vertex for each row of the square matrix. For different i and j, draw an arc
    from i to j when the entry in row i and column j is positive. Rows and columns are counted from 0.
    """
    arcs = [(i, j) for i, row in enumerate(matrix) for j, entry in enumerate(row) if entry > 0]
    return values.digraph(len(matrix), arcs)


def set_with_multiples(rng: Random, level: int) -> tuple[int, ...]:
    """At least three pairs of an element and its multiple; without 1, which would divide everything."""
    size, top = ((4, 12), (5, 20), (6, 30), (7, 48), (9, 72))[level - 1]
    while True:
        value = tuple(sorted(rng.sample(range(2, top + 1), size)))
        if sum([b % a == 0 for a, b in combinations(value, 2)]) >= 3:
            return value


@environment(sample=set_with_multiples, grade="course")
def divisibility_arcs(numbers: IntSet) -> DAG:
    """Number the elements of the set 0, 1, 2, ... from the smallest to the largest and make these numbers the vertices
    of a directed graph. For different i and j, draw an arc from i to j when element number j is a multiple of element
    number i.
    """
    require_vertices(len(numbers), "elements")
    if 0 in numbers:
        raise OutOfDomain("whether 0 divides or is divided is a matter of convention")
    numbered = combinations(enumerate(numbers), 2)
    return values.digraph(len(numbers), [(i, j) for (i, small), (j, large) in numbered if large % small == 0])
