"""Tests of a program that the jail runs in a second, and what a jail takes to start."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from perf.measure import Effort, Figure
from races.resources.evaluation.suites import livecode
from races.resources.processes.worker_pool import worker_count
from races.resources.sandbox.sandbox import Sandbox, SandboxError

NAME = "sandbox"
TARGET = 10.0  # milliseconds; to start an interpreter for every test takes about 100
SUM = "a, b = map(int, input().split())\nprint(a + b)"


def figures(effort: Effort) -> Iterator[Figure]:
    """Tests a second, of LiveCodeBench's kind, in one jail and in one a core, and their CPU time."""
    tests, jails = effort.of(20, 500), worker_count()
    try:
        livecode.sandbox().__enter__().__exit__()  # what is found out once a process, such as the libraries
    except SandboxError as error:
        yield Figure(NAME, "tests in one jail", None, "tests/s", note=str(error))
        return
    with ExitStack() as entered:
        began = time.perf_counter()
        made = [entered.enter_context(livecode.sandbox())]
        yield Figure(NAME, "start of a jail, self-test included", time.perf_counter() - began, "s")
        made += [entered.enter_context(livecode.sandbox()) for _ in range(jails - 1)]
        note = f"the machine had {os.getloadavg()[0]:.1f} processes to run before"
        began, own = time.perf_counter(), time.process_time()
        inside = _run(made[0], tests)
        wall, own = time.perf_counter() - began, time.process_time() - own
        yield Figure(NAME, "tests in one jail", tests / wall, "tests/s", note=note)
        yield Figure(NAME, "CPU time of the program of a test", 1000 * inside / tests, "ms", TARGET, ceiling=True)
        yield Figure(NAME, "CPU time of the grader for a test", 1000 * own / tests, "ms")
        began = time.perf_counter()
        with ThreadPoolExecutor(jails) as threads:
            list(threads.map(lambda jail: _run(jail, tests), made))
        rate = jails * tests / (time.perf_counter() - began)
        yield Figure(NAME, f"tests in {jails} jails", rate, "tests/s", note=note)


def _run(jail: Sandbox, tests: int) -> float:
    """CPU seconds that the programs took."""
    return sum(jail.run(SUM, f"{number} 1").seconds for number in range(tests))
