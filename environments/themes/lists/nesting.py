"""Nested brackets: rearranged, named and walked."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import DyckWord, Moves, Word, type_of


def lopsided_brackets(rng: Random, level: int) -> str:
    """Brackets whose first pair encloses something else than what follows it."""
    while True:
        brackets: str = type_of(DyckWord).sample(rng, level)
        end = end_of_first_pair(brackets)
        if brackets[1:end] != brackets[end + 1 :]:
            return brackets


def end_of_first_pair(brackets: str) -> int:
    """The position of the bracket that closes the first one."""
    depth = 0
    for place, bracket in enumerate(brackets):
        depth += 1 if bracket == "(" else -1
        if depth == 0:
            return place
    raise OutOfDomain("there is no bracket")


@environment(sample=lopsided_brackets)
def inside_and_rest_exchanged(brackets: DyckWord) -> DyckWord:
    """Find the bracket that closes the first bracket of the string. Exchange everything that stands between these two
    brackets with everything that stands after the closing one; either may be nothing.
    """
    end = end_of_first_pair(brackets)
    return "(" + brackets[end + 1 :] + ")" + brackets[1:end]


@environment()
def letters_in_closing_order(brackets: DyckWord) -> Word:
    """Name the opening brackets a, b, c, ... from left to right. Then go through the closing brackets from left to
    right and write for each one the name of the opening bracket that it closes, all as one word.
    """
    if not brackets:
        raise OutOfDomain("there is no bracket")
    word, names = "", iter("abcdefghijkl")
    opened: list[str] = []
    for openings in brackets.split(")")[:-1]:  # the brackets that open before each one that closes
        opened += [next(names) for _ in openings]
        word += opened.pop()
    return word


@environment()
def moves_of_bracket_turtle(brackets: DyckWord) -> Moves:
    """A turtle faces up. For each bracket, from left to right, it makes a quarter turn, left for an opening and right
    for a closing one, and then moves one unit forward. Write its moves: U for up, D for down, L for left, R for right.
    """
    moves, depth = "", 0
    for bracket in brackets:
        depth += 1 if bracket == "(" else -1
        moves += "ULDR"[depth % 4]
    return moves
