"""Writing the same thing in another code: bases, lengths, check digits, keypads, places and pairs of characters."""

from collections import Counter
from random import Random

from races.environments import OutOfDomain, environment, values
from races.environments.types import BitString, DigitList, Int, NatList, Ragged, Str, Tally, Text, Word

KEYPAD = str.maketrans("abcdefghijklmnopqrstuvwxyz", "22233344455566677778889999")
BIG = 1_000_000


@environment()
def colon_hexadecimal(numbers: NatList) -> Str:
    """Write each number of the list in base sixteen, with the lowercase letters a to f for the digits from ten to
    fifteen and without leading zeros, so that zero is 0. Join the results in order by colons.
    """
    joined = ":".join([f"{number:x}" for number in numbers])
    if len(joined) > 64:
        raise OutOfDomain("the string has more than 64 characters")
    return joined


def number_of_some_signs(rng: Random, level: int) -> int:
    """Numbers of four signs or more, negative ones among them."""
    low, high = ((14, 60), (41, 200), (122, 700), (365, 3_000), (1_094, 9_841))[level - 1]
    return rng.choice((1, 1, -1)) * rng.randint(low, high)


@environment(sample=number_of_some_signs)
def balanced_ternary_signs(number: Int) -> Str:
    """Make the number by adding and subtracting different powers of three: 1, 3, 9, 27 and so on. For each power from
    the highest one used down to 1, write + if it is added, - if it is subtracted, 0 if it is unused. The number 0 gives
    0.
    """
    signs = ""
    while number:
        signs = "0+-"[number % 3] + signs
        number = (number + 1) // 3  # rounds to the nearest, so the rest is 0, 1 or -1
    return signs or "0"


@environment()
def first_characters_and_lengths(text: Text) -> Str:
    """For each word of the text, in order, write its first character and then, in digits, the number of its characters,
    all as one string without spaces. The words are what the spaces separate, so punctuation counts among their
    characters.
    """
    result = "".join([f"{word[0]}{len(word)}" for word in text.split(" ")])
    if len(result) > 64:
        raise OutOfDomain("the string has more than 64 characters")
    return result


@environment()
def keypad_digits(word: Word) -> Str:
    """Replace each letter of the word by the digit of its telephone key, where abc are on 2, def on 3, ghi on 4, jkl on
    5, mno on 6, pqrs on 7, tuv on 8 and wxyz on 9. Write the digits in order as one string.
    """
    return word.translate(KEYPAD)


@environment()
def barcode_with_check_digit(digits: DigitList) -> DigitList:
    """Multiply the digits of the list, from the last to the first, by 3, 1, 3, 1 and so on in turn, and add up the
    products. Then append to the list the digit that brings this sum up to a multiple of ten, 0 if it is one already.
    """
    if len(digits) >= 40:
        raise OutOfDomain("the list has more than 40 digits")
    total = 3 * sum(digits[::-2]) + sum(digits[-2::-2])
    return (*digits, -total % 10)


def few_characters(rng: Random, level: int) -> str:
    """Strings of a few different characters, because others hardly ever repeat one."""
    characters = rng.sample("abcdkxyzABKX0257#*+?", (3, 3, 3, 4, 4)[level - 1])
    return "".join([rng.choice(characters) for _ in range((6, 8, 10, 12, 14)[level - 1])])


@environment(sample=few_characters)
def distances_to_last_occurrence(text: Str) -> NatList:
    """For each character of the string, from left to right, count how many places further left the same character last
    occurred, 1 being the place directly before; write 0 for a character that has not occurred before. Capital and
    lowercase letters are different.
    """
    if len(text) > 40:
        raise OutOfDomain("the string has more than 40 characters")
    last = [text.rfind(character, 0, place) for place, character in enumerate(text)]
    return tuple([place - before if before >= 0 else 0 for place, before in enumerate(last)])


@environment(sample=few_characters)
def neighbour_pair_tally(text: Str) -> Tally:
    """Take all pairs of characters that stand directly side by side in the string, overlapping ones included. Count how
    often each pair occurs, and give the tally whose keys are the pairs, written in the order in which they stand in
    the string.
    """
    pairs = Counter([text[place : place + 2] for place in range(len(text) - 1)])
    if len(pairs) > 26:
        raise OutOfDomain("there are more than 26 different pairs")
    return values.tally(pairs)


@environment(sample=few_characters)
def recent_repeat_bits(text: Str) -> BitString:
    """For each character of the string, from left to right, write 1 if the same character also stands somewhere in the
    three places directly before it, and 0 if not. At the beginning there are fewer than three such places.
    """
    if not 1 <= len(text) <= 48:
        raise OutOfDomain("there would be no bit or more than 48 bits")
    return "".join([str(int(each in text[max(0, place - 3) : place])) for place, each in enumerate(text)])


@environment()
def every_second_character_last(text: Str) -> Str:
    """Write the first, the third, the fifth character of the string and so on, and after them the second, the fourth,
    the sixth and so on.
    """
    return text[::2] + text[1::2]


@environment()
def rows_balanced_to_zero(rows: Ragged) -> Ragged:
    """Append to every inner list one more entry: the number with which all entries of this list add up to 0."""
    if sum([len(row) + 1 for row in rows]) > 150:
        raise OutOfDomain("the lists have more than 150 entries altogether")
    if any([abs(sum(row)) > BIG for row in rows]):
        raise OutOfDomain(f"an entry goes beyond {BIG}")
    return tuple([(*row, -sum(row)) for row in rows])
