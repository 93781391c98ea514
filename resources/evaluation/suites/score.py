"""What an answer to a benchmark question is worth: pure functions of the question and the model's text.

No text makes a scorer raise, and none takes it long. A failure of ours is a GraderError and never a score of 0.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from races.environments.errors import RacesError
from races.environments.responses.thinking import visible

LARGEST = 999  # an AIME answer is an integer from 0 to this
FENCE = "```"

BRACES = re.compile(r"\\boxed\s*\{|\\[\\{}]|[{}]")
INTEGER = re.compile(r"0*([0-9]{1,3})")
# The forms in which LongBench's own evaluation looks for a letter, in this order.
LETTERS = (re.compile(r"The correct answer is \(([A-D])\)"), re.compile(r"The correct answer is ([A-D])"))


class GraderError(RacesError):
    """An answer could not be graded through no fault of the model; the sample has no score."""


@dataclass(frozen=True)
class Question:
    """One question of a benchmark.

    id: unique in its benchmark. record: the row in the benchmark's own schema. cluster: what it shares with the
    questions whose scores depend on the same source; its id where there are none. groups: what scores are shown by.
    """

    benchmark: str
    id: str
    record: Mapping[str, Any]
    cluster: str
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Score:
    """A value in [0, 1]; parts: what else was measured, as JSON would hold it; extracted: the answer that was read."""

    value: float
    parts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    extracted: str | None = None
    reason: str = ""


class Scorer(Protocol):
    """What every benchmark has. Raises GraderError alone."""

    def __call__(self, question: Question, text: str) -> Score:
        """The score of a model's whole text, thinking included."""


def shown(text: str) -> str:
    """What follows the thinking of a text, without the white space around it; a text without any as it is.

    A chat template that opens the thinking leaves no trace of that in the text: put its mark before it first.
    """
    answer = visible(text)
    return answer if len(answer) == len(text) else answer.strip()


def boxed(text: str) -> str | None:
    r"""The content of the last balanced `\boxed{...}`; None where there is none. Linear in the length of the text."""
    opened: list[int | None] = []
    begin, end = -1, -1
    for brace in BRACES.finditer(text):
        if brace[0].startswith(r"\boxed"):
            opened.append(brace.end())
        elif brace[0] == "{":
            opened.append(None)
        elif brace[0] == "}" and opened:
            start = opened.pop()
            if start is not None and start > begin:
                begin, end = start, brace.start()
    return text[begin:end] if begin >= 0 else None


def aime(question: Question, text: str) -> Score:
    r"""Whether the last `\boxed{...}` holds the right integer from 0 to 999.

    Dollar signs and space around it and leading zeros do not count. Nothing inside is removed, or "2,5" would be 25.
    """
    content = boxed(shown(text))
    if content is None:
        return Score(0.0, reason="no boxed answer")
    number = INTEGER.fullmatch(content.strip().strip("$").strip())
    if number is None:
        return Score(0.0, reason=f"expected an integer from 0 to {LARGEST}, got {content[:40]!r}")
    return _compared(str(int(number[1])), str(int(question.record["answer"])))


def longbench_v2(question: Question, text: str) -> Score:
    """Whether the letter after "The correct answer is" is right, read as the benchmark's own evaluation reads it."""
    plain = shown(text).replace("*", "")
    found = next((match for pattern in LETTERS if (match := pattern.search(plain))), None)
    if found is None:
        return Score(0.0, reason='no "The correct answer is (A)" or the like')
    return _compared(found[1], question.record["answer"])


def gold(question: Question) -> str | None:
    """A right answer, written as a model should; None for a benchmark whose data hold none that can be written down."""
    if question.benchmark == "longbench_v2":
        return f"The correct answer is ({question.record['answer']})"
    return rf"\boxed{{{question.record['answer']}}}" if question.benchmark.startswith("aime") else None


def program(text: str) -> str:
    """The code that LiveCodeBench runs: between the last two lines with a code fence; empty where there are fewer."""
    lines = shown(text).split("\n")
    fences = [number for number, line in enumerate(lines) if FENCE in line]
    return "\n".join(lines[fences[-2] + 1 : fences[-1]]) if len(fences) > 1 else ""


def _compared(answer: str, truth: str) -> Score:
    right = answer == truth
    return Score(float(right), extracted=answer, reason="right" if right else "wrong answer")
