"""Playing cards: ranks and suits, sorting, and a deck to take cards from."""

from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import CardList, NatList, Permutation, Tally, Text

RANKS, SUITS = "23456789TJQKA", "CDHS"
RANK_WORDS = "two three four five six seven eight nine ten jack queen king ace".split()
SUIT_WORDS = "clubs diamonds hearts spades".split()
Cards = tuple[str, ...]


def hand(rng: Random, sizes: tuple[int, int, int, int, int], level: int) -> Cards:
    """So many different cards as the level's size."""
    return tuple(rng.sample([rank + suit for rank in RANKS for suit in SUITS], sizes[level - 1]))


def sortable_hand(rng: Random, level: int) -> Cards:
    """At least four cards, because three are too often in order."""
    return hand(rng, (4, 5, 6, 8, 9), level)


def large_hand(rng: Random, level: int) -> Cards:
    """Enough cards for some suits to occur more often than others."""
    return hand(rng, (5, 7, 9, 12, 16), level)


@environment()
def card_ranks(cards: CardList) -> NatList:
    """Replace each card of the list by its rank as a number: the cards from 2 to 9 keep their number, ten becomes 10,
    jack 11, queen 12, king 13 and ace 14. Leave the suits out and keep the order.
    """
    return tuple([RANKS.index(card[0]) + 2 for card in cards])


@environment(sample=large_hand)
def suit_tally(cards: CardList) -> Tally:
    """Count the cards of each suit in the list. Use the keys clubs, diamonds, hearts and spades, and leave out suits
    that do not occur.
    """
    counts = dict.fromkeys(SUIT_WORDS, 0)
    for card in cards:
        counts[SUIT_WORDS[SUITS.index(card[1])]] += 1
    return values.tally(counts)


@environment()
def spoken_hand(cards: CardList) -> Text:
    """Say the cards in order in lowercase words, each as its rank (two to ten, jack, queen, king or ace), the word of,
    and its suit (clubs, diamonds, hearts or spades). Put the word then between consecutive cards, and single
    spaces between words.
    """
    if not cards:
        raise OutOfDomain("there is no card to say")
    if len(cards) > 10:
        raise OutOfDomain("more than ten cards make too long a text")
    named = [f"{RANK_WORDS[RANKS.index(card[0])]} of {SUIT_WORDS[SUITS.index(card[1])]}" for card in cards]
    return " then ".join(named)


@environment(sample=sortable_hand)
def sort_hand(cards: CardList) -> CardList:
    """Sort the cards by suit in the order clubs, diamonds, hearts, spades, and within each suit by rank from 2 up to
    the ace, which is the highest.
    """
    return tuple(sorted(cards, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0]))))


@environment(sample=sortable_hand)
def sorted_card_positions(cards: CardList) -> Permutation:
    """Imagine the cards sorted by rank from 2 up to the ace, the highest, and among equal ranks by suit in the order
    clubs, diamonds, hearts, spades. For each card, in the order of the list, give its position among the sorted cards,
    counting from 0.
    """
    if not 1 <= len(cards) <= 12:
        raise OutOfDomain(f"a permutation has 1 to 12 entries, but there are {len(cards)} cards")
    ordered = sorted(cards, key=lambda card: (RANKS.index(card[0]), SUITS.index(card[1])))
    return tuple([ordered.index(card) for card in cards])


def deck_positions(rng: Random, level: int) -> tuple[int, ...]:
    """Positions all over the deck, one of them now and then repeated."""
    positions = rng.sample(range(52), (3, 4, 5, 7, 9)[level - 1])
    if rng.random() < 0.4:
        positions.insert(rng.randint(0, len(positions)), rng.choice(positions))
    return tuple(positions)


@environment(sample=deck_positions)
def cards_at_positions(positions: NatList) -> CardList:
    """A deck is ordered by suit (clubs, diamonds, hearts, spades) and within each suit by rank from 2 up to the ace.
    Replace each entry of the list by the card at that position of the deck, counting from 0; leave out entries that
    already occurred earlier in the list.
    """
    if any([position > 51 for position in positions]):
        raise OutOfDomain("the last card of the deck is at position 51")
    different = list(dict.fromkeys(positions))
    if len(different) > 16:
        raise OutOfDomain("more than 16 different cards are too many for a list of cards")
    return tuple([RANKS[position % 13] + SUITS[position // 13] for position in different])
