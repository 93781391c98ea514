"""SELECT: find which steps, and in which order. Reward 1 if running the answered sequence from x0 gives y_t, else 0."""

from random import Random
from typing import Any

from environments.composition.frontier import Offers
from environments.composition.orders import count_sequences
from environments.composition.path import Path, what_it_speaks_of
from environments.core import Environment
from environments.execution import run
from environments.isolation import Guard
from environments.operators.labels import MOST, content, ends, invented, legend, letters_of, score_order, shuffled
from environments.operators.problem import (
    AnswerStyle,
    Problem,
    Score,
    Unposed,
    answer_format,
    provenance,
    truth_of,
    wrapped,
)

CHANCE = 0.25  # what a guesser who only runs what can be run may earn
_TASK = (
    "Some of the {} operations below turn the input into the output when they are applied in the right order: the "
    f"first one to the input, every later one to the result of the one before it. {what_it_speaks_of('an operation')} "
    "Each operation may be applied at most once, and not all of them are needed. Find such operations and their order. "
    "If several choices are right, give any one of them."
)
BOUND = 1000  # executions that counting solutions may take


def pose(
    path: Path, offers: Offers, rng: Random, level: int, steps: int, style: AnswerStyle = "tags", bound: int = BOUND
) -> Problem | Unposed:
    """The problem that shows x0, y_t and the path's steps among distractors; Unposed where it would be too easy."""
    environments, size = path.environments, len(path.environments)
    if len(set(environments)) < size:
        return Unposed("an environment stands in the path twice")
    if environments[-1].accepts:
        return Unposed("a terminal environment accepts several outputs")
    distractors = distract(path, offers, rng)
    if not distractors:
        return Unposed("nothing else fits the path's states")
    offered = shuffled([*environments, *distractors], rng)
    if size < 2 or len(offered) > MOST:
        return Unposed(f"expected 2 steps or more and at most {MOST} operations, got {size} and {len(offered)}")
    solutions = count_sequences(offered, path.start, path.states[-1], bound=bound)
    if not solutions.count:
        return Unposed("the path was not found among the solutions")
    if solutions.shortest == 1:
        return Unposed("one operation alone gives the output")
    if solutions.chance > CHANCE:
        return Unposed("too many sequences are right")
    answer = "[" + ", ".join(f'"{letter}"' for letter in letters_of(environments, offered)) + "]"
    prompt = "\n\n".join(
        (
            _TASK.format(len(offered)),
            ends(path),
            f"The operations:\n{legend(offered)}",
            answer_format(
                "a JSON array of the letters of the chosen operations in the order in which they are applied",
                invented(2),
                style,
            ),
        )
    )
    return Problem(
        operator="select",
        size=size,
        level=level,
        prompt=prompt,
        truth=truth_of("select", style, **content(offered, path)),
        answer=wrapped(answer, style),
        types=(environments[0].domain.name, *[e.codomain.name for e in environments]),
        start=path.states[0],
        outputs=path.states[1:],
        steps=steps,
        path_id=path.id,
        chance=solutions.chance,
        valid_answers=solutions.count,
        feasible_answers=solutions.tried,
        shortest=solutions.shortest,
        distractors=tuple(each.name for each in distractors),
        **provenance(environments),
    )


def distract(path: Path, offers: Offers, rng: Random) -> list[Environment]:
    """Uniformly 1 .. max(2, t) environments off the path that run on the path's own states before its last output."""
    wanted = rng.randint(1, max(2, len(path.environments)))
    kinds = [path.environments[0].domain, *[e.codomain for e in path.environments[:-1]]]
    states = list(zip(kinds, (path.start, *path.outputs[:-1]), strict=True))
    found: list[Environment] = []
    for _ in range(4 * wanted):
        if len(found) == wanted:
            break
        kind, value = rng.choice(states)
        candidate = rng.choice(offers.of(kind)[0])
        known = {each.name for each in (*path.environments, *found)}
        if candidate.name not in known and not candidate.accepts and _changes(candidate, value):
            found.append(candidate)
    return found


def _changes(candidate: Environment, value: Any) -> bool:
    """Whether the candidate runs on the value and does not merely repeat it."""
    outcome = run(candidate, value)
    return outcome.done and candidate.codomain.dumps(outcome.value) != candidate.domain.dumps(value)


def score(truth: dict[str, Any], text: str, guard: Guard | None = None) -> Score:
    """1 if running the answered operations in their order gives the output, else 0."""
    return score_order(truth, text, whole=False, guard=guard)
