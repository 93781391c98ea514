"""Lists of digits: doubling, turning, typing, walking and marking cells with them."""

from itertools import accumulate, groupby, pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import CellList, DigitList, PointList, Word

KEYS = ("", "", "abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz")


@environment()
def every_second_digit_doubled(digits: DigitList) -> DigitList:
    """Go through the list from its end: leave the last digit, double the last but one, leave the one before it, double
    the next one, and so on to the front. Where doubling gives more than 9, subtract 9. Give the list in its original
    order.
    """
    result = list(digits)
    for place in range(len(digits) - 2, -1, -2):
        result[place] = 2 * digits[place] - 9 * (digits[place] > 4)
    return tuple(result)


def digits_that_turn(rng: Random, level: int) -> tuple[int, ...]:
    """Digits whose first one is neither 0 nor a multiple of their number."""
    size = (5, 7, 9, 11, 14)[level - 1]
    first = rng.choice([digit for digit in range(1, 10) if digit % size])
    return (first, *[rng.randint(0, 9) for _ in range(size - 1)])


@environment(sample=digits_that_turn)
def turned_by_first_digit(digits: DigitList) -> DigitList:
    """Note the first digit of the list. As many times as it says, take the digit that stands at the front at that
    moment and put it at the end.
    """
    if not digits:
        raise OutOfDomain("the list has no first digit")
    turns = digits[0] % len(digits)
    return digits[turns:] + digits[:turns]


def digits_in_runs(rng: Random, level: int) -> tuple[int, ...]:
    """Runs of equal digits, mostly of keys with letters."""
    digits: list[int] = []
    while len(digits) < (6, 8, 11, 15, 20)[level - 1]:
        digits += [rng.choice((0, 2, 3, 4, 5, 6, 7, 8, 9))] * rng.choice((1, 1, 2, 2, 3, 4))
    return tuple(digits[: (6, 8, 11, 15, 20)[level - 1]])


@environment(sample=digits_in_runs)
def typed_word(digits: DigitList) -> Word:
    """Telephone keys 2 to 9 carry abc, def, ghi, jkl, mno, pqrs, tuv and wxyz. In the list, each longest run of equal
    digits types a letter: one press its key's first, two the second, and so on, after the last again the first. Keys 0
    and 1 type nothing.
    """
    word = ""
    for digit, run in groupby(digits):
        if digit > 1:
            word += KEYS[digit][(len(list(run)) - 1) % len(KEYS[digit])]
    if not 1 <= len(word) <= 24:
        raise OutOfDomain("the word would have no letter or more than 24")
    return word


@environment()
def cells_of_neighbouring_digits(digits: DigitList) -> CellList:
    """Every two digits that stand directly side by side in the list name a cell: the left digit is its row, the right
    one its column. List these cells from left to right, leaving out every cell that is already listed.
    """
    return tuple(dict.fromkeys(pairwise(digits)))


@environment()
def staircase_points(digits: DigitList) -> PointList:
    """Start at [0, 0] and walk right, where x grows, by the first digit of the list, then up, where y grows, by the
    second, right by the third, and so on in turn. List the points reached after the digits, in order, without the start
    and without repetitions.
    """
    xs = accumulate([digit * (place % 2 == 0) for place, digit in enumerate(digits)])
    ys = accumulate([digit * (place % 2) for place, digit in enumerate(digits)])
    points = [point for point in dict.fromkeys(zip(xs, ys, strict=True)) if point != (0, 0)]
    if len(points) > 24 or any([max(point) > 99 for point in points]):
        raise OutOfDomain("there are more than 24 points, or one lies farther out than 99")
    return tuple(points)
