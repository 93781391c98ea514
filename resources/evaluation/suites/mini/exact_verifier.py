"""The verifier of the invented puzzles: the last code block must be the answer, but for space, commas and quotes.

It stands in for the verifiers of Enigmata's authors, which know every right answer of a puzzle and are not shipped.
"""

import re
from typing import Any

BLOCK = re.compile(r"```[^\n`]*\n([^`]*)```")
PHRASE = re.compile(r"The answer is: (.*) = -?[0-9]+")  # as arithmetic puzzles give their answers
QUOTED = re.compile(r"[\"']([^\"'\s]+)[\"']")
SEPARATORS = re.compile(r"[\s,\[\]]+")


def verify(output: str, answer: Any, meta: Any) -> int:
    """1 if the answer is right, else 0."""
    blocks = BLOCK.findall(output)
    phrase = PHRASE.fullmatch(str(answer))
    return int(bool(blocks) and parts(blocks[-1]) == parts(phrase[1] if phrase else str(answer)))


def parts(text: str) -> list[str]:
    """What the text lists."""
    return SEPARATORS.sub(" ", QUOTED.sub(r"\1", text).replace('"', "'")).split()
