"""Numbers written in other ways: as English words, as Roman numerals and in other bases."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, DigitList, Nat, SmallNat, Text, Word, WordList

NAMES_BELOW_20 = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
NAMES_OF_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ROMAN = ("ivx", "xlc", "cdm", "m")  # the letters for one, five and ten ones, tens, hundreds and thousands
SHAPES = ((), (0,), (0, 0), (0, 0, 0), (0, 1), (1,), (1, 0), (1, 0, 0), (1, 0, 0, 0), (0, 2))  # of digits, in these


def below_a_thousand(number: int) -> list[str]:
    """The words for a number from 0 to 999, none for 0."""
    hundreds, rest = divmod(number, 100)
    words = [NAMES_BELOW_20[hundreds], "hundred"] if hundreds else []
    if rest >= 20:
        words.append(NAMES_OF_TENS[rest // 10])
        rest %= 10
    return [*words, NAMES_BELOW_20[rest]] if rest else words


def english_words(number: int) -> list[str]:
    """The words for a number below a million."""
    if number >= 1_000_000:
        raise OutOfDomain("a million is not named by thousands and hundreds")
    thousands, rest = divmod(number, 1000)
    words = [*below_a_thousand(thousands), "thousand"] if thousands else []
    return [*words, *below_a_thousand(rest)] or ["zero"]


def number_with_a_long_name(rng: Random, level: int) -> int:
    """Draw three digits or more, because shorter numbers have one or two words."""
    length = rng.randint((3, 3, 4, 5, 6)[level - 1], (3, 4, 5, 6, 6)[level - 1])
    return rng.randint(10 ** (length - 1), 10**length - 1)


@environment(sample=number_with_a_long_name)
def number_in_words(number: Nat) -> Text:
    """Spell out the number in English, 0 as zero: how many thousands, with the word thousand, then how many hundreds,
    with the word hundred, then the rest, leaving out parts that are zero. Use lowercase letters and single spaces, but
    no hyphens, no commas and not the word and.
    """
    return " ".join(english_words(number))


@environment()
def letters_in_number_name(number: Nat) -> SmallNat:
    """Write the number out in English words: first the thousands, then the hundreds, then the rest, saying one rather
    than a, and without the word and. Count the letters of all these words.
    """
    return len("".join(english_words(number)))


def number_with_a_numeral(rng: Random, level: int) -> int:
    """Stay below the 4000 that Roman numerals reach."""
    return rng.randint((12, 30, 60, 200, 900)[level - 1], (49, 149, 499, 1499, 3999)[level - 1])


@environment(sample=number_with_a_numeral)
def roman_numeral(number: Nat) -> Word:
    """Write the number as a Roman numeral in lowercase letters, in the usual form with subtraction (iv, ix, xl, xc, cd,
    cm).
    """
    if not 1 <= number <= 3999:
        raise OutOfDomain("Roman numerals go from 1 to 3999")
    numeral = ""
    for digit, letters in zip(reversed(str(number)), ROMAN, strict=False):
        numeral = "".join([letters[place] for place in SHAPES[int(digit)]]) + numeral
    return numeral


def some_digits(rng: Random, level: int) -> tuple[int, ...]:
    """Draw at most ten digits, because a longer list of words makes no good problem."""
    return tuple([rng.randint(0, 9) for _ in range((3, 4, 6, 8, 10)[level - 1])])


@environment(sample=some_digits)
def spoken_digits(digits: DigitList) -> WordList:
    """Write each entry of the list, in order, as its English word in lowercase, from zero to nine."""
    if len(digits) > 24:
        raise OutOfDomain("there are more than 24 digits")
    return tuple([NAMES_BELOW_20[digit] for digit in digits])


def number_of_some_bits(rng: Random, level: int) -> int:
    """Draw at least four bits, because a shorter bit string makes no good problem."""
    length = (5, 6, 8, 10, 13)[level - 1] - rng.randint(0, 1)
    return rng.randint(2 ** (length - 1), 2**length - 2)


@environment(sample=number_of_some_bits)
def binary_notation(number: Nat) -> BitString:
    """Write the number in base two, without leading zeros."""
    return f"{number:b}"


def some_bits(rng: Random, level: int) -> str:
    """Draw at most thirteen bits, because more make too large a number."""
    length = (5, 6, 8, 10, 13)[level - 1]
    return f"{rng.randint(3, 2**length - 2):0{length}b}"


@environment(sample=some_bits)
def binary_value(bits: BitString) -> Nat:
    """Read the bit string as a number in base two, the rightmost bit counting 1. Find this number."""
    number = int(bits, 2)
    if number > 1_000_000:
        raise OutOfDomain("the number is larger than a million")
    return number


def number_of_some_ternary_digits(rng: Random, level: int) -> int:
    """Draw at least three ternary digits, because a shorter list makes no good problem."""
    length = level + 2
    return rng.randint(3 ** (length - 1), 3**length - 2)


@environment(sample=number_of_some_ternary_digits)
def ternary_digits(number: Nat) -> DigitList:
    """Write the number in base three, without leading zeros, and list its digits from left to right."""
    digits = [number % 3]
    while number >= 3:
        number //= 3
        digits.append(number % 3)
    return tuple(reversed(digits))
