"""`races score`: score the stored answers of a model, line by line in constant memory."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import click
from rich.progress import wrap_file

from races.assets.cli.console import console, print_table, say
from races.assets.cli.rows import Malformed, Problems, operator_and_size, parquet_rows, size_of, truth_of, value_at
from races.environments.errors import RacesError, SettingError
from races.environments.isolation.guard import shared_guard
from races.environments.operators import Score, ScoreStatus
from races.environments.responses.conversations import response
from races.environments.responses.thinking import opening
from races.environments.reward import graded
from races.environments.types.base import shorten
from races.resources.atomic import new_file

Group = tuple[str, int]  # an operator, and a size or 0 where it is unknown


@dataclass
class Totals:
    """Totals over the answers of a group; an answer that the grader failed on counts in `failed` only."""

    graded: int = 0
    value: float = 0.0
    unparseable: int = 0
    failed: int = 0

    def add(self, score: Score) -> None:
        """Count one more answer."""
        if score.status is ScoreStatus.GRADER_FAILED:
            self.failed += 1
            return
        self.graded += 1
        self.value += score.value
        self.unparseable += score.status is ScoreStatus.UNPARSEABLE

    def cells(self) -> tuple[str, ...]:
        """The number of answers, their mean score, the share that is unparseable, and the failures of the grader."""
        n = self.graded
        shares = (f"{self.value / n:.3f}", f"{self.unparseable / n:.1%}") if n else ("", "")
        return (str(n + self.failed), *shares, str(self.failed))


@dataclass
class Report:
    """The totals by operator and size, and the reasons for which the grader failed."""

    groups: dict[Group, Totals] = field(default_factory=dict)
    whole: Totals = field(default_factory=Totals)
    failures: dict[str, int] = field(default_factory=dict)

    def add(self, group: Group, score: Score) -> None:
        """Count one more answer."""
        self.groups.setdefault(group, Totals()).add(score)
        self.whole.add(score)
        if score.status is ScoreStatus.GRADER_FAILED:
            self.failures[score.reason] = self.failures.get(score.reason, 0) + 1

    def print(self, stderr: bool) -> None:
        """Print the table, and the reasons for failures on stderr."""
        rows = [
            (operator, str(size or "?"), *totals.cells()) for (operator, size), totals in sorted(self.groups.items())
        ]
        numbers = ("size", "answers", "mean score", "unparseable", "grader failed")
        print_table(("operator", *numbers), [*rows, ("all", "", *self.whole.cells())], numbers, stderr)
        for reason, count in self.failures.items():
            say(f"the grader failed on {count}: {reason}", err=True)


@click.command("score")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the scored lines to this file; - is stdout."
)
@click.option("--response-field", default="response", show_default=True, help="The field with the model's text.")
@click.option("--truth-field", default="truth", show_default=True, help="The field with the truth of the row.")
@click.option(
    "--thinking",
    default="",
    help="Tag with which prompts opened the thinking, such as '<think>'; a line's own thinking_opened overrides it.",
)
@click.option(
    "--problems",
    type=click.Path(exists=True, path_type=Path),
    help="Parquet file or folder with the truths, for lines that have only an id or index.",
)
def score_file(
    file: Path, out: Path | None, response_field: str, truth_field: str, thinking: str, problems: Path | None
) -> None:
    """Score the stored answers of a model.

    FILE (- is stdin) has one JSON object per line, or is a Parquet file such as the rollouts of a run. Each line or row
    has a response and its truth, and is scored with the current bricks. The truth may also be in
    reward_model.ground_truth, as in verl's rows, or in the problems that the line's id or index refers to (without a
    column index, the number of the row, from 0). Nested fields are written with dots. The scored lines get the fields
    score (null where the grader failed), status, reason, correct and total.

    A response may be a conversation: the last message of the assistant counts. Where the chat template opened the
    thinking in the prompt and the response is stored without the opening tag, say so with --thinking or the line's
    field thinking_opened (the tag, true or false); otherwise a draft in thinking that was cut off counts as an answer.
    The rollouts and held-out scores of this project are stored with that field.

    Example: races score answers.jsonl --out scored.jsonl

    Example: races score rollouts.jsonl --response-field output --truth-field gts

    Example: races score warehouse/rollouts/run=micro/data.parquet
    """
    report, thinking = Report(), opening(thinking)
    with ExitStack() as stack:
        stack.callback(shared_guard().close)
        known = stack.enter_context(Problems(problems, truth_field)) if problems else None
        target = stack.enter_context(_written(out)) if out else None
        for number, record in _records(file, stack):
            text, tag = _response(number, record, response_field, thinking)
            group, truth = _task(number, record, truth_field, known)
            score = _graded(truth, text, tag)
            report.add(group, score)
            if target:
                target.write(_line(record | _fields(score)))
    report.print(stderr=str(out) == "-")


def _records(file: Path, stack: ExitStack) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a Parquet file, or the JSON objects of any other, numbered from 1."""
    if file.suffix == ".parquet":
        return enumerate(parquet_rows(file), 1)
    return _objects(stack.enter_context(_opened(file)))


