"""Playing cards dealt, moved, exchanged, counted and laid out on a table."""

from itertools import accumulate, combinations
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import BitString, CardList, CellList, Graph, NatList, Partition

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
BLACK, RED = DECK[:13] + DECK[39:], DECK[13:39]
MOST = 16  # cards that a list has at most
Cards = tuple[str, ...]


@environment()
def cards_one_rank_higher(cards: CardList) -> CardList:
    """Replace each card of the list by the next higher card of its suit. The ranks from the lowest to the highest are 2
    to 9, ten, jack, queen, king, ace; an ace is replaced by the 2 of its suit. Keep the order of the list.
    """
    return tuple([RANKS[(RANKS.index(card[0]) + 1) % 13] + card[1] for card in cards])


def hand_to_deal(rng: Random, level: int) -> Cards:
    """At least five cards, because few of them hardly change their places."""
    return tuple(rng.sample(DECK, (5, 6, 7, 8, 9)[level - 1]))


@environment(sample=hand_to_deal)
def cards_dealt_and_tucked(cards: CardList) -> CardList:
    """Lay the first card of the list on the table and put the next one at the end of the list. Go on like this, laying
    one and putting back one in turn, until all cards lie on the table. List them in the order in which they were laid.
    """
    dealt, left = [], cards
    while left:
        dealt.append(left[0])
        left = left[2:] + left[1:2]
    return tuple(dealt)


@environment()
def last_cards_of_piles(partition: Partition) -> CardList:
    """A deck is ordered by suit (clubs, diamonds, hearts, spades), within each suit by rank from 2 up to the ace. Deal
    it from its first card on into piles that have as many cards as the parts say, in the given order. List the last
    card of each pile.
    """
    if sum(partition) > len(DECK):
        raise OutOfDomain("the deck has only 52 cards")
    return tuple([DECK[dealt - 1] for dealt in accumulate(partition)])


def few_bits(rng: Random, level: int) -> str:
    """A bit for each card of a hand, and both bits in it."""
    length = (5, 6, 7, 8, 9)[level - 1]
    ones = rng.randint(2, length - 2)
    return "".join(rng.sample("1" * ones + "0" * (length - ones), length))


@environment(sample=few_bits)
def cards_drawn_by_colour(bits: BitString) -> CardList:
    """On the red pile lie the diamonds from 2 up to the ace, the 2 on top, below them the hearts likewise; on the black
    pile clubs, then spades. For each bit, left to right, draw the top card, red for 1, black for 0. List the cards as
    drawn.
    """
    if len(bits) > MOST:
        raise OutOfDomain(f"a list has at most {MOST} cards, the string has {len(bits)} bits")
    piles, drawn = {"0": BLACK, "1": RED}, enumerate(bits)
    return tuple([piles[bit][bits[:place].count(bit)] for place, bit in drawn])


@environment()
def blackjack_totals(cards: CardList) -> NatList:
    """After each card of the list give the total so far, as in blackjack: T, J, Q and K count 10, an ace 11, all others
    their number; but as long as the total is above 21 and some ace counts 11, let one such ace count 1.
    """
    totals, total, elevens = [], 0, 0
    for card in cards:
        ace = card[0] == "A"
        elevens += ace
        total += 11 if ace else min(10, RANKS.index(card[0]) + 2)
        while total > 21 and elevens:
            total, elevens = total - 10, elevens - 1
        totals.append(total)
    return tuple(totals)


def hand_to_compare(rng: Random, level: int) -> Cards:
    """Cards of a few ranks, so that ranks match as well as suits."""
    size, ranks = ((4, 3), (5, 4), (6, 5), (7, 5), (8, 6))[level - 1]
    chosen = rng.sample(RANKS, ranks)
    return tuple(rng.sample([rank + suit for rank in chosen for suit in SUITS], size))


@environment(sample=hand_to_compare)
def matching_cards_graph(cards: CardList) -> Graph:
    """Make the cards, numbered from 0 in the order of the list, the vertices of a graph. Join two of them by an edge if
    they have the same suit or the same rank.
    """
    if not 1 <= len(cards) <= 12:
        raise OutOfDomain(f"a graph has 1 to 12 vertices, but there are {len(cards)} cards")
    pairs = combinations(enumerate(cards), 2)
    return values.graph(len(cards), [(i, j) for (i, one), (j, two) in pairs if one[0] == two[0] or one[1] == two[1]])


@environment()
def cells_of_cards(cards: CardList) -> CellList:
    """All 52 cards lie on a table in four rows: clubs in row 0, then diamonds, hearts and spades; in each row from the
    2 in column 0 to the ace in column 12. Replace each card of the list by its row and its column.
    """
    return tuple([(SUITS.index(card[1]), RANKS.index(card[0])) for card in cards])
