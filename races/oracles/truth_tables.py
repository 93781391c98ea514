"""Hand-worked examples and independent oracles for environments/themes/logic/truth_tables.py."""

from itertools import product
from typing import Any

from races.environments.types import BoolExpr, type_of

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "truth_table_bits": [
        ('"a&b|c"', '"01010111"'),
        ('"a>c"', '"11110101"'),
        ('"~b"', '"11001100"'),
        ('"F"', '"00000000"'),
    ],
    "true_row_numbers": [('"a&b|c"', "[1, 3, 5, 6, 7]"), ('"~(a|b|c)"', "[0]"), ('"F"', "[]")],
    "karnaugh_map": [
        ('"a&b|c"', "[[0, 1, 1, 0], [0, 1, 1, 1]]"),
        ('"T"', "[[1, 1, 1, 1], [1, 1, 1, 1]]"),
        ('"~a&b"', "[[0, 0, 1, 1], [0, 0, 0, 0]]"),
    ],
    "statement_of_truth_table": [
        ('"01000001"', '"~a&~b&c|a&b&c"'),
        ('"0010"', '"~a&b&~c"'),
        ('"11"', '"~a&~b&~c|~a&~b&c"'),
        ('"000"', '"F"'),
        ('"000000001"', None),
    ],
}


class Truth:
    """A truth value under the signs of a statement, so that Python itself can read and work out its text."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __invert__(self) -> "Truth":
        return Truth(not self.value)

    def __and__(self, other: "Truth") -> "Truth":
        return Truth(self.value and other.value)

    def __or__(self, other: "Truth") -> "Truth":
        return Truth(self.value or other.value)

    def __gt__(self, other: "Truth") -> "Truth":
        return Truth(not (self.value and not other.value))


def holds(tree: Any, a: bool, b: bool, c: bool) -> bool:
    names = {"a": Truth(a), "b": Truth(b), "c": Truth(c), "T": Truth(True), "F": Truth(False)}
    result: Truth = eval(type_of(BoolExpr).encode(tree), names)
    return result.value


def truth_table_bits(x: Any, y: str) -> bool:
    return y == "".join(str(int(holds(x, *row))) for row in product((False, True), repeat=3))


def true_row_numbers(x: Any, y: tuple[int, ...]) -> bool:
    right = all((number in y) == holds(x, number > 3, number % 4 > 1, number % 2 > 0) for number in range(8))
    return right and list(y) == sorted(set(y) & set(range(8)))


def karnaugh_map(x: Any, y: tuple[tuple[int, ...], ...]) -> bool:
    columns = ((False, False), (False, True), (True, True), (True, False))  # b and c
    return y == tuple(tuple(int(holds(x, a, b, c)) for b, c in columns) for a in (False, True))


def statement_of_truth_table(x: str, y: Any) -> bool:
    """It is true in the right rows, and its text has one part for each."""
    rows = [row for row, bit in enumerate(x) if bit == "1"]
    written = str(type_of(BoolExpr).encode(y))
    if not rows:
        return written == "F"
    parts = [f"{row:03b}" for row in rows]
    found = ["".join("0" if "~" in letter else "1" for letter in part.split("&")) for part in written.split("|")]
    letters = "".join(character for character in written if character in "abc")
    return found == parts and letters == "abc" * len(rows) and "(" not in written and truth_table_bits(y, f"{x:0<8}")


ORACLES = {
    "truth_table_bits": truth_table_bits,
    "true_row_numbers": true_row_numbers,
    "karnaugh_map": karnaugh_map,
    "statement_of_truth_table": statement_of_truth_table,
}
