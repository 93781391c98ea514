"""Strings over an alphabet, texts, lists of words, tallies of words and hands of cards."""

import itertools
import re
from random import Random
from typing import Annotated, Any

from races.environments.types.base import Type, is_int, type_of
from races.environments.types.lexicon import LONG_WORDS, SHORT_WORDS

Words = tuple[str, ...]
Counts = tuple[tuple[str, int], ...]

_LENGTHS = (6, 9, 12, 16, 24)


class StringType(Type[str]):
    """Strings that match a pattern; an answer may leave out the quotes."""

    pattern: str
    longest: int

    def belongs(self, value: object) -> bool:
        return type(value) is str and len(value) <= self.longest and re.fullmatch(self.pattern, value) is not None

    def bare(self, text: str) -> str:
        return self.decode(text)

    def healthy(self, value: str) -> bool:
        return len(value) >= 3 and len(set(value)) > 1

    def sample(self, rng: Random, level: int) -> str:
        length = (4, 6, 9, 12, 16)[level - 1] + rng.randint(0, 2)
        while True:
            value = "".join(
                [rng.choice("abcdefghkmnprstuvwxyzABCDEFGHKMNPRSTUVWXYZ23456789#$%&*+-=?@") for _ in range(length)]
            )
            if self.healthy(value):
                return value


class WordType(StringType):
    """Words of lowercase letters; samples are English words, and two of them joined at the higher levels."""

    def sample(self, rng: Random, level: int) -> str:
        if level == 1:
            return rng.choice(SHORT_WORDS)
        if level <= 3:
            return rng.choice(LONG_WORDS) + (rng.choice(SHORT_WORDS) if level == 3 else "")
        return "".join(rng.sample(SHORT_WORDS + LONG_WORDS, 2 if level == 4 else 3))[:24]


class BitStringType(StringType):
    """Strings of bits."""

    def healthy(self, value: str) -> bool:
        return len(value) >= 4 and len(set(value)) > 1

    def sample(self, rng: Random, level: int) -> str:
        while True:
            length = rng.randint(_LENGTHS[level - 1] - 2, _LENGTHS[level - 1])
            value = "".join([rng.choice("01") for _ in range(length)])
            if self.healthy(value):
                return value


class DyckType(StringType):
    """Balanced strings of round brackets."""

    def belongs(self, value: object) -> bool:
        if not super().belongs(value):
            return False
        depth = 0
        for character in str(value):
            depth += 1 if character == "(" else -1
            if depth < 0:
                return False
        return depth == 0

    def healthy(self, value: str) -> bool:
        pairs = len(value) // 2
        return 3 <= pairs <= 10 and value not in ("()" * pairs, "(" * pairs + ")" * pairs)

    def sample(self, rng: Random, level: int) -> str:
        pairs = (3, 4, 5, 7, 9)[level - 1] + rng.randint(0, 1)
        while True:
            value = self._walk(rng, pairs)
            if self.healthy(value):
                return value

    def _walk(self, rng: Random, pairs: int) -> str:
        opened, closed, text = 0, 0, ""
        while closed < pairs:
            if opened < pairs and (opened == closed or rng.random() < 0.5):
                text, opened = text + "(", opened + 1
            else:
                text, closed = text + ")", closed + 1
        return text


class MovesType(StringType):
    """Sequences of steps up, down, left and right."""

    def healthy(self, value: str) -> bool:
        return len(value) >= 4 and len(set(value)) > 1

    def sample(self, rng: Random, level: int) -> str:
        while True:
            length = rng.randint((5, 7, 9, 12, 16)[level - 1], (6, 8, 11, 15, 20)[level - 1])
            value = "".join([rng.choice("UDLR") for _ in range(length)])
            if self.healthy(value):
                return value


