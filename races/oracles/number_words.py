"""Hand-worked examples and independent oracles for environments/themes/words/number_words.py."""

import re

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "number_in_words": [
        ("40512", '"forty thousand five hundred twelve"'),
        ("1100", '"one thousand one hundred"'),
        ("999999", '"nine hundred ninety nine thousand nine hundred ninety nine"'),
        ("300007", '"three hundred thousand seven"'),
        ("80", '"eighty"'),
        ("320", '"three hundred twenty"'),
        ("0", '"zero"'),
        ("1000000", None),
    ],
    "letters_in_number_name": [
        ("115", "17"),
        ("0", "4"),
        ("1000", "11"),
        ("1100", "21"),
        ("373373", "56"),
        ("1000000", None),
        ("999999", "50"),
    ],
    "roman_numeral": [
        ("1994", '"mcmxciv"'),
        ("3888", '"mmmdccclxxxviii"'),
        ("3999", '"mmmcmxcix"'),
        ("4", '"iv"'),
        ("49", '"xlix"'),
        ("1", '"i"'),
        ("0", None),
        ("4000", None),
    ],
    "spoken_digits": [
        ("[4, 0, 7, 7]", '["four", "zero", "seven", "seven"]'),
        ("[]", "[]"),
        ("[9]", '["nine"]'),
        ("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", None),
    ],
    "binary_notation": [("22", '"10110"'), ("0", '"0"'), ("1", '"1"'), ("64", '"1000000"')],
    "binary_value": [
        ('"0010110"', "22"),
        ('"0"', "0"),
        ('"000"', "0"),
        ('"11110100001001000000"', "1000000"),
        ('"11110100001001000001"', None),
    ],
    "ternary_digits": [("16", "[1, 2, 1]"), ("81", "[1, 0, 0, 0, 0]"), ("2", "[2]"), ("0", "[0]")],
}

VALUES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
ONE = "(?:" + "|".join(word for word, value in VALUES.items() if value < 10) + ")"
TEEN = "(?:" + "|".join(word for word, value in VALUES.items() if 10 <= value < 20) + ")"
TENS = "(?:" + "|".join(word for word, value in VALUES.items() if value >= 20) + ")"
BELOW_100 = f"(?:{TENS} {ONE}|{TENS}|{TEEN}|{ONE})"
BELOW_1000 = f"(?:{ONE} hundred {BELOW_100}|{ONE} hundred|{BELOW_100})"
NAME = re.compile(f"(?:({BELOW_1000}) thousand)?(?:^| |$)({BELOW_1000})?")
NUMERAL = re.compile("m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")


def read(words: str) -> int:
    """The value of a name below a thousand."""
    head, found, tail = words.rpartition(" hundred")
    return (100 * VALUES[head] if found else 0) + sum(VALUES[word] for word in tail.split())


def number_in_words(x: int, y: str) -> bool:
    """The name has the form of one, and reading it gives the number."""
    match = NAME.fullmatch(y)
    if y == "zero" or not match:
        return y == "zero" and x == 0
    return y.strip() == y != "" and x == 1000 * read(match[1] or "") + read(match[2] or "")


UNIT_LETTERS = (0, 3, 3, 5, 4, 4, 3, 5, 5, 4, 3, 6, 6, 8, 8, 7, 7, 9, 8, 8)
TENS_LETTERS = (0, 0, 6, 6, 5, 5, 5, 7, 6, 6)


def letters_in_number_name(x: int, y: int) -> bool:
    """From tables of the lengths of the names, with 7 for hundred and 8 for thousand."""
    total = 4 if x == 0 else 0
    for part, suffix in ((x // 1000, 8), (x % 1000, 0)):
        hundreds, rest = part // 100, part % 100
        total += suffix * (part > 0) + UNIT_LETTERS[hundreds] + 7 * (hundreds > 0)
        total += UNIT_LETTERS[rest] if rest < 20 else TENS_LETTERS[rest // 10] + UNIT_LETTERS[rest % 10]
    return total == y


def roman_numeral(x: int, y: str) -> bool:
    """The numeral has the usual form, and its letters add up, a smaller one before a larger one counting down."""
    worth = ["ivxlcdm".index(letter) for letter in y]
    values = [(1, 5, 10, 50, 100, 500, 1000)[each] for each in worth]
    total = sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
    return NUMERAL.fullmatch(y) is not None and total == x


def spoken_digits(x: tuple[int, ...], y: tuple[str, ...]) -> bool:
    return [VALUES.get(word, 0 if word == "zero" else None) for word in y] == list(x)


def binary_notation(x: int, y: str) -> bool:
    return y == np.binary_repr(x)


def binary_value(x: str, y: int) -> bool:
    return y == sum(1 << place for place, bit in enumerate(reversed(x)) if bit == "1")


def ternary_digits(x: int, y: tuple[int, ...]) -> bool:
    return "".join(map(str, y)) == np.base_repr(x, 3)


ORACLES = {
    "number_in_words": number_in_words,
    "letters_in_number_name": letters_in_number_name,
    "roman_numeral": roman_numeral,
    "spoken_digits": spoken_digits,
    "binary_notation": binary_notation,
    "binary_value": binary_value,
    "ternary_digits": ternary_digits,
}
