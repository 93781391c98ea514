"""The child process of a guard: bricks run in it, and a brick that takes too long ends it."""

import sys
from collections.abc import Callable
from random import Random
from typing import Any

from races.environments.clock import time_limit
from races.environments.composition.path import find
from races.environments.core import Environment, declared
from races.environments.errors import InvalidValue, RacesError
from races.environments.execution import Outcome, Status, describe_error, draw, run
from races.environments.isolation.children import serve
from races.environments.types import VOCABULARY

Reply = dict[str, Any]


def main() -> None:
    """Answer requests until the guard closes its end."""
    serve(answer)


def answer(request: dict[str, Any]) -> Reply:
    """The reply to a request. Names are looked up before the time limit starts: only running counts."""
    return TASKS[request["task"]](request)


def _chain(request: dict[str, Any]) -> Reply:
    """Run environments of the pool. The names come from a row, so nothing is imported for them."""
    try:
        chain = [(find(name), fingerprint) for name, fingerprint in request["chain"]]
    except (RacesError, RecursionError) as error:
        return _failed(f"an environment of the row cannot be loaded: {error}")
    for environment, fingerprint in chain:
        if fingerprint and environment.fingerprint != fingerprint:
            return _failed(f"{environment.name} has changed since the row was made")
    try:
        kind = VOCABULARY[request["type"]]
        value = kind.loads(request["start"])
    except (RacesError, ValueError, TypeError, LookupError, RecursionError) as error:
        return _failed(f"the start of the row cannot be read: {describe_error(error)}")
    total = 0
    for environment, _ in chain:
        with time_limit(request["seconds"]):
            outcome = run(environment, value, request["steps"])
        total += outcome.steps
        if not outcome.done:
            return {"status": outcome.status, "steps": total, "reason": f"{environment.name}: {outcome.reason}"}
        kind, value = environment.codomain, outcome.value
    return {"status": Status.DONE, "text": kind.dumps(value), "steps": total}


def _run(request: dict[str, Any]) -> Reply:
    """Run single bricks one after another, by where they are declared: what the host process asks for by itself."""
    try:
        bricks = _declared(request)
    except (RacesError, ImportError) as error:
        return _failed(f"the brick cannot be loaded: {error}")
    value, total, outcome = bricks[0].domain.loads(request["start"]), 0, Outcome(Status.DONE)
    with time_limit(request["seconds"]):
        for brick in bricks:
            outcome = run(brick, value, request["steps"])
            total, value = total + outcome.steps, outcome.value
            if not outcome.done:
                return {"status": outcome.status, "steps": total, "reason": outcome.reason}
        return {"status": Status.DONE, "text": bricks[-1].codomain.dumps(value), "steps": total}


def _draw(request: dict[str, Any]) -> Reply:
    """An input of a brick's sampler, and the state of the generator after it."""
    version, state, last = request["rng"]
    rng = Random()
    rng.setstate((version, tuple(state), last))
    try:
        (brick,) = _declared(request)
        with time_limit(request["seconds"]):
            x = draw(brick, rng, request["level"]) if request["metered"] else brick.sample(rng, request["level"])
            text = brick.domain.dumps(x)
    except (RacesError, ImportError) as error:
        return _failed(str(error)) | {"invalid": isinstance(error, InvalidValue)}
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a sampler is anybody's code
        return _failed(f"{request['bricks'][0][1]}: {describe_error(error)}")
    return {"status": Status.DONE, "text": text, "rng": rng.getstate()}


def _accepts(request: dict[str, Any]) -> Reply:
    """Whether a brick accepts an answer."""
    try:
        (brick,) = _declared(request)
        x, answered = brick.domain.loads(request["start"]), brick.codomain.loads(request["answer"])
        with time_limit(request["seconds"]):
            return {"status": Status.DONE, "accepted": brick.accepted(x, answered)}
    except (Exception, SystemExit) as error:  # noqa: BLE001  # anybody's code: that it fails says nothing about the answer
        return _failed(f"its test of an answer failed: {describe_error(error)}")


TASKS: dict[str, Callable[[dict[str, Any]], Reply]] = {
    "chain": _chain,
    "run": _run,
    "draw": _draw,
    "accepts": _accepts,
}


def _declared(request: dict[str, Any]) -> list[Environment]:
    sys.path.extend(path for path in request["paths"] if path not in sys.path)
    return [declared(module, name) for module, name in request["bricks"]]


def _failed(why: str) -> Reply:
    return {"status": Status.CRASHED, "failure": why}
