"""The canary: a known good program whose view must not change while a sandbox worker lives, whatever ran in between.

It is handed to the sandbox as text, so it imports the standard library alone. Besides a sum, it gives what a process
inherits from the one that started it; and one that takes more memory than it may must be stopped.
"""

import mmap
import os
import resource
import signal
import time
from pathlib import Path
from typing import Any

NUMBERS = 30_000
MEMORY = 128 * 2**20  # bytes that all its processes may take
SHARE = 96 * 2**20  # bytes: one process may have them, two together may not


def state() -> dict[str, Any]:
    """A sum, and what processes hand down to those that they start."""
    kinds = sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")})
    return {
        "sum": total(),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "scheduling": [os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, sorted(os.sched_getaffinity(0))],
        # That of memory depends on what the process was forked with; that it holds is tried instead.
        "limits": [resource.getrlimit(kind) for kind in kinds if kind != resource.RLIMIT_AS],
        "memory": can_have(SHARE) and not can_have(2 * MEMORY),
        "signals": [signal.getsignal(each) == signal.SIG_IGN for each in sorted(signal.valid_signals())],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "place": [str(Path.cwd()), os.umask(0), sorted(os.environ.items())],
    }


def total() -> int:
    """A sum that every interpreter gets."""
    return sum(number * number % 257 for number in range(NUMBERS))


def can_have(size: int) -> bool:
    """Whether the limit of the address space leaves room for so many bytes."""
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        return False
    return True


def exceed() -> str:
    """Take more memory in two processes than both may take together."""
    os.fork()
    memory = mmap.mmap(-1, SHARE)
    time.sleep(5)
    return f"had {len(memory)} bytes, twice"
