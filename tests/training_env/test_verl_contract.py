"""What verl does with our rows: its dataset, its reward loop, its advantage and its loss, on a CPU, and our worker."""

import asyncio
import importlib.util
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from races.environments.operators import Problem
from races.resources.processes.progress import ProcessError
from races.resources.training.config import TrainingConfig
from races.resources.training.models.sampling import TransformersSampler
from races.resources.training.verl import worker
from races.resources.training.verl.config import VerlSettings, overrides
from races.resources.training.verl.trainer import VerlTrainer
from races.resources.training.verl.worker import UnsuitableRun
from tests.support.training_places import answer, problems, tiny_model, write_rows

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the packages of verl"),
    pytest.mark.filterwarnings("default"),  # those of verl's many packages are not ours to mend
]

PROMPT, RESPONSE, GROUP = 512, 96, 2
RIGHT = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]  # of three groups of two


@pytest.fixture(scope="module")
def posed() -> list[Problem]:
    return problems(8)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, posed: list[Problem]) -> Path:
    folder = tmp_path_factory.mktemp("place")
    write_rows(folder / "train.parquet", posed)
    tiny_model(folder / "model", [each.prompt for each in posed])
    return folder


@pytest.fixture(scope="module")
def config(place: Path) -> Any:
    sizes: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": PROMPT}
    run = TrainingConfig(model=str(place / "model"), steps=4, response_length=RESPONSE, **sizes)
    settings = VerlSettings(gpus_per_node=1, reward_workers=2)
    return worker.compose(overrides(run, settings, [place / "train.parquet"], 8, place))


@pytest.fixture(scope="module")
def tokenizer(place: Path) -> Any:
    from verl.utils import hf_tokenizer

    return hf_tokenizer(str(place / "model"))


@pytest.fixture(scope="module")
def dataset(config: Any, tokenizer: Any) -> Any:
    from verl.trainer.ppo.utils import create_rl_dataset

    return create_rl_dataset(config.data.train_files, config.data, tokenizer, None, is_train=True)


