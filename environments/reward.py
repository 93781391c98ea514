"""What verl and TRL call: the score of one response, from the columns of one row.

verl: reward.custom_reward_function.path=pkg://environments.reward and reward.custom_reward_function.name=compute_score.
It uses no signals and no global state, may be called from any thread, and bounds its own time.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from environments.answers import visible
from environments.errors import RacesError, SettingError
from environments.operators import Score, ScoreStatus, score

LONGEST_RESPONSE = 400_000  # characters; the tail counts, since the last answer does


class RewardUnavailable(RacesError):
    """The grader failed, so there is no reward: a number here would teach the model something false."""


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    on_failure: Literal["raise", "flag"] = "raise",
    **_: Any,
) -> dict[str, float]:
    """The reward of a response, in verl's form: `score` in [0, 1] and the same numeric keys for every row.

    ground_truth: the row's truth column. on_failure: where the grader itself fails, `raise` RewardUnavailable, or
    `flag` it: the score is 0 and grader_failed 1, for a trainer that masks such rows. Model text never raises.
    acc is 1 where everything is right; unparseable is 1 where no answer could be read.
    """
    result = graded(ground_truth, solution_str)
    if result.status is ScoreStatus.GRADER_FAILED and on_failure == "raise":
        raise RewardUnavailable(f"{data_source}: {result.reason}")
    return {
        "score": result.value,
        "acc": float(result.value == 1.0),
        "correct": float(result.correct),
        "total": float(result.total),
        "unparseable": float(result.status is ScoreStatus.UNPARSEABLE),
        "grader_failed": float(result.status is ScoreStatus.GRADER_FAILED),
    }


def graded(truth: str, response: str) -> Score:
    """The score of a response of any length; of a very long one the end is read, where the last answer stands."""
    # The thinking part goes first: of a text that is cut it could not be told any more.
    return score(truth, visible(response)[-LONGEST_RESPONSE:])


def trl_reward(
    completions: Sequence[Any],
    ground_truth: Sequence[str] | None = None,
    reward_model: Sequence[Mapping[str, Any]] | None = None,
    on_failure: Literal["raise", "none"] = "raise",
    **_: Any,
) -> list[float | None]:
    """The rewards of a batch, in TRL's form.

    completions: texts, or conversations whose last message holds the response. ground_truth: the truths, else they are
    taken from reward_model, a column of training sets as they are stored. on_failure: where the grader itself fails,
    `raise` RewardUnavailable, or give `none`, which TRL leaves out of the sum over reward functions: with no other
    function beside this one that sum is 0, and teaches the model something false.
    """
    if ground_truth is None:
        if reward_model is None:
            raise SettingError("expected a column ground_truth or reward_model in the data set, got neither")
        ground_truth = [each["ground_truth"] for each in reward_model]
    texts = [each if isinstance(each, str) else each[-1]["content"] for each in completions]
    results = [graded(truth, text) for truth, text in zip(ground_truth, texts, strict=True)]
    failed = [each.reason for each in results if each.status is ScoreStatus.GRADER_FAILED]
    if failed and on_failure == "raise":
        raise RewardUnavailable(f"{len(failed)} of {len(results)} completions: {failed[0]}")
    return [None if result.status is ScoreStatus.GRADER_FAILED else result.value for result in results]
