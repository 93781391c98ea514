"""How benchmarks reach a model: a server that is there, vLLM's by a program that stands in, transformers' itself."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.serving import servers
from races.resources.evaluation.serving.protocol import ServingError
from races.resources.evaluation.serving.servers import Endpoint, Remote, TransformersServer, VllmServer
from races.resources.processes.interpreter import variables
from tests.support.training_places import alive, pids, wait_for

KEY = "sk-a-key-that-nobody-may-see"


def post(endpoint: Endpoint, **fields: Any) -> dict[str, Any]:
    """What a chat request is answered."""
    body = {"model": endpoint.model, "messages": [{"role": "user", "content": "Hello world"}], **fields}
    headers = {"Content-Type": "application/json"}
    if endpoint.key_variable:
        headers["Authorization"] = f"Bearer {os.environ[endpoint.key_variable]}"
    connection = HTTPConnection(urlsplit(endpoint.base_url).netloc, timeout=120)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        found: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return found


def refuses(url: str) -> bool:
    address = urlsplit(url)
    with socket.socket() as tried:
        return tried.connect_ex((address.hostname, address.port)) != 0


# A server that somebody else runs


class Listing(BaseHTTPRequestHandler):
    """Lists two models to those who have the key."""

    status, body = 200, json.dumps({"data": [{"id": "one", "max_model_len": 8192}, {"id": "two"}]})
    key, location, wait = KEY, "", threading.Event()
    asked: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        type(self).asked.append((self.path, self.headers["Authorization"]))
        if self.status == 0:
            self.wait.wait(20)
            return
        known = not self.key or self.headers["Authorization"] == f"Bearer {self.key}"
        self.send_response(self.status if known else 401)
        if self.location:
            self.send_header("Location", self.location)
        self.end_headers()
        self.wfile.write((self.body if known else f"wrong key: {self.headers['Authorization']}").encode())

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def listing(**how: Any) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """Its base URL, and the paths and keys that it was asked with."""
    handler = type("Handler", (Listing,), {"asked": [], "wait": threading.Event(), **how})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", handler.asked
        finally:
            handler.wait.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)


def enter(serving: Remote | VllmServer | TransformersServer) -> Endpoint:
    with serving.serve() as endpoint:
        return endpoint


@pytest.mark.usefixtures("_key")
def test_a_server_that_is_there_is_asked_once_and_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody's: this machine is not reached by a proxy
    with listing() as (url, asked):
        assert enter(Remote(f"{url}/", "one", "SOME_KEY")) == Endpoint(url, "one", "SOME_KEY", "remote", 8192)
        assert enter(Remote(url, "two", "SOME_KEY")).context == 0
        assert enter(Remote(url, "one", "SOME_KEY", context=99)).context == 99
        assert asked == [("/v1/models", f"Bearer {KEY}")] * 3


def test_a_server_that_lists_no_models_is_taken_at_its_word() -> None:
    with listing(key="", body='{"data": []}') as (url, asked):
        assert enter(Remote(url, "any")) == Endpoint(url, "any")
        assert asked == [("/v1/models", None)]


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(
    ("how", "variable", "message"),
    [
        ({}, "", r"/models \(without a key\): expected status 200, got 401"),
        (
            {"key": "another"},
            "SOME_KEY",
            r"with the key of SOME_KEY\): expected status 200, got 401: wrong key: Bearer \*\*\*",
        ),
        ({"status": 500, "body": "oh no"}, "SOME_KEY", "expected status 200, got 500: oh no"),
        ({"body": "<html>"}, "SOME_KEY", "expected JSON, got: <html>"),
        ({"body": "[1]"}, "SOME_KEY", r"expected a JSON object, got: \[1\]"),
        ({"body": '{"data": [{"id": "b"}, {"id": "a"}]}'}, "SOME_KEY", "expected the model one among .*, got: a, b$"),
        ({"status": 0}, "SOME_KEY", "expected an answer within 0.3 s, got: .*timed out"),
    ],
)
def test_what_a_server_answers_amiss_is_in_the_error(how: dict[str, Any], variable: str, message: str) -> None:
    with listing(**how) as (url, _), pytest.raises(ServingError, match=message) as caught:
        enter(Remote(url, "one", variable, seconds=0.3 if how.get("status") == 0 else 20))
    assert KEY not in str(caught.value)


@pytest.mark.usefixtures("_key")
def test_no_redirection_takes_the_key_elsewhere() -> None:
    with listing(key="") as (other, heard), listing(status=307, location=f"{other}/models") as (url, _):
        with pytest.raises(ServingError, match="expected status 200, got 307"):
            enter(Remote(url, "one", "SOME_KEY"))
        assert heard == []


def test_a_server_that_is_not_there_is_an_error() -> None:
    with listing() as (url, _):
        pass
    with pytest.raises(ServingError, match=f"GET {url}/models: expected an answer .*refused"):
        enter(Remote(url, "one"))


def test_a_setting_that_cannot_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("127.0.0.1:8000", "file:///etc/passwd", "http://", "http://a/v1?key=b"):
        with pytest.raises(SettingError, match="expected a base URL such as"):
            enter(Remote(url, "one"))
    with pytest.raises(SettingError, match=r"without name and password, got one for a$"):
        enter(Remote(f"http://me:{KEY}@a/v1", "one"))
    with pytest.raises(SettingError, match="a key in the environment variable NOT_THERE, got none"):
        enter(Remote("http://127.0.0.1:9/v1", "one", "NOT_THERE"))
    monkeypatch.setenv("TWO_LINES", f"{KEY}\n")
    with pytest.raises(SettingError, match="TWO_LINES, got one with spaces") as caught:
        enter(Remote("http://127.0.0.1:9/v1", "one", "TWO_LINES"))
    assert KEY not in str(caught.value)


# vLLM


@pytest.fixture
def vllm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an environment with a program `vllm`, which starts a process that ignores TERM."""
    monkeypatch.setattr(servers, "SHUTDOWN_GRACE_S", 0.3)
    place = tmp_path / "bin"
    place.mkdir()
    program = (Path(__file__).parents[1] / "support/stand_in_vllm.py").read_text()
    (place / "vllm").write_text(f"#!{sys.executable}\n{program}")
    (place / "vllm").chmod(0o755)
    return place


