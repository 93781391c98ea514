"""The clock that ends a whole process, wherever it is, also inside C code; for processes whose death is expected.

What counts is the time of the CPU, so that a machine that stalls makes nobody slow; a bound on the time of the wall,
far above it, ends what only waits. The kernel's signals act by themselves: no thread and no handler has to run.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 2.0  # the paper's bound on a call
CPU, WALL = signal.SIGPROF, signal.SIGALRM  # which of the two has ended a process
_TICKING: list[float] = []  # the bounds of the blocks that are armed


def wall(seconds: float) -> float:
    """Seconds of the wall that something with so many seconds of CPU time may take."""
    return 10 + 5 * seconds


@contextmanager
def time_limit(seconds: float = SECONDS, most: float | None = None) -> Iterator[None]:
    """End this whole process if the block takes longer; for processes in which `mortal` was called.

    seconds: of the CPU. most: of the wall; by default wall(seconds).
    """
    _TICKING.append(seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, wall(seconds) if most is None else most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _TICKING.pop()


def under_time_limit() -> bool:
    """Whether this process is within a block that is armed."""
    return bool(_TICKING)


def enable_alarm_kill() -> None:
    """Let the clock end this process, whatever handlers and masks it inherited; call it once, before armed."""
    for number in (CPU, WALL):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (CPU, WALL))
