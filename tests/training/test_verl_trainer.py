"""Runs of verl from outside: a stand-in takes the place of verl's interpreter, and goes wrong in every way it can."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pyarrow.parquet as pq
import pytest

from races.environments.errors import SettingError
from races.environments.operators import Problem
from races.resources.processes import launching
from races.resources.processes.progress import ProcessError
from races.resources.training.config import StepMetrics, TrainingConfig, TrainingError, TrainingResult
from races.resources.training.verl.checkpoints import resumable
from races.resources.training.verl.config import VerlSettings
from races.resources.training.verl.folder import RunFolder
from races.resources.training.verl.trainer import VerlTrainer, piped
from tests.support.training_places import alive, json_lines, pids, problems, stand_in, wait_for, write_rows

ROOT = Path(__file__).parents[2]
SIZES: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": 512, "response_length": 64}
CONFIG = TrainingConfig(model="tiny", steps=7, save_every=2, rollouts_every=3, stall_seconds=600, **SIZES)


@pytest.fixture
def train_set(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "train.parquet", problems(8))


@pytest.fixture
def trainer(tmp_path: Path) -> VerlTrainer:
    return VerlTrainer(VerlSettings(python=stand_in(tmp_path), gpus_per_node=1), poll_seconds=0.02)


def run(
    trainer: VerlTrainer, train_set: Path, config: TrainingConfig = CONFIG, **fault: Any
) -> tuple[TrainingResult, list[int]]:
    """Train in the folder beside the rows; what came of it, and the steps that were watched."""
    seen: list[int] = []
    faulty = replace(trainer, environment={"STAND_IN": json.dumps(fault)})
    trained = faulty.train(config, [train_set], train_set.parent / "run", lambda step: seen.append(step.step))
    return trained, seen


def gone(folder: Path) -> bool:
    return not any(map(alive, pids(folder / "pids")))


def logs(folder: Path) -> list[str]:
    return [file.read_text() for file in sorted((folder / "attempts").glob("*.log"))]


def test_the_reward_is_told_what_the_prompt_opens(trainer: VerlTrainer, train_set: Path) -> None:
    os.environ["STAND_IN_THINKING"] = "◁think▷"
    try:
        trained, _ = run(trainer, train_set)
    finally:
        del os.environ["STAND_IN_THINKING"]
    command = (train_set.parent / "run" / "command.sh").read_text()
    assert """'++reward.custom_reward_function.reward_kwargs.thinking="◁think▷"'""" in command
    assert {row["response"][:9] for row in trained.rollouts} == {"◁think▷r0", "◁think▷r1"}


def test_a_run_leaves_a_model_its_curve_rollouts_and_what_was_run(trainer: VerlTrainer, train_set: Path) -> None:
    trained, seen = run(trainer, train_set)
    folder = train_set.parent / "run"
    assert seen == list(range(1, 8))
    assert (trained.backend, trained.last_step, trained.greedy) == ("verl", 7, ("which step?", "7"))
    assert (trained.model / "weights").read_text() == "7"
    # Two of four groups are mixed, half and half: a deviation of 1/2 in them and of 0 in the others.
    assert trained.metrics == tuple(
        StepMetrics(step, step / 100, reward_std=0.25, mixed_groups=0.5, truncated=0.0, seconds=0.01)
        for step in range(1, 8)
    )
    assert {row["step"] for row in trained.rollouts} == {3, 6}
    assert len(trained.rollouts) == 2 * 4 * 2
    assert trained.rollouts[0] == {"step": 3, "prompt": "p0", "response": "r0", "truth": "t", "score": 1.0}
    assert "data.train_batch_size=4" in json.loads((folder / "config.yaml").read_text())
    assert pq.read_table(folder / "validation.parquet").equals(pq.read_table(train_set).slice(0, 1))
    assert "-m verl.trainer.main_ppo" in (folder / "command.sh").read_text()
    assert gone(folder)


def test_arguments_of_the_engine_reach_what_asks_models(trainer: VerlTrainer, train_set: Path) -> None:
    engine = {"enforce_eager": True, "max_model_len": 300}
    settings = trainer.settings.model_copy(update={"engine": engine, "gpu_memory_utilization": 0.4})
    folder = train_set.parent / "run"
    replace(trainer, settings=settings).train(CONFIG, [train_set], folder, lambda step: None)
    for task in ("preflight", "convert"):
        asked = json.loads((folder / f"{task}.request.json").read_text())
        assert asked["engine"] == {"gpu_memory_utilization": 0.4} | engine, task
        assert (asked["sampler"], asked["length"], asked["tensor_parallel"]) == ("vllm", 512 + 64, 1)
    wrong = replace(trainer, settings=settings.model_copy(update={"sampler": "transformers"}))
    with pytest.raises(TrainingError, match="expected sampler=vllm for arguments of its engine, got transformers"):
        wrong.check(CONFIG, [train_set])


def test_a_run_that_is_done_is_not_done_again(trainer: VerlTrainer, train_set: Path) -> None:
    first, _ = run(trainer, train_set)
    again, seen = run(trainer, train_set)
    assert again == first
    assert seen == []
    assert len(logs(train_set.parent / "run")) == 1


@pytest.mark.parametrize(
    ("fault", "resumed", "message"),
    [
        ({"at": 4, "what": "kill"}, 2, r"process exited unexpectedly \(code 137\); progress: 3\."),
        ({"at": 4, "what": "full"}, 2, r"\(code 1\); progress: 3\..*\n(.*\n)*.*No space left on device"),
        ({"at": 6, "what": "cut"}, 4, r"\(code 137\); progress: 5\."),
        ({"steps": 0}, 0, "process exited before its work was done .*; progress: 0 of 7"),
        ({"steps": 5}, 4, "process exited before its work was done .*; progress: 5 of 7"),
    ],
)
def test_a_run_that_goes_wrong_is_an_error_and_is_resumed_to_the_same_end(
    trainer: VerlTrainer, train_set: Path, fault: dict[str, Any], resumed: int, message: str
) -> None:
    with pytest.raises(ProcessError, match=message):
        run(trainer, train_set, **fault)
    folder = train_set.parent / "run"
    assert gone(folder)
    trained, seen = run(trainer, train_set, **fault)
    assert f"starts after step {resumed}" in logs(folder)[1]
    assert seen == list(range(resumed + 1, 8))
    assert (trained.last_step, trained.greedy) == (7, ("which step?", "7"))
    assert [each.step for each in trained.metrics] == list(range(1, 8))
    assert all(each.mixed_groups == 0.5 for each in trained.metrics)
    assert gone(folder)


def test_a_run_that_stalls_is_ended(trainer: VerlTrainer, train_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock runs ahead once step 3 has been reported, and not before, however slow the machine is."""
    reported, offset = threading.Event(), itertools.count()

    def clock() -> float:
        return time.monotonic() + (5.0 * next(offset) if reported.is_set() else 0.0)

    def watch(step: StepMetrics) -> None:
        if step.step == 3:
            reported.set()

    monkeypatch.setattr(launching, "time", SimpleNamespace(monotonic=clock, sleep=time.sleep))
    patient = CONFIG.model_copy(update={"stall_seconds": 600.0})
    stalling = replace(trainer, environment={"STAND_IN": json.dumps({"at": 4, "what": "stall"})})
    with pytest.raises(ProcessError, match=r"no progress for 600 s; progress: 3\."):
        stalling.train(patient, [train_set], train_set.parent / "run", watch)
    assert gone(train_set.parent / "run")


