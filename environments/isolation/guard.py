"""Runs of bricks in a child process, which a time limit ends even inside C code.

No thread is abandoned, and no signal handler of the calling process is touched. What a row says reaches
`Guard.run_chain` alone, whose names are looked up in the pool and nowhere else.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from threading import RLock
from typing import Any
from weakref import WeakSet

from races.environments import clock
from races.environments.brick_files import FOLDERS, folders
from races.environments.clock import TIME_LIMIT_S, time_limit
from races.environments.core import Environment
from races.environments.errors import InvalidValue, RacesError, SettingError
from races.environments.execution import MAX_STEPS, Outcome, Status, run, survivors
from races.environments.isolation.children import Child, ChildFailed, absolute_paths, run_uninterrupted

STARTUP_TIMEOUT_S = 120.0  # of wall time, for a child to start and to load the pool
EXIT_GRACE_S = 1.0  # for a child that has failed to end by itself, so that its exit code tells why
MAX_STARTS = 3  # children for one request; more than one where signal handlers end them
MAX_TIMEOUTS = 3  # of a third-party brick, ended processes included, before it is run no more


class TimeLimitedRunner:
    """Runs under a time limit, in a worker process that has called clock.enable_alarm_kill."""

    def __init__(self, seconds: float = TIME_LIMIT_S) -> None:
        self.seconds = seconds

    def run(self, environment: Environment, x: Any, steps: int = MAX_STEPS) -> Outcome:
        """execution.run, or the end of this process."""
        with time_limit(self.seconds):
            return run(environment, x, steps)

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """execution.survivors, or the end of this process where all together take longer than one run may."""
        with time_limit(self.seconds):
            return survivors(environment, values, steps)


@dataclass(frozen=True)
class ChainResult:
    """What a chain gave.

    status: how its last run ended.
    text: canonical JSON of its last output, if it is done.
    steps: metered steps of all its runs.
    reason: why it is not done, where that is the chain's own fault.
    failure: why it could not be run, where that is the guard's or the pool's.
    """

    status: Status
    text: str = ""
    steps: int = 0
    reason: str = ""
    failure: str = ""


class _Children:
    """The children of a guard, and the lock that is held during a request to one of them.

    The same thread may take the lock twice: a signal handler may run bricks while a request waits, and then
    gets another child.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.owner = os.getpid()
        self.all: list[Child] = []
        self.start_failure = ""  # why the last start failed, else ""

    def idle(self, key: tuple[str, ...]) -> Child:
        """A child that can be asked, started if there is none; ChildFailed where none can be started."""
        for _ in range(MAX_STARTS):
            for child in self.all:
                if child.key == key and child.idle:
                    return child
            self.end(lambda child: not child.busy)
            self.start_failure = ""
            run_uninterrupted(partial(self._start, key))
            if self.start_failure:
                break
        raise ChildFailed(self.start_failure or "each one that was started has ended")

    def end(self, which: Callable[[Child], bool], grace: float = 0.0) -> None:
        """End some of the children."""
        run_uninterrupted(partial(self._end, which, grace))

    def _start(self, key: tuple[str, ...]) -> None:
        try:
            named = os.pathsep.join(map(str, folders()))
            self.all.append(Child("races.environments.guard_process", {FOLDERS: named}, key=key))
        except (OSError, ValueError) as error:
            self.start_failure = f"it cannot be started: {error}"

    def _end(self, which: Callable[[Child], bool], grace: float) -> None:
        for child in filter(which, list(self.all)):
            child.end(grace)
            with suppress(ValueError):  # a signal handler may have ended it, too
                self.all.remove(child)


