"""Runs that the clock can end even inside C code: in a process of their own, which dies when its time is up.

No thread is abandoned and no handler of the host process is touched. What a row says reaches `Guard.run_chain` alone,
whose names are looked up in the pool and nowhere else.
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
from races.environments.clock import time_limit
from races.environments.core import Environment
from races.environments.errors import InvalidValue, RacesError, SettingError
from races.environments.execution import SECONDS, STEPS, Outcome, Status, run, survivors
from races.environments.isolation.children import Child, ChildFailed, absolute_paths, run_uninterrupted

START = 120.0  # seconds of the wall that a child may take to start and to load the pool
GRACE = 1.0  # seconds that a child which has broken off has to end by itself, so that its exit code tells why
STARTS = 3  # children that are started for one request; more than one where handlers of signals end them
PATIENCE = 3  # times that a stranger's brick may run out of time, or end its process, before it is run no more


class TimeLimitedRunner:
    """Runs under the clock, in a worker process that `mortal` was called in."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds

    def run(self, environment: Environment, x: Any, steps: int = STEPS) -> Outcome:
        """execution.run, or the end of this process."""
        with time_limit(self.seconds):
            return run(environment, x, steps)

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """execution.survivors, or the end of this process where all of them together take longer than one may."""
        with time_limit(self.seconds):
            return survivors(environment, values, steps)


@dataclass(frozen=True)
class ChainResult:
    """What a chain gave: the canonical JSON of its last output if it is done, else a reason; or a failure of ours."""

    status: Status
    text: str = ""
    steps: int = 0
    reason: str = ""
    failure: str = ""


class _Children:
    """The children of a guard, and the lock under which one of them is talked to.

    The same thread may take the lock twice: a handler of a signal may run bricks while an exchange waits, and then has
    a child of its own.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.owner = os.getpid()
        self.all: list[Child] = []
        self.trouble = ""  # why the last start failed

    def idle(self, key: tuple[str, ...]) -> Child:
        """A child that may be talked to, started if there is none; Broken where none can be started."""
        for _ in range(STARTS):
            for child in self.all:
                if child.key == key and child.idle:
                    return child
            self.end(lambda child: not child.busy)
            self.trouble = ""
            run_uninterrupted(partial(self._start, key))
            if self.trouble:
                break
        raise ChildFailed(self.trouble or "every one that was started has ended")

    def end(self, which: Callable[[Child], bool], grace: float = 0.0) -> None:
        """End some of the children."""
        run_uninterrupted(partial(self._end, which, grace))

    def _start(self, key: tuple[str, ...]) -> None:
        try:
            named = os.pathsep.join(map(str, folders()))
            self.all.append(Child("races.environments.guard_process", {FOLDERS: named}, key=key))
        except (OSError, ValueError) as error:
            self.trouble = f"it cannot be started: {error}"

    def _end(self, which: Callable[[Child], bool], grace: float) -> None:
        for child in filter(which, list(self.all)):
            child.end(grace)
            with suppress(ValueError):  # a handler of a signal may have ended it, too
                self.all.remove(child)


class Guard:
    """A child process that runs bricks on values and dies when a call takes too long; safe to share between threads.

    seconds: of the CPU, for each run. An exchange with the child that an exception cuts, wherever it comes from, ends
    that child: no later run can get its reply.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._children = _Children()
        _GUARDS.add(self)

    def run_chain(self, chain: Sequence[tuple[str, str]], kind: str, start: str, steps: int = STEPS) -> ChainResult:
        """Run environments of the pool one after another from a start value given as JSON of a type.

        chain: pairs of a name and a fingerprint; a fingerprint that is not the brick's today is a failure, "" is not
        compared. Each environment gets so many steps and `seconds` of time.
        """
        if not all(isinstance(said, str) for said in (kind, start, *[said for pair in chain for said in pair])):
            failure = "expected names, fingerprints, a type and a start as texts, got something else"
            return ChainResult(Status.CRASHED, failure=failure)
        asked = {"chain": [list(pair) for pair in chain], "type": kind, "start": start, "steps": steps}
        reply = self._ask("chain", asked, len(chain))
        return ChainResult(**(reply | {"status": Status(reply["status"])}))

    def run(self, environment: Environment, x: Any, steps: int = STEPS) -> Outcome:
        """execution.run in the child: the same outcome, or `time`. RacesError where the child itself fails."""
        if x not in environment.domain:
            return Outcome(Status.MISTYPED, reason=f"expected {environment.domain.noun}")
        bricks = [_place_of(part) for part in environment.parts]
        reply = self._ask("run", self._said(bricks, environment.domain.dumps(x)) | {"steps": steps})
        if reply.get("failure"):
            raise RacesError(reply["failure"])
        status = Status(reply["status"])
        value = environment.codomain.loads(reply["text"]) if status is Status.DONE else None
        return Outcome(status, value, reply.get("steps", 0), reply.get("reason", ""))

    def draw(self, brick: Environment, rng: Random, level: int, metered: bool = True) -> Any:
        """execution.draw of a single brick in the child, or its plain sampler; the generator goes on as if here.

        SettingError, too, where it takes too long.
        """
        version, state, last = rng.getstate()
        reply = self._ask(
            "draw", self._said([_place_of(brick)]) | {"rng": [version, state, last], "level": level, "metered": metered}
        )
        if reply["status"] == Status.TIME:
            raise SettingError(f"{brick.name}: expected its sampler to end at level {level}, got {reply['reason']}")
        if reply.get("failure"):
            raise (InvalidValue if reply.get("invalid") else SettingError)(reply["failure"])
        version, state, last = reply["rng"]
        rng.setstate((version, tuple(state), last))
        return brick.domain.loads(reply["text"])

    def accepts(self, brick: Environment, x: Any, answer: Any) -> bool:
        """Whether a single brick accepts an answer; RacesError where its test fails or takes too long."""
        values = self._said([_place_of(brick)], brick.domain.dumps(x)) | {"answer": brick.codomain.dumps(answer)}
        reply = self._ask("accepts", values)
        if reply["status"] == Status.TIME:
            raise RacesError(f"{brick.name}: expected its test of an answer to end, got {reply['reason']}")
        if reply.get("failure"):
            raise RacesError(f"{brick.name}: {reply['failure']}")
        return bool(reply["accepted"])

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """Those of the values that are answered in the child, and the answers."""
        outcomes = [(x, self.run(environment, x, steps)) for x in values]
        done = [(x, outcome.value) for x, outcome in outcomes if outcome.done]
        return [x for x, _ in done], [y for _, y in done]

    def close(self) -> None:
        """End the child; the next run starts another."""
        children = self._here()
        with children.lock:
            children.end(lambda _: True)

    def forked(self) -> None:
        """In a process that was just forked: the children and the lock are those of the other one."""
        for child in self._children.all:
            child.disown()
        self._children = _Children()

    @staticmethod
    def _said(bricks: list[tuple[str, str]], start: str = "") -> dict[str, Any]:
        # The paths are for bricks outside of the pool, which may lie anywhere that this process imports from.
        return {"bricks": bricks, "start": start, "paths": absolute_paths()}

    def _here(self) -> _Children:
        """The children of this very process, also where it was forked in a way that Python has not noticed."""
        if self._children.owner != os.getpid():
            self.forked()
        return self._children

    def _ask(self, task: str, request: dict[str, Any], runs: int = 1) -> dict[str, Any]:
        """One request and its reply: the child's, or what its death means."""
        children, key = self._here(), (sys.executable, os.environ.get(FOLDERS, ""), *sys.path)
        asked = {"task": task, "seconds": self.seconds, **request}
        patience = START + runs * clock.wall(self.seconds)
        with children.lock:
            try:
                child = children.idle(key)
            except ChildFailed as error:
                return {"status": Status.CRASHED, "failure": f"the guard process cannot be used: {error}"}
            # From here to the end of the block no handler of a signal can run between a mark and what it is about:
            # they run where functions are called and where loops go round.
            child.busy, child.sound = True, False
            try:
                reply = child.ask(asked, patience)
                child.sound = True
            except ChildFailed as error:
                children.end(lambda each: each is child, GRACE)
                return self._death(child, error)
            finally:
                child.busy = False
                if not child.sound:
                    children.end(lambda each: not each.busy and not each.sound)
        del reply["number"]
        return reply

    def _death(self, child: Child, error: ChildFailed) -> dict[str, Any]:
        """What it means that a child has not replied."""
        if child.code == -clock.CPU:
            return {"status": Status.TIME, "reason": f"more than {self.seconds} seconds"}
        if child.code == -clock.WALL:
            waited = clock.wall(self.seconds)
            said = f"a run took more than {waited:.0f} seconds of wall time, and not {self.seconds} of the CPU's"
        elif child.code is not None and child.code != -9:
            said = f"the guard process ended with code {child.code}"
        else:
            said = f"the guard process was given up: {error}"
        return {"status": Status.CRASHED, "failure": said}


