"""Work spread over processes, in which a brick that runs too long ends its process and not the run.

Tasks are independent and seeded by themselves, so neither the number of workers nor the order in which they finish
changes anything: results come in the order of the tasks.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from multiprocessing import resource_tracker
from typing import Any, Self, TypeVar

from pebble import ProcessExpired, ProcessPool
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from races.environments.clock import enable_alarm_kill
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, Shard, explore
from races.environments.composition.path import Matching
from races.environments.composition.rows import ShardRows, rows_of
from races.environments.errors import RacesError
from races.environments.isolation.guard import Guard, TimeLimitedRunner
from races.environments.subpools import subpool
from races.resources.processes.spawning import SafeSpawnContext, safe_path

Task = TypeVar("Task")
Result = TypeVar("Result")
MAX_QUEUED_TASKS = 4  # for each worker, so that a million tasks are not queued at once


class WorkerDied(RacesError):
    """A worker process ended while it worked on a task, and nothing else could do the task either."""


def worker_count() -> int:
    """The number of processes that may work at once: the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Processes that do tasks, started when the first task comes and ended with the block.

    count: how many; None for one a core, 0 to work in this process.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = worker_count() if count is None else count
        self._running: ProcessPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._running is not None:
            self._running.stop()  # type: ignore[no-untyped-call]  # pebble leaves it unannotated
            self._running.join()
            self._running = None

    def map(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        title: str = "",
        fallback: Callable[[Task], Result] | None = None,
    ) -> Iterator[Result]:
        """The results of the tasks, in their order.

        work: a function at the top level of a module. fallback: does a task in this process whose worker has died;
        without it WorkerDied is raised. Shows a progress bar on a terminal where there is a title.
        """
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=not title or not sys.stderr.isatty(),
        ) as progress:
            bar = progress.add_task(title, total=len(tasks))
            for result in map(work, tasks) if self.count == 0 else self._by_processes(work, tasks, fallback):
                progress.advance(bar)
                yield result

    def _by_processes(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        fallback: Callable[[Task], Result] | None,
    ) -> Iterator[Result]:
        if self._running is None:
            # Forked processes would inherit the locks of Dagster's threads; spawned ones begin with nothing.
            with safe_path():
                resource_tracker.ensure_running()  # the pool's locks would start it by themselves
            self._running = ProcessPool(
                max_workers=self.count, initializer=enable_alarm_kill, context=SafeSpawnContext()
            )
        waiting: dict[int, Any] = {}
        following = 0
        for number, task in enumerate(tasks):
            while following < len(tasks) and len(waiting) < self.count * MAX_QUEUED_TASKS:
                waiting[following] = self._running.schedule(work, args=[tasks[following]])
                following += 1
            try:
                yield waiting.pop(number).result()
            except ProcessExpired as error:
                if fallback is None:
                    raise WorkerDied(f"task {number}: the worker ended with code {error.exitcode}") from error
                yield fallback(task)


SearchTask = tuple[Shard, SearchSettings]


@cache
def _offers(sub_pool: str, matching: Matching) -> CompatibleBricks:
    """The compatible bricks of a sub-pool, found once in each process."""
    return CompatibleBricks(subpool(sub_pool), matching)


def explored(task: SearchTask) -> ShardRows:
    """Grow a shard in a worker process, whose clock ends it where a brick runs for too long."""
    shard, settings = task
    return rows_of(settings, explore(shard, _offers(settings.pool, settings.matching), settings, TimeLimitedRunner()))


def explored_in_isolation(task: SearchTask) -> ShardRows:
    """Grow a shard with every run in a process of its own: slow, but a run that takes too long is only rejected."""
    shard, settings = task
    guard = Guard()
    try:
        return rows_of(settings, explore(shard, _offers(settings.pool, settings.matching), settings, guard))
    finally:
        guard.close()


def search(tasks: Sequence[SearchTask], count: int | None = None, title: str = "search") -> Iterator[ShardRows]:
    """The rows of shards, in their order; the same for every number of workers."""
    with Workers(count) as workers:
        if workers.count == 0:
            # Nothing could be ended in this very process without ending it all, so each run has one of its own.
            yield from workers.map(explored_in_isolation, tasks, title)
        else:
            yield from workers.map(explored, tasks, title, fallback=explored_in_isolation)