def test_a_later_attempt_at_a_step_counts(trainer: VerlTrainer, train_set: Path) -> None:
    with pytest.raises(ProcessError):
        run(trainer, train_set, at=4, what="kill")
    first = train_set.parent / "run" / "attempts" / "0001.jsonl"
    first.write_text(first.read_text().replace("0.03", "0.99").replace("0.02,", "0.98,"))
    trained, _ = run(trainer, train_set)
    assert [each.reward for each in trained.metrics[:4]] == [0.01, 0.98, 0.03, 0.04]


def test_a_conversion_that_fails_leaves_no_model_and_is_tried_again(trainer: VerlTrainer, train_set: Path) -> None:
    folder = train_set.parent / "run"
    failing = replace(trainer, environment={"STAND_IN_CONVERTS": "0"})
    with pytest.raises(
        TrainingError,
        match=r"convert: expected a reply, got exit code 1\. The end of its log:\nno memory for the whole",
    ):
        failing.train(CONFIG, [train_set], folder, lambda step: None)
    assert not (folder / "model").exists()
    trained, seen = run(trainer, train_set)
    assert ((trained.model / "weights").read_text(), seen) == ("7", [])
    assert not list(folder.glob(".model.*"))


def test_a_cancelled_run_leaves_no_process(trainer: VerlTrainer, train_set: Path) -> None:
    def cancelled(step: StepMetrics) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.train(CONFIG, [train_set], train_set.parent / "run", cancelled)
    assert gone(train_set.parent / "run")


