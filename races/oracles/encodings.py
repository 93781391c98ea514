"""Hand-worked examples and independent oracles for environments/themes/words/encodings.py."""

import json
import re
from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "colon_hexadecimal": [
        ("[255,0,16]", '"ff:0:10"'),
        ("[10]", '"a"'),
        ("[]", '""'),
        (str([1000000] * 12), None),
    ],
    "balanced_ternary_signs": [
        ("5", '"+--"'),
        ("-24", '"-0+0"'),
        ("9", '"+00"'),
        ("-1", '"-"'),
        ("0", '"0"'),
    ],
    "first_characters_and_lengths": [
        ('"And a few more."', '"A3a1f3m5"'),
        ('"lamp"', '"l4"'),
        (f'"{"a " * 33}"'.replace(' "', '"'), None),
    ],
    "keypad_digits": [('"hello"', '"43556"'), ('"sz"', '"79"'), ('"adgjmptw"', '"23456789"')],
    "barcode_with_check_digit": [("[4,0,1]", "[4,0,1,5]"), ("[5,5]", "[5,5,0]"), ("[]", "[0]"), (str([0] * 40), None)],
    "distances_to_last_occurrence": [
        ('"abcab"', "[0,0,0,3,3]"),
        ('"aaA"', "[0,1,0]"),
        ('""', "[]"),
        ('"' + "a" * 40 + '"', str([0] + [1] * 39)),
        ('"' + "a" * 41 + '"', None),
    ],
    "neighbour_pair_tally": [
        ('"banana"', '{"an":2,"ba":1,"na":2}'),
        ('"aaa"', '{"aa":2}'),
        ('"a"', "{}"),
        ('"abcdefghijklmnopqrstuvwxyz01"', None),
        ('"abcdefghijklmnopqrstuvwxyz0"', json.dumps({a + b: 1 for a, b in pairwise("abcdefghijklmnopqrstuvwxyz0")})),
    ],
    "recent_repeat_bits": [('"abcaaxyza"', '"000110000"'), ('"a"', '"0"'), ('""', None)],
    "every_second_character_last": [('"abcde"', '"acebd"'), ('"ab"', '"ab"'), ('""', '""')],
    "rows_balanced_to_zero": [("[[1,5],[],[-7]]", "[[1,5,-6],[0],[-7,7]]"), ("[]", "[]"), ("[[1000000,1]]", None)],
}

Ints = tuple[int, ...]


def colon_hexadecimal(x: Ints, y: str) -> bool:
    parts = y.split(":") if y else []
    clean = all(re.fullmatch("0|[1-9a-f][0-9a-f]*", part) for part in parts)
    return clean and tuple(int(part, 16) for part in parts) == x


def balanced_ternary_signs(x: int, y: str) -> bool:
    value = sum({"+": 1, "-": -1, "0": 0}[sign] * 3**power for power, sign in enumerate(reversed(y)))
    return value == x and (y == "0" or y[0] != "0")


def first_characters_and_lengths(x: str, y: str) -> bool:
    return y == "".join(f"{found[0][0]}{found.end() - found.start()}" for found in re.finditer(r"\S+", x))


def keypad_digits(x: str, y: str) -> bool:
    keys = {2: "abc", 3: "def", 4: "ghi", 5: "jkl", 6: "mno", 7: "pqrs", 8: "tuv", 9: "wxyz"}
    return len(x) == len(y) and all(letter in keys[int(digit)] for letter, digit in zip(x, y, strict=True))


def barcode_with_check_digit(x: Ints, y: Ints) -> bool:
    """With its check digit in front of them, the digits from the right weigh 1, 3, 1, 3, ..."""
    weighed = sum(digit * (1 if place % 2 == 0 else 3) for place, digit in enumerate(reversed(y)))
    return y[:-1] == x and len(y) == len(x) + 1 and 0 <= y[-1] <= 9 and weighed % 10 == 0


def distances_to_last_occurrence(x: str, y: Ints) -> bool:
    for place, distance in enumerate(y):
        between = x[place - distance + 1 : place] if distance else x[:place]
        if x[place] in between or (distance and x[place - distance] != x[place]):
            return False
    return len(x) == len(y) and all(distance <= place for place, distance in enumerate(y))


def neighbour_pair_tally(x: str, y: tuple[tuple[str, int], ...]) -> bool:
    neighbours = [a + b for a, b in pairwise(x)]
    return dict(y) == {pair: neighbours.count(pair) for pair in neighbours}


def recent_repeat_bits(x: str, y: str) -> bool:
    repeats = [any(i >= k and x[i] == x[i - k] for k in (1, 2, 3)) for i in range(len(x))]
    return [bit == "1" for bit in y] == repeats


def every_second_character_last(x: str, y: str) -> bool:
    half = (len(x) + 1) // 2
    return len(x) == len(y) and all(y[i // 2 + half * (i % 2)] == character for i, character in enumerate(x))


def rows_balanced_to_zero(x: tuple[Ints, ...], y: tuple[Ints, ...]) -> bool:
    return x == tuple(row[:-1] for row in y) and all(row and sum(row) == 0 for row in y)


ORACLES = {
    "colon_hexadecimal": colon_hexadecimal,
    "balanced_ternary_signs": balanced_ternary_signs,
    "first_characters_and_lengths": first_characters_and_lengths,
    "keypad_digits": keypad_digits,
    "barcode_with_check_digit": barcode_with_check_digit,
    "distances_to_last_occurrence": distances_to_last_occurrence,
    "neighbour_pair_tally": neighbour_pair_tally,
    "recent_repeat_bits": recent_repeat_bits,
    "every_second_character_last": every_second_character_last,
    "rows_balanced_to_zero": rows_balanced_to_zero,
}
