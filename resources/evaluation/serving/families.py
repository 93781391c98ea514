"""How a model is asked, by its family: the sampling that its authors advise, its thinking, its length.

    sampling("checkpoints/step_300", {"max_tokens": 16384})

A folder is recognised by its files, since what was trained here has another name; a hub name by its words.
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
NOTHING: Mapping[str, Any] = MappingProxyType({})
SYSTEM, HELLO = "the words of a system message", "Hello"


@dataclass(frozen=True)
class Sampling:
    """What a request to a model says beside its messages.

    family, source: whom the numbers are for and who gave them. top_k: None for no bound. max_tokens: of an answer,
    thinking included. context: of prompt and answer together; None where nobody says. system: whether there may be a
    system message; where not, its words belong into the first message of the user. thinking: "opened by the template"
    where the prompt ends inside the thinking (`<think>`), so that the text holds its end alone. template:
    options for the chat template. given: the fields that were set by hand, which nothing else overrules.
    """

    family: str
    source: str
    temperature: float
    top_p: float
    top_k: int | None
    max_tokens: int
    context: int | None = None
    system: bool = True
    thinking: Thinking = "none"
    template: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[str, ...] = ()

    def beyond_openai(self, takes_top_k: bool) -> dict[str, Any]:
        """The fields of a request that OpenAI's protocol lacks; a server that does not take top_k has been told it."""
        found: dict[str, Any] = {"top_k": self.top_k} if takes_top_k and self.top_k is not None else {}
        return found | ({"chat_template_kwargs": dict(self.template)} if self.template else {})


# temperature, top_p, top_k, max_tokens, context. Checked on 2026-11-29 against copies of the cards and of the files
# generation_config.json, except where a line says otherwise. No card advises greedy decoding of a model that thinks.
R1_DISTILL = Sampling(
    "DeepSeek-R1-Distill",
    "DeepSeek-R1's README, usage recommendations, and generation_config.json; its evaluation has 32,768 tokens",
    0.6,
    0.95,
    None,
    32768,
    131072,
    system=False,
    # So since February 2025; the template of the folder decides.
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
    # The numbers are those that Qwen's documentation passes to vLLM; top_k is from memory. The penalty of 1.05 on
    # repetition that goes with them is left out: it would punish a text for the numbers that it repeats.
    "Qwen2.5's generation_config.json, without its penalty on repetition; 8,192 tokens from its card",
    0.7,
    0.8,
    20,
    8192,
    32768,
)
LLAMA3_INSTRUCT = Sampling(
    "Llama-3-Instruct",
    # The cards advise nothing; Meta's own code for Llama 3 has these defaults. The length is a choice of ours.
    "the defaults of Meta's llama3 code, which generation_config.json shares",
    0.6,
    0.9,
    None,
    8192,
    131072,
)
SMOLLM2 = Sampling(
    "SmolLM2-Instruct",
    # The example has 50 tokens; the length is a choice of ours.
    "the example on SmolLM2-135M-Instruct's card",
    0.2,
    0.9,
    None,
    2048,
    8192,
)
FROM_NOTHING = Sampling(
    "made from nothing",
    "the sampling of its training, see resources/training/models/folders.py",
    1.0,
    1.0,
    None,
    512,
    1024,
)
UNKNOWN = Sampling(
    "unknown",
    "no family that is known here, so the model's own distribution: override what its card says",
    1.0,
    1.0,
    None,
    4096,
)

# Hub names, by their last part in small letters, whole.
NAMES: tuple[tuple[str, Sampling], ...] = (
    (r"deepseek-r1-distill-(qwen|llama)-[0-9.]+b", R1_DISTILL),
    (r"qwen3-[0-9.]+b(-a[0-9.]+b)?-thinking-2507", QWEN3_THINKING_2507),
    (r"qwen3-[0-9.]+b(-a[0-9.]+b)?-instruct-2507", QWEN3_INSTRUCT_2507),
    (r"qwen3-[0-9.]+b(-a[0-9.]+b)?", QWEN3_THINKS),
    (r"qwen2\.5-[0-9.]+b-instruct", QWEN25_INSTRUCT),
    (r"(meta-)?llama-3(\.[0-9])?-[0-9]+b-instruct", LLAMA3_INSTRUCT),
    (r"smollm2-[0-9.]+[bm]-instruct", SMOLLM2),
)
QUANTISED = r"(-fp8|-awq|-gptq.*|-bnb.*)?"


def sampling(model: str | Path, overrides: Mapping[str, Any] = NOTHING, think: bool = True) -> Sampling:
    """How to ask a model: a Hugging Face folder, or a hub name where there is no such folder.

    overrides: fields of Sampling by name. think: of a Qwen3 that can do both. Raises SettingError for an override that
    is no field or has a value that cannot be, and for a folder that cannot be read.
    """
    folder = Path(model)
    found = _of_folder(folder, think) if folder.is_dir() else _of_name(str(model), think)
    return overridden(found, overrides)


