"""The sandbox worker: a warm interpreter that forks a process for each run and reports how it ended.

It is handed to the interpreter as text, so it imports the standard library alone and nothing of this project. Every run
has namespaces of its own, in which it sees no process but its own: none of its calls can name this process, which
watches it from outside, and with the first process of its namespace all that it started is gone.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import math
import numbers
import operator
import os
import random
import resource
import select
import signal
import site
import socket
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NoReturn, TextIO

POLL_INTERVAL_MS = 20  # milliseconds between two looks at what all processes use together
TIMES, SIZE, PAGES = slice(11, 15), 20, 21  # of stat: own and children's times, bytes mapped, pages in memory
STATUS = struct.Struct("i")  # of a process, as waitpid gives it
TICKS = os.sysconf("SC_CLK_TCK")
OUT_OF_MEMORY = 99  # exit code of a program that ended by MemoryError
STACK_BYTES = 128 * 2**20  # bytes: functions in C that call back, as lru_cache does, need more than the usual 8 MiB
THREAD_STACK_BYTES = 8 * 2**20  # bytes of a thread that asks for no other
STACK_BYTES_PER_C_CALL = 1_024  # bytes of the stack that a function in C takes at most when it calls back
LIMITS_C = sys.version_info[:2] >= (3, 12)
TRACEBACK_FRAMES = -3
PROGRAM = "program.py"
RESERVED_PROCESSES = 2  # of the user that are no program's: this one, and the first of the namespace of a run
FUNCTION_MODULE = (
    "tmp_sol"  # what the benchmark's runner calls the module of a function: no guard of __main__ holds there
)
# Of prctl(2), unshare(2), mount(2) and capset(2).
SET_DUMPABLE, DROP_BOUNDING, SET_SECCOMP, MODE_FILTER = 4, 24, 22, 2
NEW_NAMES, NEW_PROCESSES = 0x00020000, 0x20000000
READ_ONLY, NO_SETUID, NO_DEVICES, NO_PROGRAMS = 1, 2, 4, 8
CAPABILITIES_3 = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


def main(control: socket.socket, settings: dict[str, Any]) -> int:
    """Serve runs until the other end of the socket is closed; the exit code."""
    if os.getpid() != 1:
        raise SystemExit("expected to be the first process of a namespace, all others of which may be killed")
    call("prctl", SET_DUMPABLE, 0)
    for capability in range(int(Path("/proc/sys/kernel/cap_last_cap").read_text()) + 1):
        call("prctl", DROP_BOUNDING, capability)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the first process of a namespace dies of handled signals alone
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    names = warm(settings)
    system_calls = bytes.fromhex(settings["system_calls"])
    control.send(b"ready")
    while True:
        message, files, _, _ = socket.recv_fds(control, 2**16, 4)
        if not message:
            return 0
        task = json.loads(message)
        ended, ends = os.pipe()
        ready, begins = os.pipe()
        call("unshare", NEW_PROCESSES)  # of the processes that this one starts
        run = (task, names, files, begins, system_calls)
        first = start(run_first_process, [own, control.fileno(), ended, ready], ends, run)
        call("setns", own, NEW_PROCESSES)
        os.close(ends)
        os.close(begins)
        report = watch(first, ended, files[2], control, task)
        if report is None:
            return 0
        report["begun"] = bool(os.read(ready, 1))
        for file in (*files, ended, ready):
            os.close(file)
        control.send(json.dumps(report).encode())


def warm(settings: dict[str, Any]) -> dict[str, Any]:
    """Import what programs may; the names that every program finds."""
    sys.path += settings["folders"]
    site.setquit()  # the interpreter was started without `site`, and programs call exit()
    for name in settings["modules"]:
        importlib.import_module(name)
    names: dict[str, Any] = {"__name__": "prelude"}
    exec(settings["prelude"], names)  # noqa: S102  # ours
    del names["__name__"]
    bootstrap = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]  # there is no hook before a thread

    def deepened(thread: threading.Thread) -> None:
        deepen(threading.stack_size() or THREAD_STACK_BYTES)
        bootstrap(thread)

    if LIMITS_C:
        threading.Thread._bootstrap_inner = deepened  # type: ignore[attr-defined]  # the same
    gc.collect()
    gc.freeze()
    return names


def deepen(stack: int) -> None:
    """Let functions in C nest as deep as the stack of this thread allows, as they could before Python 3.12.

    That has a limit of its own for them, of 1,500 levels in 3.12.1, which `sys.setrecursionlimit` does not move: a
    function in a cache cannot call itself 500 times. The number of levels left follows Python's own limit in the
    state of the thread, and is left alone where it is not found there.
    """
    if not LIMITS_C:
        return
    state = ctypes.pythonapi.PyThreadState_Get
    state.restype = ctypes.c_void_p
    levels = (ctypes.c_int * 16).from_address(state())
    before, known = sys.getrecursionlimit(), 54_321
    sys.setrecursionlimit(known)
    for place in range(1, len(levels) - 1):
        if levels[place] == known and 0 < known - levels[place - 1] < 1_000 and 0 < levels[place + 1] <= 10_000:
            levels[place + 1] = max(levels[place + 1], stack // STACK_BYTES_PER_C_CALL)
    sys.setrecursionlimit(before)


def call(name: str, *values: Any) -> None:
    """Call a function of the C library; OSError where it fails."""
    given = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in values]
    if getattr(libc, name)(*given) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def start(act: Callable[..., NoReturn], closed: Sequence[int], *values: Any) -> int:
    """A process that does something without some of the open files."""
    if child := os.fork():
        return child
    try:
        for file in closed:
            os.close(file)
        act(*values)
    finally:
        os._exit(1)  # where even to show the program's exception raised one


def run_first_process(ends: int, run: tuple[Any, ...]) -> NoReturn:
    """Be the first process of a namespace: start the run, tell how it ended, and reap those whose parent is gone."""
    child = start(run_program, [ends], *run)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        with contextlib.suppress(ChildProcessError):
            while (gone := os.waitpid(-1, os.WNOHANG))[0]:
                if gone[0] == child:
                    os.write(ends, STATUS.pack(gone[1]))
        signal.sigwait({signal.SIGCHLD})


def watch(first: int, end: int, output: int, control: socket.socket, task: dict[str, Any]) -> dict[str, Any] | None:
    """How the run ended, once nothing that it started is left; None where nobody waits for it any more."""
    events = select.poll()
    events.register(end, select.POLLIN)
    events.register(control, 0)  # a hang-up is always reported
    deadline = time.monotonic() + task["wall"]
    ended, status = "", signal.SIGKILL.value
    while not ended:
        ready = dict(events.poll(POLL_INTERVAL_MS))
        if control.fileno() in ready:
            return None  # the end of this process is the end of all others in the namespace
        if end in ready:
            ended = "itself"
            if status_bytes := os.read(end, STATUS.size):  # else its namespace has been ended
                (status,) = STATUS.unpack(status_bytes)
        elif time.monotonic() > deadline:
            ended = "wall"
        elif os.fstat(output).st_size > task["output"]:
            ended = "output"
        else:
            memory, seconds = used(first)
            ended = "memory" if memory > task["memory"] else "cpu" if seconds > task["cpu"] else ""
    seconds = used(first)[1]  # the time of those who are killed is in nobody's usage
    os.kill(first, signal.SIGKILL)  # and so every other process of its namespace
    _, _, usage = os.wait4(first, 0)
    return {"ended": ended, "status": status, "seconds": max(seconds, usage.ru_utime + usage.ru_stime)}


def used(first: int) -> tuple[int, float]:
    """Bytes of memory and seconds of CPU time of a run, its dead processes included.

    What a process has mapped counts, used or not, since memory that processes share is in the count of none alone; what
    it was forked with counts as far as it is in memory.
    """
    memory, ticks = 0, 0
    inherited = int(stat(Path("/proc/1"))[SIZE])
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name != "1":
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
                fields = stat(folder)
                ticks += sum(map(int, fields[TIMES]))
                if fields[0] == "Z":  # its first thread is gone, with which the kernel counts; others may go on
                    fields = max((stat(task) for task in folder.glob("task/*")), key=lambda each: int(each[SIZE]))
                if folder.name != str(first):
                    memory += max(int(fields[SIZE]) - inherited, int(fields[PAGES]) * resource.getpagesize())
    return memory, ticks / TICKS


def stat(folder: Path) -> list[str]:
    """The fields of /proc/N/stat behind the name, in which there may be anything; of a thread's folder, too."""
    return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()