def responses(posed: list[Problem]) -> list[str]:
    return [answer(posed[place // GROUP]) if right else "<answer>?</answer>" for place, right in enumerate(RIGHT)]


@pytest.fixture(scope="module")
def rollouts(dataset: Any, tokenizer: Any, posed: list[Problem]) -> Any:
    """A batch as a rollout leaves it: prompts padded on the left, responses on the right."""
    import numpy as np
    import torch
    from verl import DataProto

    rows = [dataset[place // GROUP] for place in range(len(RIGHT))]
    asked = [
        tokenizer.apply_chat_template(row["raw_prompt"], add_generation_prompt=True, return_dict=False) for row in rows
    ]
    said = [tokenizer(text)["input_ids"] + [tokenizer.eos_token_id] for text in responses(posed)]
    pad = tokenizer.pad_token_id
    tensors = {
        "prompts": torch.tensor([[pad] * (PROMPT - len(ids)) + ids for ids in asked]),
        "responses": torch.tensor([ids + [pad] * (RESPONSE - len(ids)) for ids in said]),
        "attention_mask": torch.tensor(
            [
                [0] * (PROMPT - len(p)) + [1] * (len(p) + len(r)) + [0] * (RESPONSE - len(r))
                for p, r in zip(asked, said, strict=True)
            ]
        ),
    }
    columns = {}
    for name in ("data_source", "reward_model", "extra_info", "raw_prompt"):
        columns[name] = np.empty(len(rows), dtype=object)
        columns[name][:] = [row[name] for row in rows]
    return DataProto.from_dict(tensors=tensors, non_tensors=columns)


def test_verls_dataset_reads_every_row(dataset: Any, posed: list[Problem]) -> None:
    assert len(dataset) == len(posed)
    for place, problem in enumerate(posed):
        row = dataset[place]
        assert row["raw_prompt"] == [{"role": "user", "content": problem.prompt}]
        assert row["reward_model"]["ground_truth"] == problem.truth
        assert (row["data_source"], row["index"]) == ("races/single", place)


def test_verls_reward_manager_scores_by_our_reward(config: Any, tokenizer: Any, rollouts: Any) -> None:
    from verl.trainer.ppo.reward import load_reward_manager

    async def scored() -> list[dict[str, Any]]:
        manager = load_reward_manager(config, tokenizer)
        return list(await asyncio.gather(*[manager.run_single(rollouts[i : i + 1]) for i in range(len(rollouts))]))

    results = asyncio.run(scored())
    assert [each["reward_score"] for each in results] == RIGHT
    assert [each["reward_extra_info"]["acc"] for each in results] == RIGHT
    keys = {"score", "acc", "correct", "total", "unparseable", "grader_failed"}
    assert all(set(each["reward_extra_info"]) == keys for each in results)


@pytest.fixture(scope="module")
def ray_here() -> Iterator[Any]:
    """Ray in processes of this test: no dashboard, which would be one more."""
    import ray

    paths = os.pathsep.join([str(Path(worker.__file__).parents[4]), os.environ.get("PYTHONPATH", "")])
    environment = {"env_vars": {"PYTHONPATH": paths}}
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()


def test_verls_reward_loop_scores_in_ray_actors_and_tells_of_one_that_died(
    config: Any, rollouts: Any, ray_here: Any
) -> None:
    from verl.experimental.reward_loop import RewardLoopManager

    manager = RewardLoopManager(config)
    scored = manager.compute_rm_score(rollouts)
    assert scored.batch["rm_scores"].sum(1).tolist() == RIGHT
    # The score stands at the last token of a response.
    lengths = rollouts.batch["attention_mask"][:, PROMPT:].sum(1)
    assert [scored.batch["rm_scores"][0, length - 1].item() for length in lengths[:1]] == RIGHT[:1]
    assert list(scored.non_tensor_batch["acc"]) == RIGHT
    ray_here.kill(manager.reward_loop_workers[0])
    with pytest.raises(ray_here.exceptions.RayActorError):  # noqa: PT012  # one call, again until the actor has died
        for _ in range(100):  # Ray returns before it has
            manager.compute_rm_score(rollouts)
            time.sleep(0.1)


LENGTHS, SCORES = [3, 1, 2, 2, 1, 3], [1.0, 0.0, 0.5, 0.25, 0.0, 0.0]  # of three groups of two


def by_hand(row: int) -> float:
    """The advantage of a response: (r - mean) / (deviation + 1e-6) in its group."""
    group = SCORES[row // GROUP * GROUP :][:GROUP]
    return (SCORES[row] - fmean(group)) / (stdev(group) + 1e-6)


@pytest.fixture
def advantages() -> tuple[Any, Any]:
    """verl's advantages of these scores, and the mask of the tokens."""
    import numpy as np
    import torch
    from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage

    mask = torch.tensor([[float(place < length) for place in range(3)] for length in LENGTHS])
    rewards = torch.zeros(6, 3)
    for row, length in enumerate(LENGTHS):
        rewards[row, length - 1] = SCORES[row]
    found, _ = compute_grpo_outcome_advantage(rewards, mask, np.repeat([0, 1, 2], GROUP))
    return found, mask


def test_verls_advantages_are_those_of_the_paper(advantages: tuple[Any, Any]) -> None:
    for row, length in enumerate(LENGTHS):
        assert advantages[0][row, :length].tolist() == pytest.approx([by_hand(row)] * length, abs=1e-5)


def test_verls_loss_is_the_mean_over_tokens_of_the_clipped_objective(config: Any, advantages: tuple[Any, Any]) -> None:
    import torch
    from verl.trainer.ppo.core_algos import get_policy_loss_fn
    from verl.utils.config import omega_conf_to_dataclass

    old = torch.full((6, 3), -1.0)
    new = (old + torch.tensor([[0.5, 1.0, 1.5]] * 6).log()).requires_grad_()
    loss, metrics = get_policy_loss_fn("vanilla")(
        old_log_prob=old,
        log_prob=new,
        advantages=advantages[0],
        response_mask=advantages[1],
        loss_agg_mode="token-mean",
        config=omega_conf_to_dataclass(config.actor_rollout_ref.actor),
    )
    terms, clipped = [], 0
    for row, length in enumerate(LENGTHS):
        for ratio in (0.5, 1.0, 1.5)[:length]:
            bounded, gain = min(max(ratio, 1 - 0.2), 1 + 0.28), by_hand(row)
            terms.append(-min(ratio * gain, bounded * gain))
            clipped += bounded * gain < ratio * gain
    assert loss.item() == pytest.approx(fmean(terms), abs=1e-5)
    assert metrics["actor/pg_clipfrac"] == pytest.approx(clipped / sum(LENGTHS))
    assert clipped > 0
    loss.backward()
    assert new.grad is not None
    assert new.grad.abs().sum() > 0


# The worker's tasks with models


def request(place: Path, **more: Any) -> dict[str, Any]:
    common = {
        "train_files": [str(place / "train.parquet")],
        "sampler": "transformers",
        "tensor_parallel": 1,
        "engine": {},
    }
    sizes = {"length": PROMPT + 8, "response_length": 8, "rollouts": 2, "prompts": 3, "temperature": 1.0, "seed": 1}
    return {**common, **sizes, "model": str(place / "model"), **more}


def test_a_model_that_knows_nothing_is_refused_by_the_preflight(place: Path) -> None:
    with pytest.raises(
        UnsuitableRun, match=r"none among 3 groups of 2 answers of .*: 0 all right, 3 all wrong.*too hard"
    ):
        worker.preflight(request(place))


def says(monkeypatch: pytest.MonkeyPatch, answers: list[list[str]]) -> None:
    monkeypatch.setattr(worker, "sampler", lambda *_: lambda *_: answers)


def test_the_preflight_asks_for_groups_whose_scores_differ(
    place: Path, posed: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = [answer(each) for each in posed[:3]], "no answer"
    says(monkeypatch, [[right[0], wrong], [right[1], right[1]], [wrong, wrong]])
    said = worker.preflight(request(place))
    assert said == pytest.approx({"score": 0.5, "mixed": 1 / 3, "right": 1 / 3, "wrong": 1 / 3})
    says(monkeypatch, [[text, text] for text in right])
    with pytest.raises(UnsuitableRun, match=r"3 all right, 0 all wrong.*too easy"):
        worker.preflight(request(place))


def test_transformers_answers_the_same_alone_and_in_a_batch(place: Path, posed: list[Problem]) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    ask = TransformersSampler(str(place / "model"))
    prompts = [[{"role": "user", "content": each.prompt}] for each in posed[:4]]
    together = ask(prompts, 1, 12, 0.0, 0)
    assert together == [ask([prompt], 1, 12, 0.0, 0)[0] for prompt in prompts]
    # Greedy by hand: the likeliest token, again and again.
    model, tokenizer = (kind.from_pretrained(place / "model") for kind in (AutoModelForCausalLM, AutoTokenizer))
    ids = tokenizer(f"<|user|>{posed[0].prompt}<|im_end|><|assistant|>", return_tensors="pt")["input_ids"]
    start = ids.shape[1]
    while ids.shape[1] < start + 12 and ids[0, -1] != tokenizer.eos_token_id:
        ids = torch.cat([ids, model(ids).logits[:, -1:].argmax(-1)], dim=1)
    assert together[0] == [tokenizer.decode(ids[0, start:], skip_special_tokens=True)]
    drawn = ask(prompts, 3, 12, 1.0, 5)
    assert [len(each) for each in drawn] == [3] * 4
    assert len({text for texts in drawn for text in texts}) > 6
    assert drawn == ask(prompts, 3, 12, 1.0, 5)
    assert drawn != ask(prompts, 3, 12, 1.0, 6)


def test_a_checkpoint_of_verl_becomes_a_model_that_answers(place: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(place / "model")
    torch.nn.init.normal_(model.model.norm.weight)
    actor = tmp_path / "global_step_3" / "actor"
    actor.mkdir(parents=True)
    torch.save(model.state_dict(), actor / "model_world_size_1_rank_0.pt")
    (actor / "fsdp_config.json").write_text(json.dumps({"FSDP_version": 2, "world_size": 1}))
    model.config.save_pretrained(actor / "huggingface")
    AutoTokenizer.from_pretrained(place / "model").save_pretrained(actor / "huggingface")
    asked, reply = tmp_path / "request.json", tmp_path / "reply.json"
    asked.write_text(json.dumps(request(place, checkpoint=str(actor), target=str(tmp_path / "merged"))))
    worker.main(["convert", str(asked), str(reply)])
    said = json.loads(reply.read_text())
    assert said["prompt"] == worker.prompts_of([str(place / "train.parquet")])[0]["prompt"][0]["content"]
    assert (
        said["answer"]
        == TransformersSampler(str(tmp_path / "merged"))([[{"role": "user", "content": said["prompt"]}]], 1, 8, 0.0, 0)[
            0
        ][0]
    )
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").state_dict()
    for name, weight in model.state_dict().items():
        assert torch.equal(merged[name].float(), weight.bfloat16().float())


# verl itself


@pytest.mark.slow
def test_verl_is_started_followed_and_ended_with_its_ray(place: Path, tmp_path: Path) -> None:
    """Without a GPU verl comes as far as its data and its Ray; what it says then is what is told."""
    import torch

    if torch.cuda.is_available():
        pytest.skip("with a GPU it would train")
    sizes: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": PROMPT}
    config = TrainingConfig(model=str(place / "model"), steps=4, response_length=RESPONSE, stall_seconds=400, **sizes)
    settings = VerlSettings(gpus_per_node=1, cpus=7, sampler="transformers", preflight_prompts=0)
    before = ray_processes()
    with pytest.raises(ProcessError, match=r"progress: 0\.") as error:
        VerlTrainer(settings).train(config, [place / "train.parquet"], tmp_path / "run", lambda step: None)
    assert "Total available GPUs 0 is less than total desired GPUs 1" in str(error.value)
    assert ray_processes() <= before


def ray_processes() -> set[int]:
    """The daemons of every Ray on this machine."""
    import psutil

    names = ("raylet", "gcs_server")
    return {process.pid for process in psutil.process_iter(["name"]) if process.info["name"] in names}
