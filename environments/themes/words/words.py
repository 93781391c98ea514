"""Single words and lists of words: rearranging letters, cutting, sorting."""

import re
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Word, WordList, type_of


def joined_words(rng: Random, level: int) -> str:
    """English words joined and cut to the level's length, because single words differ too little in length."""
    length, text = (6, 8, 11, 14, 18)[level - 1] - rng.randint(0, 1), ""
    while len(text) < length:
        text += type_of(Word).sample(rng, 2)
    return text[:length]


def words_out_of_order(rng: Random, level: int) -> tuple[str, ...]:
    """Words whose last letters are not sorted yet, because three words often are."""
    while True:
        words: tuple[str, ...] = type_of(WordList).sample(rng, level)
        endings = [word[-1] for word in words]
        if endings != sorted(endings):
            return words


@environment(sample=joined_words)
def swap_neighbouring_letters(word: Word) -> Word:
    """Exchange the first letter of the word with the second, the third with the fourth, and so on.
    A last letter without a partner stays where it is.
    """
    return re.sub(r"(.)(.)", r"\2\1", word)


@environment(sample=joined_words)
def pig_latin(word: Word) -> Word:
    """If the word starts with a vowel (a, e, i, o, u), append the letters way. Otherwise move all letters before its
    first vowel to the end, keeping their order, and then append the letters ay. To a word without any vowel just append
    the letters ay.
    """
    start = next((i for i, letter in enumerate(word) if letter in "aeiou"), 0)
    ending = "way" if word[0] in "aeiou" else "ay"
    if len(word) + len(ending) > 24:
        raise OutOfDomain("the result would have more than 24 letters")
    return word[start:] + word[:start] + ending


@environment(sample=joined_words)
def cut_after_vowels(word: Word) -> WordList:
    """Cut the word directly after each of its vowels a, e, i, o, u, except after the last letter of the word,
    and list the pieces from left to right.
    """
    return tuple(re.findall(r"[^aeiou]*[aeiou]|[^aeiou]+", word))


@environment()
def swap_first_letters(words: WordList) -> WordList:
    """Exchange the first letters of the first and the second word of the list, those of the third and the fourth word,
    and so on. A last word without a partner stays as it is.
    """
    result = list(words)
    for i in range(0, len(words) - 1, 2):
        first, second = words[i], words[i + 1]
        result[i], result[i + 1] = second[0] + first[1:], first[0] + second[1:]
    return tuple(result)


@environment(sample=words_out_of_order)
def sorted_by_last_letter(words: WordList) -> WordList:
    """Sort the words of the list alphabetically by their last letter alone. Words with the same last letter keep
    their original order.
    """
    return tuple(sorted(words, key=lambda word: word[-1]))


@environment()
def last_letters_joined(words: WordList) -> Word:
    """Join the last letters of all words of the list, from the first word to the last, to one word."""
    if not words:
        raise OutOfDomain("there is no word in the list")
    return "".join([word[-1] for word in words])
