"""Untrusted programs, run in a sandbox of bubblewrap's namespaces, resource limits and a filter of system calls.

Inside there is an interpreter with its libraries and nothing else: no other file, no network, no place to write, no
privileges. A program gets its input and gives its output; whoever grades keeps the expected output and compares out
here. Every run is a process in namespaces of its own, forked from a warm interpreter (resources/sandbox/worker.py).
A canary, a known good program (resources/sandbox/canary.py), runs before each other program and after each that fails:
where it does not see what it saw at first, the sandbox worker is replaced.

What remains is the risk of a fault in the kernel. Needed: Linux 5.14 or newer, where the limit of processes counts a
namespace; bubblewrap 0.8 or newer, with user namespaces that unprivileged users may make; and for root setpriv.
"""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Self

from races.resources.sandbox import bubblewrap, canary, self_test, worker
from races.resources.sandbox.bubblewrap import SandboxError as SandboxError

START_TIMEOUT_S = 60.0  # seconds for the sandbox worker to start and to import what programs find imported
GRACE_PERIOD_S = 10.0  # seconds beyond the wall limit after which a sandbox worker counts as lost
MAX_ATTEMPTS = 2
MAX_REASON_LENGTH = 2_000  # characters of a reason, from its end
MAX_REPORT_BYTES = 2**16  # bytes of a report, and of what bubblewrap says
CANARY = Path(canary.__file__).read_text(encoding="utf-8")
CREDENTIALS = struct.Struct("3i")  # process, user, group


class RunStatus(StrEnum):
    """How a run ended. BROKEN is a failure of the sandbox and says nothing of the program; all others are its doing."""

    DONE = "done"
    FAILED = "failed"  # it raised, or a signal ended it
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"  # more than it may print
    BROKEN = "broken"


