"""Runs of f with a limit on steps: the count is the same on every machine, and there is an outcome whatever happens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from inspect import isfunction
from random import Random
from threading import Lock
from typing import Any, Protocol

from races.environments import source
from races.environments.core import Environment, host_of
from races.environments.errors import OutOfDomain, SettingError

MAX_STEPS = 400  # of one run: the paper's bound, beyond which no person would go on
MAX_SAMPLER_STEPS = 20_000  # of one draw; a sampler may reject many candidates before it has one


class Status(StrEnum):
    """How a run ended."""

    DONE = "done"
    REFUSED = "refused"  # f raised OutOfDomain
    MISTYPED = "mistyped"  # the input does not belong to the domain
    STEPS = "steps"  # more steps than allowed
    OUTSIDE = "outside"  # the output is outside the hard bounds of the codomain
    CRASHED = "crashed"  # any other exception: a fault of the brick
    TIME = "time"  # the time limit ended it, together with its process


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave.

    status: how it ended.
    value: the answer of f where it is done, else None.
    steps: metered steps that it took; where the limit ended it, the limit.
    reason: why there is no value, else "".
    """

    status: Status
    value: Any = None
    steps: int = 0
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a value."""
        return self.status is Status.DONE


class Runner(Protocol):
    """What runs bricks for a search: in this process, under a time limit, or in a process of its own."""

    def run(self, environment: Environment, x: Any, steps: int) -> Outcome:
        """The outcome of one run."""

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """The values that f answers, and the answers; both lists are of the same length."""


class _StepLimit(BaseException):
    """Not an Exception, so that no handler inside a brick can swallow it."""


class _Meter:
    """A brick's function with a step counter of its own; one run at a time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        steps = limit = 0

        def tick(count: int) -> bool:
            nonlocal steps
            steps += count
            if steps > limit:
                raise _StepLimit
            return True

        def reset(allowed: int) -> None:
            nonlocal steps, limit
            steps, limit = 0, allowed

        def read() -> int:
            return steps

        self.function = source.metered(function, tick)
        self.reset: Callable[[int], None] = reset
        self.read: Callable[[], int] = read
        self.lock = Lock()


@lru_cache(maxsize=4096)
def _meter(function: Callable[..., Any]) -> _Meter:
    return _Meter(function)


def run(environment: Environment, x: Any, steps: int = MAX_STEPS) -> Outcome:
    """Run f on x; never raises, whatever the brick does.

    steps: the limit, for each brick of a composite.

    Nothing limits the time that a brick spends inside C code; `races.environments.isolation.guard` does.
    """
    if not environment.domain.belongs(x):
        return Outcome(Status.MISTYPED, reason=f"expected {environment.domain.noun}")
    return _run_valid(environment, x, steps)


def _run_valid(environment: Environment, x: Any, steps: int) -> Outcome:
    """The outcome for an x that is known to belong to the domain."""
    if not environment.composed_of:
        return _run_brick(environment, x, steps)
    total = 0
    for part in environment.parts:
        outcome = _run_brick(part, x, steps)
        total += outcome.steps
        if not outcome.done:
            return Outcome(outcome.status, None, total, outcome.reason)
        x = outcome.value
    return Outcome(Status.DONE, x, total)


def survivors(environment: Environment, values: Sequence[Any], steps: int = MAX_STEPS) -> tuple[list[Any], list[Any]]:
    """The values of the domain that f answers, and the answers: `run` for many, without reasons or counts of steps."""
    alive, answers = [], []
    if environment.composed_of or host_of(environment):
        outcomes = [(x, run(environment, x, steps)) for x in values]
        done = [(x, outcome.value) for x, outcome in outcomes if outcome.done]
        return [x for x, _ in done], [y for _, y in done]
    meter, codomain = _meter(environment.function), environment.codomain
    with meter.lock:
        for x in values:
            meter.reset(steps)
            try:
                y = meter.function(x)
            except _StepLimit:
                continue
            except (Exception, SystemExit):  # noqa: BLE001, S112  # see _run_brick: here only the answers matter
                continue
            if codomain.belongs(y):
                alive.append(x)
                answers.append(y)
    return alive, answers


def _run_brick(brick: Environment, x: Any, limit: int) -> Outcome:
    if host := host_of(brick):
        outcome: Outcome = host.run(brick, x, limit)
        return outcome
    meter = _meter(brick.function)
    with meter.lock:
        meter.reset(limit)
        try:
            y = meter.function(x)
        except OutOfDomain as refusal:
            return Outcome(Status.REFUSED, None, meter.read(), str(refusal))
        except _StepLimit:
            return Outcome(Status.STEPS, None, limit, f"more than {limit} steps")
        except (Exception, SystemExit) as fault:  # noqa: BLE001  # anybody's code: its fault is data here, and not raised
            return Outcome(Status.CRASHED, None, meter.read(), describe_error(fault))
        count = meter.read()
    if not brick.codomain.belongs(y):
        return Outcome(Status.OUTSIDE, None, count, f"expected {brick.codomain.noun} within its bounds")
    return Outcome(Status.DONE, y, count)


def describe_error(fault: BaseException, longest: int = 200) -> str:
    """An exception as text of at most so many characters, whatever its own `__str__` does."""
    try:
        return f"{type(fault).__name__}: {fault}"[:longest]
    except Exception:  # noqa: BLE001  # `__str__` is third-party code, too
        return type(fault).__name__


def draw(environment: Environment, rng: Random, level: int) -> Any:
    """An input from G; SettingError where its sampler fails or takes more than MAX_SAMPLER_STEPS steps."""
    if not isfunction(environment.sampler) or environment.composed_of:
        return environment.sample(rng, level)
    if host := host_of(environment):
        return environment.domain.check(host.draw(environment, rng, level, metered=True), environment.name)
    meter = _meter(environment.sampler)
    with meter.lock:
        meter.reset(MAX_SAMPLER_STEPS)
        try:
            x = meter.function(rng, level)
        except _StepLimit:
            raise SettingError(
                f"{environment.name}: its sampler took more than {MAX_SAMPLER_STEPS} steps at level {level}"
            ) from None
        except (Exception, SystemExit) as fault:  # anybody's code, whose message seldom says whose it is
            raise SettingError(
                f"{environment.name}: its sampler failed at level {level}: {describe_error(fault)}"
            ) from fault
    return environment.domain.check(x, environment.name)


def instance(environment: Environment, rng: Random, level: int, tries: int = 50) -> tuple[Any, Outcome]:
    """An input from G that f answers, with its outcome; SettingError where G draws none in so many tries.

    Examples:
        >>> import races
        >>> from races.environments.execution import instance
        >>> from races.environments.seeding import generator
        >>> x, outcome = instance(races.get("digit_sum"), generator("example"), level=1)
        >>> x, outcome.value
        (83, 11)
    """
    outcome = Outcome(Status.REFUSED)
    for _ in range(tries):
        x = draw(environment, rng, level)
        outcome = _run_valid(environment, x, MAX_STEPS)
        if outcome.done:
            return x, outcome
        if outcome.status is Status.TIME:
            raise SettingError(f"{environment.name}: expected an answer at level {level}, got {outcome.reason}")
    raise SettingError(
        f"{environment.name}: expected its sampler to draw an input that it answers in {tries} tries at level {level}, "
        f"got {outcome.status} each time, last because of: {outcome.reason}"
    )


class PlainRunner:
    """Runs in this process, limited by steps and by the bounds of types alone."""

    run = staticmethod(run)
    survivors = staticmethod(survivors)