class Guard:
    """A child process that runs bricks on values and is ended when a run takes too long; threads may share a guard.

    seconds: of CPU time, for each run.

    An exception that interrupts a request, such as a KeyboardInterrupt, ends the child, so that no later request can
    get the reply.
    """

    def __init__(self, seconds: float = TIME_LIMIT_S) -> None:
        self.seconds = seconds
        self._children = _Children()
        _GUARDS.add(self)

    def run_chain(self, chain: Sequence[tuple[str, str]], kind: str, start: str, steps: int = MAX_STEPS) -> ChainResult:
        """Run environments of the pool one after another from a start value given as JSON of a type.

        chain: pairs of a name and a fingerprint. A fingerprint that is not the brick's today is a failure; "" is not
            compared.
        kind: the name of the type.
        start: JSON of the value.
        steps: the limit for each environment, beside `seconds` of CPU time.
        """
        if not all(isinstance(each, str) for each in (kind, start, *[each for pair in chain for each in pair])):
            failure = "expected names, fingerprints, a type and a start as texts, got something else"
            return ChainResult(Status.CRASHED, failure=failure)
        asked = {"chain": [list(pair) for pair in chain], "type": kind, "start": start, "steps": steps}
        reply = self._ask("chain", asked, len(chain))
        return ChainResult(**(reply | {"status": Status(reply["status"])}))

    def run(self, environment: Environment, x: Any, steps: int = MAX_STEPS) -> Outcome:
        """execution.run in the child: the same outcome, or the status TIME. RacesError where the child itself fails."""
        if x not in environment.domain:
            return Outcome(Status.MISTYPED, reason=f"expected {environment.domain.noun}")
        bricks = [_place_of(part) for part in environment.parts]
        reply = self._ask("run", self._request(bricks, environment.domain.dumps(x)) | {"steps": steps})
        if reply.get("failure"):
            raise RacesError(reply["failure"])
        status = Status(reply["status"])
        value = environment.codomain.loads(reply["text"]) if status is Status.DONE else None
        return Outcome(status, value, reply.get("steps", 0), reply.get("reason", ""))

    def draw(self, brick: Environment, rng: Random, level: int, metered: bool = True) -> Any:
        """execution.draw of a single brick in the child; the generator is left in the state that drawing here would.

        metered: whether steps are limited; else it is Environment.sample.

        SettingError, also where it takes too long.
        """
        version, state, last = rng.getstate()
        reply = self._ask(
            "draw",
            self._request([_place_of(brick)]) | {"rng": [version, state, last], "level": level, "metered": metered},
        )
        if reply["status"] == Status.TIME:
            raise SettingError(f"{brick.name}: its sampler took {reply['reason']} at level {level}")
        if reply.get("failure"):
            raise (InvalidValue if reply.get("invalid") else SettingError)(reply["failure"])
        version, state, last = reply["rng"]
        rng.setstate((version, tuple(state), last))
        return brick.domain.loads(reply["text"])

    def accepts(self, brick: Environment, x: Any, answer: Any) -> bool:
        """Whether a single brick accepts an answer; RacesError where its test fails or takes too long."""
        values = self._request([_place_of(brick)], brick.domain.dumps(x)) | {"answer": brick.codomain.dumps(answer)}
        reply = self._ask("accepts", values)
        if reply["status"] == Status.TIME:
            raise RacesError(f"{brick.name}: its test of an answer took {reply['reason']}")
        if reply.get("failure"):
            raise RacesError(f"{brick.name}: {reply['failure']}")
        return bool(reply["accepted"])

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """execution.survivors in the child."""
        outcomes = [(x, self.run(environment, x, steps)) for x in values]
        done = [(x, outcome.value) for x, outcome in outcomes if outcome.done]
        return [x for x, _ in done], [y for _, y in done]

    def close(self) -> None:
        """End the child; the next run starts another."""
        children = self._here()
        with children.lock:
            children.end(lambda _: True)

    def forked(self) -> None:
        """To be called in a process that was just forked: the children and the lock belong to the other one."""
        for child in self._children.all:
            child.disown()
        self._children = _Children()

    @staticmethod
    def _request(bricks: list[tuple[str, str]], start: str = "") -> dict[str, Any]:
        # The paths are for bricks outside of the pool, which may lie anywhere that this process imports from.
        return {"bricks": bricks, "start": start, "paths": absolute_paths()}

    def _here(self) -> _Children:
        """The children of this very process, also where it was forked without a word to Python."""
        if self._children.owner != os.getpid():
            self.forked()
        return self._children

    def _ask(self, task: str, request: dict[str, Any], runs: int = 1) -> dict[str, Any]:
        """One request and its reply: the child's, or what its end means."""
        children, key = self._here(), (sys.executable, os.environ.get(FOLDERS, ""), *sys.path)
        asked = {"task": task, "seconds": self.seconds, **request}
        timeout = STARTUP_TIMEOUT_S + runs * clock.wall_limit(self.seconds)
        with children.lock:
            try:
                child = children.idle(key)
            except ChildFailed as error:
                return {"status": Status.CRASHED, "failure": f"the guard process cannot be used: {error}"}
            # Signal handlers run at calls and at the end of loop rounds, so none can run between a flag and the
            # operation that the flag is about.
            child.busy, child.sound = True, False
            try:
                reply = child.ask(asked, timeout)
                child.sound = True
            except ChildFailed as error:
                children.end(lambda each: each is child, EXIT_GRACE_S)
                return self._reply_of_ended(child, error)
            finally:
                child.busy = False
                if not child.sound:
                    children.end(lambda each: not each.busy and not each.sound)
        del reply["number"]
        return reply

    def _reply_of_ended(self, child: Child, error: ChildFailed) -> dict[str, Any]:
        """The reply that stands for a child which has not replied: too much time, or a failure of the guard."""
        if child.code == -clock.CPU_SIGNAL:
            return {"status": Status.TIME, "reason": f"more than {self.seconds} seconds"}
        if child.code == -clock.WALL_SIGNAL:
            waited = clock.wall_limit(self.seconds)
            failure = f"a run took more than {waited:.0f} seconds of wall time, and not {self.seconds} of the CPU's"
        elif child.code is not None and child.code != -9:
            failure = f"the guard process ended with code {child.code}"
        else:
            failure = f"the guard process was given up: {error}"
        return {"status": Status.CRASHED, "failure": failure}


