"""Ctrl-C in `make run`: what is finished is kept, no process is left, and the same command goes on from there."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from races.assets.run import INTERRUPTED
from races.assets.tables.columns import table
from races.assets.tables.training import BaseModels
from races.resources.processes.interpreter import variables
from races.resources.processes.json_lines import lines
from races.resources.store.warehouse import Warehouse
from tests.support.asset_runs import HERE, Place, all_steps, hashes, new_place

pytestmark = pytest.mark.slow
WAIT_S = 300.0
RUN = "import sys; from races.assets.run import command; sys.exit(command(sys.argv[1:]))"
# The same with a run of few steps on few tokens.
SHORT_RUN = f"""
from dataclasses import replace
from races.assets.catalog.runs import RUNS
small = {{"steps": 6, "prompts": 4, "mini_batch": 2, "rollouts": 2, "response_length": 12, "save_every": 2}}
RUNS["micro"] = replace(RUNS["micro"], config={{**RUNS["micro"].config, **small}})
{RUN}
"""
MODEL = """
import sys, pyarrow.parquet as pq
from races.resources.training.models.folders import new_model, new_tokenizer
rows = pq.read_table(sys.argv[1], columns=["prompt", "answer"]).to_pylist()
tokenizer = new_tokenizer(text for row in rows for text in row.values())
new_model(tokenizer, 0, hidden=32, layers=1).save_pretrained(sys.argv[2])
tokenizer.save_pretrained(sys.argv[2])
"""


@dataclass
class Commands:
    """Commands over one store and one Dagster instance, as a shell starts them: each in a group of its own."""

    folder: Path
    code: Path  # of the checkout
    script: str = RUN
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        self.env = os.environ | {"PYTHONPATH": f"{self.code}{os.pathsep}{HERE}", "PYTHONDONTWRITEBYTECODE": "1"}
        self.env |= {"RACES_WAREHOUSE": str(self.folder / "store"), "DAGSTER_HOME": str(self.folder / "home")}
        self.env["DAGSTER_DISABLE_TELEMETRY"] = "true"

    @contextmanager
    def started(self, arguments: Sequence[str]) -> Iterator["subprocess.Popen[str]"]:
        command = [sys.executable, "-W", "ignore", "-c", self.script, *arguments]
        with (self.folder / "output").open("w") as output:
            process = subprocess.Popen(
                command, cwd=self.folder, env=self.env, stdout=output, stderr=output, text=True, start_new_session=True
            )
            try:
                yield process
            finally:
                for pid in session(process.pid):
                    os.kill(pid, signal.SIGKILL)
                process.wait()

    def interrupted(self, arguments: Sequence[str], moment: Callable[[int], Any]) -> str:
        """What a command prints that gets SIGINT, as its whole group does, once `moment` is true of its process."""
        with self.started(arguments) as process:
            until = time.monotonic() + WAIT_S
            while not moment(process.pid):
                assert process.poll() is None, self.output()
                assert time.monotonic() < until, self.output()
                time.sleep(0.05)
            below = descendants(process.pid)
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(WAIT_S) == 128 + signal.SIGINT, self.output()
            time.sleep(2)  # what is to end with its parent looks once a second
            assert not [pid for pid in below if alive(pid)]
        assert self.output().splitlines()[-1] == INTERRUPTED
        return self.output()

    def completed(self, arguments: Sequence[str]) -> str:
        with self.started(arguments) as process:
            assert process.wait(WAIT_S) == 0, self.output()
        return self.output()

    def output(self) -> str:
        return (self.folder / "output").read_text()

    def metadata(self, asset: str, partition: str | None = None) -> dict[str, Any]:
        """The metadata of an asset as it was made last."""
        with dg.DagsterInstance.from_config(str(self.folder / "home")) as instance:
            only = dg.AssetRecordsFilter(dg.AssetKey(asset), asset_partitions=[partition] if partition else None)
            (record,) = instance.fetch_materializations(only, limit=1).records
            assert record.asset_materialization
            return {name: value.value for name, value in record.asset_materialization.metadata.items()}


def stats() -> Iterator[tuple[int, str, int, int]]:
    """Of every process its number, state, parent and session."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, _, belongs = stat.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield int(stat.parent.name), state, int(parent), int(belongs)


def session(leader: int) -> list[int]:
    return [pid for pid, state, _, belongs in stats() if belongs == leader and state != "Z"]


