"""Answers of a local model, and the log-probabilities of answers; the tensors of one process on one device."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache

from races.resources.training.models.folders import end_tokens

Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Batch:
    """Prompts with their answers. b rows, p prompt tokens (padded left), r answer tokens (padded right).

    prompts: (b, p) int64. responses: (b, r) int64. attention: (b, p + r) int64, 0 at padding and after the end.
    mask: (b, r) float32, 1 up to the first token that ends an answer, which is included. texts: answers without special
    tokens. ended: whether an answer ended by itself and was not cut.
    """

    prompts: torch.Tensor
    responses: torch.Tensor
    attention: torch.Tensor
    mask: torch.Tensor
    texts: list[str]
    ended: list[bool]


def chat_texts(tokenizer: Any, prompts: Sequence[Messages]) -> list[str]:
    """The prompts as a model reads them, with the turn given to it."""
    return [tokenizer.apply_chat_template(list(each), add_generation_prompt=True, tokenize=False) for each in prompts]


def generate(
    model: Any, tokenizer: Any, prompts: Sequence[Messages], longest: int, temperature: float = 0.0, count: int = 1
) -> Batch:
    """`count` answers to each prompt, beside one another, of at most `longest` tokens.

    temperature: 0 is greedy; otherwise the whole distribution is drawn from, by torch's own numbers.
    """
    model.eval()
    inputs = tokenizer(chat_texts(tokenizer, prompts), return_tensors="pt", padding=True, add_special_tokens=False)
    asked, attention = (inputs[name].to(model.device) for name in ("input_ids", "attention_mask"))
    places = torch.arange(len(prompts), device=model.device).repeat_interleave(count)
    # Every setting is given, since a model's own generation_config would fill the rest in.
    how = (
        {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0, "min_p": None}
        if temperature
        else {"do_sample": False, "temperature": None, "top_k": None, "top_p": None}
    )
    ends = end_tokens(model, tokenizer)
    with torch.no_grad():
        # A prompt is read once for all its answers; its last token is left to `generate`.
        cache, _ = read(model, asked[:, :-1], attention[:, :-1])
        cache.batch_select_indices(places)
        found = model.generate(
            input_ids=asked[places],
            attention_mask=attention[places],
            past_key_values=cache,
            **how,
            repetition_penalty=1.0,
            max_new_tokens=longest,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=ends,
        )
    responses = found[:, asked.shape[1] :]
    ended = torch.isin(responses, torch.tensor(ends, device=responses.device)).int()
    mask = (ended.cumsum(-1) - ended) == 0  # up to and including the first end
    return Batch(
        prompts=asked[places],
        responses=responses,
        attention=torch.cat([attention[places], mask.long()], 1),
        mask=mask.float(),
        texts=tokenizer.batch_decode(responses.masked_fill(~mask, tokenizer.pad_token_id), skip_special_tokens=True),
        ended=ended.any(-1).tolist(),
    )


def read(model: Any, ids: torch.Tensor, attention: torch.Tensor) -> tuple[DynamicCache, torch.Tensor]:
    """What a model keeps of tokens (b, p) that it has read, padded left, and its logits after the last: (b, 1, v)."""
    cache = DynamicCache(config=model.config)
    positions = (attention.cumsum(-1) - 1).clamp(min=0)
    out = model(
        input_ids=ids,
        attention_mask=attention,
        position_ids=positions,
        past_key_values=cache,
        use_cache=True,
        logits_to_keep=1,
    )
    return cache, out.logits


def answers(
    model: Any, tokenizer: Any, prompts: Sequence[Messages], longest: int, size: int = 64
) -> Iterator[tuple[str, bool]]:
    """Greedy answers in the order of the prompts, and whether each ended by itself; like lengths are run together."""
    lengths = [len(text) for text in chat_texts(tokenizer, prompts)]
    order = sorted(range(len(prompts)), key=lambda place: (lengths[place], place))
    found: dict[int, tuple[str, bool]] = {}
    for begin in range(0, len(order), size):
        places = order[begin : begin + size]
        batch = generate(model, tokenizer, [prompts[place] for place in places], longest)
        found.update(zip(places, zip(batch.texts, batch.ended, strict=True), strict=True))
    yield from (found[place] for place in range(len(prompts)))


def log_probabilities(model: Any, batch: Batch, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Of every answer token its log-probability and the entropy of its distribution: two tensors (b, r).

    Equal prompts are read once: what a group shares is most of its tokens.
    """
    width, longest = batch.prompts.shape[1], batch.responses.shape[1]
    both, places = torch.cat([batch.prompts, batch.attention[:, :width]], 1).unique(dim=0, return_inverse=True)
    cache, first = read(model, both[:, :width], both[:, width:])
    logits = first[places]
    if longest > 1:
        cache.batch_select_indices(places)
        positions = (batch.attention.cumsum(-1) - 1)[:, width:-1]
        out = model(
            input_ids=batch.responses[:, :-1],
            attention_mask=batch.attention[:, :-1],
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
        )
        logits = torch.cat([logits, out.logits], 1)
    logs = torch.log_softmax(logits.float() / temperature, -1)
    entropy = -(logs.detach().exp() * logs.detach()).sum(-1)
    return logs.gather(-1, batch.responses[..., None]).squeeze(-1), entropy


def part(batch: Batch, rows: slice) -> Batch:
    """Some rows of a batch, without the columns that are padding in all of them."""
    width = batch.prompts.shape[1]
    first = width - int(batch.attention[rows, :width].sum(-1).max())
    longest = int(batch.mask[rows].sum(-1).max())
    return Batch(
        prompts=batch.prompts[rows, first:],
        responses=batch.responses[rows, :longest],
        attention=batch.attention[rows, first : width + longest],
        mask=batch.mask[rows, :longest],
        texts=batch.texts[rows],
        ended=batch.ended[rows],
    )
