"""Strings as sequences of characters: places in the alphabet, runs, reading backwards."""

import re
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import NatList, Str, Word, WordList, type_of


def joined_words(rng: Random, level: int) -> str:
    """English words joined and cut to the level's length, because single words differ too little in length."""
    length, text = (5, 7, 9, 11, 14)[level - 1] - rng.randint(0, 1), ""
    while len(text) < length:
        text += type_of(Word).sample(rng, 2)
    return text[:length]


def numbers_below_26(rng: Random, level: int) -> tuple[int, ...]:
    """Numbers that letters can stand for, because the numbers of an ordinary list are too large."""
    return tuple([rng.randint(0, 25) for _ in range((5, 7, 9, 11, 14)[level - 1])])


def string_of_runs(rng: Random, level: int) -> str:
    """Runs of equal characters, because neighbours in a random string are hardly ever equal."""
    text, characters = "", rng.sample("abxyKQ0157#*", 4)
    for _ in range((4, 6, 8, 10, 13)[level - 1]):
        text += rng.choice([each for each in characters if each != text[-1:]]) * rng.randint(1, 4)
    return text


@environment(sample=joined_words)
def growing_letter_shift(word: Word) -> Word:
    """Replace the first letter of the word by the letter one place later in the alphabet, the second letter by the one
    two places later, the third by the one three places later, and so on. After z the alphabet starts again with a.
    """
    return "".join([chr((ord(letter) - 97 + place) % 26 + 97) for place, letter in enumerate(word, start=1)])


@environment(sample=joined_words)
def letter_positions(word: Word) -> NatList:
    """Replace each letter of the word by its place in the alphabet, counting a as 1, and list the numbers in the order
    of the letters.
    """
    return tuple([ord(letter) - 96 for letter in word])


@environment(sample=numbers_below_26)
def letters_counted_from_a(numbers: NatList) -> Word:
    """Replace each number of the list by the letter that stands so many places after a in the alphabet, a itself for 0,
    and join the letters in order to one word.
    """
    if not 1 <= len(numbers) <= 24:
        raise OutOfDomain("the list does not have 1 to 24 entries")
    if max(numbers) > 25:
        raise OutOfDomain("there is no letter more than 25 places after a")
    return "".join([chr(97 + number) for number in numbers])


@environment(sample=string_of_runs)
def look_and_say_string(text: Str) -> Str:
    """Split the string into its longest possible runs of equal characters. For each run, from left to right, write its
    length in digits and then the character once, all without spaces. Capital and lowercase letters are different.
    """
    said = "".join([f"{len(run[0])}{run[1]}" for run in re.findall(r"((.)\2*)", text)])
    if len(said) > 64:
        raise OutOfDomain("the result would have more than 64 characters")
    return said


@environment()
def reverse_every_second_word(words: WordList) -> WordList:
    """Spell the second, the fourth, the sixth word of the list and so on backwards. Leave the other words and the
    order of the words as they are.
    """
    return tuple([word[::-1] if i % 2 else word for i, word in enumerate(words)])