def test_a_killed_dagster_leaves_no_process_and_the_next_one_goes_on(trainer: VerlTrainer, train_set: Path) -> None:
    folder = train_set.parent / "run"
    script = (
        "import sys, json; from pathlib import Path; from races.resources.training.config import TrainingConfig\n"
        "from races.resources.training.verl.config import VerlSettings\n"
        "from races.resources.training.verl.trainer import VerlTrainer\n"
        "config, settings, rows, folder = map(json.loads, sys.argv[1:])\n"
        "VerlTrainer(VerlSettings(**settings)).train("
        "TrainingConfig(**config), [Path(rows)], Path(folder), lambda step: None)\n"
    )
    given = [CONFIG.model_dump(), trainer.settings.model_dump(), str(train_set), str(folder)]
    stalls = os.environ | {"STAND_IN": json.dumps({"at": 4, "what": "stall"}), "PYTHONPATH": str(ROOT)}
    dagster = subprocess.Popen([sys.executable, "-W", "ignore", "-c", script, *map(json.dumps, given)], env=stalls)
    pids(folder / "pids")
    wait_for(lambda: len((folder / "attempts" / "0001.jsonl").read_text().splitlines()) == 4)
    dagster.send_signal(signal.SIGKILL)
    dagster.wait()
    wait_for(lambda: gone(folder))
    trained, seen = run(trainer, train_set)
    assert (trained.last_step, seen[0]) == (7, 3)


