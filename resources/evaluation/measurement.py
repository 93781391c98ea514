"""A measurement: one model on one benchmark. It is passed to the measuring process as JSON and contains no key."""

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

VERSION = "2"  # of prompts, scorers and rows; a measurement of another version is not resumed


class EvaluationError(RacesError):
    """A measurement that cannot start, or that ended with samples that have no answer."""


@dataclass(frozen=True)
class Data:
    """The selected questions of a benchmark."""

    benchmark: str
    path: str = ""  # a file or folder; "" for the invented set
    sha256: str = ""  # expected digest; "" for any
    begin: str = ""  # first day of LiveCodeBench's contests; "" for all
    end: str = ""  # last day, inclusive
    limit: int = 0  # number of questions, 0 for all; a smaller limit selects a subset of a larger one

    def load(self) -> datasets.Dataset:
        """The selected questions; DatasetError, UnknownName or SettingError where they cannot be loaded."""
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
class GenerationSettings:
    """How answers are generated: what scores depend on, besides the model and the questions."""

    samples: int  # per question
    temperature: float
    top_p: float
    top_k: int | None
    max_tokens: int  # of an answer, thinking included
    prompt_limit: int = 0  # tokens of LongBench's prompt; 0 for no truncation
    system: bool = True  # whether the model takes a system message; if not, its text goes before the user's
    thinking_opened: bool = False  # whether the chat template opens the thinking
    template: dict[str, Any] = field(default_factory=dict)  # further arguments of the chat template
    serving: dict[str, Any] = field(default_factory=dict)  # options of the server that answers depend on


@dataclass(frozen=True)
class Measurement:
    """One model on one benchmark, through an OpenAI-compatible server."""

    data: Data
    answers: GenerationSettings
    base_url: str
    model: str  # its name in requests
    folder: str  # of the engine's logs, from which a later attempt resumes
    key_variable: str = ""  # the environment variable with the server's key; "" for no key
    tokenizer: str = ""  # a tokenizer.json, to truncate prompts
    takes_top_k: bool = True  # whether requests may set top_k
    checkout: str = ""  # of Enigmata's repository
    commit: str = COMMIT  # of that checkout
    concurrency: int = 8  # concurrent requests
    graders: int = 1  # programs and puzzles that are graded in parallel
    timeout: int = 1800  # seconds per request
    retries: int = 5  # per request
    attempts: int = 2  # at the samples that failed after all retries, the first attempt included

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Measurement":
        """The measurement in a JSON object, as `asdict` gives it."""
        parts = {"data": Data(**content["data"]), "answers": GenerationSettings(**content["answers"])}
        return cls(**{**content, **parts})

    def settings(self) -> dict[str, Any]:
        """What scores depend on, besides weights and data, whose hashes are stored; stored with the scores."""
        found = asdict(self.data) | asdict(self.answers) | {"version": VERSION}
        if self.data.benchmark == "enigmata" and self.data.path:
            found["commit"] = self.commit
        return {name: value for name, value in found.items() if name not in ("path", "sha256")}

    @property
    def samples_file(self) -> Path:
        """The rows, one per sample."""
        return Path(self.folder) / "samples.jsonl"

    @property
    def self_test_file(self) -> Path:
        """Known answers that the scorer gets wrong; it is tested before the model is asked."""
        return Path(self.folder) / "self_test.jsonl"

    @property
    def progress_file(self) -> Path:
        """The number of graded samples, a line each time it grows."""
        return Path(self.folder) / "progress.jsonl"


@dataclass(frozen=True)
class Cost:
    """An upper bound of the work of a measurement."""

    questions: int
    generations: int
    prompt_tokens: int  # estimated from characters
    completion_tokens: int


CHARACTERS_PER_TOKEN = 3.5  # in English prose and code: a rough mean


def prompt_lengths(dataset: datasets.Dataset) -> list[int]:
    """The number of characters in each question's messages."""
    return [sum(len(each["content"]) for each in messages(question)[0]) for question in dataset.questions]


def cost(lengths: Sequence[int], answers: GenerationSettings) -> Cost:
    """The cost of a measurement. lengths: characters of each question's prompt."""
    tokens = [round(each / CHARACTERS_PER_TOKEN) for each in lengths]
    if answers.prompt_limit:
        tokens = [min(each, answers.prompt_limit) for each in tokens]
    generations = len(lengths) * answers.samples
    return Cost(len(lengths), generations, sum(tokens) * answers.samples, generations * answers.max_tokens)
