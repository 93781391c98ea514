"""Runs as processes: followed by what they write, ended as a whole, whatever happens to whoever started them."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from races.resources.processes.launching import LocalLauncher, MetricsTail, Running, watch_run
from races.resources.processes.progress import ProcessError
from tests.support.training_places import alive, pids, wait_for

# A trainer with two processes below it: one in its group, and one that left for a session of its own, whose parent has
# ended and which ignores TERM.
TREE = """
import os, subprocess, sys, time
from pathlib import Path
near = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid
stubborn = '''
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), file=open(sys.argv[1], "w"))
time.sleep(600)
'''
leave = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', *sys.argv[1:]], start_new_session=True)"
far = Path(sys.argv[1] + ".far")
subprocess.run([sys.executable, "-c", leave, stubborn, str(far)])
while not (far.exists() and far.read_text().endswith("\\n")):
    time.sleep(0.02)
print(os.getpid(), near, far.read_text(), file=open(sys.argv[1], "w"))
THEN
"""
FOREVER = TREE.replace("THEN", "time.sleep(600)")


@dataclass(frozen=True)
class Scored:
    """A report with a figure."""

    done: int
    score: float


def read(record: dict[str, Any]) -> Scored | None:
    return Scored(**record) if "done" in record else None


def started(folder: Path, script: str, *arguments: str, grace: float = 0.5) -> Running:
    return LocalLauncher(grace).launch([sys.executable, "-c", script, *arguments], folder / "train.log")


# Processes


def test_a_run_prints_into_its_log_and_has_the_exit_code_of_its_command(tmp_path: Path) -> None:
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    with started(tmp_path, script) as running:
        assert wait_for(lambda: running.poll() is not None)
        assert running.poll() == 7
        assert sorted(running.log_tail().split()) == ["err", "out"]
        assert len(running.log_tail(1).split()) == 1


def test_a_signal_that_ends_a_command_is_in_its_exit_code(tmp_path: Path) -> None:
    with started(tmp_path, "import os; os.kill(os.getpid(), 9)") as running:
        wait_for(lambda: running.poll() is not None)
        assert running.poll() == 128 + signal.SIGKILL


def test_a_program_that_is_not_there_is_in_the_log(tmp_path: Path) -> None:
    with LocalLauncher().launch([str(tmp_path / "python")], tmp_path / "log") as running:
        assert wait_for(lambda: running.poll() is not None)
        assert running.poll() != 0
        assert f"No such file or directory: '{tmp_path}/python'" in running.log_tail()


def test_the_environment_is_that_of_this_process_and_what_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "1")
    command = [sys.executable, "-c", "import os; print(os.environ['OURS'] + os.environ['ADDED'])"]
    with LocalLauncher().launch(command, tmp_path / "log", {"ADDED": "2"}) as running:
        wait_for(lambda: running.poll() is not None)
        assert running.log_tail() == "12"


def test_leaving_the_block_ends_every_process_also_those_that_left_their_session(tmp_path: Path) -> None:
    def interrupted() -> None:
        with started(tmp_path, FOREVER, str(tmp_path / "pids")):
            assert all(map(alive, pids(tmp_path / "pids")))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not any(map(alive, pids(tmp_path / "pids")))


def test_what_a_command_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    with started(tmp_path, TREE.replace("THEN", "sys.exit(3)"), str(tmp_path / "pids")) as running:
        wait_for(lambda: running.poll() is not None)
        assert running.poll() == 3
        assert not any(map(alive, pids(tmp_path / "pids")))


def test_a_killed_parent_leaves_no_process(tmp_path: Path) -> None:
    """SIGKILL to whoever launched: no block is left there, and yet all goes."""
    launches = (
        "import sys, time; from pathlib import Path; from races.resources.processes.launching import LocalLauncher\n"
        "LocalLauncher(0.5).launch([sys.executable, '-c', *sys.argv[1:]], Path(sys.argv[2] + '.log')); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", launches, FOREVER, str(tmp_path / "pids")])
    all_of_them = pids(tmp_path / "pids")
    parent.kill()
    parent.wait()
    wait_for(lambda: not any(map(alive, all_of_them)))


CANCELLED = """
import sys
from pathlib import Path
import dagster as dg
from races.resources.processes.launching import LocalLauncher, MetricsTail, watch_run

@dg.asset
def trained():
    folder = Path(sys.argv[2]).parent
    with LocalLauncher(0.5).launch([sys.executable, "-c", *sys.argv[1:]], folder / "log") as running:
        watch_run(running, MetricsTail(folder / "metrics.jsonl", lambda row: None), 1, 600, lambda report: None)

dg.materialize([trained], raise_on_error=False)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_dagster_run_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    run = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", CANCELLED, FOREVER, str(tmp_path / "pids")],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    all_of_them = pids(tmp_path / "pids")
    run.send_signal(number)
    _, log = run.communicate(timeout=30)
    assert "DagsterExecutionInterruptedError" in log
    assert not any(map(alive, all_of_them))


