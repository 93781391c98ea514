"""Sampling settings by model family: what the authors recommend, thinking, context length.

    sampling("checkpoints/step_300", {"max_tokens": 16384})

A folder is recognised by its files, because checkpoints have other names; a hub name by its pattern.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from races.environments.errors import SettingError
from races.environments.responses.thinking import opened_after
from races.resources.evaluation.serving.model_folder import ChatTemplate, json_object

Thinking = Literal["none", "opened by the template", "written by the model"]
NO_OVERRIDES: Mapping[str, Any] = MappingProxyType({})
SYSTEM, HELLO = "the words of a system message", "Hello"  # messages of the probe that tests a template


@dataclass(frozen=True)
class Sampling:
    """The settings of a request to a model, besides its messages."""

    family: str
    source: str  # of the numbers
    temperature: float
    top_p: float
    top_k: int | None  # None for no limit
    max_tokens: int  # of an answer, thinking included
    context: int | None = None  # tokens of prompt and answer together; None where unknown
    system: bool = True  # whether a system message is allowed; if not, its text goes before the user's
    # "opened by the template": the prompt ends inside the thinking (`<think>`), so the answer has only the closing tag.
    thinking: Thinking = "none"
    template: Mapping[str, Any] = field(default_factory=dict)  # arguments of the chat template
    given: tuple[str, ...] = ()  # fields set by the user, which take precedence over everything else

    def beyond_openai(self, takes_top_k: bool) -> dict[str, Any]:
        """The fields of a request beyond OpenAI's protocol. takes_top_k: False where the server was started with it."""
        found: dict[str, Any] = {"top_k": self.top_k} if takes_top_k and self.top_k is not None else {}
        return found | ({"chat_template_kwargs": dict(self.template)} if self.template else {})


# temperature, top_p, top_k, max_tokens, context. Checked on 2026-11-29 against copies of the model cards and of
# generation_config.json, unless a comment says otherwise. No card recommends greedy decoding for a thinking model.
R1_DISTILL = Sampling(
    "DeepSeek-R1-Distill",
    "DeepSeek-R1's README, usage recommendations, and generation_config.json; its evaluation has 32,768 tokens",
    0.6,
    0.95,
    None,
    32768,
    131072,
    system=False,
    # Since February 2025; the template in the folder decides.
    thinking="opened by the template",
)
QWEN3_THINKS = Sampling(
    "Qwen3, thinking",
    "Qwen3's cards, best practices: never greedy; 32,768 tokens for most questions, 38,912 for hard ones",
    0.6,
    0.95,
    20,
    32768,
    40960,
    thinking="written by the model",
    template={"enable_thinking": True},
)
QWEN3_ANSWERS = replace(
    QWEN3_THINKS,
    family="Qwen3, not thinking",
    source="Qwen3's cards, best practices for enable_thinking=False",
    temperature=0.7,
    top_p=0.8,
    thinking="none",
    template={"enable_thinking": False},
)
QWEN3_THINKING_2507 = Sampling(
    "Qwen3-Thinking-2507",
    "Qwen3-4B-Thinking-2507's card, best practices: 32,768 tokens for most questions, 81,920 for hard ones",
    0.6,
    0.95,
    20,
    32768,
    262144,
    thinking="opened by the template",
)
QWEN3_INSTRUCT_2507 = Sampling(
    "Qwen3-Instruct-2507", "Qwen3-4B-Instruct-2507's card, best practices", 0.7, 0.8, 20, 16384, 262144
)
QWEN25_INSTRUCT = Sampling(
    "Qwen2.5-Instruct",
    # The numbers of Qwen's documentation for vLLM; top_k is from memory. Its repetition penalty of 1.05 is left out: it
    # would penalise the repetition of numbers.
    "Qwen2.5's generation_config.json, without its penalty on repetition; 8,192 tokens from its card",
    0.7,
    0.8,
    20,
    8192,
    32768,
)
LLAMA3_INSTRUCT = Sampling(
    "Llama-3-Instruct",
    # The cards recommend nothing; these are the defaults of Meta's code for Llama 3. The length is our choice.
    "the defaults of Meta's llama3 code, which generation_config.json shares",
    0.6,
    0.9,
    None,
    8192,
    131072,
)
SMOLLM2 = Sampling(
    "SmolLM2-Instruct",
    # The example has 50 tokens; the length is our choice.
    "the example on SmolLM2-135M-Instruct's card",
    0.2,
    0.9,
    None,
    2048,
    8192,
)
RANDOMLY_INITIALISED = Sampling(
    "randomly initialised",
    "the sampling of its training, see resources/training/models/folders.py",
    1.0,
    1.0,
    None,
    512,
    1024,
)
UNKNOWN = Sampling(
    "unknown",
    "unknown family, so the model's own distribution: override it as its card recommends",
    1.0,
    1.0,
    None,
    4096,
)

