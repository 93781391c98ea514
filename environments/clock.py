"""Time limits that end the whole process, also inside C code; for worker processes that may be lost.

What is limited is CPU time, so that a slow or busy machine makes no brick too slow; a much larger limit on wall time
ends what only waits. The kernel's signals act by themselves: no thread and no handler has to run.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

TIME_LIMIT_S = 2.0  # CPU seconds of one run of a brick: the paper's bound
CPU_SIGNAL, WALL_SIGNAL = (
    signal.SIGPROF,
    signal.SIGALRM,
)  # which of the two has ended a process tells which limit it was
_ACTIVE_LIMITS: list[float] = []  # CPU seconds of the blocks that are running


def wall_limit(seconds: float) -> float:
    """The seconds of wall time that something with so many seconds of CPU time may take."""
    return 10 + 5 * seconds


@contextmanager
def time_limit(seconds: float = TIME_LIMIT_S, wall_seconds: float | None = None) -> Iterator[None]:
    """End this whole process if the block takes longer; for processes that have called `enable_alarm_kill`.

    seconds: of CPU time.
    wall_seconds: of wall time, by default wall_limit(seconds).
    """
    _ACTIVE_LIMITS.append(seconds)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_limit(seconds) if wall_seconds is None else wall_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _ACTIVE_LIMITS.pop()


def under_time_limit() -> bool:
    """Whether this process is within a `time_limit`."""
    return bool(_ACTIVE_LIMITS)


def enable_alarm_kill() -> None:
    """Let the timers of `time_limit` end this process, whatever handlers and masks it inherited; to be called once."""
    for number in (CPU_SIGNAL, WALL_SIGNAL):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (CPU_SIGNAL, WALL_SIGNAL))