def run_program(
    task: dict[str, Any], names: dict[str, Any], files: list[int], begins: int, system_calls: bytes
) -> NoReturn:
    """Run the program in this very process, which is a fork made for it, and end it."""
    code, given, output, errors = files
    function = task["function"]
    try:
        with os.fdopen(code, "rb") as text:
            source = text.read()
        confine(task, system_calls)
        streams = redirect(given, None if function else output, errors)
        os.write(begins, b"1")
        os.close(begins)
    except (OSError, ValueError) as error:
        os.write(errors, f"{type(error).__name__}: {error}".encode())
        os._exit(1)
    sys.argv = [PROGRAM]  # the settings of the sandbox are no arguments of the program
    module = ModuleType(FUNCTION_MODULE if function else "__main__")
    sys.modules["__main__"] = sys.modules[module.__name__] = module
    module.__dict__.update(names)
    random.seed(0)  # noqa: TID251  # what a program draws is the same every time
    try:
        try:
            answer = execute(source, module, function)
        except SystemExit:
            answer = b""
        finish(module, streams[1])
        with os.fdopen(output, "wb") as result:
            result.write(answer)
    except MemoryError:
        os.write(errors, b"MemoryError\n")
        os._exit(OUT_OF_MEMORY)  # there may be no memory left for anything else
    except BaseException as error:  # noqa: BLE001  # whatever a program raises is its end
        frames = program_frames(error.__traceback__)
        with os.fdopen(errors, "a", encoding="utf-8", errors="backslashreplace") as report_file:
            traceback.print_exception(error.with_traceback(frames), limit=TRACEBACK_FRAMES, file=report_file)
        os._exit(1)
    os._exit(0)


