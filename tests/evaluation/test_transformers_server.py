"""transformers as a model server: the real one, with a tiny model."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.serving import servers
from races.resources.evaluation.serving.servers import Endpoint, TransformersServer
from races.resources.processes.interpreter import variables
from tests.support.model_servers import enter, post, refuses

SERVES = "import sys, importlib.util; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
# Random weights; a template that opens the thinking and refuses a system message; `<think>` and its end are tokens.
MAKE = """
import sys
from tokenizers import AddedToken
from races.resources.training.models.folders import new_model, new_tokenizer
tokenizer = new_tokenizer(["Hello world, how are you?"] * 5, 300)
tokenizer.add_tokens([AddedToken(each, special=False) for each in ("<think>", "</think>")])
tokenizer.chat_template += "<think>"
new_model(tokenizer, 0, 32, 1).save_pretrained(sys.argv[1])
tokenizer.save_pretrained(sys.argv[1])
"""


@pytest.fixture(scope="module")
def trains(training_python: str) -> str:
    """The interpreter that trains, where it can serve too."""
    if subprocess.run([training_python, "-c", SERVES, *servers.SERVING_PACKAGES], check=False).returncode:
        pytest.skip(f"{training_python} lacks one of {', '.join(servers.SERVING_PACKAGES)} (extra train)")
    return training_python


@pytest.fixture(scope="module")
def tiny(trains: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny@home"
    command = [trains, "-c", MAKE, str(folder)]
    subprocess.run(command, env=os.environ | variables() | {"OMP_NUM_THREADS": "1"}, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def served(tiny: Path, trains: str) -> Iterator[Endpoint]:
    with TransformersServer(tiny, tiny.with_name("log"), trains, top_k=2).serve() as endpoint:
        yield endpoint
    assert refuses(endpoint.base_url)


def text(answer: dict[str, Any]) -> str:
    found: str = answer["choices"][0]["message"]["content"]
    return found


def test_transformers_serves_a_folder(served: Endpoint) -> None:
    assert served.server.startswith("transformers serve 5.")
    assert (served.model, served.context, served.connections, served.takes_top_k) == ("model", 1024, 1, False)


def test_a_bound_of_tokens_is_kept_counted_and_told(served: Endpoint) -> None:
    answer = post(served, max_tokens=7, temperature=1.0)
    assert answer["usage"]["completion_tokens"] == 7
    assert answer["usage"]["prompt_tokens"] > 2
    assert answer["choices"][0]["finish_reason"] == "length"


def test_a_temperature_samples_by_the_seed_and_none_is_greedy(served: Endpoint, tiny: Path) -> None:
    assert "do_sample" not in json.loads((tiny / "generation_config.json").read_text())
    often = [text(post(served, max_tokens=16, temperature=1.0, seed=seed)) for seed in (1, 2, 3, 1)]
    assert often[0] == often[3]
    assert len(set(often)) > 1
    assert len({text(post(served, max_tokens=16, temperature=0.0, seed=seed)) for seed in (1, 2, 3)}) == 1


def test_top_k_bounds_what_may_come(served: Endpoint) -> None:
    # At such a temperature all of 300 tokens would be about as likely.
    firsts = {text(post(served, max_tokens=1, temperature=50.0, seed=seed)) for seed in range(24)}
    assert len(firsts) == 2


def test_thinking_stays_in_the_text(served: Endpoint) -> None:
    """Left alone, transformers returns no text at all where the template opens the thinking and it does not end."""
    assert text(post(served, max_tokens=16, temperature=1.0, seed=5))


def test_transformers_is_found_missing_before_it_is_started(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=rf"extra train\) at {sys.executable}, got .*no transformers, torch"):
        enter(TransformersServer(tiny, tmp_path / "log", sys.executable))
    with pytest.raises(SettingError, match="expected the Python that trains at /no/python, got no program"):
        enter(TransformersServer(tiny, tmp_path / "log", "/no/python"))
    assert not (tmp_path / "log").exists()


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"a Hugging Face folder with config\.json"):
        enter(TransformersServer(tmp_path, tmp_path / "log", sys.executable))


@pytest.mark.slow
def test_a_small_chat_model_answers(trains: str, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"folder": str(tmp_path / "smollm2")}))
    command = [trains, "-m", "races.resources.training.models.unpack", str(request)]
    subprocess.run(command, env=os.environ | variables() | {"OMP_NUM_THREADS": "1"}, check=True, capture_output=True)
    with TransformersServer(tmp_path / "smollm2", tmp_path / "log", trains).serve() as endpoint:
        question = [{"role": "user", "content": "What is the capital of France? Answer in one sentence."}]
        answer = post(endpoint, messages=question, max_tokens=60, temperature=0.2, top_p=0.9, seed=1)
        assert "Paris" in text(answer)
        assert "<|" not in text(answer)
        assert answer["choices"][0]["finish_reason"] == "stop"
        assert 3 < answer["usage"]["completion_tokens"] < 60
        cut = post(endpoint, messages=question, max_tokens=3, temperature=0.2)
        assert (cut["choices"][0]["finish_reason"], cut["usage"]["completion_tokens"]) == ("length", 3)
