"""How models are asked: recognised by name and by folder, with the sampling that their cards advise."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.serving.families import Sampling, overridden, sampling, within

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
ASSISTANT = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
SILENT = (
    "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"
)
HYBRID = CHATML + ASSISTANT + SILENT
BARS = "<｜{}｜>"  # noqa: RUF001 - DeepSeek writes these bars
DEEPSEEK = (
    "{% for m in messages %}{% if m.role == 'user' %}" + BARS.format("User") + "{{ m.content }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}" + BARS.format("Assistant") + "END{% endif %}"
)
OPENED, WRITTEN = "opened by the template", "written by the model"
HEADERS = "<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content }}<|eot_id|>"
LLAMA = (
    "{{ bos_token }}{% for m in messages %}" + HEADERS + "{% endfor %}<|start_header_id|>assistant<|end_header_id|>\n\n"
)
SMOL = "{% if messages[0].role != 'system' %}<|im_start|>system\nYou are SmolLM<|im_end|>\n{% endif %}" + CHATML
OWN = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|im_end|>{% endfor %}<|assistant|>"
GEMMA = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}<start_of_turn>{{ m.role }}\n{{ m.content }}<end_of_turn>\n{% endfor %}"
)


def folder(place: Path, kind: str, template: str | None, context: int = 4096, **files: dict[str, Any]) -> Path:
    (place / "config.json").write_text(json.dumps({"model_type": kind, "max_position_embeddings": context}))
    if template is not None:
        (place / "chat_template.jinja").write_text(template)
    for name, content in files.items():
        (place / f"{name}.json").write_text(json.dumps(content))
    return place


def numbers(found: Sampling) -> tuple[float, float, int | None]:
    return found.temperature, found.top_p, found.top_k


# Taken from the cards, or from generation_config.json where a card has none.
@pytest.mark.parametrize(
    ("name", "family", "advice", "thinking"),
    [
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "DeepSeek-R1-Distill", (0.6, 0.95, None), OPENED),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "DeepSeek-R1-Distill", (0.6, 0.95, None), OPENED),
        ("Qwen/Qwen3-14B", "Qwen3, thinking", (0.6, 0.95, 20), WRITTEN),
        ("Qwen/Qwen3-30B-A3B-FP8", "Qwen3, thinking", (0.6, 0.95, 20), WRITTEN),
        ("Qwen/Qwen3-4B-Instruct-2507", "Qwen3-Instruct-2507", (0.7, 0.8, 20), "none"),
        ("Qwen/Qwen3-4B-Thinking-2507", "Qwen3-Thinking-2507", (0.6, 0.95, 20), OPENED),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen2.5-Instruct", (0.7, 0.8, 20), "none"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama-3-Instruct", (0.6, 0.9, None), "none"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-Instruct", (0.6, 0.9, None), "none"),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", "SmolLM2-Instruct", (0.2, 0.9, None), "none"),
        ("Qwen/Qwen3-4B-Base", "unknown", (1.0, 1.0, None), "none"),
        ("somebody/something", "unknown", (1.0, 1.0, None), "none"),
    ],
)
def test_a_hub_name_is_recognised(name: str, family: str, advice: tuple[Any, ...], thinking: str) -> None:
    found = sampling(name)
    assert (found.family, numbers(found), found.thinking) == (family, advice, thinking)
    assert found.temperature > 0
    assert found.source


@pytest.mark.parametrize(
    ("kind", "template", "family", "thinking"),
    [
        ("qwen2", DEEPSEEK.replace("END", "<think>\n"), "DeepSeek-R1-Distill", OPENED),
        ("llama", DEEPSEEK.replace("END", ""), "DeepSeek-R1-Distill", WRITTEN),
        ("deepseek_v3", DEEPSEEK.replace("END", ""), "unknown", "none"),
        ("qwen3", HYBRID, "Qwen3, thinking", WRITTEN),
        ("qwen3_moe", CHATML + ASSISTANT, "Qwen3-Instruct-2507", "none"),
        ("qwen3", CHATML + ASSISTANT + "<think>\n", "Qwen3-Thinking-2507", OPENED),
        ("qwen2", CHATML + ASSISTANT, "Qwen2.5-Instruct", "none"),
        ("llama", LLAMA, "Llama-3-Instruct", "none"),
        ("llama", SMOL, "SmolLM2-Instruct", "none"),
        ("qwen3", OWN, "randomly initialised", "none"),
        ("qwen3", None, "unknown", "none"),
        ("phi3", CHATML + "<|im_start|>assistant\n<think>", "unknown", OPENED),
    ],
)
def test_a_folder_is_recognised_whatever_its_name(
    kind: str, template: str | None, family: str, thinking: str, tmp_path: Path
) -> None:
    found = sampling(folder(tmp_path, kind, template))
    assert (found.family, found.thinking, found.context) == (family, thinking, 4096)


def test_a_qwen3_can_be_told_not_to_think(tmp_path: Path) -> None:
    for found in (sampling("Qwen/Qwen3-8B", think=False), sampling(folder(tmp_path, "qwen3", HYBRID), think=False)):
        assert (found.family, numbers(found), found.thinking) == ("Qwen3, not thinking", (0.7, 0.8, 20), "none")
        assert found.beyond_openai(takes_top_k=False) == {"chat_template_kwargs": {"enable_thinking": False}}


def test_a_system_message_is_allowed_where_template_and_authors_allow_it(tmp_path: Path) -> None:
    assert sampling(folder(tmp_path, "qwen2", CHATML + ASSISTANT)).system
    assert sampling(folder(tmp_path, "llama", SMOL)).system
    assert not sampling("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B").system
    assert not sampling(folder(tmp_path, "gemma", GEMMA)).system  # it refuses the role
    assert not sampling(folder(tmp_path, "qwen2", DEEPSEEK)).system  # it leaves the message out


def test_a_template_may_stand_in_the_settings_of_the_tokenizer(tmp_path: Path) -> None:
    place = folder(tmp_path, "llama", None, tokenizer_config={"chat_template": LLAMA, "bos_token": {"content": "<s>"}})
    assert sampling(place).family == "Llama-3-Instruct"
    named = [{"name": "tool_use", "template": OWN}, {"name": "default", "template": LLAMA}]
    place = folder(tmp_path, "llama", None, tokenizer_config={"chat_template": named})
    assert sampling(place).family == "Llama-3-Instruct"


def test_a_template_that_cannot_be_rendered_is_none(tmp_path: Path) -> None:
    for template in ("{% for %}", "{{ messages[7].content + 1 }}", "{{ ''.__class__.__mro__ }}"):
        found = sampling(folder(tmp_path, "qwen3", template))
        assert (found.family, found.system) == ("unknown", False)


def test_an_unknown_folder_is_sampled_as_it_says_itself(tmp_path: Path) -> None:
    said = {"do_sample": True, "temperature": 0.8, "top_p": 0.9, "top_k": 30}
    found = sampling(folder(tmp_path, "phi3", CHATML, generation_config=said))
    assert numbers(found) == (0.8, 0.9, 30)
    assert "generation_config.json" in found.source
    found = sampling(folder(tmp_path, "phi3", CHATML, generation_config=said | {"do_sample": False}))
    assert numbers(found) == (1.0, 1.0, None)
    assert "unknown family" in found.source


def test_an_answer_leaves_room_for_its_prompt(tmp_path: Path) -> None:
    assert sampling("Qwen/Qwen3-14B").max_tokens == 32768
    assert sampling(folder(tmp_path, "qwen3", HYBRID, context=40960)).max_tokens == 32768
    assert sampling(folder(tmp_path, "qwen3", HYBRID, context=1000)).max_tokens == 800
    assert sampling("Qwen/Qwen3-14B", {"context": 10000}).max_tokens == 8000
    assert sampling("Qwen/Qwen3-14B", {"context": 10000, "max_tokens": 9999}).max_tokens == 9999
    with pytest.raises(SettingError, match="max_tokens below the context of 10000, got 10000"):
        sampling("Qwen/Qwen3-14B", {"context": 10000, "max_tokens": 10000})


def test_a_field_that_was_set_by_hand_is_not_overruled_later() -> None:
    found = overridden(sampling("Qwen/Qwen3-14B", {"max_tokens": 9999}), {"context": 10000})
    assert (found.max_tokens, found.given) == (9999, ("context", "max_tokens"))
    assert overridden(found, {}) == found
    with pytest.raises(SettingError, match="max_tokens below the context of 9000, got 9999"):
        overridden(found, {"context": 9000})


def test_the_smaller_window_counts() -> None:
    card = sampling("HuggingFaceTB/SmolLM2-135M-Instruct")
    assert (card.context, card.max_tokens) == (8192, 2048)
    for served, window, longest in ((0, 8192, 2048), (8192, 8192, 2048), (9000, 8192, 2048), (1024, 1024, 819)):
        found = within(card, served)
        assert (found.context, found.max_tokens) == (window, longest), served
    unknown = within(sampling("somebody/something"), 2000)
    assert (unknown.context, unknown.max_tokens) == (2000, 1600)
    asked = overridden(card, {"max_tokens": 1024})
    assert within(asked, 1025).max_tokens == 1024
    with pytest.raises(SettingError, match="max_tokens below the server's window of 1024, got 1024"):
        within(asked, 1024)


def test_every_field_can_be_set_otherwise_and_says_so() -> None:
    others: dict[str, Any] = {
        "family": "mine",
        "source": "me",
        "temperature": 0,
        "top_p": 1,
        "top_k": None,
        "max_tokens": 7,
        "context": 8,
        "system": False,
        "thinking": "none",
        "template": {"a": 1},
    }
    assert set(others) == {field.name for field in dataclasses.fields(Sampling)} - {"given"}
    found = dataclasses.asdict(sampling("Qwen/Qwen3-14B", others))
    assert found == others | {"given": tuple(sorted(others))}
    assert sampling("Qwen/Qwen3-14B", {"top_p": 1.0, "max_tokens": 9}).source.endswith("overridden: max_tokens, top_p")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"temprature": 1.0}, "expected sampling settings among .*temperature.*, got temprature"),
        ({"temperature": -1}, "temperature to be a non-negative number, got -1"),
        ({"temperature": "1"}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"top_p": True}, "top_p"),
        ({"top_k": 0}, "top_k"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"context": -1}, "context"),
        ({"system": "no"}, "system"),
        ({"thinking": "always"}, "thinking to be 'none' or"),
        ({"template": "enable"}, "template"),
    ],
)
def test_a_setting_that_cannot_be_is_an_error(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        sampling("Qwen/Qwen3-14B", overrides)


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"a Hugging Face folder with config\.json"):
        sampling(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(SettingError, match="JSON object"):
        sampling(tmp_path)


def test_top_k_goes_to_those_who_take_it() -> None:
    found = sampling("Qwen/Qwen3-4B-Instruct-2507")
    assert found.beyond_openai(takes_top_k=True) == {"top_k": 20}
    assert found.beyond_openai(takes_top_k=False) == {}
    assert sampling("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B").beyond_openai(takes_top_k=True) == {}
