"""Programs that nobody has read, run in a jail: bubblewrap's namespaces, resource limits, a filter of system calls.

Inside there is an interpreter with its libraries and nothing else: no other file, no network, no place to write, no
privileges. A program gets its input and gives its output; whoever grades keeps the expected output and compares out
here. Every run is a process in namespaces of its own, forked from a warm interpreter (resources/sandbox/worker.py).
A known good program (resources/sandbox/canary.py) runs before each other program and after each that fails: where it is
not as it was, the jail is given up instead of believed.

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

START = 60.0  # seconds that a jail may take to start, and an interpreter to import what it is to have warm
GRACE = 10.0  # seconds beyond the wall limit after which a jail counts as lost
TRIES = 2
REASON = 2_000  # characters of a reason, from its end
ENOUGH = 2**16  # bytes of a report, and of what bubblewrap says
CANARY = Path(canary.__file__).read_text(encoding="utf-8")
CREDENTIALS = struct.Struct("3i")  # process, user, group


class RunStatus(StrEnum):
    """How a run ended. BROKEN is a failure of ours and says nothing of the program; all others are its doing."""

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


# Of the known good program: a hundred times what it takes, for a busy machine to keep.
CALM = Limits(cpu=1.0, wall=30.0, memory=canary.MEMORY, output=ENOUGH, processes=8)


class Sandbox:
    """A jail that runs programs one after another, started when it is entered; lost ones are replaced.

    prelude: code of ours, run once before the first program, whose names every program finds and whose imports it finds
    warm. packages: folders to import from, which programs may read. modules: installed packages that programs may
    import and find warm.
    Raises SandboxError on entry where there is no jail or it fails its self-test. Threads may share it, one at a time.
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
        self._jail: _Jail | None = None
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
        return self._bounded(code, None, given, self._limited(output))

    def call(self, code: str, function: str, arguments: Sequence[Any]) -> Verdict:
        """Call a function of a program, or a method of its class Solution; the output is its result as JSON.

        Results equal the expected JSON value iff they do in Python, a tuple at the top counting as a list.
        """
        return self.call_json(code, function, json.dumps(list(arguments)))

    def call_json(self, code: str, function: str, arguments: str, output: int | None = None) -> Verdict:
        """The same with the arguments as the JSON of a list. output: how many bytes the JSON of the result may take."""
        return self._bounded(code, function, arguments, self._limited(output))

    def fault(self) -> str:
        """Why what the jail said last is not to be believed, where a known good program fails in it; else ""."""
        with self._lock:
            try:
                if self._jail is not None and self._owner == os.getpid():
                    self._jail.prove()
            except (OSError, SandboxError) as error:
                self._close()
                return f"{type(error).__name__}: {error}"
            except BaseException:
                self._close()
                raise
        return ""

    def _limited(self, output: int | None) -> Limits:
        return self.limits if output is None else replace(self.limits, output=output)

    def _bounded(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """A run in the jail. What may have been our doing, a lost jail or a busy machine, gets a second try."""
        verdict = Verdict(RunStatus.BROKEN)
        with self._lock:
            if self._owner != os.getpid():  # a fork of the process that has the jail needs one of its own
                self._owner, self._jail, self._last = os.getpid(), None, None
            for _ in range(TRIES):
                try:
                    verdict = self._trusted(code, function, given, limits)
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

    def _trusted(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """A run in a jail that has run a known good program since another program, and after one that failed."""
        self._jail = self._jail or _Jail(self.prelude, self.packages, self.modules)
        if code != self._last:
            self._jail.prove()
            self._last = code
        verdict = self._jail.run(code, function, given, limits)
        if verdict.status is not RunStatus.DONE:
            self._jail.prove()
        return verdict

    def _self_test(self) -> None:
        source = Path(self_test.__file__)
        hidden = [str(source.resolve()), str(Path(sys.prefix) / "pyvenv.cfg"), "/etc/passwd"]
        code, arguments = source.read_text(encoding="utf-8"), json.dumps([hidden, self.limits.processes])
        # As many processes as are allowed, all together, may take more than the program of a test may.
        limits = replace(self.limits, cpu=START, wall=START, memory=max(self.limits.memory, Limits.memory))
        verdict = self._bounded(code, "leaks", arguments, limits)
        if verdict.status is not RunStatus.DONE:
            self.__exit__()
            raise SandboxError(f"expected a jail that runs programs, got {verdict.status.value}: {verdict.reason}")
        if found := json.loads(verdict.output):
            self.__exit__()
            raise SandboxError(f"expected a jail that holds, got one that lets through: {', '.join(found)}")

    def _close(self) -> None:
        if self._jail is not None:
            self._jail.close()
            self._jail = self._last = None


class _Jail:
    """One bubblewrap with the interpreter in it."""

    def __init__(self, prelude: str, folders: Mapping[Path, Path], modules: Sequence[str]) -> None:
        self._errors = _file()
        self._init = 0
        self._state: dict[str, Any] = {}  # what the known good program saw at first
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
            self._init = self._greeted()
            undo.pop_all()

    def _greeted(self) -> int:
        """The number that the first process of the jail has out here, once it is ready."""
        self._control.settimeout(START)
        message, said, _, _ = self._control.recvmsg(64, socket.CMSG_SPACE(CREDENTIALS.size))
        if not message:
            self._process.wait(GRACE)
            errors = _read(self._errors, -ENOUGH, ENOUGH).decode(errors="replace").strip()[-REASON:]
            raise SandboxError(f"expected bubblewrap to start an interpreter, got: {errors}")
        return int(CREDENTIALS.unpack(said[0][2])[0])  # the kernel says who sent it

    def run(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """Run a program once; raises OSError or SandboxError where the jail is lost."""
        with ExitStack() as files:
            contents = (code.encode(errors="replace"), given.encode(errors="replace"), b"", b"")
            passed = [files.enter_context(_file(content)) for content in contents]
            task = json.dumps(asdict(limits) | {"function": function})
            self._control.settimeout(limits.wall + GRACE)
            socket.send_fds(self._control, [task.encode()], [each.fileno() for each in passed])
            if not (report := self._control.recv(ENOUGH)):
                raise SandboxError("expected the jail to report, got its end")
            output, errors = _read(passed[2], 0, limits.output), _read(passed[3], -ENOUGH, ENOUGH)
            too_much = len(output) >= limits.output or os.fstat(passed[3].fileno()).st_size >= limits.errors
        said = errors.decode(errors="replace").strip()[-REASON:]
        return _verdict(json.loads(report) | {"output": too_much}, output, said, limits)

    def prove(self) -> None:
        """Raise SandboxError unless a known good program sees what it saw at first, and a greedy one is stopped."""
        seen = self.run(CANARY, "state", "[]", CALM)
        if seen.status is not RunStatus.DONE:
            raise SandboxError(f"expected a known good program to run, got {seen.status.value}: {seen.reason}")
        state = json.loads(seen.output)
        self._state = self._state or state
        if state != self._state or state["sum"] != canary.total() or not state["memory"]:
            raise SandboxError(f"expected a known good program to see what it saw at first, got {seen.output}")
        if (greedy := self.run(CANARY, "exceed", "[]", CALM)).status is not RunStatus.MEMORY:
            raise SandboxError(f"expected the jail to stop what takes too much memory, got {greedy.status.value}")

    def close(self) -> None:
        """End it with all that runs in it: without the other end of its socket, the first process of the jail ends."""
        self._control.close()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.kill(self._init or self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._errors.close()


def _verdict(report: dict[str, Any], output: bytes, said: str, limits: Limits) -> Verdict:
    """What the report of the jail says of the program. Raises SandboxError where it never came to run."""
    ended, status, seconds = report["ended"], report["status"], report["seconds"]
    code = os.waitstatus_to_exitcode(status)
    if not report["begun"]:
        raise SandboxError(f"expected the jail to begin a run, got {said or ended}")
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
        return Verdict(RunStatus.FAILED, "", said or f"ended with code {code}", seconds)
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
