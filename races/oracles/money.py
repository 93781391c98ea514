"""Hand-worked examples and independent oracles for environments/themes/everyday/money.py."""

from decimal import ROUND_HALF_UP, Decimal

Counts = tuple[tuple[str, int], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "bulk_price_total": [
        ('{"lamp": 3, "oak": 7}', "38"),
        ('{"tin": 5}', "20"),
        ('{"tin": 6}', "23"),
        ("{}", "0"),
        ('{"a": 99999, "b": 99999, "c": 99999, "d": 99999}', None),
    ],
    "recipe_for_six": [
        ('{"eggs": 3, "flour": 250, "salt": 1}', '{"eggs": 5, "flour": 375, "salt": 2}'),
        ("{}", "{}"),
        ('{"flour": 66667}', None),
    ],
    "sale_prices": [
        ("[80, 100, 250]", "[72, 75, 188]"),
        ("[99, 25, 5, 0]", "[89, 23, 5, 0]"),
        ("[101, 102, 103]", "[76, 77, 77]"),
        ("[]", "[]"),
    ],
    "split_bill": [
        ("[1000, 3]", "[334, 333, 333]"),
        ("[5, 8]", "[1, 1, 1, 1, 1, 0, 0, 0]"),
        ("[0, 2]", "[0, 0]"),
        ("[90, 0]", None),
        ("[-6, 3]", None),
        ("[100, 41]", None),
        ("[7, 1]", "[7]"),
        ("[40, 40]", str([1] * 40)),
    ],
    "unpayable_amounts": [
        ("[4, 7]", "[1, 2, 3, 5, 6, 9, 10, 13, 17]"),
        ("[3, 8, 100]", "[1, 2, 4, 5, 7, 10, 13]"),
        ("[1, 9, 50]", "[]"),
        ("[2, 20, 21]", "[1, 3, 5, 7, 9, 11, 13, 15, 17, 19]"),
        ("[0, 5]", None),
        ("[30]", str(list(range(1, 21)))),
    ],
}


def bulk_price_total(x: Counts, y: int) -> bool:
    """Every piece at the higher price, less a dollar for each that is beyond the fifth."""
    return y == sum(4 * n - len(range(5, n)) for _, n in x)


def recipe_for_six(x: Counts, y: Counts) -> bool:
    """Four people's share of the new amount is the old amount, and would not be with one unit less."""
    before, after = dict(x), dict(y)
    return before.keys() == after.keys() and all(4 * (after[k] - 1) < 6 * before[k] <= 4 * after[k] for k in before)


def sale_prices(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    exact = [Decimal(price) * (Decimal("0.9") if price < 100 else Decimal("0.75")) for price in x]
    return [Decimal(price) for price in y] == [price.quantize(Decimal(1), ROUND_HALF_UP) for price in exact]


def split_bill(x: tuple[int, int], y: tuple[int, ...]) -> bool:
    return sum(y) == x[0] and len(y) == x[1] and max(y) - min(y) <= 1 and list(y) == sorted(y, reverse=True)


def unpayable_amounts(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    """Everything that one can reach from 0 by adding coins, found by flooding."""
    reached, border = {0}, [0]
    while border:
        amount = border.pop()
        new = {amount + coin for coin in x if amount + coin <= 20} - reached
        reached |= new
        border += new
    return list(y) == [amount for amount in range(1, 21) if amount not in reached]


ORACLES = {
    "bulk_price_total": bulk_price_total,
    "recipe_for_six": recipe_for_six,
    "sale_prices": sale_prices,
    "split_bill": split_bill,
    "unpayable_amounts": unpayable_amounts,
}
