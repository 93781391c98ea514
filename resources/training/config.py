"""The settings of a training run, its result, and the interface of the back ends."""

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
    "Trainer",
    "TrainingConfig",
    "TrainingError",
    "TrainingResult",
    "Watch",
]

REWARD_PATH, REWARD_NAME = "pkg://races", "compute_score"


class TrainingConfig(Settings):
    """A GRPO run in terms that verl and the torch back end share. Sizes of batches count prompts, never responses."""

    # A misspelt setting is an error: if it were ignored, the run would use the default.
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
        """Settings of the curriculum: the weight of an outcome halves every eight steps."""
        return CurriculumSettings(target=self.target_accuracy, half_life=8 * self.prompts)

    def key(self, data: str) -> str:
        """The name of the run's folder: a hash of all settings that its results depend on, and of its rows."""
        excluded = {"stall_seconds", "keep"}
        return key_of(repr(sorted(self.model_dump(exclude=excluded).items())), data)


@dataclass(frozen=True)
class TrainingResult:
    """The result of a finished run."""

    backend: Literal["verl", "torch"]
    last_step: int
    model: Path  # a Hugging Face folder
    metrics: tuple[StepMetrics, ...]
    rollouts: tuple[dict[str, Any], ...]  # step, prompt, response, truth and score of the kept ones
    greedy: tuple[str, str]  # a prompt of the training set, and the reloaded model's greedy answer


Watch = Callable[[StepMetrics], None]


class Trainer(Protocol):
    """A back end."""

    def check(self, config: TrainingConfig, train_files: list[Path]) -> None:
        """Raise TrainingError for a run that cannot work, before anything is started."""

    def train(self, config: TrainingConfig, train_files: list[Path], folder: Path, watch: Watch) -> TrainingResult:
        """Train to the last step, calling `watch` after each; TrainingError where the last step is not reached.

        folder: of this run alone, named by TrainingConfig.key; an earlier attempt in it is resumed.
        """
