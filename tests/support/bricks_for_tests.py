"""Bricks that behave in known ways; they stand in a module so that the guard's child process can import them."""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import Bool, IntList, Nat, SmallNat, Text


@environment()
def loop_for(number: SmallNat) -> Nat:
    """Add up the numbers below the number."""
    total = 0
    for each in range(number):
        total += each
    return total


@environment()
def loop_while(number: SmallNat) -> Nat:
    """Take 1 off the number until it is at most 10."""
    while number > 10:
        number -= 1
    return number


@environment()
def loop_left(number: SmallNat) -> Nat:
    """Take 1 off the number until it is at most 10 or a multiple of 7; if it is at most 10, add 1."""
    while number > 10:
        number -= 1
        if number % 7 == 0:
            return number
    number += 1
    return number


@environment()
def loop_nested(number: SmallNat) -> Nat:
    """Count the pairs of numbers below the number and below 3."""
    total = 0
    for _ in range(number):
        for _ in range(3):
            total += 1
    return total


@environment()
def comprehended(number: SmallNat) -> Nat:
    """Add up the odd numbers below the number."""
    return sum([each for each in range(number) if each % 2])


@environment()
def comprehended_twice(number: SmallNat) -> Nat:
    """Add up the products of a number below the number and one below 3."""
    return sum([a * b for a in range(number) for b in range(3)])


@environment()
def stopped_early(number: SmallNat) -> Bool:
    """Say whether some number below the number is 4."""
    return any(each == 4 for each in range(number))


@environment()
def by_lambda(number: SmallNat) -> IntList:
    """List the numbers below the number from the largest to the smallest."""
    return tuple(sorted(range(number), key=lambda each: -each))


def _doubled(number: int) -> int:
    total = 0
    for _ in range(number):
        total += 2
    return total


@environment()
def by_helper(number: SmallNat) -> Nat:
    """Double the number."""
    return _doubled(number)


TABLE = {"double": _doubled}


@environment()
def by_table(number: SmallNat) -> Nat:
    """Double the number."""
    return TABLE["double"](number)


def _applied(number: int, step: Callable[[int], int] = _doubled) -> int:
    return step(number)


@environment()
def by_default(number: SmallNat) -> Nat:
    """Double the number."""
    return _applied(number)


def _counted(number: int) -> Iterator[int]:
    for each in range(number):  # noqa: UP028  # a loop is what is tested
        yield each


@environment()
def by_generator(number: SmallNat) -> Nat:
    """Add up the numbers below the number."""
    return sum(_counted(number))


@environment()
def early_return(number: SmallNat) -> Nat:
    """Give 7 for a number above 10, and else the number plus 3."""
    if number > 10:
        return 7
    more = number + 1
    more += 2
    return more


@environment()
def branches(number: SmallNat) -> Nat:
    """Give 1, 2 or 3 for a number below 10, below 20 or not."""
    match number // 10:
        case 0:
            found = 1
        case 1:
            found = 2
        case _:
            found = 3
    try:
        found += 0
    finally:
        found += 0
    return found


@environment()
def runaway(number: SmallNat) -> Nat:
    """Count for ever."""
    while True:
        number += 1


@environment()
def runaway_that_hides(number: SmallNat) -> Nat:
    """Count for ever, whatever happens."""
    while True:
        try:
            while True:
                number += 1
        except Exception:  # noqa: BLE001  # it tries to swallow the limit, which must not work
            number = 0


@environment()
def runaway_that_swallows_all(number: SmallNat) -> Nat:
    """Count for ever, whatever happens, and give 7."""
    try:
        while True:
            number += 1
    except:  # noqa: E722  # it tries to swallow the limit, which must not work
        return 7


@environment()
def runaway_that_suppresses(number: SmallNat) -> Nat:  # type: ignore[return]  # it would give None
    """Count for ever, and suppress what ends it."""
    with suppress(Exception):
        while True:
            number += 1


@environment()
def runaway_helper(number: SmallNat) -> Nat:
    """Count for ever inside another function."""
    return _endless(number)


def _endless(number: int) -> int:
    while True:
        number += 1


@environment()
def refuses_odd(number: SmallNat) -> Nat:
    """Halve the number, which must be even."""
    if number % 2:
        raise OutOfDomain("the number is odd")
    return number // 2


