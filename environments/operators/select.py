"""SELECT: find which steps, and in which order. Reward 1 if running the answered sequence from x0 gives y_t, else 0."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from races.environments.composition.frontier import Offers
from races.environments.composition.orders import Ends, count_sequences, feasible_orders
from races.environments.composition.path import Matching, Path, fits, what_it_speaks_of
from races.environments.core import Environment
from races.environments.execution import run
from races.environments.isolation.guard import Guard
from races.environments.operators.labels import MOST, content, ends, invented, legend, letters_of, score_order, shuffled
from races.environments.operators.problem import (
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
    f"first one to the input, every later one to the result of the one before it. {what_it_speaks_of('an operation')} "
    "Each operation may be applied at most once, and not all of them are needed. Find such operations and their order. "
    "If several choices are right, give any one of them."
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
    if not _open(environments, distractors):
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
        if len(found) >= wanted and (len(found) == wanted + MORE or _open(path.environments, found)):
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


def may_be_open(environments: Sequence[Environment], offers: Offers) -> bool:
    """Whether a path's types leave enough sequences once what could stand in place of its steps is among the offers."""
    others = {each.name: each for _, alternatives in _menus(environments, offers) for each in alternatives}
    return _open(environments, list(others.values())[: max(2, len(environments)) + MORE])


@dataclass(frozen=True)
class _Place:
    """A state of a path before its last: its value, the environments that take its type, and among those the ones that
    could stand in place of the path's own.
    """

    value: Any
    menu: Sequence[Environment]
    alternatives: Sequence[Environment]


def _places(path: Path, offers: Offers) -> list[_Place]:
    values = (path.start, *path.outputs[:-1])
    return [_Place(value, *menus) for value, menus in zip(values, _menus(path.environments, offers), strict=True)]


def _menus(bricks: Sequence[Environment], offers: Offers) -> list[tuple[Sequence[Environment], Sequence[Environment]]]:
    """For each step the environments that take what it takes, and those that could also stand in its place.

    These match the types beside them exactly where the path's own types do, so that a guess among such has a choice.
    """
    matching = _matching(bricks)
    kinds = [bricks[0].domain, *[each.codomain for each in bricks]]
    menus: list[tuple[Sequence[Environment], Sequence[Environment]]] = []
    for step in range(len(bricks)):
        menu = offers.of(kinds[step])[0]
        able = [each for each in menu if each not in bricks and not each.accepts]
        if step == 0 or matching == "exact":
            able = [each for each in able if each.domain is kinds[step]]
        if step + 1 == len(bricks):
            menus.append((menu, [each for each in able if each.codomain is kinds[-1]]))
        else:
            menus.append((menu, [each for each in able if fits(each.codomain, bricks[step + 1].domain, matching)]))
    return menus


def _open(environments: Sequence[Environment], distractors: Sequence[Environment]) -> bool:
    """Whether types leave enough sequences of the path's own length between the two ends.

    Where the path's own types match exactly, enough of those that do are needed, which leave others open a fortiori.
    """
    first, last = environments[0].domain, environments[-1].codomain
    feasible = feasible_orders([*environments, *distractors], first, last, _matching(environments), len(environments))
    return feasible * CHANCE >= 1


def _matching(environments: Sequence[Environment]) -> Matching:
    """Whether each takes exactly the type that the one before it gives, or some takes a wider one."""
    pairs = itertools.pairwise(environments)
    return "exact" if all(fits(a.codomain, b.domain, "exact") for a, b in pairs) else "subtype"


def _changes(candidate: Environment, value: Any) -> bool:
    """Whether the candidate runs on the value and does not merely repeat it."""
    outcome = run(candidate, value)
    return outcome.done and candidate.codomain.dumps(outcome.value) != candidate.domain.dumps(value)


def score(truth: dict[str, Any], text: str, guard: Guard | None = None) -> Score:
    """1 if running the answered operations in their order gives the output, else 0."""
    return score_order(truth, text, whole=False, guard=guard)
