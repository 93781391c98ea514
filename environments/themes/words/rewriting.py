"""Small rules of rewriting, applied until none applies, or everywhere at once."""

from itertools import pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, DigitList, NatList, Str, Word, type_of

VOWELS = "aeiou"


def string_of_four_characters(rng: Random, level: int) -> str:
    """Strings of four characters, because in others hardly any neighbours are equal."""
    characters = rng.sample("abcxyzKMX0157#*+", 4)
    while True:
        text = "".join([rng.choice(characters) for _ in range((7, 9, 12, 15, 18)[level - 1])])
        if any([a == b for a, b in pairwise(text)]):
            return text


@environment(sample=string_of_four_characters)
def equal_neighbours_cancelled(text: Str) -> Str:
    """Delete two equal characters that stand directly side by side, and repeat this as long as two neighbouring
    characters of the string are equal. Give the string of the characters that remain. It does not matter which two are
    deleted first.
    """
    kept: list[str] = []
    for character in text:
        if kept and kept[-1] == character:
            kept.pop()
        else:
            kept.append(character)
    return "".join(kept)


@environment()
def fibonacci_carries(bits: BitString) -> BitString:
    """Put a 0 in front of the bit string. Then, as long as the block 011 occurs in it, replace one such block by 100;
    it does not matter which one comes first. Give the bit string in which no block 011 is left.
    """
    if len(bits) >= 48:
        raise OutOfDomain("the result has more than 48 bits")
    bits = "0" + bits
    while "011" in bits:
        bits = bits.replace("011", "100", 1)
    return bits


@environment()
def fibonacci_substitution(bits: BitString) -> BitString:
    """Replace every 0 of the bit string by 01 and every 1 by 0, all at the same time."""
    if len(bits) + bits.count("0") > 48:
        raise OutOfDomain("the result has more than 48 bits")
    return "".join(["01" if bit == "0" else "0" for bit in bits])


def overfull_places(rng: Random, level: int) -> tuple[int, ...]:
    """Entries up to a few dozen, many of them above four."""
    return tuple([rng.randint(0, (14, 19, 24, 34, 49)[level - 1]) for _ in range((4, 5, 6, 7, 9)[level - 1])])


@environment(sample=overfull_places)
def carried_fives(places: NatList) -> DigitList:
    """As long as some entry of the list is greater than 4, subtract 5 from it and add 1 to the entry directly to its
    left; if there is none, first put a new entry 0 in front of the list. Give the final list.
    """
    digits, carry = [], 0
    for place in reversed(places):
        carry, digit = divmod(place + carry, 5)
        digits.append(digit)
    while carry:
        carry, digit = divmod(carry, 5)
        digits.append(digit)
    if len(digits) > 40:
        raise OutOfDomain("the list has more than 40 entries")
    return tuple(digits[::-1])


def word_that_changes(rng: Random, level: int) -> str:
    """Words in which at least one vowel can move, in growing lengths."""
    text = "".join([type_of(Word).sample(rng, 2) for _ in range(2)])
    while True:
        text = text[1:] + rng.choice("aeioubdlnrst")
        word = text[: (5, 6, 7, 9, 11)[level - 1]]
        if any([a in VOWELS and b not in VOWELS and a < b for a, b in pairwise(word)]):
            return word


@environment(sample=word_that_changes)
def vowels_pass_later_consonants(word: Word) -> Word:
    """As long as a vowel (a, e, i, o, u) of the word stands directly before a consonant (any other letter) that comes
    later in the alphabet than this vowel, exchange the two letters. Give the final word. It does not matter which two
    are exchanged first.
    """
    letters: list[str] = []
    for letter in word:
        place = len(letters)
        while letter not in VOWELS and place and letters[place - 1] in VOWELS and letters[place - 1] < letter:
            place -= 1
        letters.insert(place, letter)
    return "".join(letters)
