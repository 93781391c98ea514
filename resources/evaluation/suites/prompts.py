"""The messages that put a benchmark question to a model, as the benchmark's authors word them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from races.resources.evaluation.suites.score import Question

Message = dict[str, str]

BOXED = r"Please reason step by step, and put your final answer within \boxed{}."
LONGBENCH = """Please read the following text and answer the question below.

<text>
$DOC$
</text>

What is the correct answer to this question: $Q$
Choices:
(A) $C_A$
(B) $C_B$
(C) $C_C$
(D) $C_D$

Format your response as follows: "The correct answer is (insert answer here)"."""
PROGRAMMER = (
    "You are an expert Python programmer. You will be given a question (problem specification) and will generate a "
    "correct Python program that matches the specification and passes all tests."
)
WITH_STARTER = (
    "You will use the following starter code to write the solution to the problem and enclose your code within "
    "delimiters."
)
WITHOUT_STARTER = (
    "Read the inputs from stdin solve the problem and write the answer to stdout (do not directly test on the sample "
    "inputs). Enclose your code within delimiters as follows. Ensure that when the python program runs, it reads the "
    "inputs, runs the algorithm and writes output to STDOUT."
)
PLACE = re.compile(r"\$(DOC|Q|C_[ABCD])\$")
COLUMNS = {"DOC": "context", "Q": "question"} | {f"C_{letter}": f"choice_{letter}" for letter in "ABCD"}


class Tokenizer(Protocol):
    """The part of a tokenizer of transformers that truncation needs."""

    def encode(self, text: str) -> Sequence[int]:
        """The tokens of a text."""

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of tokens."""


class FileTokenizer:
    """A `tokenizer.json` read by the library tokenizers, which needs neither transformers nor torch."""

    def __init__(self, file: Path) -> None:
        from tokenizers import Tokenizer as Rust

        self._tokenizer = Rust.from_file(str(file))
        # A file may say so, for training: the end of a long prompt, with its question, would be gone.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens))


def truncated(text: str, limit: int, tokenizer: Tokenizer) -> tuple[str, bool]:
    """The text, without its middle where it has more tokens than the limit; and whether it had.

    As in LongBench-v2 the whole prompt is cut, so that its instructions and its question, at the two ends, survive.
    """
    tokens = tokenizer.encode(text)
    if len(tokens) <= limit:
        return text, False
    head = limit // 2
    kept = [*tokens[:head], *tokens[len(tokens) - (limit - head) :]]
    return tokenizer.decode(kept, skip_special_tokens=True), True


def aime(record: Mapping[str, Any]) -> list[Message]:
    """The problem, and where to put the answer."""
    return [_user(f"{record['problem']}\n\n{BOXED}")]


def as_it_is(record: Mapping[str, Any]) -> list[Message]:
    """The prompt of the record: IFEval and Enigmata-Eval bring theirs."""
    return [_user(record["prompt"])]


def longbench_v2(record: Mapping[str, Any]) -> list[Message]:
    """The 0-shot prompt of the benchmark, not truncated. Every place is filled once: a text may hold "$Q$" itself."""
    return [_user(PLACE.sub(lambda place: record[COLUMNS[place[1]]].strip(), LONGBENCH))]


def livecodebench(record: Mapping[str, Any]) -> list[Message]:
    """The generic prompt of the benchmark's runner."""
    starter = record["starter_code"]
    form = f"{WITH_STARTER}\n```python\n{starter}" if starter else f"{WITHOUT_STARTER}\n```python\n# YOUR CODE HERE"
    asked = f"### Question:\n{record['question_content']}\n\n### Format: {form}\n```\n\n"
    return [
        {"role": "system", "content": PROGRAMMER},
        _user(f"{asked}### Answer: (use the provided format with backticks)\n\n"),
    ]


MESSAGES: dict[str, Callable[[Mapping[str, Any]], list[Message]]] = {
    "aime_2024": aime,
    "aime_2025": aime,
    "livecodebench": livecodebench,
    "ifeval": as_it_is,
    "longbench_v2": longbench_v2,
    "enigmata": as_it_is,
}


def messages(question: Question, tokenizer: Tokenizer | None = None, limit: int = 0) -> tuple[list[Message], bool]:
    """What to send for a question, and whether its middle was cut out to fit the limit of prompt tokens.

    The limit counts the tokens of LongBench-v2's prompt without the chat template; the other prompts are never cut.
    """
    found = MESSAGES[question.benchmark](question.record)
    if question.benchmark != "longbench_v2" or tokenizer is None:
        return found, False
    text, cut = truncated(found[0]["content"], limit, tokenizer)
    return [_user(text)], cut


def _user(content: str) -> Message:
    return {"role": "user", "content": content}
