"""The score of an answer to a benchmark question: pure functions of the question and the model's text.

No text makes a scorer raise or run long. A failure of the grader is a GraderError, never a score of 0.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from races.environments.errors import RacesError
from races.environments.responses.thinking import visible

MAX_AIME_ANSWER = 999  # an AIME answer is an integer from 0 to this
FENCE = "```"

BRACES = re.compile(r"\\boxed\s*\{|\\[\\{}]|[{}]")
INTEGER = re.compile(r"0*([0-9]{1,3})")
# The patterns of LongBench's own evaluation, in its order.
LETTERS = (re.compile(r"The correct answer is \(([A-D])\)"), re.compile(r"The correct answer is ([A-D])"))


class GraderError(RacesError):
    """Grading failed through no fault of the model; the sample has no score."""


@dataclass(frozen=True)
class Question:
    """One question of a benchmark."""

    benchmark: str
    id: str  # unique in its benchmark
    record: Mapping[str, Any]  # the row in the benchmark's own schema
    cluster: str  # shared by questions whose scores depend on one another; its own id where there are none
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # dimensions for breakdowns


@dataclass(frozen=True)
class Score:
    """The score of one answer."""

    value: float  # in [0, 1]
    parts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # further measures, JSON-compatible
    extracted: str | None = None  # the answer found in the text
    reason: str = ""


class Scorer(Protocol):
    """Scores answers to one benchmark. Raises only GraderError."""

    def __call__(self, question: Question, text: str) -> Score:
        """The score of a model's whole text, thinking included."""


def without_thinking(text: str) -> str:
    """The text after the thinking, stripped; a text without thinking is returned unchanged.

    Where the chat template opens the thinking, the text lacks the opening tag: prepend it first.
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
    content = boxed(without_thinking(text))
    if content is None:
        return Score(0.0, reason="no boxed answer")
    number = INTEGER.fullmatch(content.strip().strip("$").strip())
    if number is None:
        return Score(0.0, reason=f"expected an integer from 0 to {MAX_AIME_ANSWER}, got {content[:40]!r}")
    return _compared(str(int(number[1])), str(int(question.record["answer"])))


def longbench_v2(question: Question, text: str) -> Score:
    """Whether the letter after "The correct answer is" is right, parsed as in the benchmark's own evaluation."""
    plain = without_thinking(text).replace("*", "")
    found = next((match for pattern in LETTERS if (match := pattern.search(plain))), None)
    if found is None:
        return Score(0.0, reason='no "The correct answer is (A)" or the like')
    return _compared(found[1], question.record["answer"])


def gold(question: Question) -> str | None:
    """The right answer in the format that the prompt asks for; None for a benchmark without reference answers."""
    if question.benchmark == "longbench_v2":
        return f"The correct answer is ({question.record['answer']})"
    return rf"\boxed{{{question.record['answer']}}}" if question.benchmark.startswith("aime") else None


def program(text: str) -> str:
    """The code that LiveCodeBench runs: between the last two lines with a code fence; "" where there are fewer."""
    lines = without_thinking(text).split("\n")
    fences = [number for number, line in enumerate(lines) if FENCE in line]
    return "\n".join(lines[fences[-2] + 1 : fences[-1]]) if len(fences) > 1 else ""


def _compared(answer: str, truth: str) -> Score:
    right = answer == truth
    return Score(float(right), extracted=answer, reason="right" if right else "wrong answer")
