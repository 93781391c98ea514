"""Tests of a program that the sandbox runs in a second, and what a sandbox takes to start."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from perf.measure import Effort, Measurement
from races.resources.evaluation.suites import livecode
from races.resources.processes.worker_pool import worker_count
from races.resources.sandbox.sandbox import Sandbox, SandboxError

NAME = "sandbox"
TARGET = 10.0  # milliseconds; to start an interpreter for every test takes about 100
SUM = "a, b = map(int, input().split())\nprint(a + b)"


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Tests a second, of LiveCodeBench's kind, in one sandbox and in one a core, and their CPU time."""
    tests, cores = effort.of(20, 500), worker_count()
    try:
        livecode.sandbox().__enter__().__exit__()  # what is found out once a process, such as the libraries
    except SandboxError as error:
        yield Measurement(NAME, "tests in one sandbox", None, "tests/s", note=str(error))
        return
    with ExitStack() as entered:
        began = time.perf_counter()
        made = [entered.enter_context(livecode.sandbox())]
        yield Measurement(NAME, "start of a sandbox, self-test included", time.perf_counter() - began, "s")
        made += [entered.enter_context(livecode.sandbox()) for _ in range(cores - 1)]
        note = f"the machine had {os.getloadavg()[0]:.1f} processes to run before"
        began, own = time.perf_counter(), time.process_time()
        inside = _run(made[0], tests)
        wall, own = time.perf_counter() - began, time.process_time() - own
        yield Measurement(NAME, "tests in one sandbox", tests / wall, "tests/s", note=note)
        yield Measurement(NAME, "CPU time of the program of a test", 1000 * inside / tests, "ms", TARGET, ceiling=True)
        yield Measurement(NAME, "CPU time of the grader for a test", 1000 * own / tests, "ms")
        began = time.perf_counter()
        with ThreadPoolExecutor(cores) as threads:
            list(threads.map(lambda each: _run(each, tests), made))
        rate = cores * tests / (time.perf_counter() - began)
        yield Measurement(NAME, f"tests in {cores} sandboxes", rate, "tests/s", note=note)


def _run(sandbox: Sandbox, tests: int) -> float:
    """CPU seconds that the programs took."""
    return sum(sandbox.run(SUM, f"{number} 1").seconds for number in range(tests))
