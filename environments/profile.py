"""What can be measured of a brick by running it: how long, how varied, how often refused."""

import math
from collections import Counter
from statistics import median
from typing import Any

from races.environments.core import Environment
from races.environments.errors import SettingError
from races.environments.execution import Outcome, draw, run
from races.environments.seeding import generator
from races.environments.types import LEVELS

VERSION = "2"  # of these measurements
DRAWS_PER_LEVEL = 40  # inputs
EXAMPLE_LEVEL = 3


def profile(brick: Environment) -> dict[str, Any]:
    """The measured columns of a brick, the same in every run; shares are of all draws, or of those that were answered.

    steps: median of metered steps at level 3.
    steps_1, ..., steps_5: the same by level.
    question_length, answer_length: medians at level 3, in characters.
    refused: share of the brick's own inputs that it refuses.
    duplicates: share of inputs that were drawn before.
    identity: share of answers equal to their question.
    top_share: the largest share of one answer at a level, over levels 2 to 5.
    entropy: of all answers, in bits.
    idempotent, involution: whether applying the brick twice always gives what once gives, or always gives back the
        question.
    tags: these, `terminal`, and `bridge` where neither of its two types contains the other.
    example_question, example_answer: JSON of an input at level 3 and of its answer.

    SettingError where no input at level 3 is answered, with the reason.
    """
    draws = {level: _draw(brick, level) for level in LEVELS}
    everything = [pair for pairs in draws.values() for pair in pairs]
    done = [(x, outcome) for x, outcome in everything if outcome.done]
    answers = Counter(brick.codomain.dumps(outcome.value) for _, outcome in done)
    shown = [(x, outcome) for x, outcome in draws[EXAMPLE_LEVEL] if outcome.done]
    if not shown:
        _, last = draws[EXAMPLE_LEVEL][-1]
        raise SettingError(
            f"{brick.name}: expected answers to its own inputs at level {EXAMPLE_LEVEL}, "
            f"got none: {last.status}: {last.reason}"
        )
    return {
        "steps": median(outcome.steps for _, outcome in shown),
        **{f"steps_{level}": median([o.steps for _, o in pairs if o.done] or [0]) for level, pairs in draws.items()},
        "question_length": median(len(brick.domain.dumps(x)) for x, _ in shown),
        "answer_length": median(len(brick.codomain.dumps(outcome.value)) for _, outcome in shown),
        "refused": 1 - len(done) / len(everything),
        "duplicates": 1 - len({x for x, _ in everything}) / len(everything),
        "identity": sum(brick.domain.dumps(x) == brick.codomain.dumps(o.value) for x, o in done) / len(done),
        "top_share": max(_top(brick, draws[level]) for level in LEVELS[1:]),
        "entropy": -sum(n / len(done) * math.log2(n / len(done)) for n in answers.values()) + 0.0,
        **_tags(brick, done),
        "example_question": brick.domain.dumps(shown[0][0]),
        "example_answer": brick.codomain.dumps(shown[0][1].value),
    }


def _tags(brick: Environment, done: list[tuple[Any, Outcome]]) -> dict[str, Any]:
    """What applying the brick again shows, and its place between types."""
    idempotent = involution = False
    if brick.codomain.fits(brick.domain):
        again = [(x, outcome.value, run(brick, outcome.value)) for x, outcome in done]
        twice = [(x, y, second.value) for x, y, second in again if second.done]
        moved = any(x != y for x, y, _ in twice)
        idempotent = moved and all(z == y for _, y, z in twice)
        involution = moved and all(z == x for x, _, z in twice)
    found = {
        "bridge": not brick.codomain.fits(brick.domain) and not brick.domain.fits(brick.codomain),
        "idempotent": idempotent,
        "involution": involution,
        "terminal": brick.terminal,
    }
    return {
        "idempotent": idempotent,
        "involution": involution,
        "tags": [name for name, holds in found.items() if holds],
    }


def _draw(brick: Environment, level: int) -> list[tuple[Any, Outcome]]:
    rng = generator("profile", brick.name, level)
    inputs = [draw(brick, rng, level) for _ in range(DRAWS_PER_LEVEL)]
    return [(x, run(brick, x)) for x in inputs]


def _top(brick: Environment, pairs: list[tuple[Any, Outcome]]) -> float:
    answers = Counter(brick.codomain.dumps(outcome.value) for _, outcome in pairs if outcome.done)
    return max(answers.values(), default=0) / max(1, sum(answers.values()))
