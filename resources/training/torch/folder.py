"""The files in the folder of a run of the torch back end."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from races.resources.processes.json_lines import lines
from races.resources.training.metrics import StepMetrics


@dataclass
class RunFiles:
    """The files of a run."""

    folder: Path
    metrics: Path = field(init=False)
    checkpoints: Path = field(init=False)
    rollouts: Path = field(init=False)
    model: Path = field(init=False)
    done: Path = field(init=False)
    request: Path = field(init=False)
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.metrics, self.done = self.folder / "metrics.jsonl", self.folder / "done.json"
        self.checkpoints, self.rollouts = self.folder / "checkpoints", self.folder / "rollouts"
        self.model, self.request, self.log = (
            self.folder / "model",
            self.folder / "request.json",
            self.folder / "run.log",
        )

    def last_checkpoint(self) -> Path | None:
        """The newest checkpoint; a checkpoint gets its name once it is complete."""
        return max(self.checkpoints.glob("step_*"), default=None)

    def kept_rollouts(self) -> tuple[dict[str, Any], ...]:
        """The stored rollouts: step, prompt, response, truth and score of each."""
        files = sorted(self.rollouts.glob("step_*.jsonl"))
        return tuple(line for file in files for line in lines(file))

    def sweep(self) -> None:
        """Remove incomplete folders of a killed process."""
        for each in (*self.checkpoints.glob(".step_*"), *self.folder.glob(".model.*")):
            shutil.rmtree(each)


def parse_step(line: dict[str, Any]) -> StepMetrics:
    """The metrics in a line of the metrics file."""
    return StepMetrics(**line)
