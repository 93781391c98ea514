"""Processes that start quickly: forked from one that has imported the packages which the graph needs, but none of ours.

Those packages take several seconds of CPU time to import; our own, of which each test has its own copy, half a second.
"""

import atexit
import importlib
import json
import os
import select
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

PACKAGES = (
    *("dagster", "duckdb", "jinja2", "pandera.polars", "pebble", "polars", "pyarrow", "pyarrow.compute"),
    *("pyarrow.dataset", "pyarrow.parquet", "pydantic", "rich.console", "yaml"),
)
ROOT = Path(__file__).parents[2]
MAX_REQUEST = 1 << 18  # bytes


class ForkedProcess:
    """A process of the server, as far as tests use subprocess.Popen."""

    def __init__(self, server: socket.socket, pid: int) -> None:
        self.pid = pid
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self._server = server
        self._code: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, a negative one for a signal; TimeoutExpired where it does not end."""
        if self._code is None:
            watched = os.pidfd_open(self.pid)
            try:
                if not select.select([watched], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            finally:
                os.close(watched)
            self._code = _asked(self._server, {"wait": self.pid})
        return self._code


def fork(
    function: str, arguments: Sequence[str], cwd: Path, env: dict[str, str], files: Sequence[int]
) -> ForkedProcess:
    """A process that runs a function "module:name"; files: its stdin and stdout, and maybe stderr."""
    server = _server()
    request = {"function": function, "argv": list(arguments), "cwd": str(cwd), "env": env}
    return ForkedProcess(server, _asked(server, request, files))


def piped(function: str, arguments: Sequence[str], cwd: Path, env: dict[str, str]) -> ForkedProcess:
    """A process whose stdin and stdout are pipes."""
    (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
    try:
        process = fork(function, arguments, cwd, env, [theirs_in, theirs_out])
    finally:
        os.close(theirs_in)
        os.close(theirs_out)
    process.stdin, process.stdout = os.fdopen(ours_in, "w"), os.fdopen(ours_out)
    return process


@cache
def _server() -> socket.socket:
    """The socket of the server of this process, which ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    script = "import sys; from tests.support.fork_server import serve; serve(int(sys.argv[1]))"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    started = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, str(theirs.fileno())],
        env=env | {"OPENBLAS_NUM_THREADS": "1"},  # no threads that a fork would lose
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        started.wait()

    atexit.register(end)
    return ours


def _asked(server: socket.socket, request: dict[str, Any], files: Sequence[int] = ()) -> int:
    message = json.dumps(request).encode()
    socket.send_fds(server, [message], list(files))
    answer = server.recv(MAX_REQUEST)
    assert answer, "the server of processes has ended"
    return int(answer)


# The server


def serve(descriptor: int) -> None:
    """Fork a process for each request, and wait for those that are named."""
    for name in PACKAGES:
        importlib.import_module(name)
    ours = [name for name in sys.modules if name.split(".")[0] == "races"]
    assert not ours, f"a place has its own copy, got {ours}"
    with socket.socket(fileno=descriptor) as connection:
        while True:
            message, files, _, _ = socket.recv_fds(connection, MAX_REQUEST, 3)
            if not message:
                return
            request = json.loads(message)
            if "wait" in request:
                _, status = os.waitpid(request["wait"], 0)
                connection.send(str(os.waitstatus_to_exitcode(status)).encode())
                continue
            pid = os.fork()
            if not pid:
                connection.close()
                _run(request, files)
            with suppress(PermissionError):  # it has done so itself, and has gone on
                os.setpgid(pid, pid)
            for each in files:
                os.close(each)
            connection.send(str(pid).encode())


def _run(request: dict[str, Any], files: list[int]) -> NoReturn:
    """What a forked process does; it never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        for number, each in enumerate(files):
            os.dup2(each, number)
            os.close(each)
        os.environ.clear()
        os.environ.update(request["env"])
        os.chdir(request["cwd"])
        sys.argv = ["-c", *request["argv"]]
        sys.path[:] = [*request["env"]["PYTHONPATH"].split(os.pathsep), *(each for each in sys.path if each)]
        module, name = request["function"].split(":")
        getattr(importlib.import_module(module), name)()
        code = 0
    except BaseException:  # noqa: BLE001  # whatever it is, no code of the server may run here
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
