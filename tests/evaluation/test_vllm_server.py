"""vLLM as a model server, with a stand-in for its program."""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.serving import servers
from races.resources.evaluation.serving.protocol import ServingError
from races.resources.evaluation.serving.servers import Endpoint, Remote, VllmServer
from races.resources.processes.interpreter import variables
from tests.support.model_servers import enter, listing, post, refuses
from tests.support.training_places import alive, pids, wait_for


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
