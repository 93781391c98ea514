"""The supervised warm-up of a small model: interrupted, and resumed."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from races.resources.processes.json_lines import lines
from races.resources.training.torch import warm_up as module
from races.resources.training.torch.warm_up import CHECKPOINT, WarmUp, WarmUpSpec, warm_up
from tests.support.training_places import problems, write_solved


@pytest.fixture
def spec(tmp_path: Path) -> WarmUpSpec:
    """A dozen steps on problems of four bricks; any score is enough."""
    file = write_solved(tmp_path / "solved.parquet", problems(24), 60)
    sizes = {"steps": 12, "batch": 4, "validate_every": 4, "validation_size": 8, "response_length": 4}
    return WarmUpSpec(str(file), str(tmp_path / "model"), str(tmp_path / "metrics.jsonl"), **sizes)


def weights(spec: WarmUpSpec) -> bytes:
    return Path(spec.folder, "model.safetensors").read_bytes()


def test_an_interrupted_warm_up_is_resumed_and_makes_the_same_model(
    spec: WarmUpSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter((0.1, 0.2, 0.9))
    monkeypatch.setattr(module, "mean_score", lambda *_: next(scores))
    whole = replace(spec, folder=str(tmp_path / "whole" / "model"), metrics=str(tmp_path / "whole" / "metrics.jsonl"))
    Path(whole.folder).parent.mkdir()
    warm_up(whole)
    assert not Path(whole.folder).with_name(CHECKPOINT).exists()

    scores, steps, update = iter((0.1, 0.2, 0.9)), [], module.update

    def interrupted_once(*arguments: object) -> float:
        steps.append(len(steps) + 1)
        if len(steps) == 7:
            raise KeyboardInterrupt
        return update(*arguments)

    monkeypatch.setattr(module, "update", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        warm_up(spec)
    assert not Path(spec.folder).exists()
    assert [row["step"] for row in lines(Path(spec.metrics))] == [4]
    with Path(spec.metrics).open("a") as file:
        file.write('{"step": 8, "reward": 0.2}\n{"step": 9')  # of a process that was killed before it saved
    warm_up(spec)
    assert len(steps) == 7 + 8  # of step 5 on
    assert weights(spec) == weights(whole)
    found, expected = (lines(Path(each.metrics)) for each in (spec, whole))
    assert [[row["step"], row["reward"], row["loss"]] for row in found] == [
        [row["step"], row["reward"], row["loss"]] for row in expected
    ]


def test_composites_that_have_joined_are_there_after_a_resumption(spec: WarmUpSpec) -> None:
    rows = [
        {"id": str(number), "operator": operator, "size": 1, "prompt": f"{number}?", "answer": "1", "truth": ""}
        for number in range(40)
        for operator in ("single", "sequential")
    ]
    tokenizer = module.new_tokenizer(["1?", "1"])
    data, resumed = (module.WarmUpData(rows, spec, tokenizer) for _ in range(2))
    data.batch()
    data._add_composites()
    data.batch()
    resumed.restore(data.state())
    assert not resumed.only_single
    assert [resumed.batch() for _ in range(9)] == [data.batch() for _ in range(9)]


def test_a_warm_up_whose_model_was_not_written_writes_it(spec: WarmUpSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "mean_score", lambda *_: 0.9)
    run = WarmUp(spec)
    run.train()
    assert run.step == 4
    trained = {name: value.clone() for name, value in run.model.state_dict().items()}
    again = WarmUp(spec)
    again.train()
    assert again.step == 4
    assert all(torch.equal(trained[name], value) for name, value in again.model.state_dict().items())