@dataclass(frozen=True)
class Verdict:
    """What a run gave. output: what it printed, or the JSON of what its function returned; "" unless it is DONE.

    reason: why it is not. seconds: CPU time of all its processes, the one number here that differs from run to run.
    """

    status: RunStatus
    output: str = ""
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    cpu: seconds of CPU time. wall: seconds of the clock, for runs that sleep or wait; more than cpu, as others use the
    machine too. memory: bytes, also of address space. These hold for all processes of a run together. output: bytes of
    standard output, or of the JSON of a result. errors: bytes of standard error. processes: at once, threads counted.
    files: open at once, by a process.
    """

    cpu: float = 6.0
    wall: float = 18.0
    memory: int = 4 * 2**30
    output: int = 16 * 2**20
    errors: int = 16 * 2**20
    processes: int = 64
    files: int = 64


# Of the canary: a hundred times what it takes, so that it passes on a busy machine.
CANARY_LIMITS = Limits(cpu=1.0, wall=30.0, memory=canary.MEMORY, output=MAX_REPORT_BYTES, processes=8)


class Sandbox:
    """Runs programs one after another in a sandbox worker, which starts on entry and is replaced where it is lost.

    prelude: code of ours, run once before the first program, whose names every program finds and whose imports it finds
    warm. packages: folders to import from, which programs may read. modules: installed packages that programs may
    import and find warm.
    Raises SandboxError on entry where no worker can start or it fails its self-test. Threads may share it, one at a
    time.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        prelude: str = "",
        packages: Sequence[Path] = (),
        modules: Sequence[str] = (),
    ) -> None:
        self.limits = limits or Limits()
        self.prelude = prelude
        self.packages = {each.resolve(): each.resolve() for each in packages}
        self.modules = tuple(modules)
        self._worker: _Worker | None = None
        self._last: str | None = None  # the program that ran last
        self._owner = os.getpid()
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._self_test()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._close()

    def run(self, code: str, given: str = "", output: int | None = None) -> Verdict:
        """Run a program on its standard input; what it prints is the output. SystemExit is an orderly end.

        output: how many bytes it may print instead of those of the limits.
        """
        return self._run(code, None, given, self._limits(output))

    def call(self, code: str, function: str, arguments: Sequence[Any]) -> Verdict:
        """Call a function of a program, or a method of its class Solution; the output is its result as JSON.

        Results equal the expected JSON value iff they do in Python, a tuple at the top counting as a list.
        """
        return self.call_json(code, function, json.dumps(list(arguments)))

    def call_json(self, code: str, function: str, arguments: str, output: int | None = None) -> Verdict:
        """The same with the arguments as the JSON of a list. output: how many bytes the JSON of the result may take."""
        return self._run(code, function, arguments, self._limits(output))

    def fault(self) -> str:
        """Why the last verdict cannot be trusted, where the canary fails now; else ""."""
        with self._lock:
            try:
                if self._worker is not None and self._owner == os.getpid():
                    self._worker.run_canary()
            except (OSError, SandboxError) as error:
                self._close()
                return f"{type(error).__name__}: {error}"
            except BaseException:
                self._close()
                raise
        return ""

    def _limits(self, output: int | None) -> Limits:
        return self.limits if output is None else replace(self.limits, output=output)

    def _run(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """A run, with a second attempt where a lost worker or a busy machine may be the cause."""
        verdict = Verdict(RunStatus.BROKEN)
        with self._lock:
            if self._owner != os.getpid():  # a fork of the process that has the worker needs one of its own
                self._owner, self._worker, self._last = os.getpid(), None, None
            for _ in range(MAX_ATTEMPTS):
                try:
                    verdict = self._checked_run(code, function, given, limits)
                except (OSError, SandboxError) as error:
                    self._close()
                    verdict = Verdict(RunStatus.BROKEN, reason=f"{type(error).__name__}: {error}")
                except BaseException:
                    self._close()  # its report on this run would be taken for one on the next
                    raise
                waited = verdict.status is RunStatus.TIMEOUT and verdict.seconds < limits.cpu
                if verdict.status is not RunStatus.BROKEN and not waited:
                    break
        return verdict

    def _checked_run(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """A run in a worker that passes the canary before another program than the last, and after one that fails."""
        self._worker = self._worker or _Worker(self.prelude, self.packages, self.modules)
        if code != self._last:
            self._worker.run_canary()
            self._last = code
        verdict = self._worker.run(code, function, given, limits)
        if verdict.status is not RunStatus.DONE:
            self._worker.run_canary()
        return verdict

    def _self_test(self) -> None:
        source = Path(self_test.__file__)
        hidden = [str(source.resolve()), str(Path(sys.prefix) / "pyvenv.cfg"), "/etc/passwd"]
        code, arguments = source.read_text(encoding="utf-8"), json.dumps([hidden, self.limits.processes])
        # As many processes as are allowed, all together, may take more than the program of a test may.
        limits = replace(
            self.limits, cpu=START_TIMEOUT_S, wall=START_TIMEOUT_S, memory=max(self.limits.memory, Limits.memory)
        )
        verdict = self._run(code, self_test.failed_checks.__name__, arguments, limits)
        if verdict.status is not RunStatus.DONE:
            self.__exit__()
            raise SandboxError(f"expected a sandbox that runs programs, got {verdict.status.value}: {verdict.reason}")
        if found := json.loads(verdict.output):
            self.__exit__()
            raise SandboxError(f"the sandbox failed its self-test, as it allows: {', '.join(found)}")

    def _close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = self._last = None


class _Worker:
    """One bubblewrap with the interpreter in it."""

    def __init__(self, prelude: str, folders: Mapping[Path, Path], modules: Sequence[str]) -> None:
        self._errors = _file()
        self._init = 0
        self._state: dict[str, Any] = {}  # what the canary saw at first
        with ExitStack() as undo:
            undo.enter_context(self._errors)
            packages = {**folders, **bubblewrap.installed(modules)}
            command = bubblewrap.command(packages)
            self._control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.enter_context(self._control)
            self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with inside:
                settings = {
                    "control": inside.fileno(),
                    "prelude": prelude,
                    "modules": list(modules),
                    "folders": bubblewrap.folders(packages),
                    "system_calls": bubblewrap.system_calls().hex(),
                }
                self._process = subprocess.Popen(
                    [*command, json.dumps(settings)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=[inside.fileno()],
                    start_new_session=True,
                    cwd="/",
                )
            undo.callback(self.close)
            self._init = self._wait_until_ready()
            undo.pop_all()

    def _wait_until_ready(self) -> int:
        """The process id out here of the first process of the sandbox, once it is ready."""
        self._control.settimeout(START_TIMEOUT_S)
        message, printed, _, _ = self._control.recvmsg(64, socket.CMSG_SPACE(CREDENTIALS.size))
        if not message:
            self._process.wait(GRACE_PERIOD_S)
            errors = (
                _read(self._errors, -MAX_REPORT_BYTES, MAX_REPORT_BYTES)
                .decode(errors="replace")
                .strip()[-MAX_REASON_LENGTH:]
            )
            raise SandboxError(f"expected bubblewrap to start an interpreter, got: {errors}")
        return int(CREDENTIALS.unpack(printed[0][2])[0])  # the kernel says who sent it

    def run(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """Run a program once; raises OSError or SandboxError where the worker is lost."""
        with ExitStack() as files:
            contents = (code.encode(errors="replace"), given.encode(errors="replace"), b"", b"")
            passed = [files.enter_context(_file(content)) for content in contents]
            task = json.dumps(asdict(limits) | {"function": function})
            self._control.settimeout(limits.wall + GRACE_PERIOD_S)
            socket.send_fds(self._control, [task.encode()], [each.fileno() for each in passed])
            if not (report := self._control.recv(MAX_REPORT_BYTES)):
                raise SandboxError("sandbox worker exited unexpectedly")
            output, errors = _read(passed[2], 0, limits.output), _read(passed[3], -MAX_REPORT_BYTES, MAX_REPORT_BYTES)
            too_much = len(output) >= limits.output or os.fstat(passed[3].fileno()).st_size >= limits.errors
        printed = errors.decode(errors="replace").strip()[-MAX_REASON_LENGTH:]
        return _verdict(json.loads(report) | {"output": too_much}, output, printed, limits)

    def run_canary(self) -> None:
        """Raise SandboxError unless the canary sees what it saw at first, and is stopped at its memory limit."""
        seen = self.run(CANARY, "state", "[]", CANARY_LIMITS)
        if seen.status is not RunStatus.DONE:
            raise SandboxError(f"expected the canary to run, got {seen.status.value}: {seen.reason}")
        state = json.loads(seen.output)
        self._state = self._state or state
        if state != self._state or state["sum"] != canary.total() or not state["memory"]:
            raise SandboxError(f"expected the canary to see what it saw at first, got {seen.output}")
        if (greedy := self.run(CANARY, "exceed", "[]", CANARY_LIMITS)).status is not RunStatus.MEMORY:
            raise SandboxError(f"expected the sandbox to stop what takes too much memory, got {greedy.status.value}")

    def close(self) -> None:
        """End it with all that runs in it: the worker ends once the other end of its socket is closed."""
        self._control.close()
        try:
            self._process.wait(GRACE_PERIOD_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.kill(self._init or self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._errors.close()


def _verdict(report: dict[str, Any], output: bytes, printed: str, limits: Limits) -> Verdict:
    """What the worker's report says of the program. Raises SandboxError where it never ran."""
    ended, status, seconds = report["ended"], report["status"], report["seconds"]
    code = os.waitstatus_to_exitcode(status)
    if not report["begun"]:
        raise SandboxError(f"expected the sandbox to begin a run, got {printed or ended}")
    if ended == "wall":
        return Verdict(RunStatus.TIMEOUT, "", f"more than {limits.wall:g} s", seconds)
    if ended == "memory" or code == worker.OUT_OF_MEMORY:
        return Verdict(RunStatus.MEMORY, "", f"more than {limits.memory} bytes of memory", seconds)
    if ended == "cpu" or code == -signal.SIGXCPU:
        return Verdict(RunStatus.TIMEOUT, "", f"more than {limits.cpu:g} s of CPU time", seconds)
    if ended == "output" or code == -signal.SIGXFSZ or report["output"]:
        return Verdict(RunStatus.OUTPUT, "", f"more than {limits.output} bytes of output", seconds)
    if code < 0:
        return Verdict(RunStatus.FAILED, "", f"ended by signal {-code}: {signal.strsignal(-code)}", seconds)
    if code:
        return Verdict(RunStatus.FAILED, "", printed or f"ended with code {code}", seconds)
    return Verdict(RunStatus.DONE, output.decode(errors="replace"), "", seconds)


def _file(content: bytes = b"") -> BinaryIO:
    """A file in memory that has no name."""
    file = os.fdopen(os.memfd_create("races"), "w+b", buffering=0)
    file.write(content)
    file.seek(0)
    return file


def _read(file: BinaryIO, start: int, most: int) -> bytes:
    """Bytes of a file from a place on, which is counted from its end where it is negative."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), most, start if start >= 0 else max(0, size + start))
