"""The loop of the torch back end: its arithmetic against verl and against the formula, and that it resumes exactly."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
import torch
from verl.trainer.ppo import core_algos

from races.resources.training.config import TrainingConfig, TrainingError
from races.resources.training.curriculum_sampler import CurriculumSampler
from races.resources.training.models.folders import load
from races.resources.training.models.generation import Batch, generate
from races.resources.training.torch.run import Run, RunSpec, advantage
from races.resources.training.verl.config import VerlSettings, overrides
from tests.support.training_places import json_lines, problems, wait_for, write_rows

LOW, HIGH, GROUP = 0.2, 0.28, 4


def request(warmed_up: Path, folder: Path, micro_batch: int = 6, **changes: Any) -> RunSpec:
    """A run of six steps of four prompts with two updates each; four steps are an epoch."""
    sizes = {"steps": 6, "prompts": 4, "mini_batch": 2, "rollouts": GROUP, "prompt_length": 64, "response_length": 12}
    given = {"learning_rate": 1e-3, "save_every": 3, "rollouts_every": 2, "keep": 2, "seed": 7}
    config = TrainingConfig(**{"model": str(warmed_up), **sizes, **given, **changes})
    rows = warmed_up.with_name("rows.parquet")
    plain = config.model_copy(update={"curriculum": False})
    asked = overrides(plain, VerlSettings(gpus_per_node=1), [rows], 16, folder)
    folder.mkdir(parents=True, exist_ok=True)
    return RunSpec(config.model_dump(), asked, [str(rows)], str(folder), micro_batch=micro_batch)


# Arithmetic


def grpo(new: torch.Tensor, old: torch.Tensor, rewards: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The loss by its formula, over a mini-batch of whole groups: token-mean, clip-higher, no KL term."""
    groups = rewards.reshape(-1, GROUP)
    gain = (groups - groups.mean(1, keepdim=True)) / (groups.std(1, correction=1, keepdim=True) + 1e-6)
    gain = gain.reshape(-1, 1)
    ratio = (new - old).exp()
    terms = torch.minimum(ratio * gain, ratio.clamp(1 - LOW, 1 + HIGH) * gain)
    return -(terms * mask).sum() / mask.sum()


def forward(model: Any, batch: Batch) -> torch.Tensor:
    """Log-probabilities of whole rows, padding and all, in one go."""
    ids = torch.cat([batch.prompts, batch.responses], 1)
    positions = (batch.attention.cumsum(-1) - 1).clamp(min=0)
    logits = model(ids, attention_mask=batch.attention, position_ids=positions).logits
    logs = torch.log_softmax(logits[:, batch.prompts.shape[1] - 1 : -1], -1)
    return logs.gather(-1, batch.responses[..., None]).squeeze(-1)


