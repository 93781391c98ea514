"""Programs that nobody has read, run in a jail: bubblewrap's namespaces, resource limits, a filter of system calls.

Inside there is an interpreter with its libraries and nothing else: no other file, no network, no place to write, no
privileges. A program gets its input and gives its output; whoever grades keeps the expected output and compares out
here. Every run is a process of its own, forked from a warm interpreter (resources/jailed.py).

What remains is the risk of a fault in the kernel. Needed: Linux 5.14 or newer, where the limit of processes counts a
namespace; bubblewrap 0.8 or newer, with user namespaces that unprivileged users may make; and for root setpriv.
"""

import json
import os
import platform
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Self

from environments.errors import RacesError
from resources import jailed, leaks, seccomp

NOBODY = "65534"
START = 60.0  # seconds that a jail may take to start, and an interpreter to import what it is to have warm
GRACE = 10.0  # seconds beyond the wall limit after which a jail counts as lost
TRIES = 2
REASON = 2_000  # characters of a reason, from its end
ENOUGH = 2**16  # bytes of a report, and of what bubblewrap says
DEVICES = ("null", "zero", "random", "urandom")
LIBRARY = re.compile(r"^\s+(?:\S+ => )?(/\S+) \(0x", re.MULTILINE)  # in what ldd prints
HIDDEN = frozenset({"site-packages", "dist-packages"})  # in the interpreter's library
CREDENTIALS = struct.Struct("3i")  # process, user, group
STAGE = "/tmp"  # noqa: S108  # in a namespace of its own: where root shows the files of the jail to the user that builds it