_GUARDS: WeakSet[Guard] = WeakSet()
_SHARED = Guard()


def shared_guard() -> Guard:
    """The guard of this process: what scorers use unless they are given another."""
    return _SHARED


def _forked() -> None:
    for guard in list(_GUARDS):
        guard.forked()


# The children of the process that this one was forked from are not its own, and a lock that another thread held then
# would never be released.
os.register_at_fork(after_in_child=_forked)


def _place_of(brick: Environment) -> tuple[str, str]:
    """Where a brick is declared: what no row can say, since a module that is named here is imported."""
    return brick.function.__module__, brick.name


class ThirdPartyHost:
    """What runs the bricks that are not ours outside of this process, where no clock could end them: see core.Host.

    A brick that has run out of time too often is run no more, so that whatever draws and tries many inputs ends.
    """

    def __init__(self) -> None:
        self._late: Counter[tuple[str, str]] = Counter()

    def run(self, brick: Environment, x: Any, steps: int) -> Outcome:
        """execution.run; a failure of the guard is a run that has crashed."""
        place = _place_of(brick)
        if self._late[place] >= PATIENCE:
            said = f"{brick.name} ran more than {SECONDS} seconds, or ended its process, {PATIENCE} times before"
            return Outcome(Status.TIME, reason=said)
        try:
            outcome = shared_guard().run(brick, x, steps)
        except RacesError as error:
            self._late[place] += 1
            return Outcome(Status.CRASHED, reason=str(error))
        if outcome.status is Status.TIME:
            self._late[place] += 1
            return replace(outcome, reason=f"{outcome.reason} in {brick.name}")
        return outcome

    def draw(self, brick: Environment, rng: Random, level: int, metered: bool) -> Any:
        """Guard.draw."""
        return shared_guard().draw(brick, rng, level, metered)

    def accepts(self, brick: Environment, x: Any, answer: Any) -> bool:
        """Guard.accepts."""
        return shared_guard().accepts(brick, x, answer)
