r"""The table of accepted spellings, which tests hold every type and every operator to; docs/answers.md shows it.

`python -m races.environments.types.accepted > docs/answers.md` writes the page.
"""

import sys
from typing import NamedTuple

LETTERS = "letters"  # in place of a type: the answers of SORT and SELECT


class Accepted(NamedTuple):
    """A way to spell a value.

    name: what tests call it. what: in words. examples: type, text and the canonical JSON that the text stands for.
    """

    name: str
    what: str
    examples: tuple[tuple[str, str, str], ...]


class Refused(NamedTuple):
    """What is not accepted: a type, a text and the reason."""

    kind: str
    text: str
    why: str


ACCEPTED = (
    Accepted("json", "JSON, with any white space", (("IntList", "[4,-7 , 12]", "[4, -7, 12]"),)),
    Accepted("stop", "a full stop after the whole", (("Int", "18.", "18"), ("IntList", "[1, 2].", "[1, 2]"))),
    Accepted(
        "fence",
        "a code fence, also on one line, with or without a language",
        (
            *(("IntList", "```json [1, 2]```", "[1, 2]"), ("IntList", "```json[1, 2]```", "[1, 2]")),
            *(("Int", "```\n18\n```", "18"), ("Int", "`18`", "18"), ("Str", "``k7#b``", '"k7#b"')),
            ("Int", "~~~\n18\n~~~", "18"),
        ),
    ),
    Accepted(
        "bold",
        "bold type of Markdown; italic type, too, but the stars of a string are its own",
        (
            *(("Int", "**18**", "18"), ("Str", "**k7#b**", '"k7#b"'), ("Str", "***k7#b***", '"k7#b"')),
            *(("Int", "__18__", "18"), ("Int", "*18*", "18"), ("Word", "*lamp*", '"lamp"')),
        ),
    ),
    Accepted(
        "announced",
        '"Answer:", "answer =", "The answer is", "Final answer:", "Result:" and the like before it',
        (
            *(("Int", "The answer is 18.", "18"), ("Int", "**Final answer:** 18", "18"), ("Int", "Result: 18", "18")),
            (LETTERS, "Answer: B, A", "BA"),
        ),
    ),
    Accepted(
        "quotes",
        "quotes around the whole, plain or typographic",
        (("IntList", '"[1, 2]"', "[1, 2]"), ("Int", "\u201c18\u201d", "18"), ("Str", "'k7#b'", '"k7#b"')),
    ),
    Accepted(
        "marks",
        "the marks of the other style around it: a box in tags, tags in a box",
        (("Int", r"\boxed{18}", "18"), ("Int", r"\fbox{18}", "18"), ("Int", "<ANSWER>18</ANSWER>", "18")),
    ),
    Accepted(
        "python",
        "Python's single quotes, tuples, True, False, None, and a comma at the end",
        (
            ("IntList", "(1, 2,)", "[1, 2]"),
            ("Graph", "{'n': 3, 'edges': [(0, 1)]}", '{"n": 3, "edges": [[0, 1]]}'),
            ("BinTree", "(5, None, None)", "[5, null, null]"),
            ("Bool", "True", "true"),
            (LETTERS, "('B', 'A')", "BA"),
        ),
    ),
    Accepted(
        "maths",
        r"the delimiters of LaTeX: $, $$, \( and \[",
        (("Int", "$18$", "18"), ("IntList", r"\[ [1, 2] \]", "[1, 2]")),
    ),
    Accepted(
        "latex",
        r"LaTeX around values and in them: \text, \mathbf and the like, \left and \right, spaces such as \,, escapes, "
        "signs, also as plain characters",
        (
            ("Graph", r'\{"n": 3, "edges": [[0,\,1]]\}', '{"n": 3, "edges": [[0, 1]]}'),
            ("Str", r"k7\#b", '"k7#b"'),
            ("IntList", r"\left[1, 2\right]", "[1, 2]"),
            ("Bool", r"\text{true}", "true"),
            ("BoolExpr", r"\sim a \wedge b", '"~a&b"'),
            ("BoolExpr", "\u00aca\u2227b", '"~a&b"'),
            ("BoolExpr", "a\u2192b\u2228c", '"a>b|c"'),
            ("Expr", "2\u00d7x\u22123", '"2*x-3"'),
            ("Expr", "2\u00b7x-3", '"2*x-3"'),
            (LETTERS, r"\text{B} \to \text{A}", "BA"),
        ),
    ),
    Accepted(
        "fractions",
        r"fractions as p/q and with \frac, \dfrac or \tfrac, in lowest terms",
        (
            ("Rational", r"\frac{-3}{4}", '"-3/4"'),
            ("Rational", r"-\dfrac{3}{4}", '"-3/4"'),
            ("Rational", r"\frac34", '"3/4"'),
            ("Rational", "\u22123\u20444", '"-3/4"'),
            ("Rational", "3", '"3/1"'),
        ),
    ),
    Accepted(
        "thousands",
        r"thousands separated by a comma, {,}, ,\!, \, or a thin or no-break space; a comma only outside of arrays",
        (
            ("Int", "234,567", "234567"),
            ("Int", "234{,}567", "234567"),
            ("Int", r"234\,567", "234567"),
            ("Int", r"234,\!567", "234567"),
            ("IntList", r"[1,\!234, 5]", "[1234, 5]"),
            ("Int", "234\u202f567", "234567"),
            ("IntList", "[1{,}234, 5]", "[1234, 5]"),
        ),
    ),
    Accepted(
        "numbers",
        "whole numbers with a sign, a point zero or an exponent, and the minus sign of typography",
        (("Int", "+18", "18"), ("Int", "18.0", "18"), ("Int", "1.8e1", "18"), ("Int", "\u221218", "-18")),
    ),
    Accepted(
        "unquoted",
        "strings, dates, times, fractions and expressions without their quotes, where they are the whole answer or a "
        "whole item of an array of results",
        (("Str", "k7#b", '"k7#b"'), ("Date", "2031-05-09", '"2031-05-09"'), ("BitString", "0110", '"0110"')),
    ),
    Accepted("words", "yes and no for truth values, in any case", (("Bool", "Yes", "true"), ("Bool", "NO.", "false"))),
    Accepted(
        "letters",
        "in SORT and SELECT: letters with commas, semicolons, spaces, arrows, > or `then` between them, with or "
        "without brackets and quotes",
        (
            (LETTERS, "B, A, C", "BAC"),
            (LETTERS, "B -> A \u2192 C", "BAC"),
            (LETTERS, "(B; A)", "BA"),
            (LETTERS, "B then A", "BA"),
            (LETTERS, "[B, A]", "BA"),
        ),
    ),
)

