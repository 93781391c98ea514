"""Benchmark samples and scores through Dagster: endpoints of others, models of ours behind a real server."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from races.assets.catalog.endpoints import endpoints
from races.assets.defs.benchmarks.sample_settings import BenchmarkConfig, answers_of, serving
from races.environments.errors import SettingError
from races.resources.evaluation.serving import families
from races.resources.evaluation.suites import datasets, prompts
from races.resources.processes.interpreter import ROOT, interpreter
from races.resources.store.warehouse import Warehouse
from tests.support.openai_server import served

pytest.importorskip("inspect_ai", reason="the extra `eval` is not installed")

# The partitions are those of the endpoints that the environment names when the graph is loaded.
RUN = """
import json, sys, warnings
warnings.filterwarnings("ignore")
import dagster as dg
from races.assets.definitions import definitions

def main(folder, steps):
    made = definitions(f"{folder}/warehouse")
    job, told = made.resolve_implicit_global_asset_job_def(), []
    with dg.DagsterInstance.ephemeral() as instance:
        for name, key, config in steps:
            result = job.execute_in_process(
                run_config={
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                    "ops": {name: {"config": config}} if config else {},
                },
                instance=instance, asset_selection=[dg.AssetKey(name)], partition_key=key, raise_on_error=False,
            )
            failures = [each.step_failure_data.error for each in result.all_events if each.is_step_failure]
            told.append({
                "success": result.success,
                "errors": [each.to_string() for each in failures],
                "checks": {each.check_name: each.passed for each in result.get_asset_check_evaluations()},
            })
    print("TOLD " + json.dumps(told))

