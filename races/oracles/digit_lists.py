"""Hand-worked examples and independent oracles for environments/themes/lists/digit_lists.py."""

import re
from collections import deque

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "every_second_digit_doubled": [("[4,7,2]", "[4,5,2]"), ("[8,3,8,0]", "[7,3,7,0]"), ("[9]", "[9]"), ("[]", "[]")],
    "turned_by_first_digit": [("[2,5,8]", "[8,2,5]"), ("[7,1]", "[1,7]"), ("[0,4]", "[0,4]"), ("[]", None)],
    "typed_word": [
        ("[2,2,3,0,3]", '"bdd"'),
        ("[2,2,2,2,7,7,7,7]", '"as"'),
        ("[1,0]", None),
        ("[" + ",".join(["2,3"] * 13) + "]", None),
    ],
    "cells_of_neighbouring_digits": [("[1,2,1,2,2]", "[[1,2],[2,1],[2,2]]"), ("[5]", "[]"), ("[]", "[]")],
    "staircase_points": [
        ("[3,2,0,4,1]", "[[3,0],[3,2],[3,6],[4,6]]"),
        ("[0,0,5]", "[[5,0]]"),
        ("[]", "[]"),
        ("[" + ",".join(["9"] * 24) + "]", None),
    ],
}

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def every_second_digit_doubled(x: Ints, y: Ints) -> bool:
    """The digit sum of twice a digit is what is wanted, in those places whose distance from the end is odd."""
    wanted = [sum(map(int, str(2 * digit))) if (len(x) - place) % 2 == 0 else digit for place, digit in enumerate(x)]
    return list(y) == wanted


def turned_by_first_digit(x: Ints, y: Ints) -> bool:
    ring = deque(x)
    ring.rotate(-x[0])
    return y == tuple(ring)


def typed_word(x: Ints, y: str) -> bool:
    """All ways of typing each letter, tried against the digits by a regular expression."""
    keys = {2: "abc", 3: "def", 4: "ghi", 5: "jkl", 6: "mno", 7: "pqrs", 8: "tuv", 9: "wxyz"}
    pattern = ""
    for letter in y:
        digit, key = next((digit, key) for digit, key in keys.items() if letter in key)
        size, presses = len(key), key.index(letter) + 1
        pattern += rf"[01]*(?<!{digit})(?:{digit}{{{size}}})*{digit}{{{presses}}}(?!{digit})"
    return re.fullmatch(pattern + "[01]*", "".join(map(str, x))) is not None


def cells_of_neighbouring_digits(x: Ints, y: Pairs) -> bool:
    text = "".join(map(str, x))
    firsts = sorted({text.find(text[i : i + 2]) for i in range(len(text) - 1)})
    return list(y) == [(int(text[i]), int(text[i + 1])) for i in firsts]


def staircase_points(x: Ints, y: Pairs) -> bool:
    wanted = [(sum(x[0 : end + 1 : 2]), sum(x[1 : end + 1 : 2])) for end in range(len(x))]
    return list(y) == sorted(set(wanted) - {(0, 0)})


ORACLES = {
    "every_second_digit_doubled": every_second_digit_doubled,
    "turned_by_first_digit": turned_by_first_digit,
    "typed_word": typed_word,
    "cells_of_neighbouring_digits": cells_of_neighbouring_digits,
    "staircase_points": staircase_points,
}