REFUSED = (
    Refused("Int", "7 or 8", "two answers"),
    Refused("Int", "18 apples", "a unit or other words"),
    Refused("Int", r"18\%", "a unit"),
    Refused("Int", "x = 18", "an equation"),
    Refused("Int", "234 567", "two numbers, or one"),
    Refused("Int", "[18]", "an array"),
    Refused("Int", "(18)", "brackets that Python has for nothing and others for an array"),
    Refused("IntList", "(18)", "in Python a number and no tuple, which would be `(18,)`"),
    Refused("IntList", "1, 2", "an array without brackets"),
    Refused("IntList", "{1, 2}", "a set, which has no order"),
    Refused("IntList", "[1,, 2]", "an empty place"),
    Refused("IntList", "[1, True]", "a truth value is no number"),
    Refused("WordList", "[lamp, stone]", "words without quotes inside of a value"),
    Refused("Rational", "6/4", "not in lowest terms"),
    Refused("Rational", "0.75", "a decimal fraction"),
    Refused("Rational", r"2\frac{1}{2}", "a mixed number"),
    Refused("Rational", r"-\frac{-3}{4}", "two signs"),
    Refused("Date", "9 May 2031", "another notation than the one that was asked for"),
    Refused("TimeOfDay", "7:05 pm", "another notation than the one that was asked for"),
    Refused(LETTERS, "b, a", "letters in lower case"),
    Refused(LETTERS, "BAC", "letters without anything between them"),
    Refused(LETTERS, "{A, B}", "a set, which has no order"),
    Refused(LETTERS, "A or B", "two answers"),
)

_HEAD = r"""# What an answer may look like

`python -m races.environments.types.accepted > docs/answers.md` writes this page from the table to which the tests hold
every type and every operator.

## Where the answer is looked for

A prompt asks for its answer between `<answer>` and `</answer>`, or in `\boxed{}`. The last complete one of the form
that was asked for counts. The other form counts only where the one that was asked for is absent. Letters of the tags
may be of either case, with a space inside of the angle brackets; `\fbox` is a box; an answer that was begun and not
finished does not hide the one before it, nor does one with nothing or only dots in it. The truth of a row holds
`"style": "boxed"` where a box was asked for; a truth without a style is read as one that asked for tags.

## How it may be spelled

The reader is lenient in spelling and strict in value: it accepts what has one reading, and refuses what has two. The
most literal reading comes first: what is JSON of the type that was asked for means that, and nothing else. Only a
string without quotes may mean several things, `**a**` the letter in bold type or with its stars; it is right if one of
them is. In SEQUENTIAL and PARALLEL the same holds for each item of the array, and an item that cannot be read costs
itself alone.

| spelling | examples |
| --- | --- |
"""
_BETWEEN = """
## What is refused

| type | text | why |
| --- | --- | --- |
"""


def document() -> str:
    """The page."""
    rows = [f"| {each.what} | {', '.join(_shown(text) for _, text, _ in each.examples)} |" for each in ACCEPTED]
    refused = [f"| {each.kind} | {_shown(each.text)} | {each.why} |" for each in REFUSED]
    return _HEAD + "\n".join(rows) + "\n" + _BETWEEN + "\n".join(refused) + "\n"


def _shown(text: str) -> str:
    """A text as code in a cell of a table."""
    line = text.replace("\n", "\u21b5").replace("\u202f", "\u2423").replace("|", "\\|")
    return f"`` {line} ``" if "`" in line else f"`{line}`"


if __name__ == "__main__":
    sys.stdout.write(document())
