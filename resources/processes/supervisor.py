"""Runs one command and, when that ends or is cancelled, ends every process that came of it.

    python -I supervisor.py GRACE command...

It ends them when the command has ended, on SIGTERM, and when its standard input closes: the process that started it
holds the other end, so that even a SIGKILL of that one leaves no orphan. Its exit code is the command's, or 128 plus
the signal that ended the command. A daemon of the command that moved to a session of its own is still ours: on Linux a
subreaper becomes the parent of whatever its descendants leave behind (`man 2 PR_SET_CHILD_SUBREAPER`).
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType

PR_SET_CHILD_SUBREAPER = 36


class Cancelled(BaseException):
    """The command is to be ended."""


def main(arguments: list[str]) -> int:
    """Run the command to its end; its exit code."""
    grace, *command = arguments
    signal.signal(signal.SIGTERM, _cancel)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    child = None
    try:
        # A group of its own, so that TERM reaches the whole of it and not this process.
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
        threading.Thread(target=_watch_input, daemon=True).start()
        code = child.wait()
    except Cancelled:
        code = -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if child is not None:
            _end(child, float(grace))
    return code if code >= 0 else 128 - code


def _cancel(number: int, frame: FrameType | None) -> None:
    raise Cancelled


def _watch_input() -> None:
    # Not sys.stdin, whose lock a thread would still hold when the interpreter ends.
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _end(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """TERM to all, and after `grace` seconds KILL to those that still are there, until none is left."""
    until = time.monotonic() + grace
    _signal(child, signal.SIGTERM)
    while _reap(child) and time.monotonic() < until:
        time.sleep(0.05)
    while _reap(child):
        _signal(child, signal.SIGKILL)
        time.sleep(0.05)


def _reap(child: "subprocess.Popen[bytes]") -> bool:
    """Collect the exit codes of children that have ended; whether any child is left."""
    child.poll()
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _signal(child: "subprocess.Popen[bytes]", number: int) -> None:
    for pid in _descendants() or ([child.pid] if child.returncode is None else []):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue  # it ended by itself


def _descendants() -> list[int]:
    """The processes below this one, by Linux's /proc; none on other systems."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (name) state ppid ...; a name may hold spaces and parentheses.
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found, waiting = [], [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
