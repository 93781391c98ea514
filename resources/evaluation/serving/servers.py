"""Model servers for benchmarks: a running server, or one that is started for the run and stopped after it.

    with VllmServer("checkpoints/step_300", log=folder / "vllm.log").serve() as endpoint:
        ask(endpoint.base_url, endpoint.model, os.environ.get(endpoint.key_variable))

A server that is started here listens on the loopback interface only, serves its model under the name NAME, and samples
by the settings of each request, not by the folder's generation_config.json. It has passed a smoke test when the block
begins.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from races.environments.errors import SettingError
from races.resources.evaluation.serving.model_folder import json_object
from races.resources.evaluation.serving.protocol import (
    EXCERPT_CHARACTERS,
    ServingError,
    base_url,
    context,
    exchange,
    listed,
    smoke_test,
)
from races.resources.processes.interpreter import interpreter
from races.resources.processes.launching import LocalLauncher, Running

HOST = "127.0.0.1"
# Not the folder's name: clients infer features from names (they find OpenAI's o3 in "foo3") and change their requests.
NAME = "model"
VLLM_VARIABLE = "RACES_VLLM_PYTHON"
SHUTDOWN_GRACE_S = 10.0  # between TERM and KILL
EXIT_DETECTION_S = 1.0  # after an error, to find out that the server has exited
PROBE_TIMEOUT_S = 5.0  # of a request to /health or /version
LAUNCHER = Path(__file__).with_name("serve_transformers.py")
SPECIAL_TOKEN_IDS = ("bos_token_id", "eos_token_id", "pad_token_id")
# Flags of vLLM that are set here.
RESERVED_FLAGS = frozenset({"api-key", "generation-config", "host", "port", "served-model-name", "uds"})
SHORT_FLAGS = {"-tp": "tensor-parallel-size"}
SERVING_PACKAGES = ("transformers", "torch", "fastapi", "openai", "pydantic", "uvicorn")
VERSION_SCRIPT = """
import importlib.metadata, importlib.util, sys
missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
sys.exit("no " + ", ".join(missing)) if missing else print(importlib.metadata.version("transformers"))
"""


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible server."""

    base_url: str  # ends with /v1
    model: str  # its name in requests
    key_variable: str = ""  # the environment variable with the key, which is stored nowhere; "" for no key
    server: str = "remote"  # such as "vllm 0.24.0"
    context: int = 0  # tokens of prompt and answer together; 0 where unknown
    connections: int = 0  # concurrent requests for which a seed still determines the answer; 0 for any number
    takes_top_k: bool = True  # whether requests may set top_k; if not, the server was started with it
    root: str = ""  # the path or name that the server has loaded under the model's name; "" where unknown


class Serving(Protocol):
    """A way to serve a model."""

    def serve(self) -> AbstractContextManager[Endpoint]:
        """Serve the model for the duration of the block; ServingError or SettingError where that fails."""


@dataclass(frozen=True)
class Remote:
    """A server that is already running. It must answer /models, and list this model if it lists any."""

    base_url: str
    model: str
    key_variable: str = ""
    context: int = 0  # overrides the context length that the server lists
    seconds: float = 30  # timeout of the request

    @contextmanager
    def serve(self) -> Iterator[Endpoint]:
        base = base_url(self.base_url)
        entry = listed(base, self.model, self.key_variable, self.seconds)
        root = str(entry.get("root") or "")
        yield Endpoint(base, self.model, self.key_variable, context=self.context or context(entry), root=root)


