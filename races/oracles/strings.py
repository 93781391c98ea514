"""Hand-worked examples and independent oracles for environments/themes/words/strings.py."""

from itertools import groupby
from string import ascii_lowercase

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "growing_letter_shift": [('"xyz"', '"yac"'), ('"aaaa"', '"bcde"'), ('"z"', '"a"')],
    "letter_positions": [('"cab"', "[3,1,2]"), ('"z"', "[26]")],
    "letters_counted_from_a": [("[2,0,19]", '"cat"'), ("[25]", '"z"'), ("[26]", None), ("[]", None)],
    "look_and_say_string": [
        ('"aabccc"', '"2a1b3c"'),
        ('"1112"', '"3112"'),
        ('"aA"', '"1a1A"'),
        ('""', '""'),
        ('"ababababababababababababababababa"', None),
        ('"' + "ab" * 16 + '"', '"' + "1a1b" * 16 + '"'),
    ],
    "reverse_every_second_word": [
        ('["lamp","oak","tin","sun"]', '["lamp","kao","tin","nus"]'),
        ('["lamp"]', '["lamp"]'),
        ("[]", "[]"),
    ],
}

Words = tuple[str, ...]


def growing_letter_shift(x: str, y: str) -> bool:
    ring = ascii_lowercase * 3
    return len(x) == len(y) and all(
        ring.index(a) + i + 1 in (ring.index(b), ring.index(b) + 26) for i, (a, b) in enumerate(zip(x, y, strict=True))
    )


def letter_positions(x: str, y: tuple[int, ...]) -> bool:
    return all(1 <= place <= 26 for place in y) and "".join(ascii_lowercase[place - 1] for place in y) == x


def letters_counted_from_a(x: tuple[int, ...], y: str) -> bool:
    return tuple(map(ascii_lowercase.index, y)) == x


def look_and_say_string(x: str, y: str) -> bool:
    return y == "".join(str(len(list(run))) + character for character, run in groupby(x))


def reverse_every_second_word(x: Words, y: Words) -> bool:
    backwards = [word[::-1] for word in y[1::2]]
    return len(x) == len(y) and x[::2] == y[::2] and list(x[1::2]) == backwards


ORACLES = {
    "growing_letter_shift": growing_letter_shift,
    "letter_positions": letter_positions,
    "letters_counted_from_a": letters_counted_from_a,
    "look_and_say_string": look_and_say_string,
    "reverse_every_second_word": reverse_every_second_word,
}
