"""Hand-worked examples and independent oracles for environments/themes/logic/code_tracing.py."""

from collections import deque
from itertools import accumulate, pairwise, zip_longest

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "thirds_or_one_less": [("10", "[10,9,3,1]"), ("0", "[]"), ("1", "[1]"), ("6", "[6,2,1]")],
    "even_entries_to_front": [("[3,2,5,4,4]", "[4,4,2,3,5]"), ("[-3,-2,0]", "[0,-2,-3]"), ("[]", "[]")],
    "total_steered_to_zero": [
        ("[5,3,4,1]", "[5,2,-2,-1]"),
        ("[0,-3,-4]", "[0,-3,-7]"),
        ("[]", "[]"),
        ("[-1000000,-1]", None),
    ],
    "peasant_multiplication_rows": [
        ("[13,7]", "[[13,7],[3,28],[1,56]]"),
        ("[0,5]", "[]"),
        ("[-4,5]", "[]"),
        ("[2,-3]", "[[1,-6]]"),
        ("[3,900000]", None),
    ],
    "characters_at_both_ends": [('"abcde"', '"dbace"'), ('"ab"', '"ba"'), ('""', '""')],
    "columns_of_ragged_rows": [
        ("[[1,2,3],[],[4,5]]", "[[1,4],[2,5],[3]]"),
        ("[[]]", "[]"),
        ("[[1],[2],[3]]", "[[1,2,3]]"),
        (str([[0] * 41]), None),
    ],
}

Ints = tuple[int, ...]


def thirds_or_one_less(x: int, y: Ints) -> bool:
    """Each printed number must follow from the one before it, from the first to the final 0."""
    chain = [*y, 0]
    follows = [3 * b == a or (a % 3 > 0 and b == a - 1) for a, b in pairwise(chain)]
    return chain[0] == x and 0 not in y and all(follows)


def even_entries_to_front(x: Ints, y: Ints) -> bool:
    ends: deque[int] = deque()
    for number in x:
        (ends.append if number & 1 else ends.appendleft)(number)
    return tuple(ends) == y


def total_steered_to_zero(x: Ints, y: Ints) -> bool:
    totals = accumulate(x, lambda total, number: total - number * (1 if total > 0 else -1), initial=0)
    return (0, *y) == tuple(totals)


def peasant_multiplication_rows(x: tuple[int, int], y: tuple[tuple[int, int], ...]) -> bool:
    """The pairs belong to the ones of the first number in base two, and their second numbers add up to the product."""
    a, b = x
    if a <= 0:
        return y == ()
    ones = [power for power, bit in enumerate(reversed(f"{a:b}")) if bit == "1"]
    return y == tuple((a >> power, b << power) for power in ones) and sum(second for _, second in y) == a * b


def characters_at_both_ends(x: str, y: str) -> bool:
    text = ""
    for place, character in enumerate(x):
        text = character + text if place % 2 else text + character
    return text == y


def columns_of_ragged_rows(x: tuple[Ints, ...], y: tuple[Ints, ...]) -> bool:
    return y == tuple(tuple(each for each in column if each is not None) for column in zip_longest(*x))


ORACLES = {
    "thirds_or_one_less": thirds_or_one_less,
    "even_entries_to_front": even_entries_to_front,
    "total_steered_to_zero": total_steered_to_zero,
    "peasant_multiplication_rows": peasant_multiplication_rows,
    "characters_at_both_ends": characters_at_both_ends,
    "columns_of_ragged_rows": columns_of_ragged_rows,
}