def at_the_end(rewards: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    found = torch.zeros_like(mask)
    found[range(len(mask)), mask.sum(1).long() - 1] = rewards
    return found


def gradients(model: Any) -> dict[str, torch.Tensor]:
    return {name: weight.grad.clone() for name, weight in model.named_parameters()}


@pytest.fixture
def run(warmed_up: Path, tmp_path: Path) -> Iterator[Run]:
    with closing(Run(request(warmed_up, tmp_path))) as run:
        yield run


def sampled(run: Run) -> tuple[Batch, torch.Tensor]:
    """Sixteen answers to four prompts of different lengths, and made-up rewards."""
    torch.manual_seed(3)
    asked = [[{"role": "user", "content": each.prompt}] for each in problems(4)]
    batch = generate(run.model, run.tokenizer, asked, 12, 1.0, GROUP)
    assert batch.mask.sum(1).min() < batch.mask.sum(1).max()
    return batch, torch.rand(16)


def test_advantages_are_verls_and_the_formulas(run: Run) -> None:
    batch, rewards = sampled(run)
    rewards[4:8] = 0.5  # a group that has nothing to teach
    found = advantage(at_the_end(rewards, batch.mask), batch.mask, GROUP)
    verls, _ = core_algos.compute_grpo_outcome_advantage(
        at_the_end(rewards, batch.mask), batch.mask, np.repeat(["a", "b", "c", "d"], GROUP)
    )
    assert torch.equal(found, verls)
    for row, reward in enumerate(rewards.tolist()):
        group = rewards[row // GROUP * GROUP :][:GROUP].tolist()
        expected = (reward - fmean(group)) / (stdev(group) + 1e-6)
        assert found[row].tolist() == pytest.approx([expected * one for one in batch.mask[row].tolist()], abs=1e-4)
    assert not found[4:8].any()


@pytest.mark.parametrize("micro_batch", [3, 8, 64])
def test_an_update_is_that_of_the_formula_and_of_verl_whatever_the_micro_batch(
    run: Run, warmed_up: Path, micro_batch: int
) -> None:
    batch, rewards = sampled(run)
    rows = range(8, 16)
    here = slice(8, 16)
    other, _ = load(str(warmed_up))
    new = forward(other, batch)[here]
    torch.manual_seed(4)
    old = torch.zeros_like(batch.mask)
    old[here] = new.detach() + 0.3 * torch.randn(new.shape)
    loss = grpo(new, old[here], rewards[here], batch.mask[here])
    loss.backward()
    norm = torch.stack([weight.grad.norm() for weight in other.parameters()]).norm()
    limit = 0.5 * float(norm)
    expected = {name: grad * limit / (norm + 1e-6) for name, grad in gradients(other).items()}

    run.spec = replace(run.spec, micro_batch=micro_batch)
    run.config = run.config.model_copy(update={"grad_clip": limit})
    advantages = advantage(at_the_end(rewards, batch.mask), batch.mask, GROUP)
    figures = run._update(batch, old, advantages, rows)
    assert figures["loss"] == pytest.approx(loss.item(), abs=1e-5)
    assert figures["grad_norm"] == pytest.approx(float(norm), rel=1e-3)
    for name, grad in gradients(run.model).items():
        torch.testing.assert_close(grad, expected[name], atol=2e-5, rtol=1e-3)

    run.actor.global_batch_info.clear()
    verls, metrics = core_algos.compute_policy_loss_vanilla(
        old[here], new.detach(), advantages[here], batch.mask[here], "token-mean", run.actor
    )
    assert figures["loss"] == pytest.approx(float(verls), abs=1e-5)
    assert figures["clip_fraction"] == pytest.approx(metrics["actor/pg_clipfrac"], abs=1e-5)
    assert 0 < figures["clip_fraction"] < 1


def test_one_update_a_step_needs_no_log_probabilities_of_before(warmed_up: Path, tmp_path: Path) -> None:
    """What verl does as well; two updates do need them, and the second sees a ratio that is not 1."""
    narrow = {"clip_low": 0.001, "clip_high": 0.001}
    with (
        closing(Run(request(warmed_up, tmp_path, mini_batch=4, **narrow))) as one,
        closing(Run(request(warmed_up, tmp_path, **narrow))) as two,
    ):
        batch, rewards = sampled(one)
        advantages = advantage(at_the_end(rewards, batch.mask), batch.mask, GROUP)
        old, entropy = two._old(batch)
        slow = two._update(batch, old, advantages, range(16))
        fast = one._learn(batch, advantages)
        assert fast == pytest.approx(slow, abs=1e-4)
        assert fast["entropy"] == pytest.approx(float((entropy * batch.mask).sum() / batch.mask.sum()), abs=1e-4)
        for name, grad in gradients(one.model).items():
            torch.testing.assert_close(grad, gradients(two.model)[name], atol=1e-5, rtol=1e-3)
        assert fast["clip_fraction"] == 0
        assert two._learn(batch, advantages)["clip_fraction"] > 0


# Whole runs


def train(asked: RunSpec, stop_in: int = 0) -> list[list[str]]:
    """Train to the end, or as far as into a step; the ids of the rows of each step."""
    drawn: list[list[str]] = []
    with closing(Run(asked)) as run:
        step = run._step

        def watched(rows: dict[str, Any]) -> Any:
            drawn.append([extra["id"] for extra in rows["extra_info"]])
            if run.step + 1 == stop_in:
                raise KeyboardInterrupt
            return step(rows)

        run._step = watched
        if stop_in:
            with pytest.raises(KeyboardInterrupt):
                run.train()
        else:
            run.train()
    return drawn


def left(folder: Path) -> Any:
    """What a run leaves, but for seconds: metrics, rollouts, its last words and weights."""
    metrics = [{k: v for k, v in row.items() if k != "seconds"} for row in json_lines(folder / "metrics.jsonl")]
    rollouts = {file.name: file.read_text() for file in sorted((folder / "rollouts").iterdir())}
    weights = (folder / "model" / "model.safetensors").read_bytes()
    return metrics, rollouts, json.loads((folder / "done.json").read_text()), weights


def checkpoints(folder: Path) -> list[str]:
    return sorted(each.name for each in (folder / "checkpoints").iterdir())


def test_the_metrics_of_a_step_are_those_of_its_rollouts(warmed_up: Path, tmp_path: Path) -> None:
    train(request(warmed_up, tmp_path, rollouts_every=1, steps=3))
    metrics = json_lines(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in metrics] == [1, 2, 3]
    assert any(row["grad_norm"] > 0 for row in metrics)
    for row in metrics:
        kept = json_lines(tmp_path / "rollouts" / f"step_{row['step']:06d}.jsonl")
        groups = [[each["score"] for each in kept[begin : begin + GROUP]] for begin in range(0, 16, GROUP)]
        assert row["reward"] == pytest.approx(fmean(map(fmean, groups)))
        assert row["reward_std"] == pytest.approx(fmean(map(stdev, groups)))
        assert row["mixed_groups"] == fmean(float(len(set(group)) > 1) for group in groups)
        for each in kept:
            right = json.loads(each["truth"])["answers"][0]
            assert each["score"] == float(f"<answer>{right}</answer>" in each["response"])
    assert json.loads((tmp_path / "done.json").read_text())["last_step"] == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"save_every": 3},
        {"save_every": 4},  # at the end of an epoch
        {"save_every": 3, "curriculum": True},
        {"save_every": 4, "curriculum": True},
    ],
    ids=str,
)
def test_a_run_that_was_stopped_goes_on_exactly(warmed_up: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    drawn = train(request(warmed_up, tmp_path / "whole", **changes))
    asked = request(warmed_up, tmp_path / "stopped", **changes)
    at = changes["save_every"]
    assert train(asked, stop_in=at + 2) == drawn[: at + 2]
    half = asked.folder + f"/checkpoints/.step_{at + 1:06d}.0a1b2c3d"
    os.makedirs(half + "/model")  # noqa: PTH103  # what a process leaves that is killed while it saves
    with (tmp_path / "stopped" / "metrics.jsonl").open("a") as file:
        file.write('{"step": 9, "rew')
    assert train(asked) == drawn[at:]
    assert left(tmp_path / "stopped") == left(tmp_path / "whole")
    assert checkpoints(tmp_path / "stopped") == checkpoints(tmp_path / "whole")


@pytest.mark.slow  # a process that has to import torch and verl
def test_a_process_that_was_killed_goes_on_exactly(warmed_up: Path, tmp_path: Path) -> None:
    train(request(warmed_up, tmp_path / "whole", save_every=3))
    asked = request(warmed_up, tmp_path / "killed", save_every=3)
    file = tmp_path / "killed" / "request.json"
    file.write_text(json.dumps(asdict(asked)))
    paths = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "races.resources.training.torch.run", str(file)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}) as process:
        wait_for((tmp_path / "killed" / "checkpoints" / "step_000003").exists, 60)
        os.kill(process.pid, signal.SIGKILL)
    assert not (tmp_path / "killed" / "done.json").exists()
    assert train(asked) != []
    assert left(tmp_path / "killed") == left(tmp_path / "whole")


