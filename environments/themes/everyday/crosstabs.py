"""Cross tables: a row and a column for each of several things, and a number for every two of them."""

from itertools import accumulate, combinations, pairwise
from operator import ne
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import (
    Graph,
    IntervalList,
    IntMatrix,
    Moves,
    NatList,
    PairList,
    SquareMatrix,
    Word,
    WordList,
    type_of,
)

MOST, FARTHEST = 12, 9999  # rows of a matrix, and the largest absolute value of an entry
Matrix = tuple[tuple[int, ...], ...]
Pairs = tuple[tuple[int, int], ...]


def words_to_compare(rng: Random, level: int) -> tuple[str, ...]:
    """Few words, some of them made from others by a change of letters, so that they agree here and there."""
    count = (3, 3, 4, 4, 5)[level - 1]
    length = (3, 4, 5, 6, 7)[level - 1]
    first = type_of(Word).sample(rng, 2)[:length]
    words = [first]
    while len(words) < count:
        letters = list(rng.choice(words))
        for _ in range(rng.randint(1, 2)):
            letters[rng.randrange(len(letters))] = rng.choice("aeilnorst")
        words.append("".join(letters) + rng.choice(("", "", "s", "er")))
    return tuple(words)


@environment(sample=words_to_compare)
def mismatch_table(words: WordList) -> SquareMatrix:
    """Write a square matrix with a row and a column for each word, in the order of the list. In each place put the
    number of positions at which the word of the row and that of the column differ; positions that only the longer word
    has count, too.
    """
    if not 1 <= len(words) <= MOST:
        raise OutOfDomain(f"a matrix has from 1 to {MOST} rows, but there are {len(words)} words")
    # map stops with the shorter word, so the longer one's other letters are added.
    return tuple([tuple([sum(map(ne, one, two)) + abs(len(one) - len(two)) for two in words]) for one in words])


def pairs_to_subtract(rng: Random, level: int) -> Pairs:
    """Few pairs, because every two of them meet."""
    count, top = ((2, 9), (3, 9), (3, 20), (4, 40), (5, 99))[level - 1]
    return tuple([(rng.randint(1, top), rng.randint(1, top)) for _ in range(count)])


@environment(sample=pairs_to_subtract)
def firsts_minus_seconds(pairs: PairList) -> SquareMatrix:
    """Write a square matrix with a row and a column for each pair, in the order of the list. In each place put the
    first number of the pair that belongs to the row minus the second number of the pair that belongs to the column.
    """
    if not 1 <= len(pairs) <= MOST:
        raise OutOfDomain(f"a matrix has from 1 to {MOST} rows, but there are {len(pairs)} pairs")
    table = tuple([tuple([first - second for _, second in pairs]) for first, _ in pairs])
    if max([max(map(abs, row)) for row in table]) > FARTHEST:
        raise OutOfDomain(f"a difference is beyond {FARTHEST}")
    return table


def road_sections(rng: Random, level: int) -> tuple[int, ...]:
    """Few sections, because every two towns have a distance."""
    count, longest = ((2, 9), (3, 9), (3, 20), (4, 50), (5, 150))[level - 1]
    return tuple([rng.randint(1, longest) for _ in range(count)])


@environment(sample=road_sections)
def mileage_table(sections: NatList) -> SquareMatrix:
    """Towns lie along one road. The entries of the list are the distances from each town to the next, so there is one
    town more than entries. Write a matrix with a row and a column for each town, in order, each place holding the
    distance between its two towns.
    """
    if len(sections) >= MOST:
        raise OutOfDomain(f"a matrix has at most {MOST} rows, but there are {len(sections) + 1} towns")
    if sum(sections) > FARTHEST:
        raise OutOfDomain(f"a distance is beyond {FARTHEST}")
    places = list(accumulate(sections, initial=0))
    return tuple([tuple([abs(one - two) for two in places]) for one in places])


def graph_with_few_vertices(rng: Random, level: int) -> values.Graph:
    """Many edges on few vertices, so that there are common neighbours and not too many rows."""
    n, edges = ((4, 4), (4, 5), (5, 6), (5, 7), (6, 9))[level - 1]
    return values.graph(n, rng.sample(list(combinations(range(n), 2)), edges))


@environment(sample=graph_with_few_vertices)
def common_neighbour_counts(graph: Graph) -> SquareMatrix:
    """Write a square matrix with a row and a column for each vertex of the graph, in increasing order. In each place
    put the number of vertices joined to both the vertex of the row and that of the column; on the diagonal the number
    joined to that vertex.
    """
    near = list(map(set, graph.neighbours()))
    return tuple([tuple([len(one & two) for two in near]) for one in near])


def overlapping_intervals(rng: Random, level: int) -> Pairs:
    """Few intervals of which most have something in common."""
    count, width = ((3, 6), (3, 10), (4, 15), (4, 30), (5, 60))[level - 1]
    lefts = [rng.randint(0, width) for _ in range(count)]
    return tuple(sorted([(left, left + rng.randint(2, width)) for left in lefts]))


@environment(sample=overlapping_intervals)
def overlap_lengths(intervals: IntervalList) -> SquareMatrix:
    """Write a square matrix with a row and a column for each interval, in list order. In each place put the length of
    the part that the interval of the row and that of the column share, its right end minus its left end, or 0 if they
    share nothing.
    """
    if not 1 <= len(intervals) <= MOST:
        raise OutOfDomain(f"a matrix has from 1 to {MOST} rows, but there are {len(intervals)} intervals")
    return tuple([tuple([max(0, min(b, d) - max(a, c)) for c, d in intervals]) for a, b in intervals])


def table_without_totals(rng: Random, level: int) -> Matrix:
    """One row and one column less than a matrix should have."""
    rows, columns, top = ((2, 2, 9), (2, 3, 20), (3, 3, 30), (3, 4, 60), (4, 5, 99))[level - 1]
    return tuple([tuple([rng.randint(0, top) for _ in range(columns)]) for _ in range(rows)])


@environment(sample=table_without_totals)
def table_with_totals(matrix: IntMatrix) -> IntMatrix:
    """Append to each row of the matrix, as a new last entry, the sum of its entries. Then append a new last row whose
    entries are the sums of all columns, the new last column included.
    """
    if max(len(matrix), len(matrix[0])) >= MOST:
        raise OutOfDomain(f"a matrix has at most {MOST} rows and columns")
    rows = [(*row, sum(row)) for row in matrix]
    rows.append(tuple(map(sum, zip(*rows, strict=True))))
    if max([max(map(abs, row)) for row in rows]) > FARTHEST:
        raise OutOfDomain(f"a total is beyond {FARTHEST}")
    return tuple(rows)


@environment()
def move_followers(moves: Moves) -> SquareMatrix:
    """Write a matrix with four rows and four columns, both of which stand for the moves U, D, L, R in this order. In
    each place put how often the move of the row is directly followed by the move of the column.
    """
    steps = list(pairwise(moves))
    return tuple([tuple([steps.count((move, following)) for following in "UDLR"]) for move in "UDLR"])
