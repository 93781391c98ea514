"""Which extensions of a path are kept (the paper's filters and ours), and how healthy a composite is.

One run is not enough: a chain may give nearly the same answer for every input, or contain a step that changes nothing.
Health is measured on probe inputs: fresh inputs of the start brick that are run through the path as well.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from races.environments.core import Environment
from races.environments.errors import SettingError
from races.environments.execution import MAX_STEPS, Outcome, run
from races.environments.types import Type

Run = Callable[[Environment, Any, int], Outcome]
Filters = Literal["healthy", "paper"]
PAPER_LENGTH, OUR_LENGTH = 100, 250  # characters of an intermediate value
PAPER_TOP = 500  # the largest integer that the paper keeps


def rejection(
    outcome: Outcome, kind: Type[Any], earlier: Sequence[str], siblings: set[str], mode: Filters
) -> str | None:
    """Why an extension is not kept, or None.

    outcome, kind: of the run, and the type of its output.
    earlier: the JSON of the states of the path so far.
    siblings: the JSON of the outputs kept at the same state.
    mode: `paper` for the paper's filters; `healthy` replaces its bounds by the type's.
    """
    if not outcome.done:
        return str(outcome.status)
    value = outcome.value
    if type(value) is int and value in (0, 1):
        return "zero or one"
    text = kind.dumps(value)
    if text in earlier:
        return "repeats a state"
    if text in siblings:
        return "equals a sibling"
    plain = text.strip('"')
    if plain == plain[:1] * len(plain) and len(plain) != 1:
        return "one character"
    if len(text) > (PAPER_LENGTH if mode == "paper" else OUR_LENGTH):
        return "too long"
    if mode == "paper":
        return "above 500" if type(value) is int and value > PAPER_TOP else None
    return None if kind.healthy(value) else "not healthy"


@dataclass(frozen=True, slots=True)
class Health:
    """What a composite does on probe inputs; shares are of those that are answered, unless another whole is named.

    alive: share of all probe inputs that are answered.
    healthy: share of final answers in their type's healthy range.
    distinct: number of different final answers.
    top_share: share of the most common final answer, which is what a constant guess would earn.
    entropy: of the final answers, in bits.
    identity: the largest share, over the steps, at which a step repeats its input.
    step_top_share: the largest share of one output, over the steps.
    sensitivity: the smallest chance, over the steps, that two probe inputs differ in the step's output.
    """

    alive: float
    healthy: float
    distinct: int
    top_share: float
    entropy: float
    identity: float
    step_top_share: float
    sensitivity: float


def extended(
    before: Health | None, kind: Type[Any], previous: Sequence[Any], current: Sequence[Any], total: int
) -> Health:
    """The health of a path after one more step.

    kind: the type that the step gives.
    previous, current: of the probe inputs that are still answered, the values before and after the step.
    total: of all probe inputs.
    """
    if not current:
        return Health(0.0, 0.0, 0, 1.0, 0.0, 1.0, 1.0, 0.0)
    count = len(current)
    shares = [n / count for n in Counter(current).values()]
    identity = sum(a == b for a, b in zip(previous, current, strict=True)) / count
    top = max(shares)
    pairs = max(1, count * (count - 1))
    sensitivity = 1 - sum(share * count * (share * count - 1) for share in shares) / pairs
    return Health(
        alive=count / total,
        healthy=sum(map(kind.healthy, current)) / count,
        distinct=len(shares),
        top_share=top,
        entropy=-sum(share * math.log2(share) for share in shares) + 0.0,
        identity=max(identity, before.identity if before else 0.0),
        step_top_share=max(top, before.step_top_share if before else 0.0),
        sensitivity=min(sensitivity, before.sensitivity if before else 1.0),
    )


@dataclass(frozen=True)
class HealthSettings:
    """The bounds of the health checks: at least, or for identity and the two top shares at most.

    The defaults are for 24 probe inputs; see Health. SettingError for a share outside 0 to 1.
    """

    alive: float = 0.8
    healthy: float = 0.8
    distinct: int = 8
    top_share: float = 0.3
    identity: float = 0.3
    step_top_share: float = 0.5
    sensitivity: float = 0.7
    truth_margin: float = 0.65  # for truth values, instead of distinct and top_share: the larger side's share

    def __post_init__(self) -> None:
        for each in fields(self):
            bound = getattr(self, each.name)
            if each.name != "distinct" and not 0 <= bound <= 1:
                raise SettingError(f"health setting {each.name}: expected a share from 0 to 1, got {bound!r}")


def failed_health_checks(health: Health, kind: Type[Any], settings: HealthSettings) -> list[str]:
    """The names of the health checks that a composite fails; none for a healthy one."""
    found = permanent_failures(health, kind, settings)
    if health.healthy < settings.healthy:
        found.append("unhealthy answers")
    return found


def permanent_failures(health: Health, kind: Type[Any], settings: HealthSettings) -> list[str]:
    """The failed checks that no further step can repair: a search loses nothing if it does not extend such a path."""
    found = []
    if health.alive < settings.alive:
        found.append("often refused")
    if kind.sink:
        if health.top_share > settings.truth_margin:
            found.append("one answer dominates")
    else:
        if health.distinct < settings.distinct:
            found.append("few answers")
        if health.top_share > settings.top_share:
            found.append("one answer dominates")
        if health.sensitivity < settings.sensitivity:
            found.append("insensitive to the start")
    if health.identity > settings.identity:
        found.append("a step changes nothing")
    if health.step_top_share > max(settings.step_top_share, settings.truth_margin if kind.sink else 0):
        found.append("a step is nearly constant")
    return found


def redundant_steps(environments: Sequence[Environment], states: Sequence[Any], target: str, run: Run = run) -> int:
    """How many single steps could be left out, types permitting, with the same last result.

    states: x0, y_1, ..., y_t. target: the JSON of y_t.
    """
    kinds = [environments[0].domain, *[each.codomain for each in environments]]
    left_out = zip(kinds[:-1], states[:-1], range(1, len(environments) + 1), strict=True)
    return sum(_reaches(environments[rest:], kind, value, target, run) for kind, value, rest in left_out)


def _reaches(rest: Sequence[Environment], kind: Type[Any], value: Any, target: str, run: Run) -> bool:
    """Whether the rest of a path, from a value of this type on, fits and ends at the target."""
    if rest and not kind.fits(rest[0].domain):
        return False
    for each in rest:
        outcome = run(each, value, MAX_STEPS)
        if not outcome.done:
            return False
        kind, value = each.codomain, outcome.value
    return kind.dumps(value) == target
