"""SINGLE: one environment on one input, the baseline of individual environments. Reward 1 if right, else 0."""

from functools import lru_cache
from random import Random
from typing import Any

from races.environments.core import Environment
from races.environments.errors import Unparseable
from races.environments.execution import Outcome, instance
from races.environments.operators.problem import (
    AnswerStyle,
    Problem,
    Score,
    ScoreStatus,
    answer_format,
    answer_of,
    example_of,
    provenance,
    truth_of,
    wrapped,
)
from races.environments.operators.results import right, terminals
from races.environments.types import VOCABULARY


def pose(
    environment: Environment,
    rng: Random,
    level: int,
    style: AnswerStyle = "tags",
    drawn: tuple[Any, Outcome] | None = None,
) -> Problem:
    """The problem of one environment on an input of its G, or on one that has been drawn with its outcome.

    Examples:
        >>> import races
        >>> from races.environments.operators import single
        >>> from races.environments.seeding import generator
        >>> problem = single.pose(races.get("digit_sum"), generator("example"), level=1)
        >>> print(problem.prompt)  # doctest: +ELLIPSIS
        Add up the decimal digits of the number.
        <BLANKLINE>
        The input is a whole number, 0 or more:
        83
        <BLANKLINE>
        Write the final answer between <answer> and </answer>: an integer. ...
        >>> problem.answer
        '<answer>11</answer>'
    """
    x, outcome = drawn or instance(environment, rng, level)
    domain, codomain = environment.domain, environment.codomain
    question, answer = domain.dumps(x), codomain.dumps(outcome.value)
    before, after, columns = _frame(environment, style, example_of(environment, answer, x))
    return Problem(
        operator="single",
        size=1,
        level=level,
        prompt=f"{before}{question}{after}",
        truth=truth_of(
            "single", style, types=[codomain.name], answers=[answer], **terminals([environment], [question])
        ),
        answer=wrapped(answer, style),
        start=question,
        outputs=(answer,),
        steps=outcome.steps,
        **columns,
    )


@lru_cache(maxsize=4096)
def _frame(environment: Environment, style: AnswerStyle, example: str) -> tuple[str, str, dict[str, Any]]:
    """What all problems of an environment share: the prompt before and after the input, and columns."""
    wanted = answer_format(environment.codomain.notation, example, style)
    return (
        f"{environment.statement}\n\nThe input is {environment.domain.noun}:\n",
        f"\n\n{wanted}",
        {**provenance([environment]), "types": (environment.domain.name, environment.codomain.name)},
    )


def score(truth: dict[str, Any], text: str) -> Score:
    """1 if the text's answer is the true value (or one that a terminal environment accepts), else 0."""
    try:
        readings = VOCABULARY[truth["types"][0]].readings(answer_of(truth, text))
    except Unparseable as error:
        return Score(0.0, ScoreStatus.UNPARSEABLE, str(error))
    verdict = right(truth, 0, readings)
    return Score(float(verdict), ScoreStatus.SCORED, "" if verdict else "another value", int(verdict))
