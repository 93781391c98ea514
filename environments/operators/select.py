"""SELECT: find which steps, and in which order. Reward 1 if running the answered sequence from x0 gives y_t, else 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from environments.composition.frontier import Offers
from environments.composition.orders import Ends, count_sequences, feasible_orders
from environments.composition.path import Path
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

CHANCE = 0.25  # what a guess among the sequences of one length that the prompt leaves open may earn
_TASK = (
    "Some of the {} operations below turn the input into the output when they are applied in the right order: the "
    "first one to the input, every later one to the result of the one before it, which is what it calls the number,"
    " the list, the graph or the like. Each operation may be applied at most once, and not all of them are needed. "
    "Find such operations and their order. If several choices are right, give any one of them."
)
BOUND = 5000  # steps that counting solutions may take
MORE = 3  # distractors beyond the drawn number, where types would give too much away without them
TRIES = 4  # draws for each distractor
ALTERNATIVES = 0.75  # share of the draws among environments that could stand in place of the path's


def pose(
    path: Path,
    offers: Offers,
    rng: Random,
    level: int,
    steps: int,
    style: AnswerStyle = "tags",
    bound: int = BOUND,
    met: set[str] | None = None,
) -> Problem | Unposed:
    """The problem that shows x0, y_t and the path's steps among distractors; Unposed where it would be too easy.

    bound: steps that counting may take. met: where to note the names of the bricks that might have been distractors.
    """
    environments, size = path.environments, len(path.environments)
    if len(set(environments)) < size:
        return Unposed("an environment stands in the path twice")
    if environments[-1].accepts:
        return Unposed("a terminal environment accepts several outputs")
    distractors = distract(path, offers, rng, met)
    if not distractors:
        return Unposed("nothing else fits the path's states")
    offered = shuffled([*environments, *distractors], rng)
    if size < 2 or len(offered) > MOST:
        return Unposed(f"expected 2 steps or more and at most {MOST} operations, got {size} and {len(offered)}")
    if not _open(path, distractors):
        return Unposed("too few sequences are feasible")
    solutions = count_sequences(offered, Ends.of(path), bound=bound)
    if not solutions.complete:
        return Unposed("too many sequences to count")
    if not solutions.count:
        return Unposed("the path itself does not run")
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
        truth=truth_of("select", **content(offered, path)),
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


def distract(path: Path, offers: Offers, rng: Random, met: set[str] | None = None) -> list[Environment]:
    """Environments off the path that run on its states before the last: uniformly 1 .. max(2, t), more where needed.

    Most are drawn among those that could stand in place of one of the path's, as far as types go. As long as a guess
    among as many steps as the path has would still be right too often, up to MORE others follow.
    met: where to note the names of those that were considered.
    """
    wanted = rng.randint(1, max(2, len(path.environments)))
    places = _places(path, offers)
    found: list[Environment] = []
    for _ in range(TRIES * (wanted + MORE)):
        if len(found) >= wanted and (len(found) == wanted + MORE or _open(path, found)):
            break
        place = rng.choice(places)
        menu = place.alternatives if place.alternatives and rng.random() < ALTERNATIVES else place.menu
        candidate = rng.choice(menu)
        known = {each.name for each in (*path.environments, *found)}
        if candidate.name not in known and not candidate.accepts:
            if met is not None:
                met.add(candidate.name)
            if _changes(candidate, place.value):
                found.append(candidate)
    return found


@dataclass(frozen=True)
class _Place:
    """A state of a path before its last: its value, the environments that take its type, and among those the ones that
    could stand in place of the path's own.
    """

    value: Any
    menu: Sequence[Environment]
    alternatives: Sequence[Environment]


def _places(path: Path, offers: Offers) -> list[_Place]:
    bricks = path.environments
    kinds = [bricks[0].domain, *[each.codomain for each in bricks]]
    places = []
    for step, value in enumerate((path.start, *path.outputs[:-1])):
        menu = offers.of(kinds[step])[0]
        begins = [each for each in menu if step or each.domain is kinds[0]]
        if step + 1 == len(bricks):
            alternatives = [each for each in begins if each.codomain is kinds[-1]]
        else:
            alternatives = [each for each in begins if each.codomain.fits(bricks[step + 1].domain)]
        places.append(_Place(value, menu, [each for each in alternatives if each not in bricks]))
    return places


def _open(path: Path, distractors: Sequence[Environment]) -> bool:
    """Whether types leave enough sequences of the path's own length between the two ends."""
    shown, size = Ends.of(path), len(path.environments)
    feasible = feasible_orders([*path.environments, *distractors], shown.domain, shown.codomain, length=size)
    return feasible * CHANCE >= 1


def _changes(candidate: Environment, value: Any) -> bool:
    """Whether the candidate runs on the value and does not merely repeat it."""
    outcome = run(candidate, value)
    return outcome.done and candidate.codomain.dumps(outcome.value) != candidate.domain.dumps(value)


def score(truth: dict[str, Any], text: str, guard: Guard | None = None) -> Score:
    """1 if running the answered operations in their order gives the output, else 0."""
    return score_order(truth, text, whole=False, guard=guard)
