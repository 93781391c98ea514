"""Games with the letters of one word: turning and cutting it, counting its letters, typing and walking it."""

import re
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DigitList, Moves, Partition, Permutation, SmallNat, Word, WordList, type_of

VOWELS = "aeiou"
PRESSES = str.maketrans("abcdefghijklmnopqrstuvwxyz", "12312312312312312341231234")
QUARTERS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "UUUUUURRRRRRRDDDDDDLLLLLLL")
POINTS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        map(int, "1 3 3 2 1 4 2 4 1 8 5 1 3 1 1 3 10 1 1 1 1 4 4 8 4 10".split()),
        strict=True,
    )
)


def joined_words(rng: Random, level: int) -> str:
    """English words joined and cut to the level's length, because single words differ too little in length."""
    length, text = (6, 8, 11, 14, 18)[level - 1] - rng.randint(0, 1), ""
    while len(text) < length:
        text += type_of(Word).sample(rng, 2)
    return text[:length]


def word_with_different_consonants(rng: Random, level: int) -> str:
    """Words whose consonants read differently backwards, because otherwise nothing changes."""
    while True:
        word = joined_words(rng, level)
        consonants = re.findall("[^aeiou]", word)
        if consonants != consonants[::-1]:
            return word


@environment(sample=word_with_different_consonants)
def consonants_in_reverse_order(word: Word) -> Word:
    """Reverse the order of the consonants in the word: the last one goes to the place of the first one, the last but
    one to the place of the second, and so on. The vowels a, e, i, o and u keep their places; all other letters are
    consonants.
    """
    consonants = re.findall("[^aeiou]", word)
    return re.sub("[^aeiou]", lambda _: consonants.pop(), word)


@environment(sample=joined_words)
def turned_by_vowel_count(word: Word) -> Word:
    """Count the vowels (a, e, i, o, u) of the word. Then, once for each of them, move the letter that stands at the
    front at that moment to the end.
    """
    turns = sum(map(word.count, VOWELS))
    return word[turns:] + word[:turns]


@environment(sample=joined_words)
def alphabetical_pieces(word: Word) -> WordList:
    """Cut the word before every letter that comes earlier in the alphabet than the letter directly before it, and
    nowhere else. List the pieces from left to right.
    """
    pieces = [word[0]]
    for letter in word[1:]:
        if letter < pieces[-1][-1]:
            pieces.append(letter)
        else:
            pieces[-1] += letter
    return tuple(pieces)


def word_of_few_letters(rng: Random, level: int) -> str:
    """Words of at most twelve letters, in which some letters and pairs of letters occur again."""
    letters = rng.sample("abcdefghiklmnoprstuwy", level + 2)
    return "".join([rng.choice(letters) for _ in range((5, 6, 8, 10, 12)[level - 1])])


@environment(sample=word_of_few_letters)
def endings_in_dictionary_order(word: Word) -> Permutation:
    """Number the letters of the word from 0. The ending at a letter runs from it to the end of the word. List the
    numbers of the letters in the order in which their endings stand in a dictionary, an ending before all longer ones
    that begin with it.
    """
    if len(word) > 12:
        raise OutOfDomain("the word has more than twelve letters")
    return tuple(sorted(range(len(word)), key=lambda start: word[start:]))


def long_joined_words(rng: Random, level: int) -> str:
    """Longer words, because letters hardly repeat in short ones."""
    more: str = type_of(Word).sample(rng, 1)
    return joined_words(rng, level) + more[: level + 1]


@environment(sample=long_joined_words)
def letter_multiplicities(word: Word) -> Partition:
    """Count how often each letter occurs in the word. List the counts of all letters that occur, from the largest to
    the smallest, equal counts repeated.
    """
    counts = [word.count(letter) for letter in sorted(set(word))]
    if len(counts) > 16 or max(counts) > 16:
        raise OutOfDomain("there are more than 16 different letters, or more than 16 equal ones")
    return tuple(sorted(counts, reverse=True))


@environment(sample=joined_words)
def scrabble_score(word: Word) -> SmallNat:
    """Add up the Scrabble points of the letters of the word: d and g score 2; b, c, m and p score 3; f, h, v, w and y
    score 4; k scores 5; j and x score 8; q and z score 10; all other letters score 1.
    """
    score = sum([POINTS[letter] for letter in word])
    if score > 60:
        raise OutOfDomain("the score is more than 60")
    return score


@environment(sample=joined_words)
def key_presses(word: Word) -> DigitList:
    """Telephone keys carry the letters abc, def, ghi, jkl, mno, pqrs, tuv and wxyz. A letter takes one press if it is
    the first on its key, two if it is the second, and so on. List the numbers of presses for the letters of the word in
    order.
    """
    return tuple(map(int, word.translate(PRESSES)))


@environment(sample=joined_words)
def moves_of_letters(word: Word) -> Moves:
    """Write one move for each letter of the word, in order: U for the letters from a to f, R for those from g to m, D
    for those from n to s, and L for those from t to z.
    """
    return word.translate(QUARTERS)
