"""Child processes of this Python that answer requests, one at a time, and import nothing from the working directory.

A child finds the standard library, the installed packages and this very package, in this order. Requests and replies
are JSON over a socket, and a reply carries the number of its request: reading one runs no code, and a late reply is not
taken for that of another request.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from races.environments import clock
from races.environments.errors import RacesError

_PACKAGE = Path(__file__).parents[2]
# The package is taken from where this one lies and the paths come last, so that neither a `fractions.py` nor a folder
# `races` on them is mistaken for what it is called after.
_BOOTSTRAP = """
import sys
from importlib import import_module, util
package, module, *paths = sys.argv[1:]
sys.path.extend(path for path in paths if path not in sys.path)
spec = util.spec_from_file_location("races", package + "/__init__.py", submodule_search_locations=[package])
sys.modules["races"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["races"])
import_module(module).main()
"""


class ChildFailed(RacesError):
    """A request to a child got no reply, or none that belongs to it; the child must not be asked again."""


class Child:
    """A child process and the socket to it.

    module: the module whose `main` it runs.
    variables: added to its environment.
    quiet: whether its standard error is discarded.
    key: what it was started for.
    busy: whether a request waits for its reply.
    sound: whether every request so far got its reply.
    code: the exit code, None while it runs.
    """

    def __init__(
        self, module: str, variables: Mapping[str, str], quiet: bool = False, key: tuple[str, ...] = ()
    ) -> None:
        self.key = key
        self.busy, self.sound = False, True
        self.code: int | None = None
        self._owner = os.getpid()
        self._number = 0
        self._socket, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, *_flags(), "-c", _BOOTSTRAP, str(_PACKAGE), module, *paths()],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if quiet else None,
                env={**os.environ, **variables},
                start_new_session=True,  # a terminal's Ctrl-C is for this process alone
            )
        except BaseException:
            self._socket.close()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def idle(self) -> bool:
        """Whether it can be asked now: it runs, is sound and not busy."""
        return self.sound and not self.busy and self._process.poll() is None

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The reply to a request; ChildFailed where none of its own comes within so many seconds of wall time."""
        self._number += 1
        number, until = self._number, time.monotonic() + seconds
        line = json.dumps({"number": number, **request}).encode() + b"\n"
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(line, getattr(socket, "MSG_NOSIGNAL", 0))
            line = self._read(until)
        except TimeoutError as error:
            raise ChildFailed(f"no reply within {seconds:.0f} seconds of wall time") from error
        except OSError as error:
            raise ChildFailed(f"the connection to it failed: {error}") from error
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ChildFailed(f"expected a reply in JSON, got {line[:60]!r}") from error
        if not isinstance(reply, dict) or reply.get("number") != number:
            raise ChildFailed(f"expected the reply to request {number}, got {line[:60]!r}")
        return reply

    def _read(self, until: float) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            self._socket.settimeout(max(0.001, until - time.monotonic()))
            more = self._socket.recv(1 << 16)
            if not more:
                raise ConnectionError("it has ended")
            line += more
        return line

    def end(self, grace: float = 0.0) -> None:
        """End it, with all processes that it has started, and keep its exit code; may be called again.

        grace: seconds that it has to end by itself, so that the code tells why it did.
        """
        self._socket.close()
        if self._owner != os.getpid():
            self.disown()
        elif self.code is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
            if self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self.code = self._process.wait()

    def disown(self) -> None:
        """Forget a child of the process that this one was forked from: it is not ours to talk to or to end."""
        self._socket.close()
        self._process.returncode = 0  # or the interpreter would warn that it still runs


def paths() -> list[str]:
    """The folders that this process imports from, without the working directory unless this very package lies there."""
    here, ours = Path.cwd(), _PACKAGE.parent
    return [path for path in absolute_paths() if Path(path) != here or Path(path) == ours]


def absolute_paths() -> list[str]:
    """The folders that this process imports from, as absolute paths; "" (the working directory) is left out."""
    found = [Path(path).absolute() for path in sys.path if path]
    return list(dict.fromkeys(str(path) for path in found if path.exists()))


def _flags() -> list[str]:
    """-E: no variable of the environment adds a path. -P: nor does the working directory."""
    own = {"-s": sys.flags.no_user_site, "-S": sys.flags.no_site, "-B": sys.dont_write_bytecode}
    return ["-E", "-P", *[flag for flag, is_set in own.items() if is_set]]


def run_uninterrupted(work: Callable[[], None]) -> None:
    """Do some work in a thread of its own, and wait for it.

    Signal handlers run in the main thread alone: what they raise can interrupt the waiting and never the work.
    """
    done = allocate_lock()
    done.acquire()

    def worked() -> None:
        try:
            work()
        finally:
            done.release()

    try:
        # Not threading.Thread, whose own state a handler could leave half updated.
        start_new_thread(worked, ())
    except RuntimeError:  # no more threads, or the interpreter is about to end
        worked()
    done.acquire()


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """In a child: answer requests until the parent closes its end."""
    clock.enable_alarm_kill()
    channel = socket.socket(fileno=os.dup(0))
    with suppress(OSError):
        os.dup2(2, 1)  # what a brick prints goes where errors go
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # what a brick reads is not the next request
    os.close(nothing)
    # A connection that breaks in the middle of a request has closed, too.
    with suppress(ConnectionError), channel, channel.makefile("r", encoding="utf-8") as requests:
        for line in requests:
            request = json.loads(line)
            reply = answer(request) | {"number": request["number"]}
            channel.sendall(json.dumps(reply).encode() + b"\n")