# Metrics


def lines(*done: int, score: float = 0.5) -> str:
    return "".join(json.dumps({"done": each, "score": score}) + "\n" for each in done)


def numbers(tail: MetricsTail[Scored]) -> list[int]:
    return [each.done for each in tail.new()]


def test_a_tail_gives_each_report_once_and_waits_for_the_rest_of_a_line(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    tail = MetricsTail(file, read)
    assert numbers(tail) == []
    file.write_text(lines(1, 2) + '{"done": 3, "sco')
    assert numbers(tail) == [1, 2]
    assert numbers(tail) == []
    with file.open("a") as more:
        more.write('re": 1}\n{"note": "no report"}\n' + lines(4))
    assert [(each.done, each.score) for each in tail.new()] == [(3, 1.0), (4, 0.5)]


def test_a_half_line_of_a_killed_writer_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text(lines(1) + '{"done": 2, "sc' + lines(2, 3))
    assert numbers(MetricsTail(file, read)) == [1, 3]


@pytest.mark.parametrize("again", [lines(2), lines(2, 3, 4, 5), ""])
@pytest.mark.parametrize("by_renaming", [True, False])
def test_a_file_that_is_replaced_or_cut_off_is_read_from_its_start(
    tmp_path: Path, again: str, by_renaming: bool
) -> None:
    file = tmp_path / "metrics.jsonl"
    tail = MetricsTail(file, read)
    file.write_text(lines(1, 2, 3))
    tail.new()
    again = again.replace("0.5", "0.75")
    if by_renaming:
        (tmp_path / "new").write_text(again)
        (tmp_path / "new").replace(file)
    else:
        file.write_text(again)
    assert numbers(tail) == [json.loads(line)["done"] for line in again.splitlines()]
    with file.open("a") as more:
        more.write(lines(6))
    assert numbers(tail) == [6]
    assert tail.reports[1].score == 0.5
    assert tail.reports[2].score == (0.75 if again else 0.5)


def test_reports_that_were_only_written_anew_are_not_new(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    tail = MetricsTail(file, read)
    file.write_text(lines(1, 2))
    assert numbers(tail) == [1, 2]
    file.write_text(lines(1) + lines(2, score=0.25) + lines(3))
    assert numbers(tail) == [2, 3]


# Runs that are followed


WRITES = """
import json, sys, time
for step in range(1, int(sys.argv[2]) + 1):
    with open(sys.argv[1], "a") as file:
        print(json.dumps({"done": step, "score": step / 10}), file=file)
    print("step", step, flush=True)
    time.sleep(0.02)
"""


def followed(folder: Path, script: str, steps: int = 3, stall: float = 20.0) -> list[int]:
    seen: list[int] = []
    metrics = MetricsTail(folder / "metrics.jsonl", read)
    with started(folder, script, str(folder / "metrics.jsonl"), str(steps)) as running:
        watch_run(running, metrics, 3, stall, lambda report: seen.append(report.done), poll_seconds=0.02)
    return seen


def test_a_run_is_followed_report_by_report_to_its_end(tmp_path: Path) -> None:
    assert followed(tmp_path, WRITES) == [1, 2, 3]


@pytest.mark.parametrize(
    ("script", "steps", "message"),
    [
        (
            WRITES + "raise OSError(28, 'No space left on device')",
            3,
            r"process exited unexpectedly \(code 1\); progress: 3\.",
        ),
        (WRITES, 2, r"process exited before its work was done \(code 0\); progress: 2 of 3\."),
        (WRITES, 0, r"process exited before its work was done \(code 0\); progress: 0 of 3\."),
    ],
)
def test_a_run_that_ends_badly_is_an_error_with_the_end_of_its_log(
    tmp_path: Path, script: str, steps: int, message: str
) -> None:
    with pytest.raises(ProcessError, match=message) as error:
        followed(tmp_path, script, steps)
    assert ("No space left on device" in str(error.value)) == ("28" in script)
    assert (f"step {steps}" in str(error.value)) == (steps > 0)


def test_a_run_without_reports_is_stopped_as_stalled(tmp_path: Path) -> None:
    script = WRITES + f"print(__import__('os').getpid(), file=open({str(tmp_path / 'pids')!r}, 'w')); time.sleep(600)"
    with pytest.raises(ProcessError, match=r"no progress for 1 s; progress: 2\.") as error:
        followed(tmp_path, script, 2, stall=1.0)
    assert "step 2" in str(error.value)
    assert not alive(pids(tmp_path / "pids")[0])


def test_no_signal_reaches_the_process_that_launches(tmp_path: Path) -> None:
    with started(tmp_path, FOREVER, str(tmp_path / "pids")):
        assert os.getpgid(pids(tmp_path / "pids")[0]) != os.getpgrp()