def server(vllm: Path, behaviour: str = "well", **more: Any) -> VllmServer:
    arguments = {"behaviour": behaviour}
    return VllmServer("some/model", vllm / "log", str(vllm / "python"), arguments, **{"start_seconds": 20, **more})


def test_vllm_is_started_as_it_is_asked_to(vllm: Path) -> None:
    arguments = {"gpu_memory_utilization": 0.8, "enforce-eager": True, "enable-prefix-caching": False}
    asked = server(vllm, gpus=(2, 3), max_model_len=4096)
    with VllmServer(**{**vars(asked), "arguments": arguments}).serve() as endpoint:
        given = json.loads((vllm / "given.json").read_text())
        words, found = given["arguments"], given["variables"]
        assert words[:2] == ["serve", "some/model"]
        assert " --gpu-memory-utilization 0.8 --enforce-eager --no-enable-prefix-caching " in " ".join(words)
        values = dict(pairwise(words))
        assert values["--tensor-parallel-size"] == "2"
        assert values["--max-model-len"] == "4096"
        assert values["--generation-config"] == "vllm"
        assert values["--host"] == "127.0.0.1"
        assert endpoint == Endpoint(
            f"http://127.0.0.1:{values['--port']}/v1", "model", endpoint.key_variable, "vllm 0.24.0", 4321
        )
        assert values["--served-model-name"] == endpoint.model
        assert found["CUDA_VISIBLE_DEVICES"] == "2,3"
        assert found["VLLM_API_KEY"] == os.environ[endpoint.key_variable]
        assert found["VLLM_API_KEY"] not in " ".join(words) + repr(endpoint)  # others see words by `ps`
        assert found["PATH"].split(os.pathsep)[0] == str(vllm)
        assert "HF_HUB_OFFLINE" not in found
        assert post(endpoint)["usage"] == {"completion_tokens": 1}
    assert endpoint.key_variable not in os.environ
    assert refuses(endpoint.base_url)


def test_two_servers_have_two_ports_and_two_keys(vllm: Path) -> None:
    with server(vllm).serve() as one, server(vllm).serve() as other:
        assert one.base_url != other.base_url
        assert os.environ[one.key_variable] != os.environ[other.key_variable]
        with pytest.raises(ServingError, match="got 401"):
            enter(Remote(one.base_url, one.model, other.key_variable))


def test_a_folder_is_served_without_a_hub(vllm: Path, tmp_path: Path) -> None:
    with VllmServer(str(tmp_path), vllm / "log", str(vllm / "python"), start_seconds=20).serve():
        assert json.loads((vllm / "given.json").read_text())["variables"]["HF_HUB_OFFLINE"] == "1"


