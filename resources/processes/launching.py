"""Runs as processes of their own, here or as jobs of a Ray cluster: started, followed, and ended as a whole.

A run is followed by the progress file that it writes, one JSON line a report. Its exit code alone proves nothing: what
counts is how much work its last report says is done.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from races.resources.processes import supervisor
from races.resources.processes.logs import TAIL_LINES, excerpt, read_lines, tail
from races.resources.processes.progress import ProcessError, Report

GRACE_PERIOD_S = 20.0  # between TERM and KILL
KILL_TIMEOUT_S = 120.0  # after KILL; even a process that waits for a driver should have ended by then
FOLDER_KEY = "races_folder"  # metadata of a Ray job: where its log is kept, which names its run
RAY_CLIENT_ERRORS = (RuntimeError, OSError)  # where the head refuses, or is not there

ReportT = TypeVar("ReportT", bound=Report)


class Running(AbstractContextManager["Running"], Protocol):
    """A run that was started. Leaving its block ends whatever of it is still there, however the block is left."""

    def poll(self) -> int | None:
        """The exit code; None while it runs."""

    def wait(self, poll_seconds: float = 1.0) -> int:
        """The exit code, once it has ended."""

    def stop(self) -> None:
        """End it and all that came of it; nothing happens where it has ended."""

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        """The last lines of what it printed."""

    def log_excerpt(self) -> str:
        """What an error message quotes of its log: the first error in it, and its last lines."""


class Launcher(Protocol):
    """Where runs run."""

    def launch(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> Running:
        """Start a command, with variables added to its environment; what it prints is kept in `log`."""


@dataclass(frozen=True)
class LocalLauncher:
    """Processes on this machine, in a session of their own, with their daemons ended together with them.

    grace: seconds that they have to end by themselves once they are told to.
    """

    grace: float = GRACE_PERIOD_S

    def launch(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> "LocalRun":
        """Start the command; a program that is not there is an exit code like any other, with its reason in the log."""
        log.parent.mkdir(parents=True, exist_ok=True)
        # -I: the folder of the supervisor must not come before the standard library.
        supervised = [sys.executable, "-I", supervisor.__file__, str(self.grace), *command]
        with log.open("ab") as output:
            begin = output.tell()
            process = subprocess.Popen(
                supervised,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                start_new_session=True,  # a terminal's Ctrl-C reaches this process alone, which then ends the run
            )
        return LocalRun(process, log, self.grace, begin)


class _Run(ABC):
    """What the two kinds of runs share."""

    @abstractmethod
    def poll(self) -> int | None: ...

    @abstractmethod
    def stop(self) -> None: ...

    def wait(self, poll_seconds: float = 1.0) -> int:
        while (code := self.poll()) is None:
            time.sleep(poll_seconds)
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@dataclass(frozen=True)
class LocalRun(_Run):
    """A process of this machine under its supervisor. begin: bytes of its log that earlier ones have written."""

    process: "subprocess.Popen[bytes]"
    log: Path
    grace: float
    begin: int = 0

    def poll(self) -> int | None:
        return self.process.poll()

    def stop(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()  # which tells the supervisor to end the run
        try:
            self.process.wait(self.grace + KILL_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise ProcessError(f"{self.log}: some processes of this run survived SIGKILL") from error

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        return tail(self.log, lines, self.begin)

    def log_excerpt(self) -> str:
        return excerpt(read_lines(self.log, self.begin), self.log_tail())


@dataclass(frozen=True)
class RayJobLauncher:
    """Jobs of a Ray cluster, as by `ray job submit`.

    address: of the head's dashboard, such as http://HEAD:8265. runtime_env: Ray's, for instance with working_dir; the
    packages of this project must be importable on every node and the folder of the run lie on a disk that all share.
    gpus: that the command itself uses; those of its own Ray tasks do not count. grace: seconds to wait for a job to end
    once it is told to.
    Ray 2.60 asks for a token by default: the nodes and this process need the same one (RAY_AUTH_TOKEN, or the file of
    RAY_AUTH_TOKEN_PATH, by default ~/.ray/auth_token), or all of them RAY_AUTH_MODE=disabled.
    """

    address: str
    runtime_env: Mapping[str, Any] = field(default_factory=dict)
    gpus: float = 0
    grace: float = GRACE_PERIOD_S

    def launch(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> "RayRun":
        """Submit the command as a job; ProcessError where no cluster answers at the address."""
        # Packages that only a machine near GPUs has.
        from ray.exceptions import RayError
        from ray.job_submission import JobSubmissionClient

        variables = {**self.runtime_env.get("env_vars", {}), **(environment or {})}
        try:
            client = JobSubmissionClient(self.address)
            _end_predecessors(client, log, self.grace)
            job = client.submit_job(
                entrypoint=shlex.join(command),
                runtime_env={**self.runtime_env, "env_vars": variables},
                metadata={FOLDER_KEY: str(log.parent)},
                entrypoint_num_gpus=self.gpus or None,
            )
        except (*RAY_CLIENT_ERRORS, RayError) as error:  # a wrong token is a RayError
            raise ProcessError(f"the Ray cluster at {self.address} did not take the job: {error}") from error
        return RayRun(client, job, log, self.grace)


def _end_predecessors(client: Any, log: Path, grace: float) -> None:
    """Stop the jobs that still work in the folder of this one, whose launcher was killed before it could do so."""
    for details in client.list_jobs():
        if (details.metadata or {}).get(FOLDER_KEY) == str(log.parent) and not details.status.is_terminal():
            RayRun(client, details.submission_id, log.with_suffix(".predecessor.log"), grace).stop()


@dataclass(frozen=True)
class RayRun(_Run):
    """A job of a Ray cluster. While the head does not answer, the job counts as running: the stall clock decides."""

    client: Any
    job: str
    log: Path
    grace: float

    def poll(self) -> int | None:
        try:
            info = self.client.get_job_info(self.job)
        except RAY_CLIENT_ERRORS:
            return None
        if not info.status.is_terminal():
            return None
        if info.status == "SUCCEEDED":
            return 0
        return info.driver_exit_code or 1  # a job that was stopped, or whose supervisor died, has none

    def stop(self) -> None:
        until = time.monotonic() + self.grace
        try:
            if self.poll() is None:
                self.client.stop_job(self.job)
            while self.poll() is None:
                if time.monotonic() > until:
                    raise ProcessError(f"Ray job {self.job} still runs {self.grace:g} s after it was stopped")
                time.sleep(0.2)
            self.log.parent.mkdir(parents=True, exist_ok=True)
            self.log.write_text(self.client.get_job_logs(self.job))
        except RAY_CLIENT_ERRORS as error:
            raise ProcessError(
                f"Ray job {self.job} may still run, since the head does not answer ({error}); "
                f"end it by: ray job stop --address {self.client.get_address()} {self.job}"
            ) from error

    def log_tail(self, lines: int = TAIL_LINES) -> str:
        return "\n".join(self._printed()[-lines:])

    def log_excerpt(self) -> str:
        printed = self._printed()
        return excerpt(printed, "\n".join(printed[-TAIL_LINES:]))

    def _printed(self) -> list[str]:
        try:
            return str(self.client.get_job_logs(self.job)).splitlines()
        except RAY_CLIENT_ERRORS as error:
            return [f"no log of Ray job {self.job}: {error}"]


class MetricsTail(Generic[ReportT]):
    """The reports in a file of JSON lines that another process writes, read as they come.

    path: need not exist yet. read: a line's object to its report, None for a line about something else. A last line
    that is only half there waits for its rest. Where the file was replaced or cut off, it is read again from its start;
    a report that comes again counts as new where its figures differ, and takes the place of the earlier one.
    """

    def __init__(self, path: Path, read: Callable[[dict[str, Any]], ReportT | None]) -> None:
        self.path, self._read = path, read
        self.reports: dict[int, ReportT] = {}
        self._offset, self._last = 0, b""

    def new(self) -> list[ReportT]:
        """The reports that have come since the last call, in the order of the file."""
        found = []
        for line in self._lines():
            try:
                report = self._read(json.loads(line))
            except ValueError:
                continue  # a writer that was killed in its midst, and went on behind it when it was resumed
            if report is not None and self.reports.get(report.done) != report:
                self.reports[report.done] = report
                found.append(report)
        return found

    def _lines(self) -> list[bytes]:
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset - len(self._last))
                text = file.read()
                if not text.startswith(self._last):  # another file than the one read so far
                    self._offset, self._last = 0, b""
                    file.seek(0)
                    text = file.read()
        except FileNotFoundError:
            return []
        fresh = text[len(self._last) :]
        whole = fresh[: fresh.rfind(b"\n") + 1]
        lines = whole.splitlines(keepends=True)
        self._offset += len(whole)
        self._last = lines[-1] if lines else self._last
        return lines


def watch_run(
    running: Running,
    metrics: MetricsTail[ReportT],
    total: int,
    stall_seconds: float,
    on_report: Callable[[ReportT], None],
    poll_seconds: float = 1.0,
) -> None:
    """Follow a run to its end, calling on_report for each new report.

    total: units of work that must be done in the end.
    ProcessError, with the last report, the first error and the end of the log, where the run ends with another exit
    code than 0 or with less than `total` done, or where no report comes for stall_seconds, its start included.
    """
    since = time.monotonic()
    while True:
        code = running.poll()  # before the file is read: what an ended run wrote is all there
        reports = metrics.new()
        for report in reports:
            on_report(report)
        if reports:
            since = time.monotonic()
        if code is not None:
            break
        if time.monotonic() - since > stall_seconds:
            raise _failure(f"no progress for {stall_seconds:g} s", running, metrics)
        time.sleep(poll_seconds)
    if code != 0:
        raise _failure(f"process exited unexpectedly (code {code})", running, metrics)
    if max(metrics.reports, default=0) < total:
        raise _failure("process exited before its work was done (code 0)", running, metrics, f" of {total}")


def _failure(what: str, running: Running, metrics: MetricsTail[ReportT], total: str = "") -> ProcessError:
    last = max(metrics.reports, default=0)
    return ProcessError(f"{what}; progress: {last}{total}. {running.log_excerpt()}")
