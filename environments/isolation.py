"""Runs that the clock can end even inside C code: in a process of their own, which dies when its time is up.

The process asks the kernel for SIGALRM with its default action, which ends it wherever it is; no thread is abandoned
and no handler of the host process is touched. The processes talk in JSON: nothing that is read can run anything.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, TextIO

from environments.core import Environment, declared
from environments.errors import RacesError
from environments.execution import SECONDS, STEPS, Outcome, Status, run, survivors
from environments.types import VOCABULARY


@contextmanager
def armed(seconds: float = SECONDS) -> Iterator[None]:
    """End this whole process if the block takes longer; for worker processes only, whose death their parent expects."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def mortal() -> None:
    """Let SIGALRM end this process, whatever handler it inherited; call it once in a worker, before armed."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


class ArmedRunner:
    """Runs under the clock, in a worker process that `mortal` was called in."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds

    def run(self, environment: Environment, x: Any, steps: int = STEPS) -> Outcome:
        """execution.run, or the end of this process."""
        with armed(self.seconds):
            return run(environment, x, steps)

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """execution.survivors, or the end of this process where all of them together take longer than one may."""
        with armed(self.seconds):
            return survivors(environment, values, steps)


@dataclass(frozen=True)
class ChainResult:
    """What a chain gave: the canonical JSON of its last output if it is done, else a reason; or a failure of ours."""

    status: Status
    text: str = ""
    steps: int = 0
    reason: str = ""
    failure: str = ""


class Guard:
    """A child process that runs bricks on values and dies when a call takes too long; safe to share between threads."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._lock = Lock()
        self._child: subprocess.Popen[str] | None = None
        self._owner = os.getpid()

    def run_chain(self, chain: Sequence[tuple[str, str]], kind: str, start: str, steps: int = STEPS) -> ChainResult:
        """Run the named environments one after another from a start value given as JSON of a type.

        chain: pairs of a name and a fingerprint; a fingerprint that is not the brick's today is a failure, "" is not
        compared. Each environment gets so many steps and `seconds` of time.
        """
        reply = self._ask({"chain": [list(pair) for pair in chain], "type": kind, "start": start, "steps": steps})
        return ChainResult(**(reply | {"status": Status(reply["status"])}))

    def run(self, environment: Environment, x: Any, steps: int = STEPS) -> Outcome:
        """execution.run in the child: the same outcome, or `time`."""
        if x not in environment.domain:
            return Outcome(Status.MISTYPED, reason=f"expected {environment.domain.noun}")
        result = self.run_chain(
            [(_name_of(environment), "")], environment.domain.name, environment.domain.dumps(x), steps
        )
        if result.failure:
            raise RacesError(result.failure)
        value = environment.codomain.loads(result.text) if result.status is Status.DONE else None
        return Outcome(result.status, value, result.steps, result.reason)

    def survivors(self, environment: Environment, values: Sequence[Any], steps: int) -> tuple[list[Any], list[Any]]:
        """Those of the values that are answered in the child, and the answers."""
        outcomes = [(x, self.run(environment, x, steps)) for x in values]
        done = [(x, outcome.value) for x, outcome in outcomes if outcome.done]
        return [x for x, _ in done], [y for _, y in done]

    def close(self) -> None:
        """End the child; the next run starts another."""
        with self._lock:
            self._end()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request and its reply: the child's, or what its death means."""
        with self._lock:
            try:
                child = self._started()
                stdin, stdout = _pipes(child)
                stdin.write(json.dumps(request | {"seconds": self.seconds}) + "\n")
                stdin.flush()
                line = stdout.readline()
            except OSError as error:
                self._end()
                return {"status": Status.CRASHED, "failure": f"the guard process cannot be used: {error}"}
            if line:
                reply: dict[str, Any] = json.loads(line)
                return reply
            code = self._end()
            if code == -signal.SIGALRM:
                return {"status": Status.TIME, "reason": f"more than {self.seconds} seconds"}
            return {"status": Status.CRASHED, "failure": f"the guard process ended with code {code}"}

    def _started(self) -> "subprocess.Popen[str]":
        if self._owner != os.getpid():
            # A forked process must not talk over the pipes of the one it came from.
            self._child, self._owner = None, os.getpid()
        if self._child is None or self._child.poll() is not None:
            paths = os.pathsep.join(path for path in sys.path if path)
            self._child = subprocess.Popen(
                [sys.executable, "-m", "environments.isolation"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": paths},
            )
        return self._child

    def _end(self) -> int | None:
        if self._child is None:
            return None
        child, self._child = self._child, None
        for pipe in (child.stdin, child.stdout):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        try:
            return child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            child.kill()
            return child.wait()


def _pipes(child: "subprocess.Popen[str]") -> tuple[TextIO, TextIO]:
    if child.stdin is None or child.stdout is None:
        raise OSError("no pipes")
    return child.stdin, child.stdout  # type: ignore[return-value]  # text=True makes them text


@lru_cache(maxsize=1)
def shared_guard() -> Guard:
    """The guard of this process: what scorers use unless they are given another."""
    return Guard()


# A lock that another thread held while the process was forked would never be released in the new one.
os.register_at_fork(after_in_child=shared_guard.cache_clear)


def _name_of(environment: Environment) -> str:
    """What the child finds the environment by: a name of the pool, or module:name of a brick that is not in it."""
    from environments.registry import pool  # a reward worker that runs no brick does without the pool

    if environment.composed_of or pool().get(environment.name) is environment:
        return environment.name
    return f"{environment.function.__module__}:{environment.name}"


def _environment(name: str) -> Environment:
    """By name in the pool, or as module:name where the brick is not in it."""
    from environments.composition.path import find  # only the child needs the pool

    module, _, attribute = name.rpartition(":")
    return declared(module, attribute) if module else find(name)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run a chain in this process. Names are resolved before the clock starts: only running counts."""
    try:
        chain = [(_environment(name), fingerprint) for name, fingerprint in request["chain"]]
    except (RacesError, ImportError) as error:
        return {"status": Status.CRASHED, "failure": f"an environment of the row cannot be had: {error}"}
    for environment, fingerprint in chain:
        if fingerprint and environment.fingerprint != fingerprint:
            return {"status": Status.CRASHED, "failure": f"{environment.name} has changed since the row was made"}
    kind, total = VOCABULARY[request["type"]], 0
    value = kind.loads(request["start"])
    for environment, _ in chain:
        with armed(request["seconds"]):
            outcome = run(environment, value, request["steps"])
        total += outcome.steps
        if not outcome.done:
            return {"status": outcome.status, "steps": total, "reason": f"{environment.name}: {outcome.reason}"}
        kind, value = environment.codomain, outcome.value
    return {"status": Status.DONE, "text": kind.dumps(value), "steps": total}


def _serve() -> None:
    """Answer requests until the parent closes the pipe."""
    mortal()
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a brick prints must not mix with the replies
    for line in sys.stdin:
        replies.write(json.dumps(_answer(json.loads(line))) + "\n")
        replies.flush()


if __name__ == "__main__":
    _serve()
