"""The process that lives in the jail: a warm interpreter that forks a process for each run and reports how it ended.

It is handed to the interpreter as text, so it imports the standard library alone and nothing of this project. As the
first process of its namespace no signal of a program reaches it, and it is not dumpable, so none can trace it or read
its memory; whatever a program leaves running is killed before the next run begins.
"""

import atexit
import contextlib
import ctypes
import gc
import json
import math
import operator
import os
import random
import resource
import select
import signal
import site
import socket
import sys
import threading
import time
import traceback
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, TextIO

PERIOD = 20  # milliseconds between two looks at what all processes use together
TIMES, SIZE, PAGES = slice(11, 15), 20, 21  # of stat: own and children's times, bytes mapped, pages in memory
TICKS = os.sysconf("SC_CLK_TCK")
OUT_OF_MEMORY = 99  # exit code of a program that ended by MemoryError
SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)
STACK = 128 * 2**20  # bytes: functions in C that call back, as lru_cache does, need more than the usual 8 MiB
LAST_FRAMES = -3
PROGRAM = "program.py"


def main(control: socket.socket, prelude: str, folders: list[str]) -> int:
    """Serve runs until the other end of the socket is closed; the exit code."""
    if os.getpid() != 1:
        raise SystemExit("expected to be the first process of a namespace, all others of which may be killed")
    prctl = ctypes.CDLL(None).prctl
    prctl(SET_DUMPABLE, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the first process of a namespace dies of handled signals alone
    sys.path += folders
    site.setquit()  # the interpreter was started without `site`, and programs call exit()
    names: dict[str, Any] = {"__name__": "prelude"}
    exec(prelude, names)  # noqa: S102  # ours
    del names["__name__"]
    gc.collect()
    gc.freeze()
    control.send(b"ready")
    while True:
        message, files, _, _ = socket.recv_fds(control, 2**16, 4)
        if not message:
            return 0
        task = json.loads(message)
        child = os.fork()
        if not child:
            control.close()
            prctl(SET_DUMPABLE, 1)  # a program may open /dev/stdin
            try:
                perform(task, names, *files)
            finally:
                os._exit(1)  # where even to show the program's exception raised one
        for file in files:
            os.close(file)
        report = watch(child, control, task)
        if report is None:
            return 0
        control.send(json.dumps(report).encode())


def watch(child: int, control: socket.socket, task: dict[str, Any]) -> dict[str, Any] | None:
    """How the child ended, once nothing that it started is left; None where nobody waits for it any more."""
    process = os.pidfd_open(child)
    events = select.poll()
    events.register(process, select.POLLIN)
    events.register(control, 0)  # a hang-up is always told
    deadline = time.monotonic() + task["wall"]
    ended = ""
    while not ended:
        ready = dict(events.poll(PERIOD))
        if control.fileno() in ready:
            return None  # the end of this process is the end of all others in the namespace
        if process in ready:
            ended = "itself"
        elif time.monotonic() > deadline:
            ended = "wall"
        else:
            memory, seconds = used()
            ended = "memory" if memory > task["memory"] else "cpu" if seconds > task["cpu"] else ""
    os.close(process)
    status, seconds = clear(child)
    return {"ended": ended, "status": status, "seconds": seconds}


def clear(child: int) -> tuple[int, float]:
    """Kill and reap every other process of the namespace; the child's wait status and the CPU seconds of all."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    code, seconds = 0, 0.0
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return code, seconds
        seconds += usage.ru_utime + usage.ru_stime
        if pid == child:
            code = status


def used() -> tuple[int, float]:
    """Bytes of memory and seconds of CPU time of all processes but this one, the dead among them included.

    What a process has mapped counts, used or not, since memory that processes share is in the count of none alone; what
    it was forked with counts as far as it is in memory.
    """
    memory, ticks = 0, 0
    inherited = int(stat(1)[SIZE])
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name != "1":
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                fields = stat(int(folder.name))
                ticks += sum(map(int, fields[TIMES]))
                memory += max(int(fields[SIZE]) - inherited, int(fields[PAGES]) * resource.getpagesize())
    return memory, ticks / TICKS


def stat(process: int) -> list[str]:
    """The fields of /proc/N/stat behind the name, in which there may be anything."""
    return Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()


def perform(task: dict[str, Any], names: dict[str, Any], code: int, given: int, output: int, errors: int) -> None:
    """Run the program in this very process, which is a fork made for it, and end it."""
    with open(code, "rb") as file:
        source = file.read()
    nowhere = os.open("/dev/null", os.O_RDWR)
    function = task["function"]
    os.dup2(given, 0)
    os.dup2(nowhere if function else output, 1)  # what a function prints is not its result
    os.dup2(errors, 2)
    for file_number in (given, errors, nowhere):
        os.close(file_number)
    streams = (
        open(0, encoding="utf-8", errors="surrogateescape"),  # noqa: SIM115  # they end with the process
        open(1, "w", encoding="utf-8", errors="surrogateescape"),  # noqa: SIM115  # the same
        open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1),  # noqa: SIM115  # the same
    )
    # A program that replaces one closes no descriptor, as `streams` keeps them all.
    sys.stdin, sys.stdout, sys.stderr = streams
    module = sys.modules["__main__"] = ModuleType("__main__")
    module.__dict__.update(names)
    random.seed(0)  # noqa: TID251  # what a program draws is the same every time
    confine(task)
    try:
        try:
            answer = execute(source, module, function)
        except SystemExit:
            answer = b""
        finish(module, streams[1])
        with open(output, "wb") as file:
            file.write(answer)
    except MemoryError:
        os.write(2, b"MemoryError\n")
        os._exit(OUT_OF_MEMORY)  # there may be no memory left for anything else
    except BaseException as error:  # noqa: BLE001  # whatever a program raises is its end
        traceback.print_exception(error.with_traceback(inner(error.__traceback__)), limit=LAST_FRAMES)
        os._exit(1)
    os._exit(0)


def execute(source: bytes, module: ModuleType, function: str | None) -> bytes:
    """Run the program as a module; the JSON of what its function returns where one is named."""
    arguments = json.load(sys.stdin) if function else []
    exec(compile(source, PROGRAM, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # it is the jail's purpose
    if not function:
        return b""
    owner = module.Solution() if hasattr(module, "Solution") else module
    return json.dumps(plain(getattr(owner, function)(*arguments))).encode()


def finish(module: ModuleType, output: TextIO) -> None:
    """What an interpreter does at its end for a program to notice, in a third of the time that a whole end takes."""
    threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing does in its forks
    atexit._run_exitfuncs()
    module.__dict__.clear()
    gc.collect()  # files that nobody closed write what they hold
    streams: list[Any] = [sys.stdout, sys.__stdout__, output]
    for stream in streams:
        with contextlib.suppress(AttributeError, ValueError):  # it may be replaced or closed
            stream.flush()


def inner(frames: TracebackType | None) -> TracebackType | None:
    """The frames of the program, without those of this module."""
    while frames is not None and frames.tb_frame.f_code.co_filename != PROGRAM:
        frames = frames.tb_next
    return frames


def confine(task: dict[str, Any]) -> None:
    """Take on the limits of the run, for good."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seconds = math.ceil(task["cpu"]) + 1  # the watch is more exact; this holds where it is late
    limits = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_AS: (task["memory"], task["memory"]),
        resource.RLIMIT_FSIZE: (task["output"], task["output"]),
        resource.RLIMIT_NPROC: (task["processes"], task["processes"]),
        resource.RLIMIT_NOFILE: (task["files"], task["files"]),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    hardest = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = STACK if hardest == resource.RLIM_INFINITY else min(STACK, hardest)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, hardest))
    for kind, limit in limits.items():
        resource.setrlimit(kind, limit)


def plain(value: Any, nested: bool = False) -> Any:
    """A result as JSON can carry it, equal to an expected JSON value iff the result itself is.

    A tuple counts as a list at the top alone. What equals no JSON value, such as a set, becomes an object that says so.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list) or (isinstance(value, tuple) and not nested):
        return [plain(each, True) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: plain(each, True) for key, each in value.items()}
    if hasattr(value, "__index__"):
        return operator.index(value)
    return {"not JSON": type(value).__name__}


if __name__ == "__main__":
    settings = json.loads(sys.argv[1])
    sys.exit(main(socket.socket(fileno=settings["control"]), settings["prelude"], settings["folders"]))
