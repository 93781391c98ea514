"""What a training run is made of, whichever back end runs it, and what every back end hands back."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import ConfigDict, Field

from races.environments.curriculum import CurriculumSettings
from races.environments.seeding import key_of
from races.resources.training.metrics import StepMetrics, TrainingError
from races.resources.training.settings import Settings

__all__ = [
    "REWARD_NAME",
    "REWARD_PATH",
    "StepMetrics",
    "Trained",
    "Trainer",
    "TrainingConfig",
    "TrainingError",
    "Watch",
]

REWARD_PATH, REWARD_NAME = "pkg://environments.reward", "compute_score"


class TrainingConfig(Settings):
    """A GRPO run in terms that verl and the torch back end share. Sizes of batches count prompts, never responses."""

    # A setting that is misspelt is refused: ignored, it would leave a run with the value that was to be replaced.
    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(description="A Hugging Face folder or hub name.")
    steps: int = Field(ge=1, description="Rollout batches, each of `prompts` prompts.")
    tokens: int = Field(0, ge=0, description="End after so many tokens, prompts included; 0 leaves it to `steps`.")
    prompts: int = Field(ge=1, description="Prompts of a step; verl's data.train_batch_size.")
    mini_batch: int = Field(ge=1, description="Prompts of an update; below `prompts` the clip bounds come into play.")
    rollouts: int = Field(8, ge=2, description="Responses to a prompt, which form its group; the paper has 8.")
    prompt_length: int = Field(ge=1, description="Tokens of the longest prompt, template included.")
    response_length: int = Field(ge=1, description="Tokens of the longest response.")
    learning_rate: float = Field(2e-6, gt=0, description="Of AdamW, constant; the paper has 2e-6.")
    weight_decay: float = Field(0.01, ge=0, description="Of AdamW; verl's default.")
    grad_clip: float = Field(1.0, gt=0, description="Largest norm of a gradient.")
    clip_low: float = Field(0.2, gt=0, lt=1, description="A ratio below 1 - clip_low is clipped.")
    clip_high: float = Field(0.28, gt=0, description="A ratio above 1 + clip_high is clipped; the paper has 0.28.")
    temperature: float = Field(1.0, gt=0, description="Of sampling, and of the log-probabilities that are trained on.")
    seed: int = Field(42, ge=0, description="Of the order of rows and, in the torch back end, of sampling.")
    save_every: int = Field(50, ge=1, description="Steps between checkpoints.")
    keep: int = Field(2, ge=1, description="Checkpoints that stay, the last ones.")
    rollouts_every: int = Field(10, ge=1, description="Steps between kept samples of rollouts.")
    curriculum: bool = Field(False, description="Draw rows by the adaptive curriculum; off, as in the paper.")
    target_accuracy: float = Field(
        0.5, gt=0, lt=1, description="Mean accuracy that the curriculum steers its draws to."
    )
    stall_seconds: float = Field(3600, gt=0, description="A run that ends no step for so long is stopped as stalled.")

    def curriculum_settings(self) -> CurriculumSettings:
        """How the curriculum steers: an outcome counts half after eight steps."""
        return CurriculumSettings(target=self.target_accuracy, half_life=8 * self.prompts)

    def key(self, data: str) -> str:
        """What the folder of a run is named by: everything that its numbers depend on, and the hash of its rows."""
        loose = {"stall_seconds", "keep"}
        return key_of(repr(sorted(self.model_dump(exclude=loose).items())), data)


@dataclass(frozen=True)
class Trained:
    """What a run leaves: its last step, a Hugging Face folder with the weights, and files of metrics and rollouts.

    greedy: a prompt of the training set and what the saved model, loaded anew, answers to it.
    """

    backend: Literal["verl", "torch"]
    last_step: int
    model: Path
    metrics: tuple[StepMetrics, ...]
    rollouts: tuple[dict[str, Any], ...]
    greedy: tuple[str, str]


Watch = Callable[[StepMetrics], None]


class Trainer(Protocol):
    """A back end. `folder` is the run's own, named by TrainingConfig.key: what it holds is resumed."""

    def check(self, config: TrainingConfig, train_files: list[Path]) -> None:
        """TrainingError, naming what is wrong, before anything is started."""

    def train(self, config: TrainingConfig, train_files: list[Path], folder: Path, watch: Watch) -> Trained:
        """Run to the last step, calling `watch` for each; TrainingError where the last step was not reached."""
