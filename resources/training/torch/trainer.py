"""Training of small models in one process on one device, with the data, reward and GRPO arithmetic of verl."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from races.resources.processes.interpreter import interpreter, variables
from races.resources.processes.launching import LocalLauncher, MetricsTail, watch_run
from races.resources.training.config import TrainingConfig, TrainingError, TrainingResult, Watch
from races.resources.training.rows import checked_rows
from races.resources.training.settings import Settings
from races.resources.training.torch.folder import RunFiles, parse_step
from races.resources.training.verl.config import VerlSettings, overrides

WORKER = "races.resources.training.torch.run"


class TorchSettings(Settings):
    """Where the process runs; results do not depend on it, except for rounding."""

    device: str = Field(default="cpu", description="A torch device: cpu, or cuda for one GPU.")
    threads: int = Field(default=1, ge=1, description="Threads of torch; small models are fastest with one.")
    micro_batch: int = Field(default=32, ge=1, description="Responses in a micro-batch of an update.")
    python: str = Field(
        default="", description="Interpreter that has torch and verl; empty takes the one of make setup."
    )


@dataclass(frozen=True)
class TorchTrainer:
    """The torch back end as a Trainer. environment: further variables of its process."""

    settings: TorchSettings
    environment: Mapping[str, str] = field(default_factory=dict)
    poll_seconds: float = 0.5

    def check(self, config: TrainingConfig, train_files: list[Path]) -> None:
        rows = checked_rows(train_files)
        if rows < config.prompts:
            raise TrainingError(f"expected at least {config.prompts} rows to train on, got {rows}")
        if config.prompts % config.mini_batch:
            raise TrainingError(
                f"expected a mini-batch that divides the {config.prompts} prompts of a step, got {config.mini_batch}"
            )

    def train(self, config: TrainingConfig, train_files: list[Path], folder: Path, watch: Watch) -> TrainingResult:
        self.check(config, train_files)
        files = RunFiles(folder.resolve())
        files.folder.mkdir(parents=True, exist_ok=True)
        if not files.done.exists():
            self._run(config, [file.resolve() for file in train_files], files, watch)
        if not files.done.exists():
            raise TrainingError(f"{folder}: the trainer exited without done.json; see {files.log}")
        done = json.loads(files.done.read_text())
        tail = MetricsTail(files.metrics, parse_step)
        tail.new()
        steps = tuple(tail.reports[step] for step in sorted(tail.reports))
        greedy = done["prompt"], done["answer"]
        return TrainingResult("torch", done["last_step"], files.model, steps, files.kept_rollouts(), greedy)

    def _run(self, config: TrainingConfig, train_files: list[Path], files: RunFiles, watch: Watch) -> None:
        # The curriculum's hooks are for verl's loop; this back end uses the sampler directly.
        without_hooks = config.model_copy(update={"curriculum": False})
        verl_overrides = overrides(
            without_hooks, VerlSettings(gpus_per_node=1), train_files, checked_rows(train_files), files.folder
        )
        request: dict[str, Any] = {
            "config": config.model_dump(),
            "overrides": verl_overrides,
            "train_files": [str(file) for file in train_files],
            "folder": str(files.folder),
            "device": self.settings.device,
            "threads": self.settings.threads,
            "micro_batch": self.settings.micro_batch,
        }
        files.request.write_text(json.dumps(request, indent=1))
        tail = MetricsTail(files.metrics, parse_step)
        tail.new()  # skip the steps of an earlier attempt
        command = [interpreter(self.settings.python), "-m", WORKER, str(files.request)]
        # OMP_NUM_THREADS must be set before torch starts; datasets would cache the rows in the home folder.
        environment = {
            "OMP_NUM_THREADS": str(self.settings.threads),
            "HF_DATASETS_CACHE": str(files.folder / "datasets"),
        }
        with LocalLauncher().launch(command, files.log, variables() | environment | dict(self.environment)) as running:
            # The last step of a run with a token limit is not known in advance.
            least = 1 if config.tokens else config.steps
            watch_run(running, tail, least, config.stall_seconds, watch, self.poll_seconds)
