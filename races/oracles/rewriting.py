"""Hand-worked examples and independent oracles for environments/themes/words/rewriting.py."""

import re
from random import Random

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "equal_neighbours_cancelled": [
        ('"abbac"', '"c"'),
        ('"aaa"', '"a"'),
        ('"aA"', '"aA"'),
        ('""', '""'),
        ('"xx"', '""'),
    ],
    "fibonacci_carries": [
        ('"11"', '"100"'),
        ('"0111"', '"01001"'),
        ('"0"', '"00"'),
        ('"1111"', '"10100"'),
        (f'"{"0" * 48}"', None),
    ],
    "fibonacci_substitution": [('"0110"', '"010001"'), ('"1"', '"0"'), (f'"{"0" * 25}"', None)],
    "carried_fives": [
        ("[7,3,12]", "[1,3,0,2]"),
        ("[4]", "[4]"),
        ("[0,5]", "[1,0]"),
        ("[]", "[]"),
        (str([5] * 40), None),
    ],
    "vowels_pass_later_consonants": [('"copper"', '"cpproe"'), ('"eab"', '"eba"'), ('"zoo"', '"zoo"'), ('"b"', '"b"')],
}

Ints = tuple[int, ...]


def equal_neighbours_cancelled(x: str, y: str) -> bool:
    """Many cancellations at a time, whichever the regular expression meets."""
    while re.search(r"(.)\1", x):
        x = re.sub(r"(.)\1", "", x)
    return x == y


def fibonacci_carries(x: str, y: str) -> bool:
    """With the weights 1, 2, 3, 5, ... the value stays, and without two neighbouring ones it is written in one way."""
    weights = [1, 2]
    while len(weights) < 50:
        weights.append(weights[-1] + weights[-2])
    before, after = (sum(w for w, bit in zip(weights, reversed(bits), strict=False) if bit == "1") for bits in (x, y))
    return len(y) == len(x) + 1 and before == after and "11" not in y


def fibonacci_substitution(x: str, y: str) -> bool:
    pieces = re.findall("01|0", y)
    return "".join(pieces) == y and "".join("1" if piece == "0" else "0" for piece in pieces) == x


def carried_fives(x: Ints, y: Ints) -> bool:
    """The value in base five stays, and nothing is put in front without need."""
    before, after = (sum(each * 5**power for power, each in enumerate(reversed(places))) for places in (x, y))
    needed = len(y) == len(x) or (len(y) > len(x) and y[0] > 0)
    return before == after and needed and all(each <= 4 for each in y)


def vowels_pass_later_consonants(x: str, y: str) -> bool:
    """Exchange at places drawn at random until no exchange is left."""
    rng, letters = Random(x), list(x)
    while True:
        places = [i for i in range(len(letters) - 1) if re.fullmatch("[aeiou][^aeiou]", "".join(letters[i : i + 2]))]
        places = [i for i in places if letters[i] < letters[i + 1]]
        if not places:
            return "".join(letters) == y
        i = rng.choice(places)
        letters[i : i + 2] = letters[i + 1], letters[i]


ORACLES = {
    "equal_neighbours_cancelled": equal_neighbours_cancelled,
    "fibonacci_carries": fibonacci_carries,
    "fibonacci_substitution": fibonacci_substitution,
    "carried_fives": carried_fives,
    "vowels_pass_later_consonants": vowels_pass_later_consonants,
}
