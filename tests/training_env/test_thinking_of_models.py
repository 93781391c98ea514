"""A model whose chat template opens the thinking: training, held-out answers and the warm start all know it."""

import importlib.util
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from races.environments.operators import Problem, ScoreStatus
from races.environments.reward import graded, opened_in_prompt
from races.resources.training.config import TrainingConfig, TrainingError
from races.resources.training.models import answering
from races.resources.training.verl import worker
from races.resources.training.verl.config import VerlSettings, overrides
from tests.support.training_places import CHAT, json_lines, problems, tiny_model, write_rows, write_solved

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the packages of verl"),
    pytest.mark.filterwarnings("default"),
]

OPENS = CHAT.replace("<|assistant|>", "<|assistant|><think>\n")


@pytest.fixture(scope="module")
def posed() -> list[Problem]:
    return problems(4)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, posed: list[Problem]) -> Path:
    folder = tmp_path_factory.mktemp("place")
    write_rows(folder / "train.parquet", posed)
    write_solved(folder / "solved.parquet", posed, 4)
    model = tiny_model(folder / "model", [each.prompt for each in posed])
    (model / "chat_template.jinja").write_text(OPENS)
    return folder


def answered(place: Path, folder: Path) -> list[dict[str, Any]]:
    file = folder / "answers.jsonl"
    file.touch()
    request = answering.AnsweringSpec(
        str(place / "model"), str(place / "solved.parquet"), str(file), str(folder / "metrics.jsonl"), 8
    )
    answering.answer(request)
    return json_lines(file)


def test_held_out_answers_begin_with_what_the_prompt_opened(place: Path, posed: list[Problem], tmp_path: Path) -> None:
    found = answered(place, tmp_path)
    assert len(found) == 4
    assert all(line["response"].startswith("<think>") for line in found)
    cut = found[0]["response"] + posed[0].answer
    assert graded(posed[0].truth, cut).status is ScoreStatus.UNPARSEABLE
    assert graded(posed[0].truth, f"{cut}</think>{posed[0].answer}").value == 1.0


def test_a_run_of_the_torch_back_end_tells_its_reward(place: Path, posed: list[Problem], tmp_path: Path) -> None:
    import numpy as np
    from verl import DataProto

    from races.resources.training.torch.run import Run, RunSpec

    sizes: dict[str, Any] = {"prompts": 2, "mini_batch": 2, "rollouts": 2, "prompt_length": 1024, "response_length": 8}
    config = TrainingConfig(model=str(place / "model"), steps=1, rollouts_every=1, **sizes)
    asked = overrides(config, VerlSettings(gpus_per_node=1), [place / "train.parquet"], 4, tmp_path)
    request = RunSpec(config.model_dump(), asked, [str(place / "train.parquet")], str(tmp_path))
    with closing(Run(request)) as run:
        assert run.thinking == "<think>"
        cut = f"perhaps {posed[0].answer}? no wait, recount:"
        for text, score in ((cut, 0.0), (f"{cut}</think>{posed[0].answer}", 1.0)):
            ids = run.tokenizer(text, return_tensors="pt")["input_ids"]
            tensors = {"prompts": ids[:, :1], "responses": ids, "attention_mask": ids.new_ones(1, 1 + ids.shape[1])}
            columns = {
                "data_source": "races/single",
                "reward_model": {"ground_truth": posed[0].truth},
                "extra_info": {"index": 0},
            }
            plain = {name: np.array([value], dtype=object) for name, value in columns.items()}
            data = DataProto.from_dict(tensors=tensors, non_tensors=plain)
            (result,) = run.loop.run_until_complete(run._scores(data))
            assert (result["reward_score"], result["reward_extra_info"]["unparseable"]) == (score, 1.0 - score)
        run.train()
    (kept,) = (tmp_path / "rollouts").glob("*.jsonl")
    assert all(line["response"].startswith("<think>") for line in json_lines(kept))


def test_the_preflight_scores_as_the_run_does(
    place: Path, posed: list[Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = [f"perhaps {each.answer}? no wait, recount:" for each in posed]
    said = [[cut[0], f"</think>{posed[0].answer}"], [cut[1], cut[1]]]
    monkeypatch.setattr(worker, "sampler", lambda *_: lambda *_: said)
    sizes = {"length": 600, "response_length": 8, "rollouts": 2, "prompts": 2, "temperature": 1.0, "seed": 1}
    request = {
        "train_files": [str(place / "train.parquet")],
        "sampler": "transformers",
        "tensor_parallel": 1,
        "engine": {},
        **sizes,
    }
    found = worker.preflight(request | {"model": str(place / "model")})
    assert found == {"score": 0.25, "mixed": 0.5, "right": 0.0, "wrong": 0.5}


def test_marks_that_are_special_tokens_are_refused(place: Path, posed: list[Problem], tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    model = tiny_model(tmp_path / "model", [posed[0].prompt])
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>"]})
    tokenizer.chat_template = OPENS
    tokenizer.save_pretrained(model)
    assert opened_in_prompt(tokenizer) == "<think>"
    write_solved(tmp_path / "solved.parquet", posed, 2)
    with pytest.raises(TrainingError, match="expected tags of thinking that are not special tokens, got <think>"):
        answered(tmp_path, tmp_path)
