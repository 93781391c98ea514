"""How a benchmark reaches a model: a server that is there, or one that is started for the run and ended with it.

    with VllmServer("checkpoints/step_300", log=folder / "vllm.log").serve() as endpoint:
        ask(endpoint.base_url, endpoint.model, os.environ.get(endpoint.key_variable))

A server that is started here listens on this machine alone, calls its model NAME whatever its folder is called, and
samples by what a request asks for: what the folder advises has no say. It has answered once when the block begins.
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
    EXCERPT,
    ServingError,
    base_url,
    context,
    exchange,
    listed,
    try_out,
)
from races.resources.processes.interpreter import interpreter
from races.resources.processes.launching import LocalLauncher, Running

HOST = "127.0.0.1"
# Not the folder's: clients read meaning into names (OpenAI's o3 is found in "foo3"), and then word requests otherwise.
NAME = "model"
VLLM_VARIABLE = "RACES_VLLM_PYTHON"
GRACE = 10.0  # seconds that a server has to end by itself
NOTICE = 1.0  # seconds after an error in which a server may turn out to have ended
POLL = 5.0  # seconds to wait for a sign of health
LAUNCHER = Path(__file__).with_name("serve_transformers.py")
TOKENS = ("bos_token_id", "eos_token_id", "pad_token_id")
# Flags of vLLM that this module sets.
TAKEN = frozenset({"api-key", "generation-config", "host", "port", "served-model-name", "uds"})
SHORT = {"-tp": "tensor-parallel-size"}
SERVES = ("transformers", "torch", "fastapi", "openai", "pydantic", "uvicorn")
VERSION = """
import importlib.metadata, importlib.util, sys
missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
sys.exit("no " + ", ".join(missing)) if missing else print(importlib.metadata.version("transformers"))
"""


@dataclass(frozen=True)
class Endpoint:
    """A model behind a server that speaks OpenAI's protocol.

    base_url: with /v1. model: its name in requests. key_variable: the environment variable that holds the key, which is
    itself kept nowhere; "" for none. server: such as "vllm 0.24.0". context: tokens of its longest prompt and answer
    together; 0 where it does not say. connections: requests at a time with which a seed still means one answer; 0 for
    any number. takes_top_k: whether a request may name top_k; where not, the server has been told. root: what it says
    that it has loaded under the model's name; "" where it does not say.
    """

    base_url: str
    model: str
    key_variable: str = ""
    server: str = "remote"
    context: int = 0
    connections: int = 0
    takes_top_k: bool = True
    root: str = ""


class Serving(Protocol):
    """Where a model is served."""

    def serve(self) -> AbstractContextManager[Endpoint]:
        """The server, for as long as the block lasts; ServingError or SettingError where there is none."""


@dataclass(frozen=True)
class Remote:
    """A server that somebody else runs. It must list its models, and this one among them if it lists any.

    context: overrules what the server says of itself. seconds: to wait for the list.
    """

    base_url: str
    model: str
    key_variable: str = ""
    context: int = 0
    seconds: float = 30

    @contextmanager
    def serve(self) -> Iterator[Endpoint]:
        base = base_url(self.base_url)
        entry = listed(base, self.model, self.key_variable, self.seconds)
        root = str(entry.get("root") or "")
        yield Endpoint(base, self.model, self.key_variable, context=self.context or context(entry), root=root)


@dataclass(frozen=True)
class VllmServer:
    """`vllm serve` on GPUs of this machine.

    model: a Hugging Face folder or hub name. python: of an environment with vLLM; else RACES_VLLM_PYTHON; else the one
    that trains. arguments: further flags, {"gpu-memory-utilization": 0.8} or as words. gpus: their numbers; none for
    all that are visible. tensor_parallel: GPUs that share the model; 0 for as many as `gpus`, or one. max_model_len:
    tokens of prompt and answer; 0 for the model's own. Both give way to arguments of the same meaning. port: 0 for any
    that is free. start_seconds: to wait for the first answer. The key guards what lies below /v1, not vLLM's
    /invocations: other users of this machine are kept from mistaking the server for theirs, not from using it on
    purpose.
    """

    model: str
    log: Path
    python: str = ""
    arguments: Mapping[str, Any] | Sequence[str] = ()
    gpus: tuple[int, ...] = ()
    tensor_parallel: int = 0
    max_model_len: int = 0
    port: int = 0
    start_seconds: float = 1800

    @contextmanager
    def serve(self) -> Iterator[Endpoint]:
        program, port = self._program(), _free(self.port)
        command = [str(program), "serve", self.model, *self._flags()]
        command += ["--host", HOST, "--port", str(port), "--served-model-name", NAME, "--generation-config", "vllm"]
        with ExitStack() as stack:
            variable = stack.enter_context(_new_key())
            variables = self._variables(program.parent, os.environ[variable])
            stack.enter_context(_started(command, self.log, variables, port, self.start_seconds))
            base = f"http://{HOST}:{port}/v1"
            entry = listed(base, NAME, variable, self.start_seconds)
            try_out(base, NAME, variable, self.start_seconds)
            yield Endpoint(base, NAME, variable, _version(port), context(entry) or self.max_model_len)

    def _program(self) -> Path:
        python = _whole(self.python or os.environ.get(VLLM_VARIABLE) or interpreter())
        program = Path(python).with_name("vllm")
        if not program.exists():
            raise SettingError(f"expected the program vllm beside {python} ({VLLM_VARIABLE} names another), got none")
        return program

    def _flags(self) -> list[str]:
        flags = _words(self.arguments)
        found = (word.removeprefix("--").partition("=")[0].replace("_", "-") for word in flags if word[:2] == "--")
        named = {*found, *(SHORT[word] for word in flags if word in SHORT)}
        for name in sorted(named & TAKEN):
            raise SettingError(f"expected further arguments of vllm, got --{name}, which is set already")
        ours = {
            "tensor-parallel-size": self.tensor_parallel or len(self.gpus) or 1,
            "max-model-len": self.max_model_len,
        }
        # Of a flag that is there twice vLLM takes the last: what is asked for by hand comes first, and so is alone.
        return [*flags, *_words({name: value for name, value in ours.items() if value and name not in named})]

    def _variables(self, programs: Path, key: str) -> dict[str, str]:
        # What it compiles on its way takes programs of its environment, as if that were activated.
        path = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        found = {"VLLM_API_KEY": key, "VLLM_NO_USAGE_STATS": "1", "PYTHONUNBUFFERED": "1", "PATH": path}
        if self.gpus:
            found["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, self.gpus))
        if Path(self.model).is_dir():
            found["HF_HUB_OFFLINE"] = "1"
        return found


@dataclass(frozen=True)
class TransformersServer:
    """`transformers serve`, for small models on a CPU.

    folder: a Hugging Face folder. python: of an environment with the extra train; else the one that trains. top_k:
    of sampling, since requests cannot name it; None for none. dtype: "auto" for that of the weights. threads: of torch;
    0 for its own choice. Facts of transformers 5.10.4, tried:

    - It samples only where the folder's generation_config.json says do_sample, whatever the temperature of a request;
      hence a folder of links beside one that does. Temperature 0 is greedy all the same.
    - It counts tokens and says "length" at the bound, but that is max_tokens alone: max_completion_tokens and n are
      ignored, a request without max_tokens gets 1,024, and the context of the model bounds nothing.
    - It answers one request at a time. A seed is set when a request comes in, for all threads: with two requests under
      way none is reproducible, hence `connections`.
    - The text ends with the stop string that ended it. An unknown field is refused with 422, top_k among them; a chat
      template that refuses a role ends in a 500.
    - It knows no keys: whoever has an account on this machine can ask it.
    """

    folder: Path
    log: Path
    python: str = ""
    top_k: int | None = None
    device: str = "cpu"
    dtype: str = "auto"
    threads: int = 1
    port: int = 0
    start_seconds: float = 300

    @contextmanager
    def serve(self) -> Iterator[Endpoint]:
        python, config = _whole(interpreter(self.python)), json_object(self.folder / "config.json")
        server, port = f"transformers serve {_transformers(python)}", _free(self.port)
        flags = ["--host", HOST, "--port", str(port), "--device", self.device, "--dtype", self.dtype]
        serve = [python, "-P", str(LAUNCHER), "serve", NAME, *flags, "--no-continuous-batching"]
        with TemporaryDirectory(prefix="races-serve-") as place:
            self._link(Path(place) / NAME)
            # A model is named by its path from where the server runs: an @ further up would be read as a revision.
            command = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', place, *serve]
            with _started(command, self.log, self._variables(), port, self.start_seconds):
                base = f"http://{HOST}:{port}/v1"
                try_out(base, NAME, "", self.start_seconds)
                tokens = int(config.get("max_position_embeddings") or 0)
                yield Endpoint(base, NAME, "", server, tokens, connections=1, takes_top_k=False)

    def _link(self, place: Path) -> None:
        """The model with settings of generation that leave sampling to the requests."""
        place.mkdir()
        for file in self.folder.iterdir():
            if file.name != "generation_config.json":
                (place / file.name).symlink_to(file.resolve())
        settings: dict[str, Any] = {"do_sample": True, "temperature": 1.0, "top_p": 1.0, "top_k": self.top_k or 0}
        for name in ("config.json", "generation_config.json"):
            if (self.folder / name).exists():
                said = json_object(self.folder / name)
                settings |= {token: said[token] for token in TOKENS if said.get(token) is not None}
        (place / "generation_config.json").write_text(json.dumps(settings))

    def _variables(self) -> dict[str, str]:
        found = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONUNBUFFERED": "1"}
        return found | ({"OMP_NUM_THREADS": str(self.threads)} if self.threads else {})


# A server as a process


@contextmanager
def _started(
    command: Sequence[str], log: Path, variables: Mapping[str, str], port: int, seconds: float
) -> Iterator[None]:
    """Run a server and everything that it starts for as long as the block lasts, which begins once it is healthy."""
    with LocalLauncher(GRACE).launch(command, log, variables) as running, ExitStack() as stack:
        _await(running, f"http://{HOST}:{port}/health", seconds)
        stack.push(partial(_tell_of_its_end, running, port))
        yield


def _await(running: Running, url: str, seconds: float) -> None:
    until = time.monotonic() + seconds
    while True:
        if (code := running.poll()) is not None:
            raise ServingError(f"server exited unexpectedly (code {code}). {running.log_excerpt()}")
        with suppress(ServingError):
            if exchange(url, "", POLL)[0] == 200:
                return
        if time.monotonic() > until:
            raise ServingError(
                f"expected a server that is healthy within {seconds:g} s, got none. {running.log_excerpt()}"
            )
        time.sleep(0.1)


def _tell_of_its_end(running: Running, port: int, kind: object, error: BaseException | None, trace: object) -> bool:
    """Where the server ended before it was told to, that is the error, or the reason for the one that there is.

    This also finds out that another server took the port in the moment before ours did.
    """
    # Whoever asks sees the end of a connection a moment before that of the server can be seen.
    until = time.monotonic() + (NOTICE if error is not None else 0.0)
    while not (gone := _gone(running, port)) and time.monotonic() < until:
        time.sleep(0.05)
    if gone and error is None:
        raise ServingError(f"server exited unexpectedly. {running.log_excerpt()}")
    if gone and error is not None:
        error.add_note(f"The server had ended. {running.log_excerpt()}")
    elif isinstance(error, ServingError):
        error.add_note(running.log_excerpt())
    return False


def _gone(running: Running, port: int) -> bool:
    """Whether it has ended. It may have left processes behind that are still being ended: then nobody listens."""
    with socket.socket() as tried:
        return running.poll() is not None or tried.connect_ex((HOST, port)) != 0


def _free(port: int) -> int:
    """The port, or any for 0; SettingError where another program has it."""
    with socket.socket() as tried:
        # As servers do: a port whose last connections have not faded away is free.
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError as error:
            raise SettingError(f"expected a free port, got {port}: {error}") from error
        return int(tried.getsockname()[1])


@contextmanager
def _new_key() -> Iterator[str]:
    """The name of an environment variable with a key for one server, which is gone after the block."""
    name = f"RACES_SERVER_KEY_{secrets.token_hex(8).upper()}"
    os.environ[name] = secrets.token_urlsafe(32)
    try:
        yield name
    finally:
        del os.environ[name]


def _whole(program: str) -> str:
    """The path of a program from wherever it is run."""
    found = shutil.which(program)
    return str(Path(found).absolute()) if found else program


def _words(arguments: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Flags as words: {"seed": 1, "enforce-eager": True, "enable-prefix-caching": False}."""
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
    """The version of the transformers of an interpreter; SettingError where it lacks what serving takes."""
    try:
        command = [python, "-P", "-c", VERSION, *SERVES]
        asked = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        raise SettingError(
            f"expected a Python with {', '.join(SERVES)} (extra train) at {python}, got {said.strip()[-EXCERPT:]}"
        ) from error
    return asked.stdout.strip()


def _version(port: int) -> str:
    """What vLLM says of itself: the version is a fact about the scores."""
    with suppress(ServingError, ValueError):
        status, text = exchange(f"http://{HOST}:{port}/version", "", POLL)
        if status == 200 and re.fullmatch(r"[\w.+-]+", version := str(json.loads(text).get("version"))):
            return f"vllm {version}"
    return "vllm"
