"""Answers by vLLM, which a module stands in for: what it is asked, and what it must not be asked."""

import sys
from dataclasses import dataclass, fields
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from races.environments.errors import SettingError
from races.resources.training.models.sampling import sampler
from races.resources.training.verl.config import VerlSettings


@dataclass
class EngineArgs:
    """Some of the fields of vLLM 0.32's."""

    model: str = ""
    dtype: str = "auto"
    seed: int = 0
    max_model_len: int | None = None
    tensor_parallel_size: int = 1
    gpu_memory_utilization: float = 0.92
    enforce_eager: bool = False
    kv_cache_memory_bytes: int | None = None


class LLM:
    made: list[dict[str, Any]]

    def __init__(self, model: str, **arguments: Any) -> None:
        assert arguments.keys() <= {field.name for field in fields(EngineArgs)}
        self.made.append({"model": model, **arguments})

    def chat(self, prompts: list[Any], asked: SimpleNamespace) -> list[SimpleNamespace]:
        texts = [f"{prompt[-1]['content']} {asked.seed} {number}" for prompt in prompts for number in range(asked.n)]
        outputs = [SimpleNamespace(text=text) for text in texts]
        return [SimpleNamespace(outputs=outputs[at : at + asked.n]) for at in range(0, len(outputs), asked.n)]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The engines that were made."""
    LLM.made = []
    modules: dict[str, Any] = {name: ModuleType(name) for name in ("vllm", "vllm.engine", "vllm.engine.arg_utils")}
    modules["vllm"].LLM, modules["vllm"].SamplingParams = LLM, SimpleNamespace
    modules["vllm.engine.arg_utils"].EngineArgs = EngineArgs
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return LLM.made


def test_an_engine_has_the_lengths_of_the_run_and_what_else_is_asked_for(made: list[dict[str, Any]]) -> None:
    ask = sampler("vllm", "m", 576, 2, {"gpu_memory_utilization": 0.3, "enforce_eager": True, "seed": 7})
    sampler("vllm", "m", 576, 1, {"max_model_len": 300, "tensor_parallel_size": 4})
    sizes = {"max_model_len": 576, "tensor_parallel_size": 2}
    assert made == [
        {"model": "m", **sizes, "gpu_memory_utilization": 0.3, "enforce_eager": True, "seed": 7},
        {"model": "m", "max_model_len": 300, "tensor_parallel_size": 4},
    ]
    prompts = [[{"role": "user", "content": each}] for each in ("a", "b")]
    assert ask(prompts, 2, 8, 1.0, 5) == [["a 5 0", "a 5 1"], ["b 5 0", "b 5 1"]]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("gpu_memory_utilisation", ": did you mean gpu_memory_utilization?"), ("model", ""), ("spam", "")],
)
def test_an_argument_that_is_none_is_refused_before_the_engine_is_made(
    name: str, hint: str, made: list[dict[str, Any]]
) -> None:
    with pytest.raises(SettingError) as caught:
        sampler("vllm", "m", 576, 1, {name: 1})
    assert str(caught.value) == f"expected an argument of vLLM's engine, got {name}{hint}"
    assert made == []


def test_the_settings_of_a_run_take_arguments_by_name() -> None:
    said = {"engine": {"enforce_eager": True, "dtype": "float32", "kv_cache_memory_bytes": 10**9}}
    assert VerlSettings(**said).engine == said["engine"]
    assert VerlSettings().engine == {}
