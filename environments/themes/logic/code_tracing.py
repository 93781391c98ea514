"""What a short loop prints or builds, with its rule said in words."""

from itertools import pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, IntPair, Nat, NatList, PairList, Ragged, Str, type_of

BIG = 1_000_000


def loop_start(rng: Random, level: int) -> int:
    """Numbers from which the loop runs about seven to fourteen times."""
    low = (20, 50, 120, 300, 900)[level - 1]
    return rng.randint(low, 3 * low)


@environment(sample=loop_start)
def thirds_or_one_less(number: Nat) -> NatList:
    """Set n to the number. As long as n is greater than 0, print n and then change n: to a third of n if n is divisible
    by 3, and to n - 1 otherwise. List the printed numbers in order.
    """
    printed = []
    while number > 0:
        printed.append(number)
        number = number // 3 if number % 3 == 0 else number - 1
    return tuple(printed)


def late_even_entry(rng: Random, level: int) -> tuple[int, ...]:
    """Lists that have an even entry behind an odd one, because nothing moves in others."""
    while True:
        numbers: tuple[int, ...] = type_of(IntList).sample(rng, level)
        if any([a % 2 > b % 2 for a, b in pairwise(numbers)]):
            return numbers


@environment(sample=late_even_entry)
def even_entries_to_front(numbers: IntList) -> IntList:
    """Start with an empty list q. For each entry v of the list, from first to last: if v is even, put it in front of
    all that is in q at that moment; if v is odd, append it to the end of q. Give the final q.
    """
    queue: list[int] = []
    for number in numbers:
        if number % 2 == 0:
            queue.insert(0, number)
        else:
            queue.append(number)
    return tuple(queue)


@environment()
def total_steered_to_zero(numbers: IntList) -> IntList:
    """Set t to 0. For each entry v of the list, from first to last: if t is greater than 0, subtract v from t,
    otherwise add v to t; then print t. List the printed numbers in order.
    """
    total, printed = 0, []
    for number in numbers:
        total = total - number if total > 0 else total + number
        printed.append(total)
    if any([abs(each) > BIG for each in printed]):
        raise OutOfDomain(f"t goes beyond {BIG}")
    return tuple(printed)


def factors(rng: Random, level: int) -> tuple[int, int]:
    """A first number with several ones in base two, because each of them prints a pair."""
    while True:
        first = rng.randint(*((5, 15), (9, 40), (20, 90), (60, 250), (200, 900))[level - 1])
        if first.bit_count() >= 2:
            return first, rng.randint(3, (20, 30, 50, 70, 99)[level - 1])


@environment(sample=factors)
def peasant_multiplication_rows(pair: IntPair) -> PairList:
    """Call the two numbers a and b. As long as a is greater than 0: print the pair of a and b if a is odd; then halve
    a, dropping any half, and double b. List the printed pairs in order.
    """
    a, b = pair
    printed = []
    while a > 0:
        if a % 2:
            printed.append((a, b))
        a, b = a // 2, 2 * b
    if any([abs(second) > BIG for _, second in printed]):
        raise OutOfDomain(f"b goes beyond {BIG}")
    return tuple(printed)


@environment()
def characters_at_both_ends(text: Str) -> Str:
    """Start with an empty string t. Take the characters of the string from left to right and add them to t: the first
    at its right end, the second at its left end, the third at its right end, and so on in turn. Give the final t.
    """
    return text[1::2][::-1] + text[::2]


@environment()
def columns_of_ragged_rows(rows: Ragged) -> Ragged:
    """Make new lists: the first holds the first entries of all inner lists that are not empty, the second the second
    entries of all inner lists with at least two entries, and so on, always in the order of the inner lists, until all
    entries are used.
    """
    longest = max([len(row) for row in rows], default=0)
    if longest > 40:
        raise OutOfDomain("there would be more than 40 lists")
    return tuple([tuple([row[place] for row in rows if len(row) > place]) for place in range(longest)])
