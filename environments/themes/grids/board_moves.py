"""Moves on boards, calendars, clocks and tables of cards; moves described, drawn and made from lists and bits."""

from datetime import date, timedelta
from itertools import accumulate, groupby, pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, CardList, CharGrid, Date, IntList, Moves, Text, TimeOfDay

RANKS, SUITS = "23456789TJQKA", "CDHS"
STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}  # change of row and of column
NAMES = {"U": "up", "D": "down", "L": "left", "R": "right"}
MARKED_DAY = date(2024, 3, 1)
DAY = 24 * 60  # minutes
CLOCKWISE = "URDL"


@environment()
def route_drawing(moves: Moves) -> CharGrid:
    """Start in a cell of a large grid and make the moves, each to the next cell, U towards the top. Draw the smallest
    rectangle that contains all visited cells: s in the cell of the start, # in the other visited cells, and dots
    elsewhere.
    """
    down, right = zip((0, 0), *map(STEPS.__getitem__, moves), strict=True)
    rows, columns = list(accumulate(down)), list(accumulate(right))
    top, left = min(rows), min(columns)
    if max(rows) - top > 11 or max(columns) - left > 15:
        raise OutOfDomain("the drawing has more than 12 rows or more than 16 columns")
    grid = [["."] * (max(columns) - left + 1) for _ in range(top, max(rows) + 1)]
    for row, column in zip(rows, columns, strict=True):
        grid[row - top][column - left] = "#"
    grid[-top][-left] = "s"
    return tuple(map("".join, grid))


def moves_over_cards(rng: Random, level: int) -> str:
    """Short walks, because every card visited is listed."""
    return "".join([rng.choice("UDLR") for _ in range((4, 5, 7, 9, 12)[level - 1])])


@environment(sample=moves_over_cards)
def cards_visited(moves: Moves) -> CardList:
    """Cards lie in rows, from the top clubs, diamonds, hearts, spades, each from 2 (left) to ace (right). Start on the
    seven of hearts and make the moves, entering at the opposite end when leaving a row or column. List the different
    cards in order of first visit, start included.
    """
    row, column, visited = 2, 5, ["7H"]
    for move in moves:
        row, column = (row + STEPS[move][0]) % 4, (column + STEPS[move][1]) % 13
        card = RANKS[column] + SUITS[row]
        if card not in visited:
            visited.append(card)
    if len(visited) > 16:
        raise OutOfDomain(f"a list has at most 16 cards, but {len(visited)} are visited")
    return tuple(visited)


@environment()
def clock_set_by_moves(moves: Moves) -> TimeOfDay:
    """A 24-hour clock shows 12:00. Each U puts it one hour forward, each D one hour back, each R seven minutes forward
    and each L seven minutes back, past midnight if need be. Find the time that it shows after all the moves.
    """
    hours, sevens = moves.count("U") - moves.count("D"), moves.count("R") - moves.count("L")
    return divmod((12 * 60 + 60 * hours + 7 * sevens) % DAY, 60)


@environment()
def date_picked_by_moves(moves: Moves) -> Date:
    """On a calendar sheet, 1 March 2024 is marked. Each R moves the mark to the next day, each L to the day before,
    each D one week later and each U one week earlier, also into other months. Find the date that is marked after all
    the moves.
    """
    days = moves.count("R") - moves.count("L") + 7 * (moves.count("D") - moves.count("U"))
    return MARKED_DAY + timedelta(days=days)


def moves_in_runs(rng: Random, level: int) -> str:
    """Runs of equal moves, because single moves are dull to describe."""
    runs, longest = ((3, 3), (4, 3), (5, 3), (7, 3), (9, 4))[level - 1]
    walk = ""
    for _ in range(runs):
        walk += rng.choice("UDLR".replace(walk[-1:], "") if walk else "UDLR") * rng.randint(1, longest)
    return walk


@environment(sample=moves_in_runs)
def spoken_route(moves: Moves) -> Text:
    """Split the moves into the longest possible runs of equal moves. For each run, in order, write its direction in
    lowercase (up, down, left or right) and then the number of its moves in digits, with single spaces between all of
    them.
    """
    runs = [f"{NAMES[move]} {len(list(run))}" for move, run in groupby(moves)]
    if not 1 <= len(runs) <= 20:
        raise OutOfDomain(f"a text has from 1 to 40 words, but there are {len(runs)} runs")
    return " ".join(runs)


@environment()
def moves_seen_by_walker(moves: Moves) -> Moves:
    """Keep the first of the moves. Replace each later one by its turn from the original move directly before it: U for
    the same direction, D for the opposite direction, R for a right turn, L for a left turn. Seen from U, a right turn
    leads to R.
    """
    turns = [CLOCKWISE[(CLOCKWISE.index(b) - CLOCKWISE.index(a)) % 4] for a, b in pairwise(moves)]
    return moves[:1] + "".join(turns)


def numbers_with_equal_neighbours(rng: Random, level: int) -> tuple[int, ...]:
    """A melody: some entries are repeated at once."""
    count, top = ((6, 9), (8, 12), (10, 30), (13, 60), (17, 200))[level - 1]
    numbers = [rng.randint(1, top) for _ in range(count)]
    for place in rng.sample(range(1, count), 1 + count // 5):
        numbers[place] = numbers[place - 1]
    return tuple(numbers)


@environment(sample=numbers_with_equal_neighbours)
def moves_of_melody(numbers: IntList) -> Moves:
    """Compare each entry of the list, except the last, with the entry right after it: write U if the later one is
    larger, D if it is smaller, and R if both are equal. Join all these letters in order.
    """
    return "".join(["R" if a == b else "DU"[a < b] for a, b in pairwise(numbers)])


def commands_for_a_robot(rng: Random, level: int) -> str:
    """More steps than turns."""
    length = (7, 9, 12, 16, 20)[level - 1]
    turns = length * 2 // 5
    return "".join(rng.sample("0" * turns + "1" * (length - turns), length))


@environment(sample=commands_for_a_robot)
def robot_moves(bits: BitString) -> Moves:
    """A robot faces up. Read the bit string from left to right: at each 1 the robot makes a move in the direction that
    it faces, at each 0 it turns to the right by a quarter turn without a move. Write the directions of all its moves.
    """
    if bits.count("1") > 40:
        raise OutOfDomain("the robot makes more than 40 moves")
    return "".join([CLOCKWISE[bits[:place].count("0") % 4] for place, bit in enumerate(bits) if bit == "1"])
