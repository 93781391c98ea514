"""Jobs on a real Ray head of this machine, which the tests start and end."""

import importlib.util
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from races.resources.processes.launching import LocalLauncher, MetricsTail, RayJobLauncher, RayRun, watch_run
from races.resources.processes.progress import ProcessError
from races.resources.training.config import StepMetrics, TrainingConfig
from races.resources.training.verl.config import VerlSettings
from races.resources.training.verl.trainer import VerlTrainer
from tests.support.training_places import alive, pids, problems, stand_in, wait_for, write_rows

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray"),
    pytest.mark.filterwarnings("default"),  # those of Ray are not ours to mend
]

TREE = """
import os, subprocess, sys, time
below = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), below.pid, file=open(sys.argv[1], "w"))
time.sleep(600)
"""


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Ray head, which asks for a token as Ray does by default."""
    ports = {"port": free_port(), "dashboard-port": free_port(), "dashboard-agent-listen-port": free_port()}
    log = tmp_path_factory.mktemp("ray") / "head.log"
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as short:
        patch.delenv("RAY_ADDRESS", raising=False)
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--num-cpus=2"]
        command += ["--disable-usage-stats", "--include-dashboard=true", f"--temp-dir={short}"]
        command += [f"--{name}={port}" for name, port in ports.items()]
        with LocalLauncher(grace=2).launch(command, log) as running:
            address = f"http://127.0.0.1:{ports['dashboard-port']}"
            wait_for(lambda: answers(address) or running.poll() is not None, 120)
            assert running.poll() is None, running.log_tail()
            yield address


def answers(address: str) -> bool:
    from ray.job_submission import JobSubmissionClient

    try:
        JobSubmissionClient(address).list_jobs()
    except (RuntimeError, OSError):
        return False
    return True


def launched(head: str, folder: Path, script: str, *arguments: str) -> RayRun:
    return RayJobLauncher(head).launch([sys.executable, "-c", script, *arguments], folder / "train.log", {"OURS": "7"})


def test_a_job_is_followed_to_its_end(head: str, tmp_path: Path) -> None:
    script = (
        "import json, os, sys\n"
        "with open(sys.argv[1], 'w') as file:\n"
        "    for step in (1, 2): print(json.dumps({'step': step, 'reward': int(os.environ['OURS'])}), file=file)\n"
        "print('it says: \"hello\"')"
    )
    seen: list[StepMetrics] = []
    metrics = MetricsTail(tmp_path / "metrics", lambda row: StepMetrics(**row))
    with launched(head, tmp_path, script, str(tmp_path / "metrics")) as running:
        watch_run(running, metrics, 2, 120, seen.append, poll_seconds=0.2)
    assert seen == [StepMetrics(1, 7), StepMetrics(2, 7)]
    assert 'it says: "hello"' in (tmp_path / "train.log").read_text()


def test_a_job_that_fails_is_an_error_with_its_log(head: str, tmp_path: Path) -> None:
    metrics = MetricsTail(tmp_path / "metrics", lambda row: StepMetrics(**row))
    with (
        launched(head, tmp_path, "import sys; sys.exit('no GPU here')") as running,
        pytest.raises(ProcessError, match=r"exited unexpectedly \(code 1\); progress: 0\.(.*\n)*.*no GPU here"),
    ):
        watch_run(running, metrics, 2, 120, lambda step: None, poll_seconds=0.2)


def test_a_job_that_is_left_is_stopped_with_all_its_processes(head: str, tmp_path: Path) -> None:
    with launched(head, tmp_path, TREE, str(tmp_path / "pids")) as running:
        both = wait_for(lambda: pids(tmp_path / "pids"), 60)
        assert all(map(alive, both))
        assert running.poll() is None
    wait_for(lambda: not any(map(alive, both)))
    assert running.poll() not in (None, 0)


def test_a_job_takes_the_place_of_one_that_nobody_stopped(head: str, tmp_path: Path) -> None:
    left = launched(head, tmp_path, TREE, str(tmp_path / "pids"))  # as by a process that was killed
    both = wait_for(lambda: pids(tmp_path / "pids"), 60)
    with launched(head, tmp_path, "print('mine now')") as running:
        assert left.poll() is not None
        wait_for(lambda: not any(map(alive, both)))
        assert running.wait(0.2) == 0


def test_a_run_of_verl_goes_through_jobs(head: str, tmp_path: Path) -> None:
    sizes: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": 512, "response_length": 64}
    config = TrainingConfig(model="tiny", steps=3, stall_seconds=120, **sizes)
    settings = VerlSettings(python=stand_in(tmp_path), launcher="ray", ray_address=head, sampler="transformers")
    rows = write_rows(tmp_path / "train.parquet", problems(8))
    seen: list[int] = []
    trained = VerlTrainer(settings, poll_seconds=0.2).train(
        config, [rows], tmp_path / "run", lambda step: seen.append(step.step)
    )
    assert (trained.last_step, seen, trained.greedy[1]) == (3, [1, 2, 3], "3")
    assert not any(map(alive, pids(tmp_path / "run" / "pids")))


def test_a_cluster_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ProcessError, match=r"the Ray cluster at http://127.0.0.1:1 did not take the job"):
        launched("http://127.0.0.1:1", tmp_path, "pass")
    assert time.monotonic() - began < 60


def test_a_wrong_token_is_an_error(head: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import sys; from pathlib import Path; from races.resources.processes.launching import RayJobLauncher\n"
        "RayJobLauncher(sys.argv[1]).launch(['true'], Path(sys.argv[2]))\n"
    )
    monkeypatch.setenv("RAY_AUTH_TOKEN", "another-token-0123456789-0123456789-01")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-W", "ignore", "-c", script, head, str(tmp_path / "job.log")]
    with LocalLauncher().launch(command, tmp_path / "log") as running:
        assert running.wait(0.1) == 1
        assert "ProcessError: the Ray cluster at" in running.log_tail()