def test_the_interpreter_with_vllm_may_be_named_by_the_environment(
    vllm: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.setenv("RACES_TRAIN_PYTHON", str(tmp_path / "python"))
    asked = VllmServer("some/model", tmp_path / "log", start_seconds=20)
    with pytest.raises(SettingError, match=rf"the program vllm beside {tmp_path}/python \(RACES_VLLM_PYTHON"):
        enter(asked)
    monkeypatch.setenv("RACES_VLLM_PYTHON", str(vllm / "python"))
    assert enter(asked).server == "vllm 0.24.0"


def test_a_server_that_dies_says_why(vllm: Path) -> None:
    with pytest.raises(
        ServingError, match=r"server exited unexpectedly \(code 1\)(.|\n)*ValueError: no GPU of ours was found"
    ):
        enter(server(vllm, "dies"))


def test_a_server_that_never_gets_healthy_is_given_up(vllm: Path) -> None:
    with pytest.raises(ServingError, match=r"a healthy server within 1 s, got none. The end of its log:(.|\n)*/health"):
        enter(server(vllm, "never healthy", start_seconds=1))
    assert not any(map(alive, pids(vllm / "pids")))


def test_a_model_that_cannot_answer_is_found_out_before_the_benchmark(vllm: Path) -> None:
    with pytest.raises(ServingError, match=r"got 400: .*no chat template") as caught:
        enter(server(vllm, "no template"))
    assert "/chat/completions" in caught.value.__notes__[0]


def test_everything_ends_with_the_block_however_it_is_left(vllm: Path) -> None:
    def interrupted() -> None:
        with server(vllm).serve():
            assert all(map(alive, pids(vllm / "pids")))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not any(map(alive, pids(vllm / "pids")))
    assert not [name for name in os.environ if name.startswith("RACES_SERVER_KEY")]


def test_a_server_that_ends_in_the_midst_is_the_error(vllm: Path) -> None:
    def silently() -> None:
        with server(vllm).serve() as endpoint:
            with pytest.raises(OSError, match=r"closed|reset"):
                post(endpoint, model="end yourself")
            wait_for(lambda: not any(map(alive, pids(vllm / "pids"))))

    def loudly() -> None:
        with server(vllm).serve() as endpoint:
            post(endpoint, model="end yourself")

    with pytest.raises(ServingError, match=r"server exited unexpectedly \((code 5|exit code not known yet)\)\."):
        silently()
    with pytest.raises(OSError, match=r"closed|reset") as caught:
        loudly()
    assert "The server had exited" in caught.value.__notes__[0]


def test_a_killed_parent_leaves_no_server(vllm: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from races.resources.evaluation.serving import servers\n"
        "servers.SHUTDOWN_GRACE_S = 0.3\n"
        "with servers.VllmServer('m', Path(sys.argv[1], 'log'), sys.argv[1] + '/python', start_seconds=20).serve():\n"
        "    print('served', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", script, str(vllm)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | variables()) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"served\n"
        both = pids(vllm / "pids")
        assert all(map(alive, both))
        parent.send_signal(signal.SIGKILL)
    wait_for(lambda: not any(map(alive, both)))


def test_a_port_that_is_taken_is_an_error(vllm: Path) -> None:
    with listing() as (url, _):
        taken = int(url.split(":")[2].split("/")[0])
        with pytest.raises(SettingError, match=f"expected a free port, got {taken}: .*in use"):
            enter(server(vllm, port=taken))
    with server(vllm, port=taken).serve() as endpoint:
        assert endpoint.base_url == f"http://127.0.0.1:{taken}/v1"


@pytest.mark.parametrize("arguments", [{"api_key": "a"}, ["--port=80"], ["--seed", "1", "--host", "::1"]])
def test_what_is_set_already_cannot_be_set_again(arguments: Any, vllm: Path) -> None:
    with pytest.raises(SettingError, match="which is set already"):
        enter(VllmServer("some/model", vllm / "log", str(vllm / "python"), arguments))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"max-model-len": 1024}, "--max-model-len 1024 --tensor-parallel-size 2"),
        ({"max_model_len": 1024, "tensor_parallel_size": 4}, "--max-model-len 1024 --tensor-parallel-size 4"),
        (["--max-model-len=1024", "-tp", "4"], "--max-model-len=1024 -tp 4"),
        ({}, "--tensor-parallel-size 2 --max-model-len 8192"),
    ],
)
def test_what_is_asked_for_by_hand_is_not_overruled_by_a_second_flag(
    arguments: Any, expected: str, tmp_path: Path
) -> None:
    asked = VllmServer("some/model", tmp_path / "log", "", arguments, tensor_parallel=2, max_model_len=8192)
    assert " ".join(asked._flags()) == expected


# transformers


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