_GUARDS: WeakSet[Guard] = WeakSet()
_SHARED = Guard()


def shared_guard() -> Guard:
    """The guard of this process, which scorers use unless they are given another."""
    return _SHARED


def _forked() -> None:
    for guard in list(_GUARDS):
        guard.forked()


# The children of the process that this one was forked from are not its own, and a lock that another thread held then
# would never be released.
os.register_at_fork(after_in_child=_forked)


def _place_of(brick: Environment) -> tuple[str, str]:
    """The module and the name of a brick. Never taken from a row, since the module is imported."""
    return brick.function.__module__, brick.name


class ThirdPartyHost:
    """Runs third-party bricks in the shared guard, since nothing in this process could end them: a core.Host.

    A brick that has run out of time too often is run no more, so that what draws and tries many inputs ends.
    """

    def __init__(self) -> None:
        self._timeouts: Counter[tuple[str, str]] = Counter()

    def run(self, brick: Environment, x: Any, steps: int) -> Outcome:
        """execution.run; a failure of the guard is a run that has crashed."""
        place = _place_of(brick)
        if self._timeouts[place] >= MAX_TIMEOUTS:
            failure = (
                f"{brick.name} ran more than {TIME_LIMIT_S} seconds, or ended its process, {MAX_TIMEOUTS} times before"
            )
            return Outcome(Status.TIME, reason=failure)
        try:
            outcome = shared_guard().run(brick, x, steps)
        except RacesError as error:
            self._timeouts[place] += 1
            return Outcome(Status.CRASHED, reason=str(error))
        if outcome.status is Status.TIME:
            self._timeouts[place] += 1
            return replace(outcome, reason=f"{outcome.reason} in {brick.name}")
        return outcome

    def draw(self, brick: Environment, rng: Random, level: int, metered: bool) -> Any:
        """Guard.draw."""
        return shared_guard().draw(brick, rng, level, metered)

    def accepts(self, brick: Environment, x: Any, answer: Any) -> bool:
        """Guard.accepts."""
        return shared_guard().accepts(brick, x, answer)