def _of_name(name: str, think: bool) -> Sampling:
    last = name.rstrip("/").rpartition("/")[2].lower()
    found = next((family for pattern, family in NAMES if re.fullmatch(pattern + QUANTISED, last)), UNKNOWN)
    return QWEN3_ANSWERS if found is QWEN3_THINKS and not think else found


def _of_folder(folder: Path, think: bool) -> Sampling:
    config, chat = json_object(folder / "config.json"), ChatTemplate(folder)
    asked = chat.prompt([{"role": "user", "content": HELLO}], think)
    found = _family(str(config.get("model_type")), chat.text, asked, think)
    if found is UNKNOWN:
        found = _advised(folder)
    thinking = found.thinking
    if opened_after(asked, HELLO):
        thinking = "opened by the template"
    elif thinking == "opened by the template":  # not by this one: R1-Distill's first template left it to the model
        thinking = "written by the model"
    heard = SYSTEM in chat.prompt([{"role": "system", "content": SYSTEM}, {"role": "user", "content": HELLO}], think)
    context = config.get("max_position_embeddings") or found.context
    return replace(found, context=context, system=found.system and heard, thinking=thinking)


def _family(kind: str, template: str, asked: str, think: bool) -> Sampling:
    """The family by the type of the model and what its chat template makes of a question."""
    if kind in ("qwen2", "llama") and "<｜Assistant｜>" in asked:  # noqa: RUF001 - DeepSeek writes these bars
        return R1_DISTILL
    if kind in ("qwen3", "qwen3_moe") and "<|im_start|>" in asked:
        if "enable_thinking" in template:
            return QWEN3_THINKS if think else QWEN3_ANSWERS
        return QWEN3_THINKING_2507 if opened_after(asked, HELLO) else QWEN3_INSTRUCT_2507
    if kind == "qwen3" and "<|assistant|>" in asked:
        return FROM_NOTHING
    if kind == "qwen2" and "<|im_start|>" in asked:
        return QWEN25_INSTRUCT
    if kind == "llama" and "<|start_header_id|>" in asked:
        return LLAMA3_INSTRUCT
    return SMOLLM2 if kind == "llama" and "SmolLM" in template else UNKNOWN


def _advised(folder: Path) -> Sampling:
    """What the folder of a model of no known family says of sampling."""
    file = folder / "generation_config.json"
    said = json_object(file) if file.exists() else {}
    if not said.get("do_sample"):
        return UNKNOWN
    return replace(
        UNKNOWN,
        source="generation_config.json of the folder, whose family is not known here",
        temperature=said.get("temperature", 1.0),
        top_p=said.get("top_p", 1.0),
        top_k=said.get("top_k") or None,
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


VALID: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "family": ("a text", lambda value: isinstance(value, str)),
    "source": ("a text", lambda value: isinstance(value, str)),
    "temperature": ("a number that is not negative", lambda value: _number(value) and value >= 0),
    "top_p": ("a number above 0 and at most 1", lambda value: _number(value) and 0 < value <= 1),
    "top_k": ("a whole number above 0, or None", lambda value: value is None or _count(value)),
    "max_tokens": ("a whole number above 0", _count),
    "context": ("a whole number above 0, or None", lambda value: value is None or _count(value)),
    "system": ("True or False", lambda value: isinstance(value, bool)),
    "thinking": (" or ".join(map(repr, get_args(Thinking))), lambda value: value in get_args(Thinking)),
    "template": ("options by name", lambda value: isinstance(value, Mapping)),
}


def overridden(found: Sampling, overrides: Mapping[str, Any]) -> Sampling:
    """Sampling with other values for some fields; SettingError for one that cannot be.

    An answer takes at most four fifths of the context, as Qwen3's 32,768 of 40,960.
    """
    if unknown := sorted(set(overrides) - set(VALID)):
        raise SettingError(f"expected settings of sampling among {', '.join(VALID)}, got {', '.join(unknown)}")
    for name, value in overrides.items():
        expected, valid = VALID[name]
        if not valid(value):
            raise SettingError(f"sampling: expected {name} to be {expected}, got {value!r}")
    note = {"source": f"{found.source}; set otherwise: {', '.join(sorted(overrides))}"} if overrides else {}
    made = replace(found, **(note | dict(overrides)), given=tuple(sorted({*found.given, *overrides})))
    return _fitted(made, "context")


def within(found: Sampling, served: int) -> Sampling:
    """Sampling on a server that takes so many tokens of prompt and answer together: the smaller window counts.

    served: 0 where the server does not say. SettingError for max_tokens that were set by hand and do not fit.
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
