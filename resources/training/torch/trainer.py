"""Training in one process on one device: the same data, reward and GRPO arithmetic as on GPUs, for small models."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from races.resources.processes.interpreter import interpreter, variables
from races.resources.processes.launching import LocalLauncher, MetricsTail, watch_run
from races.resources.training.config import Trained, TrainingConfig, TrainingError, Watch
from races.resources.training.rows import checked_rows
from races.resources.training.settings import Settings
from races.resources.training.torch.folder import Place, step_of
from races.resources.training.verl.config import VerlSettings, overrides

WORKER = "races.resources.training.torch.run"


class TorchSettings(Settings):
    """Where the process runs: nothing here changes what is learnt, but for rounding."""

    device: str = Field(default="cpu", description="A torch device: cpu, or cuda for one GPU.")
    threads: int = Field(default=1, ge=1, description="Of torch; small models are fastest with one.")
    micro_batch: int = Field(default=32, ge=1, description="Responses that go through the model at once to learn.")
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

    def train(self, config: TrainingConfig, train_files: list[Path], folder: Path, watch: Watch) -> Trained:
        self.check(config, train_files)
        place = Place(folder.resolve())
        place.folder.mkdir(parents=True, exist_ok=True)
        if not place.done.exists():
            self._run(config, [file.resolve() for file in train_files], place, watch)
        if not place.done.exists():
            raise TrainingError(f"{folder}: expected a trainer that says it is done, got none; see {place.log}")
        done = json.loads(place.done.read_text())
        tail = MetricsTail(place.metrics, step_of)
        tail.new()
        steps = tuple(tail.reports[step] for step in sorted(tail.reports))
        greedy = done["prompt"], done["answer"]
        return Trained("torch", done["last_step"], place.model, steps, place.kept_rollouts(), greedy)

    def _run(self, config: TrainingConfig, train_files: list[Path], place: Place, watch: Watch) -> None:
        # The hooks of the curriculum are for verl's loop; ours has the sampler itself.
        plain = config.model_copy(update={"curriculum": False})
        asked = overrides(plain, VerlSettings(gpus_per_node=1), train_files, checked_rows(train_files), place.folder)
        request: dict[str, Any] = {
            "config": config.model_dump(),
            "overrides": asked,
            "train_files": [str(file) for file in train_files],
            "folder": str(place.folder),
            "device": self.settings.device,
            "threads": self.settings.threads,
            "micro_batch": self.settings.micro_batch,
        }
        place.request.write_text(json.dumps(request, indent=1))
        tail = MetricsTail(place.metrics, step_of)
        tail.new()  # the steps of an earlier attempt are no news
        command = [interpreter(self.settings.python), "-m", WORKER, str(place.request)]
        # torch reads the number before a setting could reach it; datasets would copy the rows to the home folder.
        ours = {"OMP_NUM_THREADS": str(self.settings.threads), "HF_DATASETS_CACHE": str(place.folder / "datasets")}
        with LocalLauncher().launch(command, place.log, variables() | ours | dict(self.environment)) as running:
            # A run that ends by its tokens has no last step that is known before.
            least = 1 if config.tokens else config.steps
            watch_run(running, tail, least, config.stall_seconds, watch, self.poll_seconds)