def test_a_run_ends_by_its_tokens(warmed_up: Path, tmp_path: Path) -> None:
    train(request(warmed_up, tmp_path, steps=50, tokens=2000))
    metrics = json_lines(tmp_path / "metrics.jsonl")
    assert metrics[-1]["tokens"] >= 2000 > metrics[-2]["tokens"]
    assert json.loads((tmp_path / "done.json").read_text())["last_step"] == len(metrics) < 50


def test_older_checkpoints_go(warmed_up: Path, tmp_path: Path) -> None:
    train(request(warmed_up, tmp_path, save_every=1, keep=2))
    assert checkpoints(tmp_path) == ["step_000005", "step_000006"]


# The curriculum


def test_a_batch_is_drawn_by_what_all_before_it_have_scored(warmed_up: Path, tmp_path: Path) -> None:
    """As a plain loop draws that learns the same scores; they are made up, so that arms differ."""
    posed = problems(24)
    place = tmp_path / "place"
    place.mkdir()
    (place / "model").symlink_to(warmed_up)
    write_rows(place / "rows.parquet", posed)
    asked = request(place / "model", tmp_path / "run", curriculum=True, steps=30, save_every=30, prompt_length=300)
    rng = Random("scores")
    outcomes: list[list[tuple[dict[str, Any], float]]] = []
    with closing(Run(asked)) as run:

        def step(rows: dict[str, Any]) -> None:
            scores = [rng.random() ** (3 if extra["level"] == 2 else 0.3) for extra in rows["extra_info"]]
            outcomes.append(list(zip(rows["extra_info"], scores, strict=True)))
            run.curriculum.update(outcomes[-1])
            run.step += 1

        for rows in run._batches():
            step(rows)
    extras = list(run.rows.dataframe["extra_info"])
    plain = CurriculumSampler(extras, run.config.curriculum_settings(), 7)
    for batch in outcomes:
        assert [extra["id"] for extra, _ in batch] == [extras[plain.take()]["id"] for _ in range(4)]
        plain.update(batch)
    blind = CurriculumSampler(extras, run.config.curriculum_settings(), 7)
    drawn = [extra["id"] for batch in outcomes for extra, _ in batch]
    assert drawn != [extras[blind.take()]["id"] for _ in range(len(drawn))]


