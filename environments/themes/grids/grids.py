"""Grids of bits and characters, and the cells in them."""

import re
from itertools import compress
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BoolGrid, CellList, CharGrid, NatList, Tally
from races.environments.values import tally


def rows_of_bits(rng: Random, rows: int, columns: int, ones: int) -> tuple[tuple[int, ...], ...]:
    """A grid with so many ones at random places."""
    places = set(rng.sample(range(rows * columns), ones))
    return tuple([tuple([int(r * columns + c in places) for c in range(columns)]) for r in range(rows)])


def grid_with_few_ones(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """At most twelve ones, so that their cells make a list that one can still read."""
    rows, columns = ((3, 3), (3, 4), (4, 5), (5, 6), (6, 8))[level - 1]
    ones = rng.randint(*((3, 4), (3, 5), (5, 7), (7, 9), (9, 12))[level - 1])
    return rows_of_bits(rng, rows, columns, ones)


@environment()
def ones_in_each_row(grid: BoolGrid) -> NatList:
    """Count the 1s in each row of the grid. List the counts from the top row to the bottom row."""
    return tuple(map(sum, grid))


@environment(sample=grid_with_few_ones)
def cells_with_one(grid: BoolGrid) -> CellList:
    """List the cells of the grid that hold 1, row by row from the top and in each row from the left. For each cell give
    its row and then its column, both counted from 0.
    """
    cells = tuple([(r, c) for r, row in enumerate(grid) for c, bit in enumerate(row) if bit])
    if len(cells) > 32:
        raise OutOfDomain("more than 32 cells hold 1")
    return cells


@environment()
def drawn_cells(cells: CellList) -> BoolGrid:
    """Draw the smallest grid that starts with row 0 and column 0 and contains all the listed cells: 1 in those cells
    and 0 in all others.
    """
    if not cells:
        raise OutOfDomain("the list is empty")
    rows, columns = max([row for row, _ in cells]) + 1, max([column for _, column in cells]) + 1
    if max(rows, columns) > 12:
        raise OutOfDomain("the drawing has more than 12 rows or columns")
    grid = [[0] * columns for _ in range(rows)]
    for row, column in cells:
        grid[row][column] = 1
    return tuple(map(tuple, grid))


def characters_of_level(rng: Random, level: int, letters: str) -> tuple[str, ...]:
    """A grid of these characters, each level larger than the one below."""
    rows, columns = ((3, 3), (3, 5), (4, 5), (5, 6), (6, 7))[level - 1]
    while True:
        grid = tuple(["".join([rng.choice(letters) for _ in range(columns)]) for _ in range(rows)])
        if len(set("".join(grid))) > 1:
            return grid


def grid_of_several_characters(rng: Random, level: int) -> tuple[str, ...]:
    """Unequal shares, so that the counts of the characters differ."""
    return characters_of_level(rng, level, rng.choice(("..#", "..##a", "aabc", "...abcd", "#.xxyz")))


@environment(sample=grid_of_several_characters)
def grid_character_counts(grid: CharGrid) -> Tally:
    """Count how often each character occurs in the whole grid. Dots and # signs are characters like all others."""
    characters = "".join(grid)
    counts = {character: characters.count(character) for character in sorted(set(characters))}
    if len(counts) > 26:
        raise OutOfDomain("the grid has more than 26 different characters")
    return tally(counts)


@environment(sample=grid_with_few_ones)
def outlined_drawing(grid: BoolGrid) -> CharGrid:
    """Draw the grid with characters: # for every 1, the letter o for every 0 that has a 1 directly above, below, left
    or right of it, and a dot for every other 0.
    """
    above, below = ((0,) * len(grid[0]), *grid[:-1]), (*grid[1:], (0,) * len(grid[0]))
    drawing = []
    for row, upper, lower in zip(grid, above, below, strict=True):
        left, right = (0, *row[:-1]), (*row[1:], 0)
        near = map(max, upper, lower, left, right)
        drawing.append("".join(["#" if bit else ".o"[beside] for bit, beside in zip(row, near, strict=True)]))
    return tuple(drawing)


def grid_of_neighbours(rng: Random, level: int) -> tuple[str, ...]:
    """Three or four characters, so that some cells have an equal neighbour and some have none."""
    return characters_of_level(rng, level, rng.choice((".#a", "abc", ".#ab", "abcd")))


@environment(sample=grid_of_neighbours)
def cells_with_equal_neighbour(grid: CharGrid) -> BoolGrid:
    """Put 1 for every cell of the grid whose character also stands in at least one of the cells directly above, below,
    left and right of it, and 0 for every other cell.
    """
    if len(grid[0]) > 12:
        raise OutOfDomain("the grid has more than 12 columns")
    blank = " " * len(grid[0])
    result = []
    for row, upper, lower in zip(grid, (blank, *grid[:-1]), (*grid[1:], blank), strict=True):
        near = zip(row, upper, lower, " " + row[:-1], row[1:] + " ", strict=True)
        result.append(tuple([int(here in others) for here, *others in near]))
    return tuple(result)


def grid_to_fold(rng: Random, level: int) -> tuple[tuple[int, ...], ...]:
    """Four columns or more and few ones, because folding halves the grid and fills it."""
    rows, columns = ((3, 4), (4, 5), (4, 6), (5, 7), (6, 8))[level - 1]
    return rows_of_bits(rng, rows, columns, rows * columns // 3 + rng.randint(-1, 1))


@environment(sample=grid_to_fold)
def folded_grid(grid: BoolGrid) -> BoolGrid:
    """Fold the grid along its vertical middle line, the right half onto the left half. The result is the left half,
    together with the unchanged middle column if there is one: a cell is 1 if at least one of the two cells that meet
    there is 1.
    """
    half = (len(grid[0]) + 1) // 2
    return tuple([tuple(map(max, row[:half], row[::-1][:half])) for row in grid])


def grid_with_a_region(rng: Random, level: int) -> tuple[str, ...]:
    """Few characters, the top left one planted twice more, so that the fill has somewhere to go; never x there."""
    while True:
        grid = characters_of_level(rng, level, rng.choice((".#", "..#a", "aab", "abbx")))
        first = grid[0][0]
        if first != "x" and (grid[0][1] == first or grid[1][0] == first):
            return grid


@environment(sample=grid_with_a_region)
def flood_fill_top_left(grid: CharGrid) -> CharGrid:
    """Start in the top left cell of the grid and move up, down, left or right, but only onto cells that hold the same
    character as it. Write x into the top left cell and every cell that can be reached so. Leave all other cells as they
    are.
    """
    # Rows behind one another with a fence between them: a neighbour is one place or one width away.
    cells, width = list("|".join(grid)), len(grid[0]) + 1
    free = set(compress(range(1, len(cells)), map(cells[0].__eq__, cells[1:])))
    filled = [0]
    for place in filled:
        cells[place] = "x"
        near = sorted({place - width, place - 1, place + 1, place + width} & free)
        free.difference_update(near)
        filled += near
    return tuple("".join(cells).split("|"))


def grid_to_turn(rng: Random, level: int) -> tuple[str, ...]:
    """At most seven columns: each becomes a row."""
    return characters_of_level(rng, level, rng.choice(("..#", ".#a", "..##ab", "abc", ".abcd")))


@environment(sample=grid_to_turn)
def turn_grid_left(grid: CharGrid) -> CharGrid:
    """Turn the grid by a quarter turn counterclockwise, so that its last column becomes its top row."""
    if len(grid[0]) > 12:
        raise OutOfDomain("the grid has more than 12 columns")
    return tuple(["".join(column) for column in zip(*grid, strict=True)][::-1])


def grid_with_hanging_letters(rng: Random, level: int) -> tuple[str, ...]:
    """Letters, dots below some of them, and a few # signs."""
    while True:
        grid = characters_of_level(rng, level, rng.choice((".a", "..#ab", "...#abc", "..abc")))
        columns = ["".join(column) for column in zip(*grid, strict=True)]
        if any([re.search("[a-z][.]", column) for column in columns]):
            return grid


@environment(sample=grid_with_hanging_letters)
def letters_fall(grid: CharGrid) -> CharGrid:
    """Let every letter of the grid fall straight down until it rests on the bottom edge, on a # or on another letter.
    The # signs stay where they are; cells without a letter or # afterwards hold dots.
    """
    columns = []
    for column in zip(*grid, strict=True):
        pieces = "".join(column).split("#")
        columns.append("#".join([piece.replace(".", "").rjust(len(piece), ".") for piece in pieces]))
    return tuple(["".join(row) for row in zip(*columns, strict=True)])
