"""What SINGLE, SEQUENTIAL and PARALLEL share: asking for typed results, and judging each result of an answer."""

from collections.abc import Sequence
from typing import Any

from races.environments.composition.path import find
from races.environments.core import Environment
from races.environments.errors import Unparseable
from races.environments.operators.problem import Score, ScoreStatus, answer_of, example_of
from races.environments.responses.answers import read_results
from races.environments.types import VOCABULARY, Type

MAX_PLAIN_NOUN_LENGTH = 84  # characters; a longer noun states conventions


def notations(environments: Sequence[Environment], one: str, several: str) -> str:
    """How each result is to be written; results that are written alike share a line.

    one: what a result is called ("The result of step").
    several: what results are called ("The results of steps").
    """
    alike: dict[str, list[str]] = {}
    for number, each in enumerate(environments, 1):
        alike.setdefault(_written(each.codomain), []).append(str(number))
    lines = []
    for notation, numbers in alike.items():
        if len(numbers) == 1:
            lines.append(f"- {one} {numbers[0]}: {notation}")
        else:
            lines.append(f"- {several} {', '.join(numbers[:-1])} and {numbers[-1]}: each {notation}")
    return "\n".join(lines)


def _written(kind: Type[Any]) -> str:
    """How a value is written, with what it is where that takes conventions to say (which state is the start, say)."""
    return kind.notation if len(kind.noun) <= MAX_PLAIN_NOUN_LENGTH else f"{kind.notation}; it is {kind.noun}"


def example_array(environments: Sequence[Environment], answers: Sequence[str], inputs: Sequence[Any]) -> str:
    """An array that shows how every result is written and holds none that is right."""
    shown = [example_of(e, answer, x) for e, answer, x in zip(environments, answers, inputs, strict=True)]
    return f"[{', '.join(shown)}]"


def terminals(environments: Sequence[Environment], questions: Sequence[str]) -> dict[str, Any]:
    """What the truth column needs about environments that accept several answers, by their index; empty for most."""
    if not any([each.accepts for each in environments]):
        return {}
    found = {
        str(index): {"environment": each.name, "start": question}
        for index, (each, question) in enumerate(zip(environments, questions, strict=True))
        if each.accepts
    }
    return {"terminals": found} if found else {}


def judged(truth: dict[str, Any], text: str) -> list[bool] | Score:
    """Whether each result that was asked for is right, or the score of a text that cannot be read."""
    total = len(truth["answers"])
    kinds = [VOCABULARY[name] for name in truth["types"]]
    try:
        results = read_results(answer_of(truth, text), kinds)
    except Unparseable as error:
        return Score(0.0, ScoreStatus.UNPARSEABLE, str(error), 0, total)
    return [index < len(results) and right(truth, index, results[index]) for index in range(total)]


def right(truth: dict[str, Any], index: int, readings: Sequence[Any]) -> bool:
    """Whether one of an answer's readings is the index-th true value, or one that a terminal environment accepts."""
    terminal = truth.get("terminals", {}).get(str(index))
    if not readings:
        return False
    if terminal is None:
        kind = VOCABULARY[truth["types"][index]]
        true = kind.loads(truth["answers"][index])
        return any([kind.same(value, true) for value in readings])
    environment = find(terminal["environment"])
    start = environment.domain.loads(terminal["start"])
    return any([environment.accepted(start, value) for value in readings])
