"""Answers of a model to chat prompts, without a server: by vLLM on GPUs, by transformers anywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol

from races.environments.errors import SettingError, did_you_mean
from races.resources.training.models.folders import end_tokens

Message = dict[str, str]
PROMPTS_PER_BATCH = 16  # of transformers


class Sampler(Protocol):
    """A loaded model that answers prompts."""

    def __call__(
        self, prompts: Sequence[list[Message]], count: int, length: int, temperature: float, seed: int
    ) -> list[list[str]]:
        """`count` answers to each prompt, of at most `length` tokens; a temperature of 0 is greedy."""


def sampler(kind: str, model: str, length: int, tensor_parallel: int, engine: Mapping[str, Any]) -> Sampler:
    """A sampler of a Hugging Face folder or hub name.

    length: tokens of a prompt and its answer together. engine: arguments of vLLM's engine by name, which override
    `length` and `tensor_parallel`; transformers has none.
    """
    if kind == "vllm":
        return VllmSampler(model, length, tensor_parallel, engine)
    if kind == "transformers":
        return TransformersSampler(model)
    raise SettingError(f"expected vllm or transformers as the sampler, got {kind!r}")


class VllmSampler:
    """vLLM in this process; it occupies the GPUs until the process ends.

    engine: further arguments of vLLM's engine (the fields of its EngineArgs), such as gpu_memory_utilization,
    max_model_len, dtype, enforce_eager, kv_cache_memory_bytes or seed. SettingError for an unknown name.
    """

    def __init__(
        self, model: str, length: int, tensor_parallel: int = 1, engine: Mapping[str, Any] | None = None
    ) -> None:
        from vllm import LLM

        arguments = dict(engine or {})
        _check_arguments(arguments)
        self._model = LLM(model, **({"max_model_len": length, "tensor_parallel_size": tensor_parallel} | arguments))

    def __call__(
        self, prompts: Sequence[list[Message]], count: int, length: int, temperature: float, seed: int
    ) -> list[list[str]]:
        from vllm import SamplingParams

        parameters = SamplingParams(n=count, max_tokens=length, temperature=temperature, seed=seed)
        return [[each.text for each in answer.outputs] for answer in self._model.chat(list(prompts), parameters)]


def _check_arguments(arguments: Mapping[str, Any]) -> None:
    """SettingError for an argument that the installed vLLM lacks; vLLM's own error suggests no alternative."""
    from vllm.engine.arg_utils import EngineArgs

    names = {field.name for field in fields(EngineArgs)} - {"model"}
    for name in arguments:
        if name not in names:
            question = did_you_mean(name, names, before=": ")
            raise SettingError(f"expected an argument of vLLM's engine, got {name}{question}")


class TransformersSampler:
    """`generate` of transformers, on the GPU where there is one."""

    def __init__(self, model: str) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left")
        self._tokenizer.pad_token = self._tokenizer.pad_token or self._tokenizer.eos_token
        self._model: Any = AutoModelForCausalLM.from_pretrained(model, dtype="auto").to(self._device).eval()

    def __call__(
        self, prompts: Sequence[list[Message]], count: int, length: int, temperature: float, seed: int
    ) -> list[list[str]]:
        import torch

        torch.manual_seed(seed)
        decoding: dict[str, Any] = {"do_sample": False}
        if temperature > 0:
            # The full distribution, whatever the model's generation_config says.
            decoding = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        answers: list[list[str]] = []
        for first in range(0, len(prompts), PROMPTS_PER_BATCH):
            given = self._tokenizer.apply_chat_template(
                list(prompts[first : first + PROMPTS_PER_BATCH]),
                add_generation_prompt=True,
                padding=True,
                return_tensors="pt",
                return_dict=True,
            ).to(self._device)
            with torch.inference_mode():
                ids = self._model.generate(
                    **given,
                    **decoding,
                    num_return_sequences=count,
                    max_new_tokens=length,
                    pad_token_id=self._tokenizer.pad_token_id,
                    eos_token_id=end_tokens(self._model, self._tokenizer),
                )
            texts = self._tokenizer.batch_decode(ids[:, given["input_ids"].shape[1] :], skip_special_tokens=True)
            answers += [texts[i : i + count] for i in range(0, len(texts), count)]
        return answers