@environment()
def crashes(number: SmallNat) -> Nat:
    """Divide the number by itself minus itself."""
    return number // (number - number)


@environment()
def explodes(number: SmallNat) -> Nat:
    """Raise ten to the number."""
    return 10**number  # type: ignore[no-any-return]  # of two ints, mypy says Any


@environment()
def explodes_beyond_printing(number: SmallNat) -> Nat:
    """Raise ten to a hundred times the number."""
    return 10 ** (100 * number)  # type: ignore[no-any-return]  # of two ints, mypy says Any


@environment()
def yields(number: SmallNat) -> Nat:  # type: ignore[misc]  # a generator is no answer, and that is what is tested
    """Give the number, one by one."""
    yield number


@environment()
def quits(number: SmallNat) -> Nat:
    """End the program."""
    raise SystemExit(number)


@environment()
def vanishes(number: SmallNat) -> Nat:
    """End the process at once; for the guard's child alone."""
    os._exit(number)


class _Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("this error has no text")


@environment()
def unprintable(number: SmallNat) -> Nat:
    """Fail with an error that cannot be printed."""
    raise _Unprintable


@environment()
def prints(number: SmallNat) -> Nat:
    """Print something and give the number plus 1."""
    print('{"status": "done", "text": "666"}', flush=True)  # noqa: T201  # it must not mix with the guard's replies
    return number + 1


@environment()
def stuck_in_power(number: SmallNat) -> Nat:
    """Raise 3 to a huge power, which is one step in C."""
    return pow(3, 10**9) % (number + 1)  # type: ignore[no-any-return]  # of two ints, mypy says Any


@environment()
def stuck_in_sum(number: SmallNat) -> Nat:
    """Add up very many numbers, which is one step in C."""
    return sum(range(10**13)) % (number + 1)


@environment()
def stuck_in_factorial(number: SmallNat) -> Nat:
    """Multiply very many numbers, which is one step in C."""
    return math.factorial(10**7) % (number + 1)


@environment()
def slow_in_sum(number: SmallNat) -> Nat:
    """Add up many numbers, which takes about half a second in C."""
    return sum(range(2 * 10**7)) % (number + 1)


@environment()
def plus_two(number: Nat) -> Nat:
    """Add 2 to the number."""
    return number + 2


@environment()
def plus_three(number: Nat) -> Nat:
    """Add 3 to the number."""
    return number + 3


@environment()
def plus_five(number: Nat) -> Nat:
    """Add 5 to the number."""
    return number + 5


@environment()
def times_seven(number: Nat) -> Nat:
    """Multiply the number by 7."""
    return number * 7


@environment()
def squared(number: Nat) -> Nat:
    """Multiply the number by itself."""
    return number * number


@environment()
def laborious(number: Nat) -> Nat:
    """Add 1 to the number six hundred times."""
    for _ in range(600):
        number += 1
    return number


@environment()
def said(number: Nat) -> Text:
    """Write the number between two words."""
    return f"exactly {number} things"


@environment()
def said_if_small(number: Nat) -> Text:
    """Write the number between two words, unless it is above 17."""
    if number > 17:
        raise OutOfDomain("the number is above 17")
    return f"exactly {number} things"


@environment()
def spaces(text: Text) -> SmallNat:
    """Count the spaces of the text."""
    return text.count(" ")


def _is_divisor(number: int, answer: int) -> bool:
    return answer > 1 and number % answer == 0


def _composite(rng: Random, level: int) -> int:
    return rng.randint(2, 9) * rng.randint(2, 9 * level)


@environment(sample=_composite, accepts=_is_divisor)
def some_divisor(number: Nat) -> Nat:
    """Give a divisor of the number that is greater than 1."""
    if number < 2:
        raise OutOfDomain("the number has no such divisor")
    return next(each for each in range(2, number + 1) if number % each == 0)


def _divides_blindly(number: int, answer: int) -> bool:
    return number % answer == 0


@environment(sample=_composite, accepts=_divides_blindly)
def some_divisor_blindly(number: Nat) -> Nat:
    """Give a divisor of the number; its own test fails on the answer 0."""
    if number < 2:
        raise OutOfDomain("the number has no such divisor")
    return number