@dataclass(frozen=True)
class VllmServer:
    """`vllm serve` on GPUs of this machine.

    The key protects the routes below /v1 but not vLLM's /invocations: it keeps other users of this machine from using
    the server by mistake, not on purpose.
    """

    model: str  # a Hugging Face folder or hub name
    log: Path
    python: str = ""  # of an environment with vLLM; "" for RACES_VLLM_PYTHON or else the interpreter that trains
    # Further flags, as {"gpu-memory-utilization": 0.8} or as a list of words; they override the settings below.
    arguments: Mapping[str, Any] | Sequence[str] = ()
    gpus: tuple[int, ...] = ()  # indices; empty for all that are visible
    tensor_parallel: int = 0  # GPUs per model; 0 for the number of `gpus`, or one
    max_model_len: int = 0  # tokens of prompt and answer together; 0 for the model's own limit
    port: int = 0  # 0 for any free port
    start_seconds: float = 1800  # timeout until the first answer

    @contextmanager
    def serve(self) -> Iterator[Endpoint]:
        program, port = self._program(), _free_port(self.port)
        command = [str(program), "serve", self.model, *self._flags()]
        command += ["--host", HOST, "--port", str(port), "--served-model-name", NAME, "--generation-config", "vllm"]
        with ExitStack() as stack:
            variable = stack.enter_context(_temporary_key())
            variables = self._variables(program.parent, os.environ[variable])
            stack.enter_context(_running_server(command, self.log, variables, port, self.start_seconds))
            base = f"http://{HOST}:{port}/v1"
            entry = listed(base, NAME, variable, self.start_seconds)
            smoke_test(base, NAME, variable, self.start_seconds)
            yield Endpoint(base, NAME, variable, _version(port), context(entry) or self.max_model_len)

    def _program(self) -> Path:
        python = _absolute(self.python or os.environ.get(VLLM_VARIABLE) or interpreter())
        program = Path(python).with_name("vllm")
        if not program.exists():
            raise SettingError(f"expected the program vllm beside {python} ({VLLM_VARIABLE} names another), got none")
        return program

    def _flags(self) -> list[str]:
        flags = _to_flags(self.arguments)
        found = (word.removeprefix("--").partition("=")[0].replace("_", "-") for word in flags if word[:2] == "--")
        named = {*found, *(SHORT_FLAGS[word] for word in flags if word in SHORT_FLAGS)}
        for name in sorted(named & RESERVED_FLAGS):
            raise SettingError(f"expected further arguments of vllm, got --{name}, which is set already")
        ours = {
            "tensor-parallel-size": self.tensor_parallel or len(self.gpus) or 1,
            "max-model-len": self.max_model_len,
        }
        # vLLM takes the last of repeated flags, so the defaults are left out where the user gave a flag.
        return [*flags, *_to_flags({name: value for name, value in ours.items() if value and name not in named})]

    def _variables(self, programs: Path, key: str) -> dict[str, str]:
        # vLLM compiles kernels with programs of its environment, as if that were activated.
        path = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        found = {"VLLM_API_KEY": key, "VLLM_NO_USAGE_STATS": "1", "PYTHONUNBUFFERED": "1", "PATH": path}
        if self.gpus:
            found["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, self.gpus))
        if Path(self.model).is_dir():
            found["HF_HUB_OFFLINE"] = "1"
        return found


@dataclass(frozen=True)
class TransformersServer:
    """`transformers serve`, for small models on a CPU. Observed behaviour of transformers 5.10.4:

    - It samples only if the folder's generation_config.json has do_sample, whatever the temperature of a request; hence
      a folder of links with another generation_config.json. Temperature 0 is greedy all the same.
    - It counts tokens and reports "length" at max_tokens only: max_completion_tokens and n are ignored, the default of
      max_tokens is 1,024, and the context length of the model is not enforced.
    - It answers one request at a time. A request sets the seed for all threads when it arrives: with two concurrent
      requests no answer is reproducible, hence `connections`.
    - The answer includes the stop string. An unknown field, such as top_k, is rejected with 422; a chat template that
      raises an error gives a 500.
    - It has no authentication: every user of this machine can send requests.
    """

    folder: Path  # a Hugging Face folder
    log: Path
    python: str = ""  # of an environment with the extra train; "" for the interpreter that trains
    top_k: int | None = None  # of sampling, since requests cannot set it; None for no limit
    device: str = "cpu"
    dtype: str = "auto"  # "auto" for that of the weights
    threads: int = 1  # of torch; 0 for its default
    port: int = 0  # 0 for any free port
    start_seconds: float = 300  # timeout until the first answer

    @contextmanager
    def serve(self) -> Iterator[Endpoint]:
        python, config = _absolute(interpreter(self.python)), json_object(self.folder / "config.json")
        server, port = f"transformers serve {_transformers(python)}", _free_port(self.port)
        flags = ["--host", HOST, "--port", str(port), "--device", self.device, "--dtype", self.dtype]
        serve = [python, "-P", str(LAUNCHER), "serve", NAME, *flags, "--no-continuous-batching"]
        with TemporaryDirectory(prefix="races-serve-") as place:
            self._link(Path(place) / NAME)
            # The model is given as a relative path: an @ in an absolute one would be parsed as a revision.
            command = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', place, *serve]
            with _running_server(command, self.log, self._variables(), port, self.start_seconds):
                base = f"http://{HOST}:{port}/v1"
                smoke_test(base, NAME, "", self.start_seconds)
                tokens = int(config.get("max_position_embeddings") or 0)
                yield Endpoint(base, NAME, "", server, tokens, connections=1, takes_top_k=False)

    def _link(self, place: Path) -> None:
        """Link the model's files beside a generation_config.json that leaves sampling to the requests."""
        place.mkdir()
        for file in self.folder.iterdir():
            if file.name != "generation_config.json":
                (place / file.name).symlink_to(file.resolve())
        settings: dict[str, Any] = {"do_sample": True, "temperature": 1.0, "top_p": 1.0, "top_k": self.top_k or 0}
        for name in ("config.json", "generation_config.json"):
            if (self.folder / name).exists():
                stored = json_object(self.folder / name)
                settings |= {token: stored[token] for token in SPECIAL_TOKEN_IDS if stored.get(token) is not None}
        (place / "generation_config.json").write_text(json.dumps(settings))

    def _variables(self) -> dict[str, str]:
        found = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONUNBUFFERED": "1"}
        return found | ({"OMP_NUM_THREADS": str(self.threads)} if self.threads else {})


# A server as a process


@contextmanager
def _running_server(
    command: Sequence[str], log: Path, variables: Mapping[str, str], port: int, seconds: float
) -> Iterator[None]:
    """Run a server, with all processes that it starts, for the block, which begins once the server is healthy."""
    with LocalLauncher(SHUTDOWN_GRACE_S).launch(command, log, variables) as running, ExitStack() as stack:
        _wait_until_healthy(running, f"http://{HOST}:{port}/health", seconds)
        stack.push(partial(_report_exit, running, port))
        yield


def _wait_until_healthy(running: Running, url: str, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        if (code := running.poll()) is not None:
            raise ServingError(f"server exited unexpectedly (code {code}). {running.log_excerpt()}")
        with suppress(ServingError):
            if exchange(url, "", PROBE_TIMEOUT_S)[0] == 200:
                return
        if time.monotonic() > until:
            raise ServingError(f"expected a healthy server within {seconds:g} s, got none. {running.log_excerpt()}")
        time.sleep(0.1)


def _report_exit(running: Running, port: int, kind: object, error: BaseException | None, trace: object) -> bool:
    """Raise an error where the server exited on its own, or add that to the error under way.

    This also detects that another server took the port just before ours could.
    """
    # A client sees the connection close slightly before the exit of the server becomes visible.
    until = time.monotonic() + (EXIT_DETECTION_S if error is not None else 0.0)
    while not (exited := _has_exited(running, port)) and time.monotonic() < until:
        time.sleep(0.05)
    if exited and error is None:
        raise ServingError(f"server exited unexpectedly ({_exit_code(running)}). {running.log_excerpt()}")
    if exited and error is not None:
        error.add_note(f"The server had exited ({_exit_code(running)}). {running.log_excerpt()}")
    elif isinstance(error, ServingError):
        error.add_note(running.log_excerpt())
    return False


def _has_exited(running: Running, port: int) -> bool:
    """Whether the server has exited, or no longer listens while its remaining processes are being stopped."""
    with socket.socket() as probe:
        return running.poll() is not None or probe.connect_ex((HOST, port)) != 0


def _exit_code(running: Running) -> str:
    """The exit code in words; it is not known while processes that the server left behind are being stopped."""
    code = running.poll()
    return "exit code not known yet" if code is None else f"code {code}"


def _free_port(port: int) -> int:
    """The port, or any free one for 0; SettingError where it is in use."""
    with socket.socket() as probe:
        # As servers do: a port with connections in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise SettingError(f"expected a free port, got {port}: {error}") from error
        return int(probe.getsockname()[1])


@contextmanager
def _temporary_key() -> Iterator[str]:
    """The name of an environment variable with a new key for one server, which is removed after the block."""
    name = f"RACES_SERVER_KEY_{secrets.token_hex(8).upper()}"
    os.environ[name] = secrets.token_urlsafe(32)
    try:
        yield name
    finally:
        del os.environ[name]


def _absolute(program: str) -> str:
    """The absolute path of a program."""
    found = shutil.which(program)
    return str(Path(found).absolute()) if found else program


def _to_flags(arguments: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Command-line words of arguments such as {"seed": 1, "enforce-eager": True, "enable-prefix-caching": False}."""
    if not isinstance(arguments, Mapping):
        return list(arguments)
    words = []
    for name, value in arguments.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", value if isinstance(value, str) else json.dumps(value)]
    return words


def _transformers(python: str) -> str:
    """The transformers version of an interpreter; SettingError where it lacks a package that serving needs."""
    try:
        command = [python, "-P", "-c", VERSION_SCRIPT, *SERVING_PACKAGES]
        finished = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    except (OSError, subprocess.SubprocessError) as error:
        message = getattr(error, "stderr", None) or str(error)
        packages, got = ", ".join(SERVING_PACKAGES), message.strip()[-EXCERPT_CHARACTERS:]
        raise SettingError(f"expected a Python with {packages} (extra train) at {python}, got {got}") from error
    return finished.stdout.strip()


def _version(port: int) -> str:
    """The version that vLLM reports; scores depend on it."""
    with suppress(ServingError, ValueError):
        status, text = exchange(f"http://{HOST}:{port}/version", "", PROBE_TIMEOUT_S)
        if status == 200 and re.fullmatch(r"[\w.+-]+", version := str(json.loads(text).get("version"))):
            return f"vllm {version}"
    return "vllm"
