"""Hand-worked examples and independent oracles for environments/themes/words/word_games.py."""

from collections import Counter, deque
from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "consonants_in_reverse_order": [('"lamps"', '"sapml"'), ('"stone"', '"ntose"'), ('"eau"', '"eau"')],
    "turned_by_vowel_count": [('"stone"', '"onest"'), ('"sky"', '"sky"'), ('"aei"', '"aei"')],
    "alphabetical_pieces": [('"letter"', '["l","ett","er"]'), ('"accent"', '["accent"]'), ('"a"', '["a"]')],
    "endings_in_dictionary_order": [
        ('"banana"', "[5,3,1,0,4,2]"),
        ('"aa"', "[1,0]"),
        ('"abcdefghijklm"', None),
    ],
    "letter_multiplicities": [('"banana"', "[3,2,1]"), ('"a"', "[1]"), ('"aaaaaaaaaaaaaaaaa"', None)],
    "scrabble_score": [('"quiz"', "22"), ('"a"', "1"), ('"zzzzzzz"', None), ('"zzzzzz"', "60")],
    "key_presses": [('"stop"', "[4,1,3,1]"), ('"z"', "[4]"), ('"abc"', "[1,2,3]")],
    "moves_of_letters": [('"flags"', '"URURD"'), ('"z"', '"L"'), ('"tsnm"', '"LDDR"')],
}

Words = tuple[str, ...]
Ints = tuple[int, ...]
VOWELS = set("aeiou")


def consonants_in_reverse_order(x: str, y: str) -> bool:
    places = [place for place, letter in enumerate(x) if letter not in VOWELS]
    moved = list(x)
    for first, last in zip(places, reversed(places), strict=True):
        if first < last:
            moved[first], moved[last] = moved[last], moved[first]
    return y == "".join(moved)


def turned_by_vowel_count(x: str, y: str) -> bool:
    ring = deque(x)
    ring.rotate(-len([letter for letter in x if letter in VOWELS]))
    return y == "".join(ring)


def alphabetical_pieces(x: str, y: Words) -> bool:
    inside = all(sorted(piece) == list(piece) for piece in y)
    return "".join(y) == x and all(y) and inside and all(left[-1] > right[0] for left, right in pairwise(y))


def endings_in_dictionary_order(x: str, y: Ints) -> bool:
    def before(i: int, j: int) -> bool:
        while i < len(x) and j < len(x):
            if x[i] != x[j]:
                return x[i] < x[j]
            i, j = i + 1, j + 1
        return i == len(x)

    return sorted(y) == list(range(len(x))) and all(before(i, j) for i, j in pairwise(y))


def letter_multiplicities(x: str, y: Ints) -> bool:
    return list(y) == [count for _, count in Counter(x).most_common()]


def scrabble_score(x: str, y: int) -> bool:
    groups = {1: "aeioulnstr", 2: "dg", 3: "bcmp", 4: "fhvwy", 5: "k", 8: "jx", 10: "qz"}
    return y == sum(points * sum(x.count(letter) for letter in letters) for points, letters in groups.items())


def key_presses(x: str, y: Ints) -> bool:
    keys = "abc def ghi jkl mno pqrs tuv wxyz".split()
    return list(y) == [next(key.index(letter) + 1 for key in keys if letter in key) for letter in x]


def moves_of_letters(x: str, y: str) -> bool:
    def move(letter: str) -> str:
        return "U" if letter <= "f" else "R" if letter <= "m" else "D" if letter <= "s" else "L"

    return list(y) == [move(letter) for letter in x]


ORACLES = {
    "consonants_in_reverse_order": consonants_in_reverse_order,
    "turned_by_vowel_count": turned_by_vowel_count,
    "alphabetical_pieces": alphabetical_pieces,
    "endings_in_dictionary_order": endings_in_dictionary_order,
    "letter_multiplicities": letter_multiplicities,
    "scrabble_score": scrabble_score,
    "key_presses": key_presses,
    "moves_of_letters": moves_of_letters,
}
