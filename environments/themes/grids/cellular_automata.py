"""Cells that all change at once, each by looking at its neighbours."""

from itertools import pairwise
from operator import xor
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, BoolGrid

LIVING = ((3, 0), (3, 1), (4, 1))  # live cells in a block of nine and its middle that live on or come alive


def living_grid(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Three to five ninths of the cells alive, fewer of them in a larger grid, so that some survive and some die."""
    rows, columns = ((3, 3), (3, 4), (4, 4), (4, 5), (5, 6))[level - 1]
    alive = set(rng.sample(range(rows * columns), rng.randint(rows * columns // 3, rows * columns // 2)))
    return tuple([tuple([int(r * columns + c in alive) for c in range(columns)]) for r in range(rows)])


@environment(sample=living_grid)
def game_of_life_step(grid: BoolGrid) -> BoolGrid:
    """Give the next generation of the grid in Conway's Game of Life, where 1 is alive and everything outside is dead: a
    live cell with two or three live cells among its eight neighbours stays alive, a dead cell with exactly three
    becomes alive, all others are dead afterwards.
    """
    edge = (0,) * (len(grid[0]) + 2)
    framed = [edge, *[(0, *row, 0) for row in grid], edge]
    result = []
    for upper, row, lower in zip(framed, framed[1:], framed[2:], strict=False):
        columns = list(map(sum, zip(upper, row, lower, strict=True)))
        # A block of nine counts its middle: three live cells, or four of which the middle is one.
        result.append(tuple([int((sum(columns[c : c + 3]), here) in LIVING) for c, here in enumerate(row[1:-1])]))
    return tuple(result)


def grid_of_level(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """A grid with about as many ones as zeros."""
    rows, columns = ((3, 3), (3, 4), (4, 5), (5, 6), (6, 7))[level - 1]
    while True:
        grid = tuple([tuple([rng.randint(0, 1) for _ in range(columns)]) for _ in range(rows)])
        if any(map(any, grid[:-1])):
            return grid


@environment(sample=grid_of_level)
def changes_from_row_above(grid: BoolGrid) -> BoolGrid:
    """Keep the top row of the grid. In all other rows replace every cell by 1 if it originally differs from the cell
    directly above it, and by 0 if the two are originally equal.
    """
    return (grid[0], *[tuple(map(xor, above, row)) for above, row in pairwise(grid)])


@environment()
def traffic_step(bits: BitString) -> BitString:
    """The bit string is a ring road whose last place is followed by its first; each 1 is a car, each 0 a free place.
    All cars act at once: a car whose next place to the right is free moves there, other cars stay. Give the bit string
    afterwards.
    """
    before, after = bits[-1] + bits[:-1], bits[1:] + bits[0]
    # A place is taken afterwards if its car cannot leave, or if it is free and a car stands right before it.
    return "".join([ahead if here == "1" else behind for behind, here, ahead in zip(before, bits, after, strict=True)])


def short_bit_string(rng: Random, level: int) -> str:
    """Four to eight bits, both values among them: as wide as a grid that one likes to draw."""
    length = (4, 5, 6, 7, 8)[level - 1]
    return format(rng.randint(1, 2**length - 2), f"0{length}b")


@environment(sample=short_bit_string)
def rule_90_rows(bits: BitString) -> BoolGrid:
    """Write the bit string as the top row of a grid and add three rows below: a cell is 1 if exactly one of the two
    cells diagonally next to it in the row above is 1, otherwise 0. Places outside the grid count as 0. Give all four
    rows.
    """
    if len(bits) > 12:
        raise OutOfDomain("the bit string has more than 12 bits")
    rows = [tuple(map(int, bits))]
    while len(rows) < 4:
        above = rows[-1]
        rows.append(tuple([left ^ right for left, right in zip((0, *above[:-1]), (*above[1:], 0), strict=True)]))
    return tuple(rows)
