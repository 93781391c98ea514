"""Hand-worked examples and independent oracles for environments/themes/words/sentences.py."""

import re
import textwrap

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "numbered_words": [
        ('"some words here"', '"1.some 2.words 3.here"'),
        ('"a"', '"1.a"'),
        ('"' + "a" * 239 + '"', None),
    ],
    "numeronyms": [('"The stones fell."', '"The s4s f3."'), ('"four"', '"f2r"'), ('"one"', '"one"')],
    "first_characters_behind_words": [('"Oak, tin a"', '"ak,O int a"'), ('"stone"', '"tones"'), ('"7"', '"7"')],
    "every_third_letter": [
        ('"It is 5 o\'clock!"', '"icc"'),
        ('"ABC"', '"c"'),
        ('"ab 1"', None),
        ('"' + "a" * 75 + '"', None),
    ],
    "line_lengths": [
        ('"one two three four five"', "[13,9]"),
        ('"abcdefg abcdefg"', "[15]"),
        ('"abcdefgh abcdefg"', "[8,7]"),
        ('"abcdefghijklmnop"', None),
        ('"abcdefghijklmno"', "[15]"),
    ],
}


def numbered_words(x: str, y: str) -> bool:
    parts = [part.split(".", 1) for part in y.split(" ")]
    numbers, words = [part[0] for part in parts], [part[1] for part in parts]
    return " ".join(words) == x and numbers == [str(number + 1) for number in range(len(words))]


def numeronyms(x: str, y: str) -> bool:
    return y == re.sub(r"(\S)(\S{2,})(\S)", lambda found: f"{found[1]}{len(found[2])}{found[3]}", x)


def first_characters_behind_words(x: str, y: str) -> bool:
    return y == re.sub(r"(\S)(\S*)", r"\2\1", x)


def every_third_letter(x: str, y: str) -> bool:
    letters = [each for each in x.casefold() if each.isalpha()]
    return list(y) == [each for number, each in enumerate(letters, 1) if number % 3 == 0]


def line_lengths(x: str, y: tuple[int, ...]) -> bool:
    lines = textwrap.wrap(x, 15, break_long_words=False, break_on_hyphens=False)
    return list(y) == [len(line) for line in lines]


ORACLES = {
    "numbered_words": numbered_words,
    "numeronyms": numeronyms,
    "first_characters_behind_words": first_characters_behind_words,
    "every_third_letter": every_third_letter,
    "line_lengths": line_lengths,
}