class SandboxError(RacesError):
    """There is no jail to run programs in, or it does not hold."""


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
    standard output, and of standard error. processes: at once, threads counted. files: open at once, by a process.
    """

    cpu: float = 6.0
    wall: float = 18.0
    memory: int = 4 * 2**30
    output: int = 16 * 2**20
    processes: int = 64
    files: int = 64


class Sandbox:
    """A jail that runs programs one after another, started when it is entered; lost ones are replaced.

    prelude: code of ours, run once before the first program, whose names every program finds and whose imports it finds
    warm. packages: folders to import from, which programs may read.
    Raises SandboxError on entry where there is no jail or it fails its self-test. Threads may share it, one at a time.
    """

    def __init__(self, limits: Limits | None = None, prelude: str = "", packages: Sequence[Path] = ()) -> None:
        self.limits = limits or Limits()
        self.prelude = prelude
        self.packages = tuple(each.resolve() for each in packages)
        self._jail: _Jail | None = None
        self._owner = os.getpid()
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._self_test()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._close()

    def run(self, code: str, given: str = "") -> Verdict:
        """Run a program on its standard input; what it prints is the output. SystemExit is an orderly end."""
        return self._bounded(code, None, given, self.limits)

    def call(self, code: str, function: str, arguments: Sequence[Any]) -> Verdict:
        """Call a function of a program, or a method of its class Solution; the output is its result as JSON.

        Results equal the expected JSON value iff they do in Python, a tuple at the top counting as a list.
        """
        return self._bounded(code, function, json.dumps(list(arguments)), self.limits)

    def _bounded(self, code: str, function: str | None, given: str, limits: Limits) -> Verdict:
        """A run in the jail. What may have been our doing, a lost jail or a busy machine, gets a second try."""
        verdict = Verdict(RunStatus.BROKEN)
        with self._lock:
            if self._owner != os.getpid():  # a fork of the process that has the jail needs one of its own
                self._owner, self._jail = os.getpid(), None
            for _ in range(TRIES):
                try:
                    self._jail = self._jail or _Jail(self.prelude, self.packages)
                    verdict = self._jail.run(code, function, given, limits)
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

    def _self_test(self) -> None:
        source = Path(leaks.__file__)
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
            self._jail = None


class _Jail:
    """One bubblewrap with the interpreter in it."""

    def __init__(self, prelude: str, packages: Sequence[Path]) -> None:
        self._errors = _file()
        self._init = 0
        with ExitStack() as undo, _file(_filter()) as system_calls:
            undo.enter_context(self._errors)
            command = _command(packages, system_calls.fileno())
            self._control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.enter_context(self._control)
            self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with inside:
                settings = {"control": inside.fileno(), "prelude": prelude, "folders": [str(each) for each in packages]}
                self._process = subprocess.Popen(
                    [*command, json.dumps(settings)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=[inside.fileno(), system_calls.fileno()],
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
            errors = _read(self._errors, ENOUGH).decode(errors="replace").strip()[-REASON:]
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
            output, errors = (_read(each, limits.output) for each in passed[2:])
        return _verdict(json.loads(report), output, errors, limits)

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


def _verdict(report: dict[str, Any], output: bytes, errors: bytes, limits: Limits) -> Verdict:
    """What the report of the jail says of the program."""
    ended, status, seconds = report["ended"], report["status"], report["seconds"]
    code = os.waitstatus_to_exitcode(status)
    last = errors.decode(errors="replace").strip()[-REASON:]
    if ended == "wall":
        return Verdict(RunStatus.TIMEOUT, "", f"more than {limits.wall:g} s", seconds)
    if ended == "memory" or code == jailed.OUT_OF_MEMORY:
        return Verdict(RunStatus.MEMORY, "", f"more than {limits.memory} bytes of memory", seconds)
    if ended == "cpu" or code == -signal.SIGXCPU:
        return Verdict(RunStatus.TIMEOUT, "", f"more than {limits.cpu:g} s of CPU time", seconds)
    if code == -signal.SIGXFSZ or max(len(output), len(errors)) >= limits.output:
        return Verdict(RunStatus.OUTPUT, "", f"more than {limits.output} bytes of output", seconds)
    if code < 0:
        return Verdict(RunStatus.FAILED, "", f"ended by signal {-code}: {signal.strsignal(-code)}", seconds)
    if code:
        return Verdict(RunStatus.FAILED, "", last or f"ended with code {code}", seconds)
    return Verdict(RunStatus.DONE, output.decode(errors="replace"), "", seconds)


def _file(content: bytes = b"") -> BinaryIO:
    """A file in memory that has no name."""
    file = os.fdopen(os.memfd_create("races"), "w+b", buffering=0)
    file.write(content)
    file.seek(0)
    return file


def _read(file: BinaryIO, most: int) -> bytes:
    return os.pread(file.fileno(), most, 0)


def _filter() -> bytes:
    machine = platform.machine()
    if (program := seccomp.program(machine)) is None:
        raise SandboxError(f"expected a machine of {', '.join(seccomp.MACHINES)}, got {machine}")
    return program


def _command(packages: Sequence[Path], system_calls: int) -> list[str]:
    """The command of the jail up to the settings of the process inside.

    The user 0 is exempt from the limit of processes, in a user namespace too, so root first becomes nobody. Its files,
    such as an interpreter below /root, may lie where nobody cannot look, so it shows them elsewhere before.
    """
    bubblewrap = _program("bwrap", "Debian's package bubblewrap")
    # The interpreter of a virtual environment may be a copy, which is nothing without the environment.
    base: str = sys._base_executable  # type: ignore[attr-defined]  # as venv itself finds it
    interpreter, library = Path(base).resolve(), Path(os.__file__).resolve().parent
    shown = [str(each) for each in (interpreter, library, *_libraries(interpreter, library, *packages), *packages)]
    sources, become = shown, []
    if os.geteuid() == 0:
        setpriv = _program("setpriv", "util-linux")
        sources = [f"{STAGE}/{number}" for number in range(len(shown))]
        pairs = [*zip(shown, sources, strict=True), (bubblewrap, f"{STAGE}/bwrap")]
        binds = [part for pair in pairs for part in ("--ro-bind", *pair)]
        become = [bubblewrap, "--dev-bind", "/", "/", "--tmpfs", STAGE, *binds]
        become += ["--", setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        bubblewrap = f"{STAGE}/bwrap"
    environment = {
        "LD_LIBRARY_PATH": ":".join(sorted({str(Path(each).parent) for each in shown[2:]})),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # the order of sets is the same every time
        "PYTHONUTF8": "1",
    }
    jail = [bubblewrap, "--unshare-all", "--unshare-user", "--disable-userns", "--new-session", "--as-pid-1"]
    jail += ["--uid", NOBODY, "--gid", NOBODY, "--cap-drop", "ALL", "--clearenv", "--hostname", "jail"]
    jail += [part for pair in environment.items() for part in ("--setenv", *pair)]
    jail += [part for pair in zip(sources, shown, strict=True) for part in ("--ro-bind", *pair)]
    jail += [part for name in HIDDEN if (library / name).is_dir() for part in ("--tmpfs", str(library / name))]
    jail += [part for name in DEVICES for part in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        jail += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    jail += ["--proc", "/proc", "--chdir", "/", "--seccomp", str(system_calls)]
    jail += [part for name in HIDDEN if (library / name).is_dir() for part in ("--remount-ro", str(library / name))]
    # -P: nothing is imported from the working directory; -s and -S: nor from packages that nobody let in.
    jail += ["--remount-ro", "/", "--", str(interpreter), "-P", "-s", "-S", "-c"]
    return [*become, *jail, Path(jailed.__file__).read_text(encoding="utf-8")]


def _program(name: str, source: str) -> str:
    if (found := shutil.which(name)) is None:
        raise SandboxError(f"expected the program {name} on the PATH, from {source}, got none")
    return found


@lru_cache
def _libraries(*places: Path) -> list[str]:
    """The shared libraries that the interpreter, the modules of its library and packages are linked with."""
    objects = [place for place in places if place.is_file()]
    for place in places:
        objects += [each for each in place.rglob("*.so*") if not HIDDEN.intersection(each.relative_to(place).parts)]
    listed = subprocess.run([_program("ldd", "the C library"), *objects], capture_output=True, text=True, check=False)
    found = {Path(each) for each in LIBRARY.findall(listed.stdout)}
    return sorted(str(each) for each in found if not any(map(each.is_relative_to, places)))
