"""What SORT and SELECT share: environments under opaque letters, and scoring by running the order that was answered."""

from collections.abc import Sequence
from random import Random
from string import ascii_uppercase
from typing import Any

from races.environments.composition.orders import Solutions
from races.environments.composition.path import Path
from races.environments.core import Environment
from races.environments.errors import Unparseable
from races.environments.execution import Status
from races.environments.isolation.guard import Guard, shared_guard
from races.environments.operators.problem import (
    AnswerStyle,
    Problem,
    Score,
    ScoreStatus,
    answer_format,
    answer_of,
    provenance,
    truth_of,
    wrapped,
)
from races.environments.responses.answers import read_labels

MAX_OPERATIONS = len(ascii_uppercase)  # of one prompt, a letter each


def path_rejection(path: Path) -> str:
    """Why neither operator may use a path, whatever else is offered; "" where they may."""
    if len(set(path.environments)) < len(path.environments):
        return "an environment stands in the path twice"
    if path.environments[-1].accepts:
        return "a terminal environment accepts several outputs"
    return ""


def labelled_problem(
    operator: str,
    path: Path,
    offered: Sequence[Environment],
    solutions: Solutions,
    *,
    task: str,
    wanted: str,
    example_size: int,
    level: int,
    steps: int,
    style: AnswerStyle,
    shortest: int,
    distractors: Sequence[Environment] = (),
) -> Problem:
    """The problem that shows both ends of a path and the offered operations under their letters.

    task: the first paragraph of the prompt.
    wanted: what the answer is to be ("a JSON array of ...").
    example_size: letters in the example of an answer.
    The other arguments are columns of Problem.
    """
    environments = path.environments
    letters = ", ".join(f'"{letter}"' for letter in letters_of(environments, offered))
    operations = f"The operations:\n{legend(offered)}"
    return Problem(
        operator=operator,
        size=len(environments),
        level=level,
        prompt="\n\n".join((task, ends(path), operations, answer_format(wanted, invented(example_size), style))),
        truth=truth_of(operator, style, **content(offered, path)),
        answer=wrapped(f"[{letters}]", style),
        types=(environments[0].domain.name, *[e.codomain.name for e in environments]),
        start=path.states[0],
        outputs=path.states[1:],
        steps=steps,
        path_id=path.id,
        chance=solutions.chance,
        valid_answers=solutions.count,
        feasible_answers=solutions.feasible_count,
        shortest=shortest,
        distractors=tuple(each.name for each in distractors),
        **provenance(environments),
    )


def shuffled(environments: Sequence[Environment], rng: Random) -> list[Environment]:
    """The environments in a fresh order, whose letters A, B, C, ... say nothing about them."""
    mixed = list(environments)
    rng.shuffle(mixed)
    return mixed


def legend(environments: Sequence[Environment]) -> str:
    """The statements under their letters."""
    return "\n".join(f"{letter}. {each.statement}" for letter, each in zip(ascii_uppercase, environments, strict=False))


def ends(path: Path) -> str:
    """The paragraphs that show the input and the output of a path."""
    first, last = path.environments[0].domain, path.environments[-1].codomain
    return f"The input is {first.noun}:\n{path.states[0]}\n\nThe output is {last.noun}:\n{path.states[-1]}"


def letters_of(chosen: Sequence[Environment], offered: Sequence[Environment]) -> list[str]:
    """The letters that stand for the chosen environments."""
    letter = {each.name: name for name, each in zip(ascii_uppercase, offered, strict=False)}
    return [letter[each.name] for each in chosen]


def invented(count: int) -> str:
    """The shape of an answer, with letters from the end of the alphabet that no operation has."""
    return "[" + ", ".join(f'"{letter}"' for letter in ascii_uppercase[::-1][:count]) + "]"


def content(offered: Sequence[Environment], path: Path) -> dict[str, Any]:
    """What the truth column needs to run an order: names and fingerprints by letter, start, its type, and target."""
    return {
        "environments": [each.name for each in offered],
        "fingerprints": [each.fingerprint for each in offered],
        "type": path.environments[0].domain.name,
        "start": path.states[0],
        "target": path.states[-1],
        "size": len(path.environments),
    }


def score_order(truth: dict[str, Any], text: str, whole: bool, guard: Guard | None = None) -> Score:
    """1 if running the answered order from the start gives the target, else 0.

    whole: whether every letter must be in the answer.

    A wrong type, a refusal or a limit while running scores 0. A brick that is gone or has changed since the row was
    made, or a guard that cannot start, is a failure of the grader and no verdict on the answer.
    """
    names = truth["environments"]
    try:
        chosen = read_labels(answer_of(truth, text), ascii_uppercase[: len(names)])
    except Unparseable as error:
        return Score(0.0, ScoreStatus.UNPARSEABLE, str(error))
    if whole and len(chosen) != len(names):
        return Score(0.0, ScoreStatus.SCORED, f"expected {len(names)} operations, got {len(chosen)}")
    order = [ascii_uppercase.index(letter) for letter in chosen]
    chain = [(names[i], truth["fingerprints"][i]) for i in order]
    result = (guard or shared_guard()).run_chain(chain, truth["type"], truth["start"])
    if result.failure:
        return Score(0.0, ScoreStatus.GRADER_FAILED, result.failure)
    if result.status is not Status.DONE:
        return Score(0.0, ScoreStatus.SCORED, result.reason)
    right = result.text == truth["target"]
    return Score(float(right), ScoreStatus.SCORED, "" if right else "another output", int(right))
