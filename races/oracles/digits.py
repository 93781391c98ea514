"""Hand-worked examples and independent oracles for environments/themes/numbers/digits.py."""

import re

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "reversed_digits": [("4071", "1704"), ("-250", "-52"), ("0", "0"), ("1000000", "1"), ("-8", "-8")],
    "even_and_odd_digits": [("47218", "[428, 71]"), ("3004", "[4, 3]"), ("20", "[20, 0]"), ("0", "[0, 0]")],
    "accounting_notation": [
        ("-12345", '"(12,345)"'),
        ("999", '"999"'),
        ("1000000", '"1,000,000"'),
        ("-100", '"(100)"'),
        ("0", '"0"'),
        ("7003", '"7,003"'),
    ],
    "display_bars": [("8147", "16"), ("0", "6"), ("1000000", "38"), ("2369", "22")],
    "luhn_sum": [("4827", "27"), ("7", "7"), ("0", "0"), ("999999", "54"), ("1000000", "1"), ("59", "10")],
    "sorted_digital_roots": [
        ("[38, 0, 999, 10, 7]", "[9, 7, 2, 1]"),
        ("[0, 0]", "[]"),
        ("[]", "[]"),
        ("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", None),
    ],
}


def reversed_digits(x: int, y: int) -> bool:
    """Peel the last digits off one by one."""
    left, built = abs(x), 0
    while left:
        left, digit = divmod(left, 10)
        built = 10 * built + digit
    return abs(y) == built and x * y >= 0


def even_and_odd_digits(x: int, y: tuple[int, int]) -> bool:
    """Delete the digits of the other kind."""
    return y == (int("0" + re.sub("[13579]", "", str(x))), int("0" + re.sub("[02468]", "", str(x))))


def accounting_notation(x: int, y: str) -> bool:
    """Reading the notation gives the number, and its shape is right."""
    shape = re.fullmatch(r"(\()?(\d{1,3}(?:,\d{3})*)(\))?", y)
    if shape is None or bool(shape[1]) != bool(shape[3]) or bool(shape[1]) != (x < 0):
        return False
    figures = shape[2].replace(",", "")
    return int(figures) == abs(x) and (figures == figures.lstrip("0") or y == "0")


# The bars of a seven-segment display: a on top, then clockwise b to f, g in the middle; 7 without its left bar.
BARS = dict(zip("0123456789", "abcdef bc abdeg abcdg bcfg acdfg acdefg abc abcdefg abcdfg".split(), strict=True))


def display_bars(x: int, y: int) -> bool:
    return y == len("".join(BARS[digit] for digit in str(x)))


def luhn_sum(x: int, y: int) -> bool:
    """By table, padding the number to an even length so that the doubled digits come first in each pair."""
    text = str(x).rjust(8, "0")
    return y == sum(int("0246813579"[int(digit)]) for digit in text[::2]) + sum(map(int, text[1::2]))


def sorted_digital_roots(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    roots = []
    for number in x:
        while number > 9:
            number = sum(map(int, str(number)))
        roots.append(number)
    return [roots.count(digit) for digit in range(1, 10)] == [y.count(digit) for digit in range(1, 10)] and list(
        y
    ) == sorted(y)[::-1]


ORACLES = {
    "reversed_digits": reversed_digits,
    "even_and_odd_digits": even_and_odd_digits,
    "accounting_notation": accounting_notation,
    "display_bars": display_bars,
    "luhn_sum": luhn_sum,
    "sorted_digital_roots": sorted_digital_roots,
}