class TextType(StringType):
    """Words separated by single spaces."""

    def belongs(self, value: object) -> bool:
        return super().belongs(value) and str(value).count(" ") < 40

    def healthy(self, value: str) -> bool:
        return value.count(" ") >= 2

    def sample(self, rng: Random, level: int) -> str:
        words = [rng.choice(SHORT_WORDS + LONG_WORDS) for _ in range((4, 6, 8, 11, 15)[level - 1] + rng.randint(0, 2))]
        if level >= 3:
            words[len(words) // 2] += ","
        text = " ".join(words)
        return text[0].upper() + text[1:] + "." if level >= 2 else text


class WordListType(Type[Words]):
    """Lists of words whose order matters."""

    def belongs(self, value: object) -> bool:
        return type(value) is tuple and len(value) <= 24 and all([each in _WORDS for each in value])

    def healthy(self, value: Words) -> bool:
        return 2 <= len(value) <= 10 and len(set(value)) > 1

    def sample(self, rng: Random, level: int) -> Words:
        pool = SHORT_WORDS if level <= 2 else SHORT_WORDS + LONG_WORDS
        return tuple(rng.sample(pool, (3, 4, 6, 8, 10)[level - 1]))


class TallyType(Type[Counts]):
    """Counts by key, as pairs in the ASCII order of the keys; JSON writes an object, whose order does not matter."""

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or len(value) > 26:
            return False
        for pair in value:
            if type(pair) is not tuple or len(pair) != 2 or type(pair[0]) is not str or not _KEY.fullmatch(pair[0]):
                return False
            if not is_int(pair[1], 1, 99_999):
                return False
        return all([a[0] < b[0] for a, b in itertools.pairwise(value)])

    def healthy(self, value: Counts) -> bool:
        return 2 <= len(value) <= 10 and len({count for _, count in value}) > 1

    def sample(self, rng: Random, level: int) -> Counts:
        top = (9, 12, 20, 50, 200)[level - 1]
        while True:
            keys = rng.sample(SHORT_WORDS, (3, 4, 5, 6, 8)[level - 1])
            value = tuple(sorted((key, rng.randint(1, top)) for key in keys))
            if self.healthy(value):
                return value

    def encode(self, value: Counts) -> dict[str, int]:
        return dict(value)

    def decode(self, data: Any) -> Counts:
        if not isinstance(data, dict):
            raise TypeError("expected an object")
        counts = [(key, int(n) if isinstance(n, float) and n.is_integer() else n) for key, n in data.items()]
        value = tuple(sorted(counts, key=lambda pair: pair[0]))
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value


RANKS, SUITS = "23456789TJQKA", "CDHS"


class CardListType(Type[Words]):
    """Hands of different playing cards whose order matters."""

    def belongs(self, value: object) -> bool:
        if type(value) is not tuple or len(value) > 16 or len(set(map(str, value))) < len(value):
            return False
        return all([type(c) is str and len(c) == 2 and c[0] in RANKS and c[1] in SUITS for c in value])

    def healthy(self, value: Words) -> bool:
        return 3 <= len(value) <= 9

    def sample(self, rng: Random, level: int) -> Words:
        return tuple(rng.sample([rank + suit for rank in RANKS for suit in SUITS], (3, 4, 5, 7, 9)[level - 1]))


_KEY = re.compile(r"[!-~]{1,24}")
_PRINTABLE = r"[!-~]"

Str = Annotated[
    str,
    StringType("Str", "a string", "a JSON string", ("k7#b", "Qr-9x"), pattern=rf"{_PRINTABLE}*", longest=64),
]
Text = Annotated[
    str,
    TextType(
        "Text",
        "a text",
        "a JSON string",
        ("some words here", "And a few more."),
        pattern=rf"{_PRINTABLE}+( {_PRINTABLE}+)*",
        longest=240,
    ),
]
Word = Annotated[
    str,
    WordType(
        "Word",
        "a word in lowercase letters",
        "a JSON string",
        ("lamp", "stone"),
        (Str, Text),
        pattern="[a-z]+",
        longest=24,
    ),
]
_WORDS = type_of(Word)
BitString = Annotated[
    str,
    BitStringType(
        "BitString",
        "a bit string, that is, a string of 0s and 1s",
        "a JSON string of 0s and 1s",
        ("01101", "1000"),
        (Str,),
        pattern="[01]+",
        longest=48,
    ),
]
DyckWord = Annotated[
    str,
    DyckType(
        "DyckWord",
        "a balanced string of round brackets",
        "a JSON string of ( and )",
        ("(()())", "()(())"),
        (Str,),
        pattern="[()]*",
        longest=24,
    ),
]
Moves = Annotated[
    str,
    MovesType(
        "Moves",
        "a sequence of moves, written with the letters U (up), D (down), L (left) and R (right)",
        "a JSON string of the letters U, D, L and R",
        ("URRD", "LDDRU"),
        (Str,),
        pattern="[UDLR]*",
        longest=40,
    ),
]
WordList = Annotated[
    Words,
    WordListType(
        "WordList", "a list of words", "a JSON array of strings", (("lamp", "stone"), ("river", "oak", "tin"))
    ),
]
Tally = Annotated[
    Counts,
    TallyType(
        "Tally",
        "a tally, which gives a count for each key",
        "a JSON object with a positive integer for each key",
        ((("lamp", 3), ("oak", 1)), (("river", 2), ("tin", 7))),
    ),
]
CardList = Annotated[
    Words,
    CardListType(
        "CardList",
        "a list of playing cards, each written as its rank (2 to 9, T for ten, J, Q, K, A) and its suit (C for clubs, "
        "D for diamonds, H for hearts, S for spades)",
        "a JSON array of strings such as TH",
        (("AS", "TD"), ("7C", "KH", "2S")),
    ),
]