def redirect(given: int, output: int | None, errors: int) -> tuple[TextIO, TextIO, TextIO]:
    """The three standard streams. What a function prints is not its result."""
    nowhere = os.open("/dev/null", os.O_RDWR)
    for number, file in enumerate((given, nowhere if output is None else output, errors)):
        os.dup2(file, number)
    os.close(given)
    os.close(nowhere)
    streams = (
        open(0, encoding="utf-8", errors="surrogateescape"),  # noqa: SIM115  # they end with the process
        open(1, "w", encoding="utf-8", errors="surrogateescape"),  # noqa: SIM115  # the same
        open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1),  # noqa: SIM115  # the same
    )
    # A program that replaces one closes no descriptor, as the caller keeps them all.
    sys.stdin, sys.stdout, sys.stderr = streams
    return streams


def execute(source: bytes, module: ModuleType, function: str | None) -> bytes:
    """Run the program as a module; the JSON of what its function returns where one is named."""
    arguments = json.load(sys.stdin) if function else []
    exec(compile(source, PROGRAM, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # it is the sandbox's purpose
    if not function:
        return b""
    owner = module.Solution() if hasattr(module, "Solution") else module
    return json.dumps(plain(getattr(owner, function)(*arguments))).encode()


def finish(module: ModuleType, output: TextIO) -> None:
    """What an interpreter does at its end for a program to notice, in a third of the time that a whole end takes."""
    threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing does in its forks
    atexit._run_exitfuncs()
    streams: list[Any] = [sys.stdout, sys.__stdout__, output]
    flush(streams)  # one that the program wrote itself needs the program's names
    sys.stdout = output
    module.__dict__.clear()
    gc.collect()  # files that nobody closed write what they hold
    flush(streams[1:])


def flush(streams: Sequence[Any]) -> None:
    """Write what streams still hold."""
    for stream in streams:
        with contextlib.suppress(AttributeError, ValueError):  # it may be replaced or closed
            stream.flush()


def program_frames(frames: TracebackType | None) -> TracebackType | None:
    """The frames of the program, without those of this module."""
    while frames is not None and frames.tb_frame.f_code.co_filename != PROGRAM:
        frames = frames.tb_next
    return frames


def confine(task: dict[str, Any], system_calls: bytes) -> None:
    """Take on the limits of the run, its own view of processes, and the filter of system calls, for good."""
    os.setsid()  # Linux shares the processor out by session, too, and a process may set the share of its own
    call("unshare", NEW_NAMES)
    flags = READ_ONLY | NO_SETUID | NO_DEVICES | NO_PROGRAMS
    call("mount", b"proc", b"/proc", b"proc", flags, None)  # of the run's own processes
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seconds = math.ceil(task["cpu"]) + 1  # the watch is more exact; this holds where it is late
    size = task["memory"] + int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_AS: (size, size),
        resource.RLIMIT_FSIZE: (max(task["output"], task["errors"]),) * 2,
        resource.RLIMIT_NPROC: (task["processes"] + RESERVED_PROCESSES,) * 2,
        resource.RLIMIT_NOFILE: (task["files"], task["files"]),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    hardest = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = STACK_BYTES if hardest == resource.RLIM_INFINITY else min(STACK_BYTES, hardest)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, hardest))
    deepen(stack)
    for kind, limit in limits.items():
        resource.setrlimit(kind, limit)
    header, nothing = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
    call("capset", header, nothing)
    call("prctl", SET_DUMPABLE, 1)  # a program may open /dev/stdin
    instructions = ctypes.create_string_buffer(system_calls, len(system_calls))
    program = struct.pack("HxxxxxxP", len(system_calls) // 8, ctypes.addressof(instructions))
    call("prctl", SET_SECCOMP, MODE_FILTER, ctypes.create_string_buffer(program, len(program)))


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
    if getattr(value, "size", None) == 1 and hasattr(value, "tolist"):  # of numpy: one number, or a list of one
        inside = value.tolist()
        return {"not JSON": type(value).__name__} if type(inside) is type(value) else plain(inside, True)
    if isinstance(
        value, (numbers.Complex, Decimal)
    ):  # Decimal, Fraction, complex: equal to the number that they are exactly
        number: Any = value.real
        for kind in (int, float):
            with contextlib.suppress(TypeError, ValueError, ArithmeticError):
                if value == kind(number):
                    return kind(number)
    elif hasattr(value, "__index__"):
        return operator.index(value)
    return {"not JSON": type(value).__name__}


if __name__ == "__main__":
    settings = json.loads(sys.argv[1])
    sys.exit(main(socket.socket(fileno=settings["control"]), settings))
