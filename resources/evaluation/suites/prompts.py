"""The prompts of the benchmarks, as their authors word them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from races.resources.evaluation.suites.score import Question
from races.resources.extras import missing_extra

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
PLACEHOLDER = re.compile(r"\$(DOC|Q|C_[ABCD])\$")
COLUMNS = {"DOC": "context", "Q": "question"} | {f"C_{letter}": f"choice_{letter}" for letter in "ABCD"}


class Tokenizer(Protocol):
    """The methods of a transformers tokenizer that truncation needs."""

    def encode(self, text: str) -> Sequence[int]:
        """The tokens of a text."""

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """The text of tokens."""


class FileTokenizer:
    """A `tokenizer.json` read by the library tokenizers, which needs neither transformers nor torch."""

    def __init__(self, file: Path) -> None:
        try:
            from tokenizers import Tokenizer as Rust
        except ImportError as error:
            raise missing_extra("tokenizers", "eval") from error

        self._tokenizer = Rust.from_file(str(file))
        # A file may enable truncation for training: it would cut off the end of a long prompt, with the question.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens))


def truncated(text: str, limit: int, tokenizer: Tokenizer) -> tuple[str, bool]:
    """The text, with its middle removed where it exceeds the limit of tokens; and whether it did.

    As in LongBench-v2 the whole prompt is truncated, so that the instructions and the question at its ends survive.
    """
    tokens = tokenizer.encode(text)
    if len(tokens) <= limit:
        return text, False
    head = limit // 2
    kept = [*tokens[:head], *tokens[len(tokens) - (limit - head) :]]
    return tokenizer.decode(kept, skip_special_tokens=True), True


def aime(record: Mapping[str, Any]) -> list[Message]:
    """The problem and the answer format."""
    return [_user(f"{record['problem']}\n\n{BOXED}")]


def own_prompt(record: Mapping[str, Any]) -> list[Message]:
    """The prompt in the record: IFEval and Enigmata-Eval have one."""
    return [_user(record["prompt"])]


def longbench_v2(record: Mapping[str, Any]) -> list[Message]:
    """The 0-shot prompt of the benchmark, untruncated. One pass of substitution: a text may itself contain "$Q$"."""
    return [_user(PLACEHOLDER.sub(lambda match: record[COLUMNS[match[1]]].strip(), LONGBENCH))]


def livecodebench(record: Mapping[str, Any]) -> list[Message]:
    """The generic prompt of the benchmark's runner."""
    starter = record["starter_code"]
    form = f"{WITH_STARTER}\n```python\n{starter}" if starter else f"{WITHOUT_STARTER}\n```python\n# YOUR CODE HERE"
    head = f"### Question:\n{record['question_content']}\n\n### Format: {form}\n```\n\n"
    return [
        {"role": "system", "content": PROGRAMMER},
        _user(f"{head}### Answer: (use the provided format with backticks)\n\n"),
    ]


MESSAGES: dict[str, Callable[[Mapping[str, Any]], list[Message]]] = {
    "aime_2024": aime,
    "aime_2025": aime,
    "livecodebench": livecodebench,
    "ifeval": own_prompt,
    "longbench_v2": longbench_v2,
    "enigmata": own_prompt,
}


def messages(question: Question, tokenizer: Tokenizer | None = None, limit: int = 0) -> tuple[list[Message], bool]:
    """The messages for a question, and whether the prompt was truncated to the limit of tokens.

    The limit applies to LongBench-v2 only, whose prompt is counted without the chat template.
    """
    found = MESSAGES[question.benchmark](question.record)
    if question.benchmark != "longbench_v2" or tokenizer is None:
        return found, False
    text, cut = truncated(found[0]["content"], limit, tokenizer)
    return [_user(text)], cut


def _user(content: str) -> Message:
    return {"role": "user", "content": content}
