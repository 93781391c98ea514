"""Answers of a model, against a loop that reads one prompt at a time; log-probabilities, against unpadded text."""

from pathlib import Path
from typing import Any

import pytest
import torch

from races.resources.training.models.folders import load
from races.resources.training.models.generation import generate, greedy_answers, log_probabilities, sub_batch
from tests.support.training_places import few_problems, problems

Messages = list[dict[str, str]]


@pytest.fixture(scope="module")
def both(warmed_up: Path) -> tuple[Any, Any]:
    return load(str(warmed_up))


@pytest.fixture(scope="module")
def asked() -> list[Messages]:
    """Prompts of many lengths; the model has learnt what the first of them ask."""
    posed = [*few_problems(3), *problems(5)]
    return [[{"role": "user", "content": each.prompt}] for each in posed]


def tokens(tokenizer: Any, prompt: Messages) -> list[int]:
    return list(tokenizer(f"<|user|>{prompt[0]['content']}<|im_end|>\n<|assistant|>")["input_ids"])


def greedy(model: Any, tokenizer: Any, prompt: Messages, longest: int) -> list[int]:
    """The likeliest token, again and again, up to the end."""
    ids, found = tokens(tokenizer, prompt), []
    while len(found) < longest and found[-1:] != [tokenizer.eos_token_id]:
        with torch.no_grad():
            found.append(int(model(torch.tensor([ids + found])).logits[0, -1].argmax()))
    return found


@pytest.mark.parametrize("longest", [1, 3, 12])
def test_answers_masks_and_texts_are_right_whether_or_not_an_answer_ends(
    both: tuple[Any, Any], asked: list[Messages], longest: int
) -> None:
    model, tokenizer = both
    batch = generate(model, tokenizer, asked, longest)
    width = batch.prompts.shape[1]
    for row, prompt in enumerate(asked):
        ids, expected = tokens(tokenizer, prompt), greedy(model, tokenizer, prompt, longest)
        assert batch.prompts[row, width - len(ids) :].tolist() == ids
        assert batch.attention[row].sum() == len(ids) + len(expected)
        assert batch.attention[row, width - len(ids) : width + len(expected)].all()
        assert batch.responses[row, : len(expected)].tolist() == expected
        assert batch.mask[row].tolist() == [1.0] * len(expected) + [0.0] * (batch.mask.shape[1] - len(expected))
        ended = expected[-1] == tokenizer.eos_token_id
        assert batch.ended[row] == ended
        assert batch.texts[row] == tokenizer.decode(expected[:-1] if ended else expected)
    assert any(batch.ended) == (longest == 12)
    if longest == 12:
        assert batch.texts[0].startswith("<answer>")
        assert not all(batch.ended)


def test_answers_come_in_the_order_of_the_prompts(both: tuple[Any, Any], asked: list[Messages]) -> None:
    model, tokenizer = both
    expected = [generate(model, tokenizer, [prompt], 12) for prompt in asked]
    found = list(greedy_answers(model, tokenizer, asked, 12, size=3))
    assert found == [(each.texts[0], each.ended[0]) for each in expected]


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_sampling_draws_from_the_whole_distribution(
    both: tuple[Any, Any], asked: list[Messages], temperature: float
) -> None:
    model, tokenizer = both
    torch.manual_seed(0)
    batch = generate(model, tokenizer, asked[-2:], 1, temperature, count=4000)
    assert batch.responses.shape == (8000, 1)
    for number, prompt in enumerate(asked[-2:]):
        with torch.no_grad():
            logits = model(torch.tensor([tokens(tokenizer, prompt)])).logits[0, -1]
        expected = torch.softmax(logits / temperature, -1)
        drawn = batch.responses[4000 * number :][:4000, 0]
        seen = torch.bincount(drawn, minlength=len(expected)) / 4000
        assert (seen - expected).abs().max() < 5 * (0.25 / 4000) ** 0.5
        assert (seen - expected).abs().sum() < 0.25


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_those_of_each_row_alone(
    both: tuple[Any, Any], asked: list[Messages], temperature: float
) -> None:
    model, tokenizer = both
    torch.manual_seed(1)
    batch = generate(model, tokenizer, asked, 12, 1.0, count=3)
    lengths = batch.mask.sum(-1).int().tolist()
    assert min(lengths) < 12 == max(lengths)
    found, entropies = log_probabilities(model, batch, temperature)
    for row, length in enumerate(lengths):
        ids, said = tokens(tokenizer, asked[row // 3]), batch.responses[row, :length]
        with torch.no_grad():
            logits = model(torch.tensor([ids + said.tolist()])).logits[0, len(ids) - 1 : -1]
        logs = torch.log_softmax(logits / temperature, -1)
        torch.testing.assert_close(found[row, :length], logs[range(length), said], atol=1e-4, rtol=1e-4)
        entropy = torch.distributions.Categorical(logits=logs).entropy()
        torch.testing.assert_close(entropies[row, :length], entropy, atol=1e-4, rtol=1e-4)


def test_a_part_of_a_batch_leaves_out_nothing_but_padding(both: tuple[Any, Any], asked: list[Messages]) -> None:
    model, tokenizer = both
    torch.manual_seed(2)
    batch = generate(model, tokenizer, asked, 12, 1.0, count=2)
    whole, _ = log_probabilities(model, batch, 1.0)
    for rows in (slice(0, 1), slice(0, 6), slice(5, 16)):
        piece = sub_batch(batch, rows)
        width, longest = piece.prompts.shape[1], piece.responses.shape[1]
        assert piece.attention[:, 0].any()
        assert piece.attention[:, -1].any()
        assert piece.attention.sum() == batch.attention[rows].sum()
        assert piece.mask.sum() == batch.mask[rows].sum()
        assert torch.equal(piece.attention[:, width:].float(), piece.mask)
        found, _ = log_probabilities(model, piece, 1.0)
        torch.testing.assert_close(found * piece.mask, whole[rows, :longest] * piece.mask, atol=1e-4, rtol=1e-4)
