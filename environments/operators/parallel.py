"""PARALLEL: independent problems in one prompt. Reward: the mean of their verdicts."""

from collections.abc import Sequence
from random import Random
from typing import Any

from races.environments.core import Environment
from races.environments.errors import SettingError
from races.environments.execution import instance
from races.environments.operators.problem import (
    AnswerStyle,
    Problem,
    Score,
    ScoreStatus,
    answer_format,
    provenance,
    truth_of,
    wrapped,
)
from races.environments.operators.results import example_array, judged, notations, terminals


def pose(environments: Sequence[Environment], rng: Random, level: int, style: AnswerStyle = "tags") -> Problem:
    """The problem that shows one input of each environment and asks for all answers.

    SettingError for fewer than two environments, and for one that answers none of its own inputs at the level.

    Examples:
        >>> import races
        >>> from races.environments.operators import parallel
        >>> from races.environments.seeding import generator
        >>> bricks = [races.get("digit_sum"), races.get("digit_list")]
        >>> problem = parallel.pose(bricks, generator("example"), level=1)
        >>> problem.outputs
        ('11', '[1, 2, 9]')
    """
    if len(environments) < 2:
        raise SettingError(f"expected at least two environments in parallel, got {len(environments)}")
    drawn = [instance(each, rng, level) for each in environments]
    questions = [each.domain.dumps(x) for each, (x, _) in zip(environments, drawn, strict=True)]
    answers = [each.codomain.dumps(o.value) for each, (_, o) in zip(environments, drawn, strict=True)]
    types = [each.codomain.name for each in environments]
    return Problem(
        operator="parallel",
        size=len(environments),
        level=level,
        prompt=_prompt(environments, questions, example_array(environments, answers, [x for x, _ in drawn]), style),
        truth=truth_of("parallel", style, types=types, answers=answers, **terminals(environments, questions)),
        answer=wrapped(f"[{', '.join(answers)}]", style),
        types=tuple(types),
        start=f"[{', '.join(questions)}]",
        outputs=tuple(answers),
        steps=sum(outcome.steps for _, outcome in drawn),
        **provenance(environments),
    )


def _prompt(environments: Sequence[Environment], questions: Sequence[str], example: str, style: AnswerStyle) -> str:
    size = len(environments)
    problems = [
        f"Problem {number}. {each.statement}\nThe input of problem {number} is {each.domain.noun}:\n{question}"
        for number, (each, question) in enumerate(zip(environments, questions, strict=True), 1)
    ]
    results = notations(environments, "The answer to problem", "The answers to problems")
    wanted = f"one JSON array with the {size} answers in the order of the problems"
    return "\n\n".join(
        (
            f"Solve {size} independent problems.",
            *problems,
            f"Give the answer to every problem.\n{results}",
            answer_format(wanted, example, style),
        )
    )


def score(truth: dict[str, Any], text: str) -> Score:
    """The share of the answers that are right."""
    verdicts = judged(truth, text)
    if isinstance(verdicts, Score):
        return verdicts
    right, total = sum(verdicts), len(verdicts)
    return Score(right / total, ScoreStatus.SCORED, "" if right == total else "some answers are wrong", right, total)
