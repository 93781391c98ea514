"""Hand-worked examples and independent oracles for environments/themes/lists/nesting.py."""

import re

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "inside_and_rest_exchanged": [('"(()())()"', '"(())()()"'), ('"()"', '"()"'), ('"(())"', '"()()"'), ('""', None)],
    "letters_in_closing_order": [('"(()())"', '"bca"'), ('"()()"', '"ab"'), ('"((()))"', '"cba"'), ('""', None)],
    "moves_of_bracket_turtle": [('"(()())"', '"LDLDLU"'), ('"((((()))))"', '"LDRULURDLU"'), ('""', '""')],
}


def inside_and_rest_exchanged(x: str, y: str) -> bool:
    """The only cut of the string into (u)v with u and v balanced, found by trying all."""

    def balanced(text: str) -> bool:
        while "()" in text:
            text = text.replace("()", "")
        return not text

    closings = [found.start() for found in re.finditer(r"\)", x)]
    return [y] == [f"({x[i + 1 :]}){x[1:i]}" for i in closings if balanced(x[1:i]) and balanced(x[i + 1 :])]


def letters_in_closing_order(x: str, y: str) -> bool:
    """The brackets with names for the opening ones, of which neighbours a) are taken out one after another."""
    names = iter("abcdefghijkl")
    text, word = re.sub(r"\(", lambda _: next(names), x), ""
    while found := re.search(r"([a-l])\)", text):
        word, text = word + found[1], text[: found.start()] + text[found.end() :]
    return y == word


def moves_of_bracket_turtle(x: str, y: str) -> bool:
    """A turn to the left multiplies the direction, a complex number, by i, and one to the right by -i."""
    names = {1j: "U", -1j: "D", -1: "L", 1: "R"}
    heading, moves = 1j, ""
    for bracket in x:
        heading *= 1j if bracket == "(" else -1j
        moves += names[heading]
    return y == moves


ORACLES = {
    "inside_and_rest_exchanged": inside_and_rest_exchanged,
    "letters_in_closing_order": letters_in_closing_order,
    "moves_of_bracket_turtle": moves_of_bracket_turtle,
}
