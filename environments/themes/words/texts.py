"""Texts of several words: reordering, capitals, and the way from a text to a list of words and back."""

import re
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Text, WordList, type_of


def text_to_rearrange(rng: Random, level: int) -> str:
    """A text in which a long word stands before a short one, because otherwise nothing moves."""
    while True:
        text: str = type_of(Text).sample(rng, level)
        long = [len(word) >= 7 for word in text.split(" ")]
        if long != sorted(long):
            return text


def text_with_punctuation(rng: Random, level: int) -> str:
    """Capitals, hyphens, apostrophes and figures among the words, which show what separates words and what does not."""
    parts = []
    for word in type_of(WordList).sample(rng, 5)[: (3, 4, 5, 7, 9)[level - 1]]:
        spelled = rng.choice((word, word, word.capitalize(), word.upper()))
        parts.append(spelled + rng.choice(("", "", "", ",", "!", ";", "'s", " 7", " &", "-")))
    return " ".join(parts).replace("- ", "-").rstrip("-")


@environment()
def reversed_word_order(text: Text) -> Text:
    """Write the words of the text in reverse order, separated by single spaces. The words are what the spaces
    separate, so punctuation stays with the word it touches. Leave capitals as they are.
    """
    return " ".join(reversed(text.split(" ")))


@environment()
def capitals_for_every_third_word(text: Text) -> Text:
    """Write the third, the sixth, the ninth word of the text and so on in capital letters, and leave everything else
    as it is. The words are what the spaces separate.
    """
    words = text.split(" ")
    return " ".join([word if i % 3 else word.upper() for i, word in enumerate(words, start=1)])


@environment(sample=text_to_rearrange)
def long_words_last(text: Text) -> Text:
    """Move all words of the text that have at least seven characters behind all other words, keeping the order within
    both groups. The words are what the spaces separate, and punctuation counts among their characters.
    """
    return " ".join(sorted(text.split(" "), key=lambda word: len(word) >= 7))


@environment(sample=text_with_punctuation)
def lowercase_words(text: Text) -> WordList:
    """List the longest possible runs of letters in the text, from left to right and in lowercase, repeated ones
    as often as they occur. All other characters, such as digits, hyphens and apostrophes, only separate the runs.
    """
    runs = re.findall(r"[a-z]+", text.lower())
    if len(runs) > 24:
        raise OutOfDomain("the text has more than 24 words")
    if any([len(run) > 24 for run in runs]):
        raise OutOfDomain("a word has more than 24 letters")
    return tuple(runs)


@environment()
def word_enumeration(words: WordList) -> Text:
    """Write the words of the list in order as one text: between the last two words put a space, the word "and", and
    another space; between all other neighbours put a comma and a space. Add nothing else.
    """
    if not words:
        raise OutOfDomain("there is no word in the list")
    text = " and ".join([part for part in (", ".join(words[:-1]), words[-1]) if part])
    if len(text) > 240:
        raise OutOfDomain("the text would have more than 240 characters")
    return text
