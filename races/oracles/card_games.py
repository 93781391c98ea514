"""Hand-worked examples and independent oracles for environments/themes/everyday/card_games.py."""

from collections import Counter, deque
from itertools import pairwise, product

import networkx as nx

from races.environments.values import Graph

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "cards_one_rank_higher": [
        ('["9C", "TH", "2S", "AD"]', '["TC", "JH", "3S", "2D"]'),
        ('["KS", "AS", "QS"]', '["AS", "2S", "KS"]'),
        ("[]", "[]"),
    ],
    "cards_dealt_and_tucked": [
        ('["3C", "TH", "2S", "AD", "7D"]', '["3C", "2S", "7D", "AD", "TH"]'),
        ('["AS", "2C", "3C"]', '["AS", "3C", "2C"]'),
        ('["QD"]', '["QD"]'),
        ("[]", "[]"),
    ],
    "last_cards_of_piles": [
        ("[5, 2, 1]", '["6C", "8C", "9C"]'),
        ("[8, 5, 1]", '["9C", "AC", "2D"]'),
        ("[16, 16, 16, 4]", '["4D", "7H", "TS", "AS"]'),
        ("[16, 16, 16, 5]", None),
        ("[]", "[]"),
    ],
    "cards_drawn_by_colour": [
        ('"10110"', '["2D", "2C", "3D", "4D", "3C"]'),
        ('"0"', '["2C"]'),
        ('"11111111111111"', str([f"{rank}D" for rank in "23456789TJQKA"] + ["2H"]).replace("'", '"')),
        ('"0000000000000001"', str([*[f"{r}C" for r in "23456789TJQKA"], "2S", "3S", "2D"]).replace("'", '"')),
        ('"00000000000000011"', None),
    ],
    "blackjack_totals": [
        ('["AS", "KD", "5C"]', "[11, 21, 16]"),
        ('["AS", "AD", "9C", "TH"]', "[11, 12, 21, 21]"),  # 22 becomes 12; 31 becomes 21
        ('["TS", "QD", "JH", "AC"]', "[10, 20, 30, 31]"),
        ('["6H", "AS", "AD", "KC", "7D"]', "[6, 17, 18, 18, 25]"),
        ("[]", "[]"),
    ],
    "matching_cards_graph": [
        ('["AS", "7S", "7H", "AD", "2C"]', '{"n": 5, "edges": [[0, 1], [0, 3], [1, 2]]}'),
        ('["QH"]', '{"n": 1, "edges": []}'),
        ("[]", None),
        ('["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC"]', None),
    ],
    "cells_of_cards": [
        ('["2C", "AS", "TH", "JD"]', "[[0, 0], [3, 12], [2, 8], [1, 9]]"),
        ("[]", "[]"),
    ],
}
Cards = tuple[str, ...]
Cells = tuple[tuple[int, int], ...]
VALUE = {**{str(number): number for number in range(2, 10)}, "T": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
DECK = [rank + suit for suit in "CDHS" for rank in VALUE]


def cards_one_rank_higher(x: Cards, y: Cards) -> bool:
    following = dict(pairwise("23456789TJQKA2"))
    return [following[rank] for rank, _ in x] == [rank for rank, _ in y] and [c[1] for c in x] == [c[1] for c in y]


def cards_dealt_and_tucked(x: Cards, y: Cards) -> bool:
    """Take the cards back from the table, the last one first, and undo each move to the end before it."""
    cards: deque[str] = deque()
    for card in reversed(y):
        cards.rotate(1)
        cards.appendleft(card)
    return tuple(cards) == x


def last_cards_of_piles(x: tuple[int, ...], y: Cards) -> bool:
    """Deal the cards one by one."""
    deck, last = iter(DECK), []
    for part in x:
        pile = [next(deck) for _ in range(part)]
        last.append(pile.pop())
    return list(y) == last


def cards_drawn_by_colour(x: str, y: Cards) -> bool:
    """The colours fit the bits, and the cards of a colour are the first ones of its pile."""
    red = [card for card in y if card[1] in "DH"]
    black = [card for card in y if card[1] in "CS"]
    colours = "".join("1" if card in red else "0" for card in y)
    return colours == x and red == DECK[13 : 13 + len(red)] and black == (DECK[:13] + DECK[39:])[: len(black)]


def blackjack_totals(x: Cards, y: tuple[int, ...]) -> bool:
    """Of all ways to count the aces: the best total of at most 21, or the smallest of all if there is none."""

    def best(cards: Cards) -> int:
        counts = [(1, 11) if rank == "A" else (min(10, VALUE[rank]),) for rank, _ in cards]
        totals = {sum(choice) for choice in product(*counts)}
        return max([total for total in totals if total <= 21], default=min(totals))

    return list(y) == [best(x[: end + 1]) for end in range(len(x))]


def matching_cards_graph(x: Cards, y: Graph) -> bool:
    """The union of a complete graph for each suit and for each rank."""
    whole = nx.empty_graph(len(x))
    for mark in set("".join(x)):
        whole.update(nx.complete_graph([i for i, card in enumerate(x) if mark in card]))
    return y.n == len(x) and {tuple(sorted(edge)) for edge in whole.edges} == set(y.edges)


def cells_of_cards(x: Cards, y: Cells) -> bool:
    """A card's place in the ordered deck tells its cell."""
    return Counter(y) == Counter(set(y)) and [13 * row + column for row, column in y] == [DECK.index(c) for c in x]


ORACLES = {
    "cards_one_rank_higher": cards_one_rank_higher,
    "cards_dealt_and_tucked": cards_dealt_and_tucked,
    "last_cards_of_piles": last_cards_of_piles,
    "cards_drawn_by_colour": cards_drawn_by_colour,
    "blackjack_totals": blackjack_totals,
    "matching_cards_graph": matching_cards_graph,
    "cells_of_cards": cells_of_cards,
}