def test_each_step_is_told_to_the_dagster_run_through_pipes(trainer: VerlTrainer, train_set: Path) -> None:
    @dg.asset
    def trained(context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
        with piped(context, trainer.settings, train_set.parent / "run") as inside:
            done = inside.train(CONFIG, [train_set], train_set.parent / "run", lambda step: None)
        return dg.MaterializeResult(metadata={"last_step": done.last_step})

    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([trained], instance=instance)
        said = [entry.user_message for entry in instance.all_logs(result.run_id)]
    assert result.success
    told = [line for line in said if line.startswith("step ")]
    assert told == [f"step {step}: critic/score/mean {step / 100:.4g}, timing_s/step 0.01" for step in range(1, 8)]
    assert gone(train_set.parent / "run")


def test_an_interpreter_that_is_not_there_is_an_error(trainer: VerlTrainer, train_set: Path) -> None:
    missing = replace(trainer, settings=trainer.settings.model_copy(update={"python": "/nowhere/python"}))
    with pytest.raises(SettingError, match="Python that trains at /nowhere/python, got no program"):
        missing.check(CONFIG, [train_set])


def test_a_base_model_that_learns_nothing_is_refused_before_the_start(trainer: VerlTrainer, train_set: Path) -> None:
    refusing = replace(trainer, environment={"STAND_IN_PREFLIGHT": '{"error": "expected groups whose scores differ"}'})
    with pytest.raises(TrainingError, match="preflight: expected groups whose scores differ"):
        refusing.train(CONFIG, [train_set], train_set.parent / "run", lambda step: None)
    assert not (train_set.parent / "run" / "attempts").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"launcher": "ray"}, "expected the address of a Ray cluster for launcher=ray, got none"),
        ({"nodes": 2}, "expected launcher=ray for 2 nodes, got local"),
    ],
)
def test_settings_that_exclude_each_other_are_refused(
    trainer: VerlTrainer, train_set: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        replace(trainer, settings=trainer.settings.model_copy(update=settings)).check(CONFIG, [train_set])


# Metrics


@pytest.mark.parametrize(("longest", "truncated"), [(64.0, 0.25), (63.0, 0.0)])
def test_a_line_of_verl_becomes_a_step(tmp_path: Path, longest: float, truncated: float) -> None:
    """verl counts the responses that are as long as the longest one, whether the limit cut that or not."""
    said = {
        "critic/score/mean": 0.5,
        "actor/pg_clipfrac": 0.01,
        "response_length/mean": 40.0,
        "response_length/max": longest,
        "response_length/clip_ratio": 0.25,
        "actor/entropy_loss": 1.5,
        "actor/grad_norm": 0.3,
        "actor/pg_loss": -0.02,
        "timing_s/step": 12.0,
        "perf/throughput": 99.0,
    }
    folder = RunFolder(CONFIG, [], tmp_path)
    assert folder.step({"step": 9, "data": said}) == StepMetrics(
        step=9,
        reward=0.5,
        clip_fraction=0.01,
        response_length=40.0,
        truncated=truncated,
        entropy=1.5,
        grad_norm=0.3,
        loss=-0.02,
        seconds=12.0,
    )
    assert folder.step({"step": 0, "data": {"val-core/races/reward/mean@1": 0.1}}) is None


# Training sets


def test_a_training_set_that_is_not_there_or_is_none_is_refused(trainer: VerlTrainer, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"none\.parquet: expected a training set in Parquet"):
        trainer.check(CONFIG, [tmp_path / "none.parquet"])
    (tmp_path / "text.parquet").write_text("no Parquet")
    with pytest.raises(TrainingError, match=r"text\.parquet: expected a training set in Parquet"):
        trainer.check(CONFIG, [tmp_path / "text.parquet"])


@pytest.mark.parametrize("changed", ["fingerprints", "environments"])
def test_a_training_set_of_a_stale_pool_is_refused(
    trainer: VerlTrainer, tmp_path: Path, train_set: Path, changed: str, rows: list[Problem]
) -> None:
    posed = [each for each in rows if each.operator == "sort"][:3]
    trainer.check(CONFIG, [write_rows(tmp_path / "today.parquet", posed)])
    truth = json.loads(posed[0].truth)
    truth[changed][0] = "another"
    stale = write_rows(tmp_path / "stale.parquet", [replace(posed[0], truth=json.dumps(truth)), *posed[1:]])
    with pytest.raises(TrainingError, match=r"bricks that were removed or changed: .*; materialise problems"):
        trainer.check(CONFIG, [train_set, stale])


# Checkpoints


def checkpoint(folder: Path, step: int) -> Path:
    actor = folder / f"global_step_{step}" / "actor"
    actor.mkdir(parents=True)
    (actor / "fsdp_config.json").write_text('{"world_size": 1}')
    for file in (*(actor / f"{kind}_world_size_1_rank_0.pt" for kind in ("model", "optim", "extra_state")),):
        archive(file)
    archive(actor.parent / "data.pt")
    (folder / "latest_checkpointed_iteration.txt").write_text(str(step))
    return actor


def archive(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("data", "x" * 1000)


def broken(actor: Path, how: str) -> None:
    if how == "a file is missing":
        (actor / "optim_world_size_1_rank_0.pt").unlink()
    elif how == "a file is cut off":
        file = actor / "model_world_size_1_rank_0.pt"
        file.write_bytes(file.read_bytes()[:500])
    elif how == "a file is empty":
        (actor.parent / "data.pt").write_bytes(b"")
    elif how == "the ranks are not known":
        (actor / "fsdp_config.json").write_text("{")
    else:
        for file in actor.iterdir():
            file.unlink()
        actor.rmdir()


BROKEN = ("a file is missing", "a file is cut off", "a file is empty", "the ranks are not known", "all is gone")


@pytest.mark.parametrize("how", BROKEN)
def test_a_half_written_checkpoint_is_passed_over_for_the_one_before_it(tmp_path: Path, how: str) -> None:
    checkpoint(tmp_path, 9)
    broken(checkpoint(tmp_path, 10), how)
    assert resumable(tmp_path) == 9
    assert (tmp_path / "latest_checkpointed_iteration.txt").read_text() == "9"


@pytest.mark.parametrize("how", BROKEN)
def test_no_run_starts_anew_where_only_half_written_checkpoints_are(tmp_path: Path, how: str) -> None:
    broken(checkpoint(tmp_path, 10), how)
    with pytest.raises(TrainingError, match=r"complete checkpoint, got none in .*global_step_10.* of step 10"):
        resumable(tmp_path)


@pytest.mark.parametrize("named", ["", "10", "8"])
def test_a_checkpoint_that_was_finished_without_its_name_being_written_counts(tmp_path: Path, named: str) -> None:
    checkpoint(tmp_path, 8)
    checkpoint(tmp_path, 9)
    (tmp_path / "latest_checkpointed_iteration.txt").write_text(named)
    assert resumable(tmp_path) == 9


def test_without_checkpoints_a_run_starts(tmp_path: Path) -> None:
    assert resumable(tmp_path) == 0
    (tmp_path / "global_step_1" / "actor").mkdir(parents=True)
    assert resumable(tmp_path) == 0


def test_groups_of_a_repeated_step_are_those_of_its_last_rollouts(trainer: VerlTrainer, train_set: Path) -> None:
    run(trainer, train_set)
    taken = json_lines(train_set.parent / "run" / "groups.jsonl")
    assert [row["step"] for row in taken] == list(range(1, 8))
    kept = train_set.parent / "run" / "rollouts" / "6.jsonl"
    kept.write_text(kept.read_text().replace('"score": 0.0', '"score": 1.0'))
    (train_set.parent / "run" / "checkpoints" / "global_step_7" / "data.pt").unlink()
    trained, seen = run(trainer, train_set)
    assert seen == [7]
    assert [each.mixed_groups for each in trained.metrics] == [0.5] * 5 + [0.0, 0.5]
