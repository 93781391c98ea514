"""Answers of a model to chat prompts, without a server: by vLLM on GPUs, by transformers anywhere."""

from collections.abc import Sequence
from typing import Any, Protocol

from environments.errors import SettingError

Message = dict[str, str]
BATCH = 16  # prompts that transformers answers at a time


class Sampler(Protocol):
    """A loaded model that answers."""

    def __call__(
        self, prompts: Sequence[list[Message]], count: int, length: int, temperature: float, seed: int
    ) -> list[list[str]]:
        """`count` answers to each prompt, of at most `length` tokens; a temperature of 0 is greedy."""


def sampler(kind: str, model: str, length: int, tensor_parallel: int) -> Sampler:
    """A sampler of a Hugging Face folder or hub name. length: tokens of a prompt and its answer together."""
    if kind == "vllm":
        return VllmSampler(model, length, tensor_parallel)
    if kind == "transformers":
        return TransformersSampler(model)
    raise SettingError(f"expected vllm or transformers as the sampler, got {kind!r}")


class VllmSampler:
    """vLLM in this process; it takes the GPUs until the process ends."""

    def __init__(self, model: str, length: int, tensor_parallel: int) -> None:
        from vllm import LLM

        self._model = LLM(model, max_model_len=length, tensor_parallel_size=tensor_parallel)

    def __call__(
        self, prompts: Sequence[list[Message]], count: int, length: int, temperature: float, seed: int
    ) -> list[list[str]]:
        from vllm import SamplingParams

        asked = SamplingParams(n=count, max_tokens=length, temperature=temperature, seed=seed)
        return [[each.text for each in answer.outputs] for answer in self._model.chat(list(prompts), asked)]


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
        how: dict[str, Any] = {"do_sample": False}
        if temperature > 0:
            # All of the distribution, whatever the model's generation_config narrows it to.
            how = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        answers: list[list[str]] = []
        for first in range(0, len(prompts), BATCH):
            given = self._tokenizer.apply_chat_template(
                list(prompts[first : first + BATCH]),
                add_generation_prompt=True,
                padding=True,
                return_tensors="pt",
                return_dict=True,
            ).to(self._device)
            with torch.inference_mode():
                ids = self._model.generate(
                    **given,
                    **how,
                    num_return_sequences=count,
                    max_new_tokens=length,
                    pad_token_id=self._tokenizer.pad_token_id,
                )
            texts = self._tokenizer.batch_decode(ids[:, given["input_ids"].shape[1] :], skip_special_tokens=True)
            answers += [texts[i : i + count] for i in range(0, len(texts), count)]
        return answers
