"""Hand-worked examples and independent oracles for environments/themes/everyday/cards.py."""

from collections import Counter
from itertools import pairwise

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "card_ranks": [
        ('["TH", "2C", "AS", "JD"]', "[10, 2, 14, 11]"),
        ('["QC", "KD", "9S"]', "[12, 13, 9]"),
        ("[]", "[]"),
    ],
    "suit_tally": [
        ('["TH", "2C", "AH", "5S"]', '{"clubs": 1, "hearts": 2, "spades": 1}'),
        ('["2D"]', '{"diamonds": 1}'),
        ("[]", "{}"),
    ],
    "spoken_hand": [
        ('["9S", "TD", "AC"]', '"nine of spades then ten of diamonds then ace of clubs"'),
        ('["JH"]', '"jack of hearts"'),
        ("[]", None),
        ('["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC"]', None),
        (
            '["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC"]',
            '"'
            + " then ".join(f"{rank} of clubs" for rank in "two three four five six seven eight nine ten jack".split())
            + '"',
        ),
    ],
    "sort_hand": [
        ('["AS", "2H", "TC", "KC", "3D", "AC"]', '["TC", "KC", "AC", "3D", "2H", "AS"]'),
        ('["9H", "TH", "JH"]', '["9H", "TH", "JH"]'),
        ("[]", "[]"),
    ],
    "sorted_card_positions": [
        ('["AS", "2H", "TC", "2C", "KD"]', "[4, 1, 2, 0, 3]"),
        ('["7S", "7C", "7H", "7D"]', "[3, 0, 2, 1]"),
        ('["QS"]', "[0]"),
        ("[]", None),
    ],
    "cards_at_positions": [
        ("[0, 12, 13, 51, 26]", '["2C", "AC", "2D", "AS", "2H"]'),
        ("[8, 40, 8, 9, 40]", '["TC", "3S", "JC"]'),
        ("[]", "[]"),
        ("[3, 52]", None),
        (str(list(range(17))), None),
    ],
}
Cards = tuple[str, ...]
RANK = {**{str(number): number for number in range(2, 10)}, "T": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
SUIT = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}  # their names are in alphabetical order, too


def card_ranks(x: Cards, y: tuple[int, ...]) -> bool:
    return list(y) == [RANK[rank] for rank, _ in x]


def suit_tally(x: Cards, y: tuple[tuple[str, int], ...]) -> bool:
    return dict(y) == Counter(SUIT[suit] for _, suit in x)


def spoken_hand(x: Cards, y: str) -> bool:
    """Read the text back into cards."""
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
    rank_of, suit_of = dict(zip(words, "23456789TJQKA", strict=True)), {name: suit for suit, name in SUIT.items()}
    heard = [spoken.split(" of ") for spoken in y.split(" then ")]
    return list(x) == [rank_of[rank] + suit_of[suit] for rank, suit in heard]


def sort_hand(x: Cards, y: Cards) -> bool:
    def place(card: str) -> int:
        return 13 * "CDHS".find(card[1]) + RANK[card[0]]

    return sorted(x) == sorted(y) and all(place(a) < place(b) for a, b in pairwise(y))


def sorted_card_positions(x: Cards, y: tuple[int, ...]) -> bool:
    """A card's position is the number of cards below it."""
    return list(y) == [sum((RANK[a[0]], SUIT[a[1]]) < (RANK[b[0]], SUIT[b[1]]) for a in x) for b in x]


def cards_at_positions(x: tuple[int, ...], y: Cards) -> bool:
    deck = [rank + suit for suit in "CDHS" for rank in RANK]
    return list(y) == [deck[k] for i, k in enumerate(x) if k not in x[:i]]


ORACLES = {
    "card_ranks": card_ranks,
    "suit_tally": suit_tally,
    "spoken_hand": spoken_hand,
    "sort_hand": sort_hand,
    "sorted_card_positions": sorted_card_positions,
    "cards_at_positions": cards_at_positions,
}