def alive(pid: int) -> bool:
    return any(each == pid and state != "Z" for each, state, *_ in stats())


def descendants(pid: int) -> list[int]:
    below = [each for each, _, parent, _ in stats() if parent == pid]
    return below + [further for each in below for further in descendants(each)]


def arguments_of(steps: Sequence[dict[str, Any]]) -> list[str]:
    return [",".join(each["assets"]) + (f":{each['partition']}" if each["partition"] else "") for each in steps]


def at_work(commands: Commands, begun: str) -> Callable[[int], bool]:
    """Whether worker processes are at work on a step."""

    def moment(pid: int) -> bool:
        last = commands.output().splitlines()[-1:]
        if not last or f"] {begun}" not in last[0]:
            return False
        found = [Path(f"/proc/{each}/cmdline") for each in descendants(pid)]
        return sum("spawn_main" in file.read_text() for file in found if file.exists()) >= 2

    return moment


def test_a_run_that_is_interrupted_again_and_again_makes_what_an_undisturbed_one_makes(tmp_path: Path) -> None:
    place: Place = new_place(tmp_path)
    pool, rest = arguments_of(all_steps()[:2]), arguments_of(all_steps()[2:])
    disturbed, calm = Commands(tmp_path / "disturbed", place.code), Commands(tmp_path / "calm", place.code)
    calm.completed([*pool, *rest])
    disturbed.completed(pool)
    disturbed.interrupted(rest, at_work(disturbed, "discovered_paths"))
    disturbed.interrupted(rest, at_work(disturbed, "problems [select]"))
    grown = disturbed.metadata("discovered_paths")["trees_grown"]
    assert grown > 0
    disturbed.completed(rest)
    again = disturbed.metadata("discovered_paths")
    assert (again["trees_grown"], again["trees_kept"]) == (0, grown)
    assert disturbed.metadata("problems", "parallel")["kept"] > 0
    assert hashes(disturbed.folder / "store") == hashes(calm.folder / "store")


def test_a_warm_up_and_a_training_run_go_on_from_what_they_have_saved(tmp_path: Path, training_python: str) -> None:
    commands = Commands(tmp_path, HERE, SHORT_RUN)
    models, training = tmp_path / "training" / "models", ["training_runs,rollouts,checkpoints:micro"]

    def validated(steps: int) -> Callable[[int], bool]:
        return lambda _: any(row["step"] >= steps for file in models.rglob("metrics.jsonl") for row in lines(file))

    commands.interrupted(["problem_sets:micro", "training_sets:micro_races", "base_models:tiny"], validated(50))
    (file,) = models.rglob("metrics.jsonl")
    first = lines(file)
    commands.interrupted(["base_models:tiny"], validated(first[-1]["step"] + 50))
    assert lines(file)[: len(first)] == first
    assert not list(models.rglob("model"))

    solved, start = tmp_path / "store" / "problem_sets" / "problem_set=micro", tmp_path / "start"
    env = {**os.environ, **variables()}
    subprocess.run([training_python, "-c", MODEL, str(solved), str(start)], env=env, check=True, cwd=HERE)
    row = {"folder": str(start), "parameters": 1, "vocabulary": 1, "warm_up_steps": 0, "greedy_score": 0.0}
    Warehouse(root=commands.env["RACES_WAREHOUSE"]).write(
        "base_models", table(BaseModels, [row | {"weights": ""}], "model"), {"model": "tiny"}
    )
    runs = tmp_path / "training" / "runs"
    commands.interrupted(training, lambda _: any(runs.rglob("checkpoints/step_000002")))
    before = {file: file.stat().st_mtime_ns for file in runs.rglob("checkpoints/step_000002/**/*")}
    (metrics,) = runs.rglob("metrics.jsonl")
    kept = [row for row in lines(metrics) if row["step"] <= 2]
    commands.completed(training)
    assert [row["step"] for row in lines(metrics)] == [1, 2, 3, 4, 5, 6]
    assert lines(metrics)[:2] == kept
    assert all(file.stat().st_mtime_ns == time_ns for file, time_ns in before.items() if file.exists())
    stored = Warehouse(root=commands.env["RACES_WAREHOUSE"]).read("training_runs").to_pylist()
    assert [row["step"] for row in stored] == [1, 2, 3, 4, 5, 6]
