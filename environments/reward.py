"""The reward functions that verl and TRL call: the score of a response, from the columns of its row.

verl: reward.custom_reward_function.path=pkg://races.environments.reward
      reward.custom_reward_function.name=compute_score
It uses no signals and no global state, may be called from any thread, and bounds its own time.

Whether the prompt has opened the thinking (DeepSeek-R1's and Qwen3-Thinking's chat templates do) cannot be seen in a
response that the limit of tokens has cut: every function here takes it as `thinking`, the mark that opened it, or True
for `<think>`. `opened_in_prompt` reads it off a tokenizer, `trl_reward_for` makes a reward function with it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import partial, update_wrapper
from typing import Any, Literal

from races.environments.errors import RacesError, SettingError, WrongShape
from races.environments.operators import Score, ScoreStatus, score
from races.environments.responses.conversations import response
from races.environments.responses.thinking import marks_lost, opened_in_prompt, opening, shortened
from races.environments.types.base import shorten

LONGEST_RESPONSE = 400_000  # characters; the tail counts, since the last answer does


class RewardUnavailable(RacesError):
    """The grader failed, so there is no reward: any number would teach the model something false.

    Examples:
        >>> import races
        >>> try:
        ...     races.compute_score("races/single", "<answer>11</answer>", ground_truth="{}")
        ... except races.RewardUnavailable as error:
        ...     print("no reward")
        no reward
    """


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    on_failure: Literal["raise", "flag"] = "raise",
    thinking: str | bool = "",
    **_: Any,
) -> dict[str, float]:
    """The reward of a response, in verl's form: `score` in [0, 1] and the same numeric keys for every row.

    data_source: names the row in an error.
    solution_str: the response.
    ground_truth: the row's truth column.
    on_failure: where the grader itself fails, `raise` RewardUnavailable, or `flag` it: the score is 0 and grader_failed
        1, for a trainer that masks such rows. Model text never raises.
    thinking: the mark with which the prompt opened the thinking, see the module.

    acc is 1 where everything is right, unparseable where no answer could be read; correct and total count results.

    Examples:
        >>> import races
        >>> from races.environments.operators import single
        >>> from races.environments.seeding import generator
        >>> problem = single.pose(races.get("digit_sum"), generator("example"), level=1)
        >>> races.compute_score("races/single", "The answer is <answer>11</answer>.", problem.truth)
        {'score': 1.0, 'acc': 1.0, 'correct': 1.0, 'total': 1.0, 'unparseable': 0.0, 'grader_failed': 0.0}
    """
    result = graded(ground_truth, solution_str, thinking)
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


def graded(truth: Any, response: Any, thinking: str | bool = "") -> Score:
    """The score of a response of any length; of a very long one the end is read, where the last answer is.

    A truth or a response that is not a text gives the status grader_failed: the caller is to blame, not the model.

    Examples:
        >>> import races
        >>> from races.environments.operators import single
        >>> from races.environments.seeding import generator
        >>> problem = single.pose(races.get("digit_sum"), generator("example"), level=1)
        >>> score = races.graded(problem.truth, "I do not know.")
        >>> score.value, score.status.value, score.reason
        (0.0, 'unparseable', 'expected an answer between <answer> and </answer>, got none')
    """
    for name, value in (("truth", truth), ("response", response)):
        if not isinstance(value, str):
            return Score(0.0, ScoreStatus.GRADER_FAILED, f"expected a text as {name}, got {shorten(value)}")
    return score(truth, shortened(response, LONGEST_RESPONSE, thinking))


def trl_reward(
    completions: Sequence[Any],
    ground_truth: Sequence[str] | None = None,
    reward_model: Sequence[Mapping[str, Any]] | None = None,
    on_failure: Literal["raise", "none"] = "raise",
    thinking: str | bool = "",
    **_: Any,
) -> list[float | None]:
    """The rewards of a batch, in TRL's form.

    completions: texts, or conversations, of which the last message of the assistant counts; without one there is no
        answer.
    ground_truth: the truth of each completion.
    reward_model: the column of stored training sets that holds the truths, where ground_truth is not given.
    on_failure: where the grader itself fails, `raise` RewardUnavailable, or give `none`: TRL leaves that out of the sum
        over reward functions, and a row without any reward gets the advantage 0.
    thinking: the mark with which the prompt opened the thinking, see the module.

    WrongShape where the batch is not one, SettingError without truths.

    Examples:
        >>> import races
        >>> from races.environments.operators import single
        >>> from races.environments.seeding import generator
        >>> problem = single.pose(races.get("digit_sum"), generator("example"), level=1)
        >>> races.trl_reward(completions=[problem.answer, "I do not know."], ground_truth=[problem.truth] * 2)
        [1.0, 0.0]
    """
    mark, truths = opening(thinking), _truths(ground_truth, reward_model)
    for name, batch in (("completions", completions), ("truths", truths)):
        if not _is_batch(batch):
            raise WrongShape(f"expected a list of {name}, got {shorten(batch)}")
    if len(truths) != len(completions):
        raise WrongShape(f"expected a truth for each of {len(completions)} completions, got {len(truths)}")
    texts = [response(each, f"completion {place}") for place, each in enumerate(completions)]
    # Thinking that is held apart from the answer has ended, or there is no answer.
    results = [graded(truth, text, "" if apart else mark) for truth, (text, apart) in zip(truths, texts, strict=True)]
    failed = [each.reason for each in results if each.status is ScoreStatus.GRADER_FAILED]
    if failed and on_failure == "raise":
        raise RewardUnavailable(f"{len(failed)} of {len(results)} completions: {failed[0]}")
    return [None if result.status is ScoreStatus.GRADER_FAILED else result.value for result in results]


def trl_reward_for(tokenizer: Any, **options: Any) -> Callable[..., list[float | None]]:
    """`trl_reward` for the models of a tokenizer, whose chat template says whether the prompt opens the thinking.

    options: GRPOConfig's chat_template_kwargs, such as enable_thinking=False.

    SettingError for a tokenizer whose marks
    of thinking are special tokens, which TRL leaves out of the texts that it hands over.

    Examples:
        The tokenizer is one of transformers; this one stands for a model whose template opens the thinking.

        >>> import races
        >>> from races.environments.operators import single
        >>> from races.environments.seeding import generator
        >>> problem = single.pose(races.get("digit_sum"), generator("example"), level=1)
        >>> class Tokenizer:
        ...     chat_template = "..."
        ...     all_special_tokens = []
        ...
        ...     def apply_chat_template(self, messages, add_generation_prompt, tokenize, **options):
        ...         return f"<|user|>{messages[0]['content']}<|assistant|><think>"
        >>> reward = races.trl_reward_for(Tokenizer())
        >>> completions = ["perhaps <answer>11</answer>", "eight and three</think><answer>11</answer>"]
        >>> reward(completions=completions, ground_truth=[problem.truth] * 2)
        [0.0, 1.0]
    """
    lost = [] if getattr(tokenizer, "response_schema", None) else marks_lost(tokenizer)
    if lost:
        raise SettingError(
            f"expected marks of thinking that are no special tokens, got {', '.join(lost)}: TRL leaves them out of "
            "completions unless the tokenizer has a response_schema, and a draft would count as an answer"
        )
    made = partial(trl_reward, thinking=opened_in_prompt(tokenizer, **options))
    return update_wrapper(made, trl_reward)  # TRL names its metrics by __name__


def _is_batch(values: Any) -> bool:
    """Whether these are values in an order: a list, or a column of a library's own."""
    return isinstance(values, Collection) and not isinstance(values, str | bytes | Mapping | Set)


def _truths(ground_truth: Sequence[str] | None, reward_model: Sequence[Any] | None) -> Sequence[str]:
    if ground_truth is not None:
        return ground_truth
    if reward_model is None:
        raise SettingError("expected a column ground_truth or reward_model in the data set, got neither")
    if not _is_batch(reward_model):
        raise WrongShape(f"expected a list as reward_model, got {shorten(reward_model)}")
    for place, each in enumerate(reward_model):
        if not isinstance(each, Mapping) or "ground_truth" not in each:
            raise WrongShape(f"reward_model {place}: expected an object with ground_truth, got {shorten(each)}")
    return [each["ground_truth"] for each in reward_model]
