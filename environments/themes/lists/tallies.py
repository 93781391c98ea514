"""Tallies: counting characters and words, and reading a tally as a ranking or a list of sums."""

import re
from collections import Counter
from itertools import accumulate
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import NatList, Str, Tally, Text, WordList, type_of
from races.environments.values import tally


def string_with_repeats(rng: Random, level: int) -> str:
    """Few different characters, because in a random string nearly all counts are 1."""
    characters, length = rng.sample("abcdxyzABCKQ0157#*", (3, 4, 5, 6, 8)[level - 1]), (7, 10, 14, 18, 24)[level - 1]
    while True:
        text = "".join([rng.choice(characters) for _ in range(length)])
        if len({text.count(character) for character in text}) > 1:
            return text


def text_with_repeats(rng: Random, level: int) -> str:
    """Few different words, some with capitals or punctuation, because in a random text all counts are 1."""
    words = type_of(WordList).sample(rng, 5)[: (2, 3, 4, 5, 6)[level - 1]]
    spelled = [rng.choice(words) for _ in range((5, 7, 9, 12, 15)[level - 1])]
    spelled = [*words[:2], words[0], *spelled]
    rng.shuffle(spelled)
    shown = [rng.choice((word, word, word.capitalize())) + rng.choice(("", "", "", ",", ".", "!")) for word in spelled]
    return " ".join(shown)


def tally_with_ties(rng: Random, level: int) -> tuple[tuple[str, int], ...]:
    """Small counts, because large ones are hardly ever equal."""
    top = (3, 4, 4, 5, 6)[level - 1]
    while True:
        counts = {key: rng.randint(1, top) for key, _ in type_of(Tally).sample(rng, level)}
        if len(set(counts.values())) > 1:
            return tally(counts)


@environment(sample=string_with_repeats)
def character_tally(text: Str) -> Tally:
    """Count how often each character occurs in the string, and give the tally whose keys are the characters that
    occur. Capital and lowercase letters are different characters.
    """
    if len(set(text)) > 26:
        raise OutOfDomain("there are more than 26 different characters")
    return tally(Counter(text))


@environment(sample=text_with_repeats)
def word_counts(text: Text) -> Tally:
    """The words of the text are its longest possible runs of letters, written in lowercase; all other characters only
    separate words. Count how often each word occurs, and give the tally whose keys are the words.
    """
    counts = Counter(re.findall(r"[a-z]+", text.lower()))
    if len(counts) > 26:
        raise OutOfDomain("there are more than 26 different words")
    if any([len(word) > 24 for word in counts]):
        raise OutOfDomain("a word has more than 24 letters")
    return tally(counts)


@environment(sample=tally_with_ties)
def keys_by_falling_count(counts: Tally) -> WordList:
    """List the keys of the tally from the highest count to the lowest. Keys with the same count stand in
    alphabetical order.
    """
    if len(counts) > 24:
        raise OutOfDomain("there are more than 24 keys")
    if not all([re.fullmatch(r"[a-z]+", key) for key, _ in counts]):
        raise OutOfDomain("a key is not a word in lowercase letters")
    return tuple([key for key, _ in sorted(counts, key=lambda pair: (-pair[1], pair[0]))])


@environment()
def running_totals_of_counts(counts: Tally) -> NatList:
    """Go through the keys of the tally in ASCII order, comparing them character by character, and list for each key
    the sum of its own count and all counts before it.
    """
    totals = tuple(accumulate([count for _, count in counts]))
    if totals and totals[-1] > 1_000_000:
        raise OutOfDomain("the counts add up to more than 1000000")
    return totals
