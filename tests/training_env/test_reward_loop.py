"""verl's reward loop over every operator: right, wrong and unreadable answers, failures of the grader, thinking."""

import asyncio
import importlib.util
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from races.environments import get
from races.environments.composition.frontier import CompatibleBricks
from races.environments.composition.path import compose, trace
from races.environments.execution import instance
from races.environments.operators import Problem, parallel, select, sequential, single, sort
from races.environments.registry import pool
from races.environments.reward import RewardUnavailable
from races.resources.training.config import TrainingConfig
from races.resources.training.verl import worker
from races.resources.training.verl.config import THINKING, VerlSettings, overrides
from races.resources.training.verl.worker import UnsuitableRun
from tests.support.training_places import CHAT, tiny_model, write_rows

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the packages of verl"),
    pytest.mark.filterwarnings("default"),  # those of verl's many packages are not ours to mend
]

CHAIN = ("running_totals", "swap_halves", "neighbour_differences")
OPENS = CHAT.replace("<|assistant|>", "<|assistant|><think>\n")
EXTRA = {"flag": "+reward.custom_reward_function.reward_kwargs.on_failure=flag", "raise": ""}
KEYS = {"score", "acc", "correct", "total", "unparseable", "grader_failed"}
RIGHT, WRONG, UNREADABLE, FAILED, DRAFT = "right", "wrong", "unreadable", "failed", "draft"


@pytest.fixture(scope="module")
def posed() -> dict[str, Problem]:
    """A problem of each operator."""
    bricks, rng = [get(name) for name in CHAIN], Random("reward loop")
    offers, made = CompatibleBricks(pool(), "subtype"), {"parallel": parallel.pose(bricks, rng, 2)}
    for level in [1, 2, 3, 4, 5] * 8:  # an operator may have no problem for an input
        path, outcome = trace(bricks, instance(compose(*bricks), rng, level)[0])
        if path is None:
            continue
        made["single"] = single.pose(bricks[0], rng, level)
        made["sequential"] = sequential.pose(path, level, outcome.steps)
        ordered = {
            "sort": sort.pose(path, rng, level, outcome.steps),
            "select": select.pose(path, offers, rng, level, outcome.steps),
        }
        made |= {name: each for name, each in ordered.items() if isinstance(each, Problem)}
    assert set(made) == {"single", "sequential", "parallel", "sort", "select"}
    return made


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, posed: dict[str, Problem]) -> Path:
    folder = tmp_path_factory.mktemp("place")
    write_rows(folder / "train.parquet", list(posed.values()))
    tiny_model(folder / "model", [each.prompt for each in posed.values()])
    return folder


def composed(place: Path, *extra: str) -> Any:
    sizes: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": 2048}
    run = TrainingConfig(model=str(place / "model"), steps=1, response_length=512, **sizes)
    settings = VerlSettings(gpus_per_node=1, extra=[each for each in extra if each])
    return worker.compose(overrides(run, settings, [place / "train.parquet"], 8, place))


def tokenizer_of(place: Path, template: str) -> Any:
    from verl.utils import hf_tokenizer

    tokenizer = hf_tokenizer(str(place / "model"))
    tokenizer.chat_template = template
    return tokenizer


def spoilt(problem: Problem) -> str:
    """A truth that the grader fails on: a brick that is gone, or an operator that nobody has."""
    content = json.loads(problem.truth)
    if "fingerprints" in content:
        return json.dumps(content | {"fingerprints": ["0" * 16] * len(content["fingerprints"])})
    return json.dumps(content | {"operator": "no such operator"})


def said(problem: Problem, kind: str) -> str:
    wrong = {
        "single": "<answer>[]</answer>",
        "sequential": "<answer>[[]]</answer>",
        "parallel": "<answer>[[]]</answer>",
    }
    return {
        RIGHT: f"So it is.</think>{problem.answer}",
        FAILED: f"</think>{problem.answer}",
        WRONG: "</think>" + wrong.get(problem.truth.split('"')[3], '<answer>["A"]</answer>'),
        UNREADABLE: "</think>I do not know.",
        DRAFT: f"Let me see, perhaps {problem.answer}? no wait, recount:",
    }[kind]


def batch(tokenizer: Any, posed: dict[str, Problem], kinds: list[str]) -> tuple[Any, list[tuple[str, str]]]:
    """A batch of every operator and kind as a rollout leaves it."""
    import numpy as np
    import torch
    from verl import DataProto

    rows = [(name, kind) for name in posed for kind in kinds]
    ids = [tokenizer(said(posed[name], kind))["input_ids"] + [tokenizer.eos_token_id] for name, kind in rows]
    longest, pad = max(map(len, ids)), tokenizer.pad_token_id
    tensors = {
        "prompts": torch.tensor([[pad, tokenizer.eos_token_id]] * len(rows)),
        "responses": torch.tensor([each + [pad] * (longest - len(each)) for each in ids]),
        "attention_mask": torch.tensor([[0, 1] + [1] * len(each) + [0] * (longest - len(each)) for each in ids]),
    }
    columns: dict[str, list[Any]] = {"data_source": [], "reward_model": [], "extra_info": []}
    for name, kind in rows:
        truth = spoilt(posed[name]) if kind == FAILED else posed[name].truth
        columns["data_source"].append(f"races/{name}")
        columns["reward_model"].append({"style": "rule", "ground_truth": truth})
        columns["extra_info"].append({"index": 0})
    plain = {}
    for column, values in columns.items():
        plain[column] = np.empty(len(rows), dtype=object)
        plain[column][:] = values
    return DataProto.from_dict(tensors=tensors, non_tensors=plain), rows


