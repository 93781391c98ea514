"""Balanced strings of round brackets: depths, partners, mirror images, and such strings made from bits."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import BitString, DyckWord, NatList, PairList, type_of

TURN = str.maketrans("()", ")(")


def asymmetric_brackets(rng: Random, level: int) -> str:
    """Brackets that do not look the same from behind, because short ones often do."""
    while True:
        brackets: str = type_of(DyckWord).sample(rng, level)
        if brackets[::-1].translate(TURN) != brackets:
            return brackets


def bits_for_brackets(rng: Random, level: int) -> str:
    """About as many 1s as 0s in random order, a number of pairs that the level fixes."""
    ones = (3, 4, 5, 7, 9)[level - 1]
    bits = ["1"] * ones + ["0"] * (ones - rng.randint(0, 1))
    rng.shuffle(bits)
    return "".join(bits)


@environment()
def nesting_depths(brackets: DyckWord) -> NatList:
    """For each opening bracket, from left to right, count the brackets that are open directly after it, itself
    included: those opened up to there and not yet closed. List these counts.
    """
    depth, depths = 0, []
    for closings in brackets.split("(")[1:]:  # the brackets that close before the next one opens
        depth += 1
        depths.append(depth)
        depth -= len(closings)
    return tuple(depths)


@environment()
def matching_bracket_pairs(brackets: DyckWord) -> PairList:
    """For each opening bracket, from left to right, give the pair of its own position and the position of the bracket
    that closes it. Count positions from 0.
    """
    waiting: list[int] = []
    partners: list[tuple[int, int]] = []
    for position, bracket in enumerate(brackets):
        if bracket == "(":
            waiting.append(position)
        else:
            partners.append((waiting.pop(), position))
    return tuple(sorted(partners))


@environment(sample=asymmetric_brackets)
def brackets_seen_from_behind(brackets: DyckWord) -> DyckWord:
    """Write the bracket string as someone sees it who looks from the other side: from right to left, with every
    opening bracket turned into a closing one and every closing bracket into an opening one.
    """
    return brackets[::-1].translate(TURN)


@environment()
def first_pair_moved_back(brackets: DyckWord) -> DyckWord:
    """Find the bracket that closes the first bracket of the string. Delete the first bracket, replace the one that
    closed it by an opening bracket, and append a closing bracket at the end.
    """
    if not brackets:
        raise OutOfDomain("the string is empty")
    depth = 0
    for position, bracket in enumerate(brackets):
        depth += 1 if bracket == "(" else -1
        if depth == 0:
            return brackets[1:position] + "(" + brackets[position + 1 :] + ")"
    raise OutOfDomain("the first bracket is never closed")


@environment(sample=bits_for_brackets)
def brackets_from_bits(bits: BitString) -> DyckWord:
    """Read the bit string from left to right. For each 1 write an opening bracket. For each 0 write a closing bracket
    if a bracket is open at that moment, and nothing otherwise. At the end close all brackets that are still open.
    """
    written, depth = "", 0
    for bit in bits:
        if bit == "1":
            written, depth = written + "(", depth + 1
        elif depth:
            written, depth = written + ")", depth - 1
    if len(written) + depth > 24:
        raise OutOfDomain("the result would have more than 24 brackets")
    return written + ")" * depth
