"""What the measuring process is asked: one model on one benchmark. It travels as JSON and holds no key."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from races.environments.errors import RacesError, SettingError
from races.environments.seeding import key_of
from races.resources.evaluation.suites import datasets
from races.resources.evaluation.suites.enigmata import COMMIT
from races.resources.evaluation.suites.prompts import messages

VERSION = "2"  # of prompts, scorers and rows; scores of different versions are not resumed into one another


class EvaluationError(RacesError):
    """A measurement that cannot start, or has samples without an answer: what was expected and what came."""


@dataclass(frozen=True)
class Data:
    """Which questions. path: file or folder, "" for the invented set. sha256: what must be there, "" for anything.

    begin, end: days of LiveCodeBench's contests, "" for all. limit: questions, 0 for all; those of a smaller limit are
    among those of a larger one.
    """

    benchmark: str
    path: str = ""
    sha256: str = ""
    begin: str = ""
    end: str = ""
    limit: int = 0

    def load(self) -> datasets.Dataset:
        """The questions that are asked; DatasetError, UnknownName or SettingError where that cannot be."""
        path = Path(self.path) if self.path else datasets.mini_path(self.benchmark)
        found = datasets.load(self.benchmark, path, self.sha256, self._window())
        if not 0 < self.limit < len(found.questions):
            return found
        drawn = sorted(found.questions, key=lambda each: key_of("benchmark question", self.benchmark, each.id))
        kept = {each.id for each in drawn[: self.limit]}
        label = found.label if found.label == datasets.MINI else "partial"
        return datasets.Dataset(
            found.benchmark, tuple(each for each in found.questions if each.id in kept), found.sha256, label
        )

    def _window(self) -> Any:
        if not (self.begin or self.end):
            return None
        if self.benchmark != "livecodebench":
            raise SettingError(f"{self.benchmark}: expected no window of contests, got {self.begin} to {self.end}")
        try:
            first, last = (date.fromisoformat(each) for each in (self.begin or "2000-01-01", self.end or "2999-12-31"))
        except ValueError as error:
            raise SettingError(f"window of contests: expected days such as 2025-02-01, got {error}") from error
        return datasets.contest_window(first, last)


@dataclass(frozen=True)
class Answers:
    """How answers are drawn: what the scores depend on, besides the model and the questions.

    samples: of each question. max_tokens: of an answer, thinking included. prompt_limit: tokens of LongBench's prompt,
    0 to send it whole. system: whether the model takes a system message; where not, its text goes before the user's.
    thinking_opened: whether the chat template itself opens the thinking.
    """

    samples: int
    temperature: float
    top_p: float
    top_k: int | None
    max_tokens: int
    prompt_limit: int = 0
    system: bool = True
    thinking_opened: bool = False
    template: dict[str, Any] = field(default_factory=dict)  # further arguments of the chat template
    serving: dict[str, Any] = field(default_factory=dict)  # options of the server that answers depend on


@dataclass(frozen=True)
class Request:
    """One measurement. folder: of the engine's logs, which a later attempt goes on from.

    base_url, model, key_variable: of an OpenAI-compatible server; the variable holds its key. tokenizer: a
    tokenizer.json, for cutting prompts. takes_top_k: whether requests may name it. checkout, commit: of Enigmata.
    concurrency: requests at once. graders: programs and puzzles graded at once. timeout: seconds of one request.
    retries: of a request that fails; attempts: at what then failed.
    """

    data: Data
    answers: Answers
    base_url: str
    model: str
    folder: str
    key_variable: str = ""
    tokenizer: str = ""
    takes_top_k: bool = True
    checkout: str = ""
    commit: str = COMMIT
    concurrency: int = 8
    graders: int = 1
    timeout: int = 1800
    retries: int = 5
    attempts: int = 2

    @classmethod
    def of(cls, read: dict[str, Any]) -> "Request":
        """The request that JSON holds."""
        return cls(**{**read, "data": Data(**read["data"]), "answers": Answers(**read["answers"])})

    def settings(self) -> dict[str, Any]:
        """What scores depend on, besides weights and data, whose hashes are stored: what is stored with them."""
        told = asdict(self.data) | asdict(self.answers) | {"version": VERSION}
        if self.data.benchmark == "enigmata" and self.data.path:
            told["commit"] = self.commit
        return {name: value for name, value in told.items() if name not in ("path", "sha256")}

    @property
    def samples_file(self) -> Path:
        """Where the rows come to lie."""
        return Path(self.folder) / "samples.jsonl"

    @property
    def misjudged_file(self) -> Path:
        """Where known answers that score otherwise than they should are told, before the model is asked."""
        return Path(self.folder) / "misjudged.jsonl"

    @property
    def progress_file(self) -> Path:
        """Where the number of samples is told as they come."""
        return Path(self.folder) / "progress.jsonl"


@dataclass(frozen=True)
class Cost:
    """What a measurement asks of a model at most: prompts are estimated by their characters."""

    questions: int
    generations: int
    prompt_tokens: int
    completion_tokens: int


CHARACTERS = 3.5  # of a token, in English prose and code: a rough mean


def prompt_lengths(dataset: datasets.Dataset) -> list[int]:
    """Characters of each question's messages."""
    return [sum(len(each["content"]) for each in messages(question)[0]) for question in dataset.questions]


def cost(lengths: Sequence[int], answers: Answers) -> Cost:
    """The generations and tokens of a measurement before it is made. lengths: characters of each question's prompt."""
    tokens = [round(each / CHARACTERS) for each in lengths]
    if answers.prompt_limit:
        tokens = [min(each, answers.prompt_limit) for each in tokens]
    asked = len(lengths) * answers.samples
    return Cost(len(lengths), asked, sum(tokens) * answers.samples, asked * answers.max_tokens)