def scored(config: Any, tokenizer: Any, data: Any) -> list[dict[str, Any]]:
    from verl.trainer.ppo.reward import load_reward_manager

    async def all_of_them() -> list[dict[str, Any]]:
        manager = load_reward_manager(config, tokenizer)
        return list(await asyncio.gather(*[manager.run_single(data[i : i + 1]) for i in range(len(data))]))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("template", [OPENS, CHAT], ids=["the prompt opens the thinking", "it does not"])
def test_every_operator_is_scored_in_verls_reward_manager(
    place: Path, posed: dict[str, Problem], template: str
) -> None:
    config, tokenizer = composed(place, EXTRA["flag"]), tokenizer_of(place, template)
    assert worker.configure_thinking(config, tokenizer) == ("<think>" if template == OPENS else "")
    assert worker.reward_faults(config) == []
    data, rows = batch(tokenizer, posed, [RIGHT, WRONG, UNREADABLE, FAILED, DRAFT])
    for (name, kind), result in zip(rows, scored(config, tokenizer, data), strict=True):
        extra, reward = result["reward_extra_info"], result["reward_score"]
        assert set(extra) == KEYS
        right = kind == RIGHT or (kind == DRAFT and template == CHAT)
        assert reward == extra["score"] == extra["acc"] == float(right), (name, kind, extra)
        assert extra["grader_failed"] == float(kind == FAILED), (name, kind, extra)
        unreadable = kind == UNREADABLE or (kind == DRAFT and template == OPENS)
        assert extra["unparseable"] == float(unreadable), (name, kind, extra)


@pytest.mark.parametrize("name", ["single", "sequential", "parallel", "sort", "select"])
def test_a_failure_of_the_grader_ends_verls_step(place: Path, posed: dict[str, Problem], name: str) -> None:
    config, tokenizer = composed(place), tokenizer_of(place, CHAT)
    data, _ = batch(tokenizer, {name: posed[name]}, [FAILED])
    with pytest.raises(RewardUnavailable, match=f"^races/{name}: "):
        scored(config, tokenizer, data)


def test_what_the_configuration_says_of_thinking_must_be_so(place: Path) -> None:
    opens = tokenizer_of(place, OPENS)
    config = composed(place, f'++{THINKING}="<think>"')
    assert worker.configure_thinking(config, opens) == "<think>"
    with pytest.raises(UnsuitableRun, match="thinking to be '', as the chat template has it, got '<think>'"):
        worker.configure_thinking(config, tokenizer_of(place, CHAT))
    with pytest.raises(UnsuitableRun, match="thinking to be '<think>', as the chat template has it, got False"):
        worker.configure_thinking(composed(place, f"++{THINKING}=false"), opens)


def test_the_options_of_the_chat_template_count(place: Path) -> None:
    hybrid = CHAT.replace("<|assistant|>", "<|assistant|><think>{% if enable_thinking is false %}</think>{% endif %}")
    tokenizer = tokenizer_of(place, hybrid)
    assert worker.configure_thinking(composed(place), tokenizer) == "<think>"
    silent = composed(place, "+data.apply_chat_template_kwargs.enable_thinking=false")
    assert worker.configure_thinking(silent, tokenizer) == ""


def test_marks_that_verl_leaves_out_of_responses_are_refused(place: Path) -> None:
    tokenizer = tokenizer_of(place, CHAT + "{# [THINK]draft[/THINK] #}")
    assert worker.configure_thinking(composed(place), tokenizer) == ""
    tokenizer.add_special_tokens({"additional_special_tokens": ["[THINK]", "[/THINK]"]})
    with pytest.raises(UnsuitableRun, match=r"not special tokens, got \[THINK\], \[/THINK\]: verl drops them"):
        worker.configure_thinking(composed(place), tokenizer)


def test_a_run_is_checked_with_the_thinking_of_its_own_tokenizer(place: Path, tmp_path: Path) -> None:
    model = tiny_model(tmp_path / "model", ["Hello"])
    file = model / "chat_template.jinja"
    assert file.exists()
    file.write_text(OPENS)
    sizes: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": 1900}
    run = TrainingConfig(model=str(model), steps=1, response_length=64, **sizes)
    asked = overrides(run, VerlSettings(gpus_per_node=1), [place / "train.parquet"], 5, place)
    reply = worker.check({"overrides": asked, "train_files": [str(place / "train.parquet")], "cpus": None})
    assert reply["thinking"] == "<think>"
    assert "thinking: <think>" in reply["config"]
    again = worker.compose([*asked, f'++{THINKING}="<think>"'])
    assert again.reward.custom_reward_function.reward_kwargs.thinking == "<think>"