# Patterns of the last part of a hub name, in lower case.
NAMES: tuple[tuple[str, Sampling], ...] = (
    (r"deepseek-r1-distill-(qwen|llama)-[0-9.]+b", R1_DISTILL),
    (r"qwen3-[0-9.]+b(-a[0-9.]+b)?-thinking-2507", QWEN3_THINKING_2507),
    (r"qwen3-[0-9.]+b(-a[0-9.]+b)?-instruct-2507", QWEN3_INSTRUCT_2507),
    (r"qwen3-[0-9.]+b(-a[0-9.]+b)?", QWEN3_THINKS),
    (r"qwen2\.5-[0-9.]+b-instruct", QWEN25_INSTRUCT),
    (r"(meta-)?llama-3(\.[0-9])?-[0-9]+b-instruct", LLAMA3_INSTRUCT),
    (r"smollm2-[0-9.]+[bm]-instruct", SMOLLM2),
)
QUANTISATION = r"(-fp8|-awq|-gptq.*|-bnb.*)?"


def sampling(model: str | Path, overrides: Mapping[str, Any] = NO_OVERRIDES, think: bool = True) -> Sampling:
    """The sampling settings of a model: a Hugging Face folder, or a hub name if there is no such folder.

    overrides: fields of Sampling by name. think: for a Qwen3 with both modes. Raises SettingError for an unknown field,
    an invalid value, or a folder that cannot be read.
    """
    folder = Path(model)
    found = _of_folder(folder, think) if folder.is_dir() else _of_name(str(model), think)
    return overridden(found, overrides)


def _of_name(name: str, think: bool) -> Sampling:
    last = name.rstrip("/").rpartition("/")[2].lower()
    found = next((family for pattern, family in NAMES if re.fullmatch(pattern + QUANTISATION, last)), UNKNOWN)
    return QWEN3_ANSWERS if found is QWEN3_THINKS and not think else found


def _of_folder(folder: Path, think: bool) -> Sampling:
    config, chat = json_object(folder / "config.json"), ChatTemplate(folder)
    prompt = chat.prompt([{"role": "user", "content": HELLO}], think)
    found = _family(str(config.get("model_type")), chat.text, prompt, think)
    if found is UNKNOWN:
        found = _from_generation_config(folder)
    thinking = found.thinking
    if opened_after(prompt, HELLO):
        thinking = "opened by the template"
    elif thinking == "opened by the template":  # but not by this template: R1-Distill's first one left it to the model
        thinking = "written by the model"
    renders_system = SYSTEM in chat.prompt(
        [{"role": "system", "content": SYSTEM}, {"role": "user", "content": HELLO}], think
    )
    context = config.get("max_position_embeddings") or found.context
    return replace(found, context=context, system=found.system and renders_system, thinking=thinking)


