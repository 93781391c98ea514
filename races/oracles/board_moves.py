"""Hand-worked examples and independent oracles for environments/themes/grids/board_moves.py."""

import json
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate, pairwise

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "route_drawing": [
        ('"URRD"', '["###", "s.#"]'),
        ('"LDDDU"', '["#s", "#.", "#.", "#."]'),
        ('""', '["s"]'),
        ('"UD"', '["#", "s"]'),
        ('"UUUUUUUUUUUU"', None),
        ('"RRRRRRRRRRRRRRRR"', None),
        ('"DDDDDDDDDDD"', '["s", "#", "#", "#", "#", "#", "#", "#", "#", "#", "#", "#"]'),
        ('"' + "L" * 8 + "R" * 16 + '"', None),
    ],
    "cards_visited": [
        ('"URDDL"', '["7H", "7D", "8D", "8H", "8S", "7S"]'),
        ('"DDDUD"', '["7H", "7S", "7C", "7D"]'),
        ('"RRRRRRRR"', '["7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH", "2H"]'),
        ('""', '["7H"]'),
        ('"RRRRRRRRRRRRURRRR"', None),
        ('"RRRRRRRRRRRRURR"', json.dumps([rank + "H" for rank in "789TJQKA23456"] + ["6D", "7D", "8D"])),
    ],
    "clock_set_by_moves": [
        ('"URRD"', '"12:14"'),
        ('"LDDL"', '"09:46"'),
        ('""', '"12:00"'),
        ('"UUUUUUUUUUUUU"', '"01:00"'),
        ('"DDDDDDDDDDDDL"', '"23:53"'),
    ],
    "date_picked_by_moves": [
        ('"URRD"', '"2024-03-03"'),
        ('"L"', '"2024-02-29"'),
        ('"DDDDDR"', '"2024-04-06"'),
        ('""', '"2024-03-01"'),
        ('"UU"', '"2024-02-16"'),
    ],
    "spoken_route": [
        ('"URRDDD"', '"up 1 right 2 down 3"'),
        ('"LLLLLLLLLLLL"', '"left 12"'),
        ('""', None),
        ('"URURURURURURURURURURU"', None),
        ('"URURURURURURURURURUR"', '"' + " ".join(["up 1 right 1"] * 10) + '"'),
    ],
    "moves_seen_by_walker": [
        ('"URRDLU"', '"URURRR"'),
        ('"DULDRR"', '"DDLLLU"'),
        ('""', '""'),
        ('"L"', '"L"'),
    ],
    "moves_of_melody": [
        ("[4, 7, 7, -2, 0]", '"URDU"'),
        ("[5]", '""'),
        ("[]", '""'),
        ("[-1, -2]", '"D"'),
    ],
    "robot_moves": [
        ('"1101001"', '"UURL"'),  # two up; turned right once; then turned to the left after two more
        ('"000"', '""'),
        ('"00001"', '"U"'),
        ('"0101011"', '"RDLL"'),
        (str("1" * 41).join('""'), None),
    ],
}
WAYS = {"U": 1j, "D": -1j, "L": -1, "R": 1}  # directions in the complex plane, where -1j is a right turn
LETTERS = {1j: "U", -1j: "D", -1: "L", 1: "R"}


def places(moves: str) -> list[complex]:
    return list(accumulate([WAYS[move] for move in moves], initial=0j))


def route_drawing(x: str, y: tuple[str, ...]) -> bool:
    """Every marked cell, seen from s, is one that the walk visits, and the other way round; no edge is empty."""
    marked = {complex(c, -r): cell for r, row in enumerate(y) for c, cell in enumerate(row) if cell != "."}
    starts = [place for place, cell in marked.items() if cell == "s"]
    grid = np.array([list(row) for row in y]) != "."
    tight = grid[0].any() and grid[-1].any() and grid[:, 0].any() and grid[:, -1].any()
    return len(starts) == 1 and {place - starts[0] for place in marked} == set(places(x)) and bool(tight)


def cards_visited(x: str, y: tuple[str, ...]) -> bool:
    cards = []
    for place in places(x):
        rank = "23456789TJQKA"[(5 + int(place.real)) % 13]
        cards.append(rank + "CDHS"[(2 - int(place.imag)) % 4])
    return list(y) == list(dict.fromkeys(cards))


def clock_set_by_moves(x: str, y: tuple[int, int]) -> bool:
    """Press the buttons one by one."""
    clock = datetime(2025, 6, 15, 12, tzinfo=UTC)
    change = {"U": timedelta(hours=1), "D": timedelta(hours=-1), "R": timedelta(minutes=7), "L": timedelta(minutes=-7)}
    for move in x:
        clock += change[move]
    return y == (clock.hour, clock.minute)


def date_picked_by_moves(x: str, y: date) -> bool:
    day = np.datetime64("2024-03-01")
    for move in x:
        day += {"R": 1, "L": -1, "D": 7, "U": -7}[move]
    return bool(day == np.datetime64(y))


def spoken_route(x: str, y: str) -> bool:
    """Make the moves that the text says; neighbouring runs must differ."""
    words = y.split(" ")
    runs = list(zip(words[::2], map(int, words[1::2]), strict=True))
    said = "".join({"up": "U", "down": "D", "left": "L", "right": "R"}[name] * number for name, number in runs)
    return said == x and all(a != b for (a, _), (b, _) in pairwise(runs)) and all(number > 0 for _, number in runs)


def moves_seen_by_walker(x: str, y: str) -> bool:
    """Turn through the complex plane: the quotient of two directions is the turn."""
    if not x:
        return y == ""
    turns = [LETTERS[WAYS[later] / WAYS[earlier] * 1j] for earlier, later in pairwise(x)]
    return y == x[0] + "".join(turns)


def moves_of_melody(x: tuple[int, ...], y: str) -> bool:
    return y == "".join("RUD"[sign] for sign in np.sign(np.diff(x)).astype(int).tolist()) if x else y == ""


def robot_moves(x: str, y: str) -> bool:
    direction, made = 1j, ""
    for bit in x:
        if bit == "1":
            made += LETTERS[direction]
        else:
            direction *= -1j
    return made == y


ORACLES = {
    "route_drawing": route_drawing,
    "cards_visited": cards_visited,
    "clock_set_by_moves": clock_set_by_moves,
    "date_picked_by_moves": date_picked_by_moves,
    "spoken_route": spoken_route,
    "moves_seen_by_walker": moves_seen_by_walker,
    "moves_of_melody": moves_of_melody,
    "robot_moves": robot_moves,
}