if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
"""

Step = tuple[str, str | None, dict[str, Any]]


class Place:
    """A warehouse and a store of models in a folder, with the graph in processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warehouse = Warehouse(root=str(folder / "warehouse"))
        self.endpoints = folder / "endpoints.toml"
        self.endpoints.write_text("")
        (folder / "run.py").write_text(RUN)

    def run(self, *steps: Step) -> list[dict[str, Any]]:
        environment = {**os.environ, "RACES_ENDPOINTS": str(self.endpoints), "PYTHONPATH": str(ROOT)}
        environment.pop("RACES_BENCHMARKS", None)
        command = [sys.executable, str(self.folder / "run.py"), str(self.folder), json.dumps(steps)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
        (line,) = [each for each in done.stdout.splitlines() if each.startswith("TOLD ")] or [done.stderr[-3000:]]
        found: list[dict[str, Any]] = json.loads(line.removeprefix("TOLD "))
        return found

    def rows(self, name: str, **part: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.warehouse.read(name, part or None).to_pylist()
        return found


def knowing(name: str) -> dict[str, str]:
    golds = datasets.mini_golds(name)
    return {prompts.messages(each)[0][-1]["content"]: golds[each.id] for each in datasets.load_mini(name).questions}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, list[dict[str, Any]]]:
    """Two models of others, one that knows all and one that knows one thing, with their scores and differences."""
    place, known = Place(tmp_path_factory.mktemp("benchmarks")), knowing("aime_2024")
    lucky, *_ = known

    def reply(asked: dict[str, Any]) -> str:
        prompt = asked["messages"][-1]["content"]
        return known[prompt] if asked["model"] == "wise" or prompt == lucky else "I do not know."

    with served(reply, "wise") as (url, _), served(reply, "simple") as (other, _):
        place.endpoints.write_text(
            f'[wise]\nbase_url = "{url}"\nmodel = "wise"\nlike = "Qwen/Qwen3-8B"\n'
            f'[simple]\nbase_url = "{other}"\nmodel = "simple"\nlike = "Qwen/Qwen3-8B"\n'
        )
        config = {"samples": 2}
        told = place.run(
            ("benchmark_models", "simple", {}),
            ("benchmark_models", "wise", {}),
            ("benchmark_samples", "aime_2024|simple", config),
            ("benchmark_samples", "aime_2024|wise", config),
            ("benchmark_scores", "aime_2024|simple", {}),
            ("benchmark_scores", "aime_2024|wise", {}),
            ("benchmark_differences", None, {}),
        )
    return place, told


def test_endpoints_are_measured_and_all_checks_hold(measured: tuple[Place, list[dict[str, Any]]]) -> None:
    _, told = measured
    assert all(each["success"] for each in told), told
    assert all(all(each["checks"].values()) for each in told)
    assert set(told[2]["checks"]) == {
        "every_sample_is_there",
        "known_answers_score_one",
        "no_grader_failed",
        "data_are_as_pinned",
    }
    assert told[4]["checks"]


def test_samples_say_what_they_depend_on(measured: tuple[Place, list[dict[str, Any]]]) -> None:
    place, _ = measured
    rows = place.rows("benchmark_samples", checkpoint="wise", benchmark="aime_2024")
    assert len(rows) == 10
    assert {row["data"] for row in rows} == {datasets.MINI}
    assert {(row["model"], row["server"], row["weights"]) for row in rows} == {("wise", "remote", "")}
    assert {row["dataset_sha256"] for row in rows} == {datasets.load_mini("aime_2024").sha256}
    settings = json.loads(rows[0]["settings"])
    assert {key: settings[key] for key in ("samples", "temperature", "top_p", "top_k", "limit")} == {
        "samples": 2,
        "temperature": 0.6,
        "top_p": 0.95,
        "top_k": 20,
        "limit": 0,
    }


def test_scores_and_differences_follow(measured: tuple[Place, list[dict[str, Any]]]) -> None:
    place, _ = measured
    scores = {
        row["checkpoint"]: row["value"]
        for row in place.rows("benchmark_scores")
        if (row["measure"], row["subset"]) == ("score", "all")
    }
    assert scores == {"wise": 1.0, "simple": pytest.approx(0.2)}
    (pair,) = place.rows("benchmark_differences")
    assert {pair["first"], pair["second"]} == {"wise", "simple"}
    assert abs(pair["difference"]) == pytest.approx(0.8)


def test_old_samples_stay_where_a_server_is_gone(measured: tuple[Place, list[dict[str, Any]]]) -> None:
    place, _ = measured
    before = place.rows("benchmark_samples")
    (told,) = place.run(("benchmark_samples", "aime_2024|wise", {"samples": 3}))
    assert not told["success"]
    assert "ServingError" in told["errors"][0]
    assert place.rows("benchmark_samples") == before


def test_answers_are_as_long_as_the_window_of_the_server_allows() -> None:
    how = families.sampling("Qwen/Qwen3-8B")
    assert answers_of("ifeval", {}, how, 40960, BenchmarkConfig()).max_tokens == how.max_tokens == 32768
    assert answers_of("ifeval", {}, how, 32768, BenchmarkConfig()).max_tokens == 26214


def test_an_answer_as_long_as_the_window_is_refused_before_anything_is_asked() -> None:
    how = families.overridden(families.sampling("Qwen/Qwen3-8B"), {"max_tokens": 32768})
    assert answers_of("ifeval", {}, how, 40960, BenchmarkConfig()).max_tokens == 32768
    with pytest.raises(SettingError, match="expected max_tokens below the server's window of 32768, got 32768"):
        answers_of("ifeval", {}, how, 32768, BenchmarkConfig())


def test_a_long_prompt_gets_what_the_smaller_window_leaves_beside_its_answer(tmp_path: Path) -> None:
    how, model = (
        families.sampling("HuggingFaceTB/SmolLM2-135M-Instruct"),
        {"tokenizer": str(tmp_path / "tokenizer.json")},
    )
    (tmp_path / "tokenizer.json").touch()

    def lengths(served: int, how: families.Sampling = how) -> tuple[int, int]:
        found = answers_of("longbench_v2", model, how, served, BenchmarkConfig())
        return found.prompt_limit, found.max_tokens

    assert lengths(0) == lengths(8192) == lengths(10**6) == (8192 - 2048 - 64, 2048)
    assert lengths(1024) == (1024 - 512 - 64, 512)
    assert lengths(1024, families.overridden(how, {"max_tokens": 300})) == (1024 - 300 - 64, 300)
    with pytest.raises(SettingError, match="a window of more than 128 tokens, got 100"):
        lengths(100)


def bytes_as_tokens(file: Path) -> Path:
    """A tokenizer.json to which each byte is a token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    vocabulary = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(file))
    return file


@pytest.mark.slow
def test_a_server_with_a_small_window_gets_requests_that_fit(tmp_path: Path) -> None:
    """As with vLLM at --max-model-len 1024, which refuses what is longer; the card says 8,192."""
    place, sizes = Place(tmp_path), []

    def reply(asked: dict[str, Any]) -> Any:
        size = len(asked["messages"][-1]["content"].encode())
        sizes.append((size, asked["max_tokens"]))
        # Of LongBench alone is it told how many tokens a prompt has; the others' prompts are far shorter.
        if asked["max_tokens"] + size // (1 if asked["max_tokens"] == 512 else 4) > 1024:
            return {"error": 400, "message": "max_tokens cannot be greater than max_model_len"}
        return "The correct answer is (A)"

    tokenizer = bytes_as_tokens(tmp_path / "tokenizer.json")
    with served(reply, max_model_len=1024) as (url, _):
        place.endpoints.write_text(
            f'[small]\nbase_url = "{url}"\nmodel = "m"\nlike = "HuggingFaceTB/SmolLM2-135M-Instruct"\n'
            f'tokenizer = "{tokenizer}"\n'
        )
        told = place.run(
            ("benchmark_models", "small", {}),
            ("benchmark_samples", "longbench_v2|small", {"samples": 1, "retries": 0}),
            ("benchmark_samples", "ifeval|small", {"samples": 1, "retries": 0}),
        )
    assert all(each["success"] for each in told), told
    assert {longest for _, longest in sizes} == {512, 819}
    assert max(size for size, longest in sizes if longest == 512) > 1024 - 512 - 64 - 4  # cut, and no more than that
    rows = place.rows("benchmark_samples")
    assert {row["benchmark"] for row in rows} == {"ifeval", "longbench_v2"}
    assert not [row for row in rows if row["score"] is None]


def remote(sampling: families.Sampling, url: str = "http://127.0.0.1:9/v1") -> Any:
    row = {"server": "remote", "checkpoint": "far", "base_url": url, "model": "m", "key_variable": ""}
    return serving(row, sampling, BenchmarkConfig(), "", Path("log"))


def test_a_context_by_hand_alone_overrules_what_a_server_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "endpoints.toml"
    file.write_text('[far]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    monkeypatch.setenv("RACES_ENDPOINTS", str(file))
    card = families.sampling("HuggingFaceTB/SmolLM2-135M-Instruct")
    assert remote(card).context == 0
    assert remote(families.overridden(card, {"temperature": 1.0})).context == 0
    assert remote(families.overridden(card, {"context": 4096})).context == 4096


def test_options_of_the_server_that_answers_depend_on_are_settings_of_theirs() -> None:
    how = families.sampling("Qwen/Qwen3-8B")
    options = {"quantization": "fp8", "gpu-memory-utilization": 0.8, "max_num_seqs": 4}
    found = answers_of("ifeval", {}, how, 0, BenchmarkConfig(arguments=options, samples=3))
    assert (found.serving, found.samples) == ({"quantization": "fp8"}, 3)


@pytest.mark.slow
def test_another_model_under_the_same_name_is_asked_anew(tmp_path: Path) -> None:
    place, known = Place(tmp_path), knowing("aime_2024")
    step: Step = ("benchmark_samples", "aime_2024|same", {"samples": 1})

    def knows(asked: dict[str, Any]) -> str:
        return known[asked["messages"][-1]["content"]]

    with served(knows, root="/step_100") as (url, _):
        place.endpoints.write_text(f'[same]\nbase_url = "{url}"\nmodel = "m"\n')
        place.run(("benchmark_models", "same", {}), step)
    port = int(url.rpartition(":")[2].removesuffix("/v1"))
    assert {row["score"] for row in place.rows("benchmark_samples")} == {1}
    with served(lambda _: "I forgot.", port=port, root="/step_200") as (_, seen):
        place.run(step)
    assert len(seen) == 5
    assert {row["score"] for row in place.rows("benchmark_samples")} == {0}


def test_an_entry_that_has_changed_is_not_asked_as_it_was(measured: tuple[Place, list[dict[str, Any]]]) -> None:
    place, _ = measured
    before = place.endpoints.read_text()
    place.endpoints.write_text(before.replace('model = "wise"', 'model = "other"'))
    (told,) = place.run(("benchmark_samples", "aime_2024|wise", {}))
    place.endpoints.write_text(before)
    assert "materialise benchmark_models again" in told["errors"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "expected a TOML file"),
        ('[a]\nbase_url = "u"', "[a]: expected base_url, model and maybe"),
        ('[a]\nbase_url = "u"\nmodel = 3', "[a]: model: expected"),
        ('[a]\nbase_url = "u"\nmodel = "m"\nkey = "s"', "[a]: expected base_url"),
        ('["A b"]\nbase_url = "u"\nmodel = "m"', "'A b'"),
        ('[tiny]\nbase_url = "u"\nmodel = "m"', "'tiny'"),
        ("a = 1", "[a]: expected base_url"),
    ],
)
def test_a_file_of_endpoints_that_makes_no_sense(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "endpoints.toml"
    file.write_text(text)
    monkeypatch.setenv("RACES_ENDPOINTS", str(file))
    with pytest.raises(Exception, match=r"endpoints\.toml") as caught:
        endpoints(frozenset({"tiny"}))
    assert message in str(caught.value)


@pytest.fixture(scope="module")
def small_chat_model(tmp_path_factory: pytest.TempPathFactory) -> Place:
    if not (ROOT / ".venv-train").exists() and "RACES_TRAIN_PYTHON" not in os.environ:
        pytest.skip("there is no interpreter that trains: make setup, or RACES_TRAIN_PYTHON")
    place = Place(tmp_path_factory.mktemp("small_chat_model"))
    told = place.run(("base_models", "smollm2", {}), ("benchmark_models", "smollm2", {}))
    assert all(each["success"] for each in told), told
    return place


@pytest.mark.slow
def test_a_small_chat_model_is_measured_on_all_six(small_chat_model: Place) -> None:
    """Through a real server; what it answers is worth little, and that is the point: nothing may be lost or raised."""
    few = {"limit": 2, "samples": 1, "sampling": {"max_tokens": 24, "context": 2048}}
    told = small_chat_model.run(
        *((table, f"{name}|smollm2", few if table == "benchmark_samples" else {})
          for name in datasets.BENCHMARKS for table in ("benchmark_samples", "benchmark_scores")),
        ("benchmark_averages", None, {}),
    )  # fmt: skip
    assert all(each["success"] for each in told), [each["errors"] for each in told]
    rows = small_chat_model.rows("benchmark_samples")
    assert len(rows) == 12
    assert all(row["response"] and row["prompt_tokens"] > 0 and 0 < row["completion_tokens"] <= 24 for row in rows)
    assert all(row["server"].startswith("transformers serve") and len(row["weights"]) > 0 for row in rows)
    assert {row["truncated"] for row in rows if row["completion_tokens"] == 24} <= {True}
    assert any(row["prompt_cut"] for row in rows if row["benchmark"] == "longbench_v2")
    (average,) = small_chat_model.rows("benchmark_averages")
    assert average["data"] == datasets.MINI


@pytest.mark.slow
def test_a_server_that_is_killed_in_the_middle_loses_nothing(small_chat_model: Place) -> None:
    config = {"limit": 3, "samples": 2, "retries": 1, "timeout": 300, "sampling": {"max_tokens": 16}}
    step = ("benchmark_samples", "aime_2025|smollm2", config)
    place = small_chat_model.folder / "training" / "benchmarks" / "smollm2" / "aime_2025"
    done, before = threading.Event(), set(place.glob("*"))

    def kill_in_the_middle() -> None:
        while not done.wait(0.1):
            progress = [file for file in place.glob("*/progress.jsonl") if file.parent not in before]
            if any(len(file.read_text().splitlines()) >= 2 for file in progress):
                for process in server_processes(str(small_chat_model.folder)):
                    os.kill(process, signal.SIGKILL)
                return

    killer = threading.Thread(target=kill_in_the_middle)
    killer.start()
    (told,) = small_chat_model.run(step)
    done.set()
    killer.join()
    assert not told["success"]
    assert "expected 6 samples, got" in told["errors"][0]
    (folder,) = set(filter(Path.is_dir, place.glob("*"))) - before
    log = folder / "run.log"
    kept = int(log.read_text().split("expected 6 samples, got ")[1].split(":")[0])
    assert kept >= 1
    (told,) = small_chat_model.run(step)
    assert told["success"], told["errors"]
    assert len(small_chat_model.rows("benchmark_samples", benchmark="aime_2025")) == 6
    # Only what was missing was asked for.
    progress = [json.loads(line)["step"] for line in (folder / "progress.jsonl").read_text().splitlines()]
    assert progress == [*range(1, 6 - kept + 1), 6]


def server_processes(mark: str) -> list[int]:
    """The processes that serve a model whose log lies in a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes().decode().split("\0")
            output = str((place / "fd" / "1").readlink())
        except OSError:
            continue
        if mark in output and output.endswith("server.log") and "serve" in command and interpreter() in command:
            found.append(int(place.name))
    return found
