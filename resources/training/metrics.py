"""What every back end reports of a training run; nothing here needs Dagster or torch."""

from dataclasses import dataclass

from races.environments.errors import RacesError


class TrainingError(RacesError):
    """A run that cannot start, or that ended before its last step: what was expected and what came."""


@dataclass(frozen=True)
class StepMetrics:
    """One optimiser step of a run; a figure that a back end does not report is None.

    reward, reward_std: mean over responses, mean over groups of the deviation inside a group. mixed_groups: share of
    groups that are neither all alike. clip_fraction: share of tokens whose ratio was clipped. response_length: tokens,
    mean. truncated: share of responses cut at the limit. tokens: of prompts and responses since the start. seconds: of
    wall time.
    """

    step: int
    reward: float
    reward_std: float | None = None
    mixed_groups: float | None = None
    clip_fraction: float | None = None
    response_length: float | None = None
    truncated: float | None = None
    entropy: float | None = None
    grad_norm: float | None = None
    loss: float | None = None
    tokens: int | None = None
    seconds: float | None = None

    @property
    def done(self) -> int:
        """The number of the step, as races.resources.processes follows it."""
        return self.step