def test_the_curriculum_learns_the_mean_score_of_each_row(warmed_up: Path, tmp_path: Path) -> None:
    told: list[list[tuple[str, float]]] = []
    with closing(Run(request(warmed_up, tmp_path, curriculum=True, rollouts_every=1, steps=2))) as run:
        update = run.curriculum.update

        def watched(outcomes: Any) -> None:
            outcomes = list(outcomes)
            told.append([(extra["id"], score) for extra, score in outcomes])
            update(outcomes)

        run.curriculum.update = watched
        run.train()
    ids = {row["prompt"][0]["content"]: row["extra_info"]["id"] for row in rows_of(warmed_up)}
    assert len(told) == 2
    for step, outcomes in enumerate(told, 1):
        kept = json_lines(tmp_path / "rollouts" / f"step_{step:06d}.jsonl")
        assert outcomes == [
            (ids[kept[begin]["prompt"]], fmean(each["score"] for each in kept[begin : begin + GROUP]))
            for begin in range(0, 16, GROUP)
        ]


def rows_of(warmed_up: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return list(pq.read_table(warmed_up.with_name("rows.parquet")).to_pylist())


# Refusals


def test_a_run_that_would_be_another_one_is_refused(warmed_up: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"expected prompts of at most 10 tokens.*got 16 of 16 that are longer"):
        Run(request(warmed_up, tmp_path, prompt_length=10))
    with pytest.raises(TrainingError, match="expected at least 17 rows to train on, got 16"):
        Run(request(warmed_up, tmp_path, prompts=17, mini_batch=17))
    with pytest.raises(TrainingError, match="model /nowhere: expected a Hugging Face folder or hub name"):
        Run(request(warmed_up, tmp_path, model="/nowhere"))
    asked = request(warmed_up, tmp_path)
    other = "reward.custom_reward_function.name=graded"
    with pytest.raises(TrainingError, match=r"expected verl to load races.environments.reward.compute_score"):
        Run(replace(asked, overrides=[*asked.overrides, other]))