def _family(kind: str, template: str, prompt: str, think: bool) -> Sampling:
    """The family, by model type, chat template and a prompt that the template renders."""
    if kind in ("qwen2", "llama") and "<｜Assistant｜>" in prompt:  # noqa: RUF001 - DeepSeek writes these bars
        return R1_DISTILL
    if kind in ("qwen3", "qwen3_moe") and "<|im_start|>" in prompt:
        if "enable_thinking" in template:
            return QWEN3_THINKS if think else QWEN3_ANSWERS
        return QWEN3_THINKING_2507 if opened_after(prompt, HELLO) else QWEN3_INSTRUCT_2507
    if kind == "qwen3" and "<|assistant|>" in prompt:
        return RANDOMLY_INITIALISED
    if kind == "qwen2" and "<|im_start|>" in prompt:
        return QWEN25_INSTRUCT
    if kind == "llama" and "<|start_header_id|>" in prompt:
        return LLAMA3_INSTRUCT
    return SMOLLM2 if kind == "llama" and "SmolLM" in template else UNKNOWN


def _from_generation_config(folder: Path) -> Sampling:
    """The sampling settings in generation_config.json, for a folder of unknown family."""
    file = folder / "generation_config.json"
    settings = json_object(file) if file.exists() else {}
    if not settings.get("do_sample"):
        return UNKNOWN
    return replace(
        UNKNOWN,
        source="generation_config.json of the folder, whose family is unknown",
        temperature=settings.get("temperature", 1.0),
        top_p=settings.get("top_p", 1.0),
        top_k=settings.get("top_k") or None,
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


VALID: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "family": ("a text", lambda value: isinstance(value, str)),
    "source": ("a text", lambda value: isinstance(value, str)),
    "temperature": ("a non-negative number", lambda value: _is_number(value) and value >= 0),
    "top_p": ("a number above 0 and at most 1", lambda value: _is_number(value) and 0 < value <= 1),
    "top_k": ("a positive integer, or None", lambda value: value is None or _is_positive_int(value)),
    "max_tokens": ("a positive integer", _is_positive_int),
    "context": ("a positive integer, or None", lambda value: value is None or _is_positive_int(value)),
    "system": ("True or False", lambda value: isinstance(value, bool)),
    "thinking": (" or ".join(map(repr, get_args(Thinking))), lambda value: value in get_args(Thinking)),
    "template": ("options by name", lambda value: isinstance(value, Mapping)),
}


def overridden(found: Sampling, overrides: Mapping[str, Any]) -> Sampling:
    """Sampling with some fields replaced; SettingError for an unknown field or an invalid value.

    By default an answer takes at most four fifths of the context, as in Qwen3: 32,768 of 40,960.
    """
    if unknown := sorted(set(overrides) - set(VALID)):
        raise SettingError(f"expected sampling settings among {', '.join(VALID)}, got {', '.join(unknown)}")
    for name, value in overrides.items():
        expected, valid = VALID[name]
        if not valid(value):
            raise SettingError(f"sampling: expected {name} to be {expected}, got {value!r}")
    note = {"source": f"{found.source}; overridden: {', '.join(sorted(overrides))}"} if overrides else {}
    made = replace(found, **(note | dict(overrides)), given=tuple(sorted({*found.given, *overrides})))
    return _fitted(made, "context")


def within(found: Sampling, served: int) -> Sampling:
    """Sampling limited to the context length of a server.

    served: tokens of prompt and answer together, 0 where unknown; the smaller of the two contexts applies. Raises
    SettingError where max_tokens was set by the user and does not fit.
    """
    if not served or (found.context is not None and found.context <= served):
        return _fitted(found, "context")
    return _fitted(replace(found, context=served), "server's window")


def _fitted(made: Sampling, window: str) -> Sampling:
    if made.context is not None and "max_tokens" not in made.given:
        made = replace(made, max_tokens=max(1, min(made.max_tokens, made.context * 4 // 5)))
    if made.context is not None and made.max_tokens >= made.context:
        raise SettingError(f"sampling: expected max_tokens below the {window} of {made.context}, got {made.max_tokens}")
    return made
