"""The torch back end from the outside: a process of the interpreter that trains, and every way in which it may fail."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from races.resources.processes.progress import ProcessError
from races.resources.training.config import TrainingConfig, TrainingResult
from races.resources.training.metrics import StepMetrics, TrainingError
from races.resources.training.rows import VERL
from races.resources.training.store import BaseModelInfo, TrainingStore
from races.resources.training.torch.trainer import TorchSettings, TorchTrainer
from tests.support.training_places import few_problems, json_lines, write_rows, write_solved

SIZES: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 4, "prompt_length": 64, "response_length": 12}
TAUGHT = {"steps": 200, "batch": 16, "validate_every": 5, "validation_size": 24, "response_length": 12, "target": 0.4}
GIVEN: dict[str, Any] = {"steps": 4, "learning_rate": 1e-3, "save_every": 1, "keep": 9, "rollouts_every": 1}
TRAINER = TorchTrainer(TorchSettings(), poll_seconds=0.05)
slow = pytest.mark.slow  # a process that has to import torch and verl


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> BaseModelInfo:
    """A small model that has some answers right."""
    folder = tmp_path_factory.mktemp("models")
    solved = write_solved(folder / "solved.parquet", few_problems(), 160)
    return TrainingStore(root=str(folder)).warm_up("tiny", solved, TAUGHT, "few", lambda step: None)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.parquet", few_problems(16))


def config(model: str | BaseModelInfo = "none", **changes: Any) -> TrainingConfig:
    return TrainingConfig(**{"model": model if isinstance(model, str) else model.folder, **SIZES, **GIVEN, **changes})


def train(asked: TrainingConfig, rows: Path, folder: Path) -> tuple[TrainingResult, list[StepMetrics]]:
    seen: list[StepMetrics] = []
    return TRAINER.train(asked, [rows], folder, seen.append), seen


def fails(asked: TrainingConfig, rows: Path, folder: Path, message: str) -> None:
    """It ends in an error that says why, and in no process."""
    with pytest.raises((ProcessError, TrainingError), match=message):
        train(asked, rows, folder)
    assert processes(folder) == []


def processes(folder: Path) -> list[str]:
    """The commands of this machine that name a folder."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(folder) in command:
            found.append(command)
    return found


def rewritten(rows: Path, truths: list[str]) -> Path:
    """The rows with other truths."""
    table = pq.read_table(rows).to_pylist()
    for row, truth in zip(table, truths, strict=True):
        row["reward_model"]["ground_truth"] = truth
    pq.write_table(pa.Table.from_pylist(table, schema=VERL), rows)
    return rows


@slow
def test_a_run_is_followed_to_its_end_and_not_run_again(model: BaseModelInfo, rows: Path, tmp_path: Path) -> None:
    trained, seen = train(config(model), rows, tmp_path / "run")
    assert [step.step for step in seen] == [1, 2, 3, 4]
    assert (trained.backend, trained.last_step, trained.metrics) == ("torch", 4, tuple(seen))
    assert all(step.tokens and step.seconds for step in seen)
    assert [row["step"] for row in trained.rollouts] == [step for step in (1, 2, 3, 4) for _ in range(16)]
    assert (trained.model / "model.safetensors").exists()
    assert trained.greedy[0] in {each.prompt for each in few_problems(16)}
    log = (tmp_path / "run" / "run.log").read_bytes()
    assert train(config(model), rows, tmp_path / "run") == (trained, [])
    assert (tmp_path / "run" / "run.log").read_bytes() == log
    assert processes(tmp_path / "run") == []


def test_what_cannot_work_is_refused_before_anything_starts(rows: Path, tmp_path: Path) -> None:
    fails(config(prompts=20), rows, tmp_path / "run", "expected at least 20 rows to train on, got 16")
    fails(config(mini_batch=3), rows, tmp_path / "run", "a mini-batch that divides the 4 prompts of a step, got 3")
    fails(config(), tmp_path / "nothing", tmp_path / "run", "nothing: expected a training set in Parquet, got")
    stale = json.dumps({"operator": "sort", "environments": ["digit_sum"], "fingerprints": ["of yesterday"]})
    fails(config(), rewritten(rows, [stale] * 16), tmp_path / "run", "removed or changed: digit_sum;")
    assert not (tmp_path / "run").exists()


@slow
def test_a_model_that_is_not_there_is_an_error(rows: Path, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    message = rf"\(code 1\); progress: 0\.(.*\n)*error: model {nowhere}: expected a Hugging Face folder"
    fails(config(nowhere), rows, tmp_path / "run", message)


@slow
def test_prompts_that_are_too_long_are_an_error(model: BaseModelInfo, rows: Path, tmp_path: Path) -> None:
    message = r"error: expected prompts of at most 10 tokens, template included, got 16 of 16 that are longer"
    fails(config(model, prompt_length=10), rows, tmp_path / "run", message)


@slow
def test_a_run_that_ends_no_step_is_stopped(model: BaseModelInfo, rows: Path, tmp_path: Path) -> None:
    message = r"no progress for 0\.3 s; progress: 0\."
    fails(config(model, stall_seconds=0.3), rows, tmp_path / "run", message)


@slow
def test_a_grader_that_fails_ends_the_run_and_is_no_reward(model: BaseModelInfo, rows: Path, tmp_path: Path) -> None:
    broken = json.dumps({"operator": "single", "types": ["NoSuchType"], "answers": ["1"]})
    message = r"progress: 0\.(.*\n)*error: races/single: the row cannot be scored"
    fails(config(model), rewritten(rows, [broken] * 16), tmp_path / "run", message)
    assert not (tmp_path / "run" / "checkpoints").exists()
    assert json_lines(tmp_path / "run" / "metrics.jsonl") == []


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A full disk, as far as files of more bytes go, for this process and those that it starts."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@slow
def test_a_full_disk_is_an_error_and_the_run_goes_on_from_its_last_checkpoint(
    model: BaseModelInfo, rows: Path, tmp_path: Path
) -> None:
    whole, seen = train(config(model), rows, tmp_path / "whole")
    train(config(model, steps=2), rows, tmp_path / "run")
    (tmp_path / "run" / "done.json").unlink()  # as if it had been stopped there on its way to step 4
    with files_of_at_most(2**20):
        fails(config(model), rows, tmp_path / "run", r"progress: 3\.")
    saved = tmp_path / "run" / "checkpoints"
    assert sorted(each.name for each in saved.glob("step_*")) == ["step_000001", "step_000002"]
    trained, later = train(config(model), rows, tmp_path / "run")
    assert sorted(each.name for each in saved.iterdir()) == [f"step_00000{step}" for step in (1, 2, 3, 4)]
    assert [step.step for step in later] == [3, 4]
    assert figures(trained.metrics) == figures(whole.metrics) == figures(seen)
    assert (trained.model / "model.safetensors").read_bytes() == (whole.model / "model.safetensors").read_bytes()


def figures(steps: Any) -> list[tuple[Any, ...]]:
    return [(step.step, step.reward, step.loss, step.grad_norm, step.tokens) for step in steps]
