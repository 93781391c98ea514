"""Reading, turning and adding up the decimal digits of numbers."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Int, IntPair, Nat, NatList, Partition, SmallNat, Str


def long_number(rng: Random, level: int) -> int:
    """Draw as many digits as a level needs, because short numbers have little to read, and avoid palindromes."""
    length = rng.randint((3, 3, 4, 5, 6)[level - 1], (3, 4, 4, 5, 6)[level - 1])
    while True:
        number = rng.randint(10 ** (length - 1), 10**length - 1)
        if str(number) != str(number)[::-1]:
            return number


def long_signed_number(rng: Random, level: int) -> int:
    """A long number, sometimes negative."""
    return long_number(rng, level) * rng.choice((1, 1, -1))


@environment(sample=long_signed_number)
def reversed_digits(number: Int) -> Int:
    """Write the decimal digits of the number in reverse order and keep its sign. Zeros that come to stand at the front
    do not count.
    """
    reverse = int(str(abs(number))[::-1])
    return -reverse if number < 0 else reverse


@environment(sample=long_number)
def even_and_odd_digits(number: Nat) -> IntPair:
    """Read the even digits of the number, in their order, as one number, and its odd digits likewise as another. The
    digit 0 is even, zeros at the front do not count, and without any digits the number is 0. Give first the number that
    the even digits make.
    """
    even, odd = 0, 0
    for digit in map(int, str(number)):
        if digit % 2:
            odd = 10 * odd + digit
        else:
            even = 10 * even + digit
    return even, odd


@environment(sample=long_signed_number)
def accounting_notation(number: Int) -> Str:
    """Write the number as accountants do: put a comma before every group of three digits, counted from the right, but
    none at the very front; and if the number is negative, put it in round brackets instead of writing a minus sign.
    """
    return f"({-number:,})" if number < 0 else f"{number:,}"


@environment(sample=long_number)
def display_bars(number: Nat) -> SmallNat:
    """To show the digits 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, a display lights up 6, 2, 5, 5, 4, 5, 6, 3, 7, 6 bars in this
    order. Count the bars that light up when the display shows the number.
    """
    return sum([(6, 2, 5, 5, 4, 5, 6, 3, 7, 6)[int(digit)] for digit in str(number)])


@environment(sample=long_number)
def luhn_sum(number: Nat) -> SmallNat:
    """Double every second digit of the number, going from right to left and beginning with the last digit but one.
    Where a doubled digit exceeds 9, subtract 9 from it. Then add up all the digits, the doubled ones as they have
    become and the others as they were.
    """
    digits = [int(digit) for digit in reversed(str(number))]
    return sum(digits[::2]) + sum([2 * digit - 9 if digit > 4 else 2 * digit for digit in digits[1::2]])


def few_numbers(rng: Random, level: int) -> tuple[int, ...]:
    """A short list, because the digits of a long one make too large a partition."""
    low, high = (10, 10, 20, 50, 300)[level - 1], (40, 99, 300, 999, 9999)[level - 1]
    return tuple([rng.randint(low, high) for _ in range((3, 4, 4, 5, 5)[level - 1])])


@environment(sample=few_numbers)
def sorted_digital_roots(numbers: NatList) -> Partition:
    """Replace each entry of the list by the sum of its decimal digits, and do so again and again until every entry has
    a single digit. List these digits from the largest to the smallest, leaving out zeros.
    """
    roots = sorted([1 + (number - 1) % 9 for number in numbers if number], reverse=True)
    if len(roots) > 16:
        raise OutOfDomain("there are more than 16 digits")
    return tuple(roots)