def _objects(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file with their line numbers; empty lines are skipped."""
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Malformed(
                number, "a JSON object", shorten(line.decode(errors="replace").rstrip("\n"), 200)
            ) from error
        if not isinstance(record, dict):
            raise Malformed(number, "a JSON object", shorten(record, 200))
        yield number, record


def _response(number: int, record: dict[str, Any], name: str, thinking: str) -> tuple[str, str]:
    """The model's text in a line, and the tag with which its prompt opened the thinking; "" where it did not."""
    stored = value_at(record, name)
    if not isinstance(stored, str | list | dict):
        raise Malformed(number, f"a text as {name}", "none" if stored is None else shorten(stored))
    text, separate = response(stored, f"line {number}, {name}")
    own = record.get("thinking_opened")
    try:
        tag = thinking if own is None else opening(own)
    except SettingError as error:
        raise SettingError(f"line {number}: {error}") from error
    return text, "" if separate else tag


def _task(number: int, record: dict[str, Any], truth_field: str, known: Problems | None) -> tuple[Group, str]:
    """The group that a line counts in, and the truth that it is scored against."""
    truth, size = truth_of(record, truth_field), size_of(record)
    if truth is None and known is not None:
        truth, stored = known.find(number, record)
        size = size or stored
    if truth is None:
        has = ", ".join(record) or "an empty object"
        raise Malformed(number, f"{truth_field}, reward_model.ground_truth, or --problems and an id or index", has)
    operator, implied = operator_and_size(number, truth)
    return (operator, size or implied), str(truth)


def _graded(truth: str, text: str, thinking: str) -> Score:
    try:
        return graded(truth, text, thinking)
    except RacesError as error:  # such as a brick that was removed: no verdict on the answer
        return Score(0.0, ScoreStatus.GRADER_FAILED, str(error))


def _fields(score: Score) -> dict[str, Any]:
    value = None if score.status is ScoreStatus.GRADER_FAILED else score.value
    found = {"score": value, "status": str(score.status), "reason": score.reason}
    return found | {"correct": score.correct, "total": score.total}


def _line(record: dict[str, Any]) -> str:
    """A line of JSON. A lone surrogate, which a model's text may hold and UTF-8 cannot, becomes an escape."""
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace").decode() + "\n"


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    """A file, with a progress bar where stderr is a terminal, or standard input."""
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    with file.open("rb") as raw:
        hidden = not sys.stderr.isatty()
        with wrap_file(
            raw,
            file.stat().st_size,
            description="scoring",
            console=console(stderr=True),
            transient=True,
            disable=hidden,
        ) as shown:
            yield raw if hidden else shown


@contextmanager
def _written(out: Path) -> Iterator[IO[str]]:
    """A file that appears once all lines are scored, or not at all; or standard output."""
    if str(out) == "-":
        yield sys.stdout
        return
    with new_file(out) as staged:
        try:
            file = staged.open("w", encoding="utf-8")
        except OSError as error:
            raise SettingError(f"cannot write {out}: {error.strerror}") from error
        with file:
            yield file
