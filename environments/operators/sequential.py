"""SEQUENTIAL: all results of a chain. Reward K/t, where K of the t results are right before the first wrong one."""

from typing import Any

from races.environments.composition.path import Path, what_it_speaks_of
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

_TASK = (
    "Carry out {} steps in order. Step 1 is applied to the input, every later step to the result of the step before "
    f"it. {what_it_speaks_of('a step')}"
)


def pose(path: Path, level: int, steps: int, style: AnswerStyle = "tags") -> Problem:
    """The problem that shows x0 and the ordered statements and asks for y_1, ..., y_t.

    Examples:
        >>> import races
        >>> from races.environments.composition.path import trace
        >>> from races.environments.operators import sequential
        >>> steps = [races.get(name) for name in ("digit_list", "running_totals")]
        >>> path, outcome = trace(steps, 743)
        >>> problem = sequential.pose(path, level=1, steps=outcome.steps)
        >>> problem.answer
        '<answer>[[7, 4, 3], [7, 11, 14]]</answer>'
        >>> races.graded(problem.truth, "<answer>[[7, 4, 3], [7, 11, 15]]</answer>").value
        0.5
    """
    environments, states = path.environments, path.states
    size, domain = len(environments), environments[0].domain
    numbered = [f"Step {number}. {each.statement}" for number, each in enumerate(environments, 1)]
    prompt = "\n\n".join(
        (
            _TASK.format(size),
            f"The input is {domain.noun}:\n{states[0]}",
            "\n".join(numbered),
            "Give the result of every step.\n" + notations(environments, "The result of step", "The results of steps"),
            answer_format(
                f"one JSON array with the {size} results in the order of the steps",
                example_array(environments, states[1:], (path.start, *path.outputs[:-1])),
                style,
            ),
        )
    )
    return Problem(
        operator="sequential",
        size=size,
        level=level,
        prompt=prompt,
        truth=truth_of(
            "sequential",
            style,
            types=[e.codomain.name for e in environments],
            answers=list(states[1:]),
            **terminals(environments, states[:-1]),
        ),
        answer=wrapped(f"[{', '.join(states[1:])}]", style),
        types=(domain.name, *[e.codomain.name for e in environments]),
        start=states[0],
        outputs=states[1:],
        steps=steps,
        path_id=path.id,
        **provenance(environments),
    )


def score(truth: dict[str, Any], text: str) -> Score:
    """K/t for the K results that are right before the first wrong or missing one."""
    verdicts = judged(truth, text)
    if isinstance(verdicts, Score):
        return verdicts
    prefix = verdicts.index(False) if False in verdicts else len(verdicts)
    reason = "" if prefix == len(verdicts) else f"result {prefix + 1} is wrong or missing"
    return Score(prefix / len(verdicts), ScoreStatus.SCORED, reason, prefix, len(verdicts))
