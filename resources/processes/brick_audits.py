"""The audit of bricks in worker processes, which the clock ends where a brick never does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from races.environments.audit.contract import (
    CHEAP,
    Audit,
    Case,
    Effort,
    answers,
    audit,
    by_type,
    work_stays_within_reach,
    worked_examples,
)
from races.environments.clock import time_limit
from races.environments.registry import pool
from races.resources.processes.worker_pool import Workers

AUDIT_TIMEOUT_S = 120.0  # for one brick; a thorough audit takes about half a second
CHEAP_AUDIT_TIMEOUT_S = 5.0  # for one brick; a cheap audit takes about a twentieth of a second


@dataclass(frozen=True)
class AuditTask:
    """A brick by name, how much is drawn for it, the folder of examples and oracles, and other bricks' outputs."""

    brick: str
    effort: Effort
    oracles: Path
    other_outputs: tuple[Any, ...] = ()
    seconds: float = AUDIT_TIMEOUT_S


def answered(task: AuditTask) -> list[Any]:
    """The outputs of a brick, to audit others with; found in a worker process, which ends where that takes too long."""
    with time_limit(task.seconds):
        return answers(pool()[task.brick], task.effort)


def no_values(_: AuditTask) -> list[Any]:
    """The outputs of a brick whose worker has died."""
    return []


def audited(task: AuditTask) -> Audit:
    """Audit a brick in a worker process, which ends where that takes too long."""
    brick = pool()[task.brick]
    with time_limit(task.seconds):  # which bounds the oracles, too
        return audit(Case(brick, task.other_outputs, *worked_examples(task.oracles, brick), task.effort))


def timed_out(task: AuditTask) -> Audit:
    """What is found of a brick whose worker has died."""
    fault = f"expected an audit to end within {task.seconds:.0f} s, got the end of its process"
    return Audit(task.brick, {work_stays_within_reach.__name__: (fault,)})


def audits(
    names: Sequence[str], effort: Effort, oracles: Path, count: int | None = None, seconds: float = AUDIT_TIMEOUT_S
) -> Iterator[Audit]:
    """What the rules find in bricks of the pool, in the order given; the same for every number of workers.

    oracles: see races.environments.audit.contract.worked_examples. count: processes, None for one a core. seconds: for
    one brick.
    """
    bricks = pool()
    with Workers(count) as workers:
        tasks = [AuditTask(name, effort, oracles, seconds=seconds) for name in bricks]
        given = dict(zip(bricks, workers.map(answered, tasks, "values of bricks", no_values), strict=True))
        other_outputs = by_type(bricks, given, effort)
        tasks = [
            AuditTask(
                name,
                effort,
                oracles,
                tuple(other_outputs.get(bricks[name].domain.name, [])[: effort.other_outputs]),
                seconds,
            )
            for name in names
        ]
        yield from workers.map(audited, tasks, "audit", timed_out)


def cheap_audits(names: Sequence[str], oracles: Path, other_outputs: Mapping[str, Sequence[Any]]) -> Iterator[Audit]:
    """What the rules find in bricks with little drawn, each in a worker process that its clock may end.

    other_outputs: other bricks' outputs by the name of their type.
    """
    bricks = pool()
    tasks = [
        AuditTask(
            name,
            CHEAP,
            oracles,
            tuple(other_outputs.get(bricks[name].domain.name, [])[: CHEAP.other_outputs]),
            CHEAP_AUDIT_TIMEOUT_S,
        )
        for name in names
    ]
    with Workers(1) as workers:
        yield from workers.map(audited, tasks, fallback=timed_out)
