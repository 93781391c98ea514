"""Bit strings: recoding, shuffling, runs, and bits made from numbers and moves."""

import re
from itertools import pairwise, zip_longest
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, Moves, NatList


def bits_in_runs(rng: Random, level: int) -> str:
    """Runs of different lengths, in a number that the level fixes."""
    while True:
        lengths = [rng.randint(1, 4) for _ in range((4, 5, 7, 9, 12)[level - 1])]
        if len(set(lengths)) > 1:
            first = rng.randint(0, 1)
            return "".join([str((first + i) % 2) * length for i, length in enumerate(lengths)])


def long_bits(rng: Random, level: int) -> str:
    """At least seven bits, because shuffling a short string often changes nothing."""
    while True:
        length = (8, 11, 14, 18, 24)[level - 1] - rng.randint(0, 1)
        bits = "".join([rng.choice("01") for _ in range(length)])
        if len(set(bits)) > 1:
            return bits


def numbers_of_both_parities(rng: Random, level: int) -> tuple[int, ...]:
    """Odd and even numbers, because a short list often has only one kind."""
    top = (20, 50, 100, 300, 999)[level - 1]
    while True:
        numbers = [rng.randint(1, top) for _ in range((5, 7, 9, 11, 14)[level - 1])]
        if len({number % 2 for number in numbers}) > 1:
            return tuple(numbers)


def walk_with_straight_parts(rng: Random, level: int) -> str:
    """Moves that go on in the same direction about half of the time."""
    while True:
        moves = rng.choice("UDLR")
        for _ in range((5, 7, 10, 14, 19)[level - 1]):
            moves += moves[-1] if rng.random() < 0.4 else rng.choice("UDLR")
        if len({a == b for a, b in pairwise(moves)}) == 2:
            return moves


@environment()
def gray_code(bits: BitString) -> BitString:
    """Keep the first bit of the bit string. After it write, for every later bit, 1 if this bit differs from the bit
    directly before it and 0 if it equals that bit, comparing the original bits throughout.
    """
    return bits[0] + "".join([str(int(a != b)) for a, b in pairwise(bits)])


@environment(sample=long_bits)
def interleaved_halves(bits: BitString) -> BitString:
    """Cut the bit string into two halves, the first one longer by a bit if the number of bits is odd. Then write one
    bit of the first half, one of the second, and so on in turn, taking each half from left to right.
    """
    middle = (len(bits) + 1) // 2
    return "".join([a + b for a, b in zip_longest(bits[:middle], bits[middle:], fillvalue="")])


@environment()
def flip_before_last_one(bits: BitString) -> BitString:
    """Find the last 1 of the bit string. Turn every bit before it into the other one, 0 into 1 and 1 into 0, and keep
    this 1 and all bits after it as they are.
    """
    if "1" not in bits:
        raise OutOfDomain("there is no 1 in the bit string")
    last = bits.rindex("1")
    return bits[:last].translate(str.maketrans("01", "10")) + bits[last:]


@environment(sample=bits_in_runs)
def bit_run_lengths(bits: BitString) -> NatList:
    """Split the bit string into its longest possible runs of equal bits, and list the lengths of the runs from left
    to right.
    """
    runs = re.findall(r"0+|1+", bits)
    if len(runs) > 40:
        raise OutOfDomain("there are more than 40 runs")
    return tuple([len(run) for run in runs])


@environment(sample=numbers_of_both_parities)
def parity_bits(numbers: NatList) -> BitString:
    """Write, for each number of the list in order, 1 if it is odd and 0 if it is even, all as one bit string."""
    if not numbers:
        raise OutOfDomain("the list is empty")
    return "".join([str(number % 2) for number in numbers])


@environment(sample=walk_with_straight_parts)
def turn_marks(moves: Moves) -> BitString:
    """Compare each of the moves except the first with the move directly before it, from left to right. Write 1 if
    the two are different and 0 if they are the same, all as one bit string.
    """
    if len(moves) < 2:
        raise OutOfDomain("there are fewer than two moves")
    return "".join([str(int(a != b)) for a, b in pairwise(moves)])
