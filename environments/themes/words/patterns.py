"""Patterns of characters: a word laid out in a grid, grids changed, and grids read."""

import re
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import CharGrid, Word, WordList

Rows = tuple[str, ...]


@environment()
def letters_in_rows_of_four(word: Word) -> CharGrid:
    """Write the letters of the word row by row into a grid with four columns: the even rows, counted from 0 at the top,
    from left to right and the odd rows from right to left. Fill the places that remain in the last row with dots.
    """
    text = word + "." * (-len(word) % 4)
    rows = [text[start : start + 4] for start in range(0, len(text), 4)]
    return tuple([row[::-1] if number % 2 else row for number, row in enumerate(rows)])


def grid_of_letters(rng: Random, level: int, letters: str) -> Rows:
    """A grid of these characters, each level larger than the one below."""
    rows, columns = ((3, 3), (3, 5), (4, 5), (5, 6), (6, 7))[level - 1]
    return tuple(["".join([rng.choice(letters) for _ in range(columns)]) for _ in range(rows)])


def grid_to_shift(rng: Random, level: int) -> Rows:
    """Several characters, so that a row seldom looks the same after a shift."""
    return grid_of_letters(rng, level, rng.choice(("..#", ".#a", "..##ab", "abc", ".abcd")))


@environment(sample=grid_to_shift)
def rows_shifted_progressively(grid: CharGrid) -> CharGrid:
    """Number the rows of the grid 0, 1, 2, ... from the top. Move the characters of each row to the right by as many
    places as the number of the row says; characters that are pushed out at the right end come in again at the left end.
    """
    width = len(grid[0])
    return tuple([row[-number % width :] + row[: -number % width] for number, row in enumerate(grid)])


def grid_of_plants(rng: Random, level: int) -> Rows:
    """Dots and letters, and a few # signs."""
    return grid_of_letters(rng, level, rng.choice(("..ab", "..#ab", "...#abc", "..abc", "...xyz")))


@environment(sample=grid_of_plants)
def letters_spread_into_dots(grid: CharGrid) -> CharGrid:
    """Replace every dot of the grid that has a lowercase letter directly to its left by that letter, and every other
    dot that has a lowercase letter directly above it by that letter. Do it for all dots at once: only letters of the
    original grid spread.
    """
    spread = []
    for row, upper in zip(grid, ("#" * len(grid[0]), *grid[:-1]), strict=True):
        places = zip(row, "#" + row[:-1], upper, strict=True)
        # The first letter to the left or above, if there is one, else the dot itself.
        spread.append("".join([c if c != "." else re.sub("[^a-z]", "", a + b)[:1] or c for c, a, b in places]))
    return tuple(spread)


def grid_with_runs(rng: Random, level: int) -> Rows:
    """Mostly letters, so that there are runs, and few enough of them for a list of words."""
    letters = rng.choice(("abcd.", "aeiou#", "klmn.#", "pqrst..", "xyz#"))
    rows, columns = ((3, 4), (3, 5), (4, 5), (4, 6), (4, 7))[level - 1]
    return tuple(["".join([rng.choice(letters) for _ in range(columns)]) for _ in range(rows)])


@environment(sample=grid_with_runs)
def letter_runs_across(grid: CharGrid) -> WordList:
    """List the longest possible runs of neighbouring lowercase letters in the rows of the grid as words, row by row
    from the top and in each row from left to right. A letter that has no letter next to it in its row is a run of its
    own.
    """
    runs = re.findall("[a-z]+", " ".join(grid))
    if len(runs) > 24:
        raise OutOfDomain(f"a list has at most 24 words, the grid has {len(runs)} runs")
    return tuple(runs)
