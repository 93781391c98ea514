"""Hand-worked examples and independent oracles for environments/themes/everyday/shopping.py."""

from decimal import Decimal
from itertools import product

import numpy as np

Ints = tuple[int, ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "fewest_coins": [
        ("19", "[10, 5, 2, 2]"),
        ("6", "[5, 1]"),
        ("60", "[10, 10, 10, 10, 10, 10]"),
        ("8", "[5, 2, 1]"),
        ("0", "[]"),
    ],
    "price_tag": [
        ("1205", '"$12.05"'),
        ("7", '"$0.07"'),
        ("0", '"$0.00"'),
        ("1000000", '"$10000.00"'),
        ("90", '"$0.90"'),
    ],
    "receipt_lines": [
        ("[[3, 25], [1, 199], [2, 40]]", "[75, 199, 80, 354]"),
        ("[[-1, 30], [2, 45]]", "[-30, 90, 60]"),
        ("[]", "[0]"),
        ("[[1000, 1001]]", None),
        ("[[1000, 600], [1000, 600]]", None),
    ],
    "vending_machine_credit": [
        ("[100, 60, 20, 120, 400]", "[100, 10, 30, 0, 100]"),
        ("[]", "[]"),
        ("[0, 300]", "[0, 0]"),
    ],
}


def fewest_coins(x: int, y: Ints) -> bool:
    """Try all ways to pay; the shortest one is the only one of its length."""
    ways = [
        (10,) * tens + (5,) * fives + (2,) * twos + (1,) * (x - 10 * tens - 5 * fives - 2 * twos)
        for tens, fives, twos in product(range(x // 10 + 1), range(x // 5 + 1), range(x // 2 + 1))
        if 10 * tens + 5 * fives + 2 * twos <= x
    ]
    fewest = min(map(len, ways))
    return [way for way in ways if len(way) == fewest] == [y]


def price_tag(x: int, y: str) -> bool:
    return y == "$" + str((Decimal(x) / 100).quantize(Decimal("0.01")))


def receipt_lines(x: tuple[tuple[int, int], ...], y: Ints) -> bool:
    """The sum is the scalar product of the two columns."""
    lines = np.array(x, dtype=np.int64).reshape(-1, 2)
    return list(y) == [*lines.prod(axis=1).tolist(), int(lines[:, 0] @ lines[:, 1])]


def vending_machine_credit(x: Ints, y: Ints) -> bool:
    """Sell the items one by one."""
    credit, seen = 0, []
    for coin in x:
        credit += coin
        while credit >= 150:
            credit -= 150
        seen.append(credit)
    return list(y) == seen


ORACLES = {
    "fewest_coins": fewest_coins,
    "price_tag": price_tag,
    "receipt_lines": receipt_lines,
    "vending_machine_credit": vending_machine_credit,
}
