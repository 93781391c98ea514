"""Lists of words: new words from their pieces, and the tables, drawings, groups and places that they give."""

from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import BoolGrid, CharGrid, IntervalList, Ragged, Tally, WordList, type_of
from races.environments.types.lexicon import LONG_WORDS, SHORT_WORDS

VOWELS = "aeiou"


@environment()
def blended_words(words: WordList) -> WordList:
    """Cut every word of the list into two halves, the first one letter longer if the number of letters is odd. Replace
    each word by its own first half and the second half of the next word; the last word gets the second half of the
    first word.
    """
    halves = [(word[: (len(word) + 1) // 2], word[(len(word) + 1) // 2 :]) for word in words]
    return tuple([start + halves[(place + 1) % len(halves)][1] for place, (start, _) in enumerate(halves)])


def words_of_uneven_lengths(rng: Random, level: int) -> tuple[str, ...]:
    """Words whose lengths read differently backwards, because otherwise nothing would change."""
    while True:
        words: tuple[str, ...] = type_of(WordList).sample(rng, level)
        lengths = [len(word) for word in words]
        if lengths != lengths[::-1]:
            return words


@environment(sample=words_of_uneven_lengths)
def lengths_in_reverse_order(words: WordList) -> WordList:
    """Write all words of the list one after another as one row of letters. Then cut this row into words anew: the
    first as long as the last word of the list was, the second as long as the last but one, and so on.
    """
    row, pieces = "".join(words), []
    for word in reversed(words):
        pieces.append(row[: len(word)])
        row = row[len(word) :]
    return tuple(pieces)


def words_for_rows(rng: Random, level: int) -> tuple[str, ...]:
    """At most eight words of at most ten letters, which fit into a grid."""
    pool = SHORT_WORDS if level < 3 else [word for word in SHORT_WORDS + LONG_WORDS if len(word) <= 10]
    return tuple(rng.sample(pool, (3, 4, 5, 6, 8)[level - 1]))


@environment(sample=words_for_rows)
def vowel_table(words: WordList) -> BoolGrid:
    """Make a table with one row for each word of the list, in order, and five columns for the vowels a, e, i, o and u.
    Put 1 where the vowel occurs in the word, and 0 elsewhere.
    """
    if not 1 <= len(words) <= 12:
        raise OutOfDomain("there would be no row or more than twelve rows")
    return tuple([tuple([int(vowel in word) for vowel in VOWELS]) for word in words])


@environment(sample=words_for_rows)
def right_aligned_words(words: WordList) -> CharGrid:
    """Write the words of the list below each other into a grid as wide as the longest word, one word to a row, so that
    all of them end in the last column. Put dots into the cells that stay empty.
    """
    width = max([len(word) for word in words], default=0)
    if not 1 <= len(words) <= 12 or width > 16:
        raise OutOfDomain("the grid would not have 1 to 12 rows and at most 16 columns")
    return tuple([word.rjust(width, ".") for word in words])


def words_to_group(rng: Random, level: int) -> tuple[str, ...]:
    """More words than usual, so that several of them share a length."""
    return tuple(rng.sample(SHORT_WORDS + LONG_WORDS, (5, 6, 8, 10, 12)[level - 1]))


@environment(sample=words_to_group)
def word_numbers_by_length(words: WordList) -> Ragged:
    """Number the words of the list from 0. For each length that words of the list have, from the shortest to the
    longest, make a list of the numbers of all words of this length in increasing order.
    """
    groups: dict[int, list[int]] = {}
    for number, word in enumerate(words):
        groups.setdefault(len(word), []).append(number)
    return tuple([tuple(groups[length]) for length in sorted(groups)])


def words_of_few_initials(rng: Random, level: int) -> tuple[str, ...]:
    """Words that begin with few different letters, so that there is something to add up."""
    initials = rng.sample("abcdefghilmnoprstw", (3, 3, 4, 5, 6)[level - 1])
    pool = [word for word in SHORT_WORDS + LONG_WORDS if word[0] in initials]
    return tuple(rng.sample(pool, (4, 5, 6, 8, 10)[level - 1]))


@environment(sample=words_of_few_initials)
def letters_by_initial(words: WordList) -> Tally:
    """For each letter with which at least one word of the list begins, add up the numbers of letters of all words that
    begin with it. Give the tally with these letters as keys and the sums as counts.
    """
    sums: dict[str, int] = {}
    for word in words:
        sums[word[0]] = sums.get(word[0], 0) + len(word)
    return values.tally(sums)


@environment()
def intervals_of_words(words: WordList) -> IntervalList:
    """Write the words of the list in one line with a single space between neighbours, and number the characters of the
    line, spaces included, from 0. For each word give the interval from the number of its first letter to that of its
    last letter.
    """
    if len(words) > 16:
        raise OutOfDomain("there are more than 16 words")
    intervals, start = [], 0
    for word in words:
        intervals.append((start, start + len(word) - 1))
        start += len(word) + 1
    return tuple(intervals)
