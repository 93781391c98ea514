"""Words and letters of a text: numbering and shortening words, filling lines, picking letters."""

import re
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import NatList, Text, Word, type_of


@environment()
def numbered_words(text: Text) -> Text:
    """Number the words of the text 1, 2, 3, ... and put in front of each word its number in digits and a dot, without
    any further spaces. The words are what the spaces separate.
    """
    numbered = " ".join([f"{number}.{word}" for number, word in enumerate(text.split(" "), 1)])
    if len(numbered) > 240:
        raise OutOfDomain("the text has more than 240 characters")
    return numbered


@environment()
def numeronyms(text: Text) -> Text:
    """Shorten every word of the text that has at least four characters: write its first character, the number of
    characters between its first and its last one, and its last character. The words are what the spaces separate, so
    punctuation counts among their characters.
    """
    words = [word if len(word) < 4 else f"{word[0]}{len(word) - 2}{word[-1]}" for word in text.split(" ")]
    return " ".join(words)


@environment()
def first_characters_behind_words(text: Text) -> Text:
    """Move the first character of every word of the text to the end of this word. The words are what the spaces
    separate, so punctuation counts among their characters. Leave capitals as they are.
    """
    return " ".join([word[1:] + word[0] for word in text.split(" ")])


def text_of_some_letters(rng: Random, level: int) -> str:
    """Texts of at most seventy letters, of which a third can form a word."""
    text: str = type_of(Text).sample(rng, level)
    return text[: (20, 30, 42, 56, 72)[level - 1]].rstrip()


@environment(sample=text_of_some_letters)
def every_third_letter(text: Text) -> Word:
    """Count only the letters of the text and skip all other characters. Write down the third letter, the sixth, the
    ninth and so on, in lowercase and joined to one word.
    """
    picked = "".join(re.findall("[a-z]", text.lower()))[2::3]
    if not 1 <= len(picked) <= 24:
        raise OutOfDomain("the word would have no letter or more than 24")
    return picked


def text_for_lines(rng: Random, level: int) -> str:
    """Texts long enough for several lines."""
    words = type_of(Text).sample(rng, level).split(" ")
    while len(" ".join(words)) < (36, 50, 70, 95, 125)[level - 1]:
        words.append(rng.choice(words))
    return " ".join(words)


@environment(sample=text_for_lines)
def line_lengths(text: Text) -> NatList:
    """Write the text into lines of at most 15 characters: put each word, as the spaces separate them, into the current
    line after a space if it still fits, and otherwise at the start of a new line. List the numbers of characters of
    the lines, spaces between words included.
    """
    words = text.split(" ")
    if max(map(len, words)) > 15:
        raise OutOfDomain("a word is longer than a line")
    lengths: list[int] = []
    for word in words:
        if lengths and lengths[-1] + 1 + len(word) <= 15:
            lengths[-1] += 1 + len(word)
        else:
            lengths.append(len(word))
    return tuple(lengths)
