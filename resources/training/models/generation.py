"""Sampling from a local model, and log-probabilities of its answers; in one process on one device."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache

from races.resources.training.models.folders import end_tokens

Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Batch:
    """Prompts with their answers: b rows of p prompt tokens (padded left) and r answer tokens (padded right)."""

    prompts: torch.Tensor  # (b, p) int64
    responses: torch.Tensor  # (b, r) int64
    attention: torch.Tensor  # (b, p + r) int64, 0 at padding and after the end token
    mask: torch.Tensor  # (b, r) float32, 1 up to and including the first end token
    texts: list[str]  # the answers, without special tokens
    ended: list[bool]  # with an end token, not at the token limit


def chat_texts(tokenizer: Any, prompts: Sequence[Messages]) -> list[str]:
    """The prompts as rendered by the chat template, generation prompt included."""
    return [tokenizer.apply_chat_template(list(each), add_generation_prompt=True, tokenize=False) for each in prompts]


def generate(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[Messages],
    max_new_tokens: int,
    temperature: float = 0.0,
    count: int = 1,
) -> Batch:
    """`count` answers to each prompt, in adjacent rows; torch's global generator samples, temperature 0 is greedy."""
    model.eval()
    inputs = tokenizer(chat_texts(tokenizer, prompts), return_tensors="pt", padding=True, add_special_tokens=False)
    ids, attention = (inputs[name].to(model.device) for name in ("input_ids", "attention_mask"))
    rows = torch.arange(len(prompts), device=model.device).repeat_interleave(count)
    ends = end_tokens(model, tokenizer)
    with torch.no_grad():
        # A prompt is prefilled once for all its answers; its last token is left to `generate`.
        cache, _ = prefill(model, ids[:, :-1], attention[:, :-1])
        cache.batch_select_indices(rows)
        found = model.generate(
            input_ids=ids[rows],
            attention_mask=attention[rows],
            past_key_values=cache,
            **_decoding(temperature),
            max_new_tokens=max_new_tokens,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=ends,
        )
    responses = found[:, ids.shape[1] :]
    ended = torch.isin(responses, torch.tensor(ends, device=responses.device)).int()
    mask = (ended.cumsum(-1) - ended) == 0  # up to and including the first end token
    return Batch(
        prompts=ids[rows],
        responses=responses,
        attention=torch.cat([attention[rows], mask.long()], 1),
        mask=mask.float(),
        texts=tokenizer.batch_decode(responses.masked_fill(~mask, tokenizer.pad_token_id), skip_special_tokens=True),
        ended=ended.any(-1).tolist(),
    )


def _decoding(temperature: float) -> dict[str, Any]:
    """Arguments of `generate`; all are given, since those left out come from the model's generation_config."""
    if temperature:
        sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0, "min_p": None}
    else:
        sampling = {"do_sample": False, "temperature": None, "top_k": None, "top_p": None}
    return {**sampling, "repetition_penalty": 1.0}


def prefill(model: Any, ids: torch.Tensor, attention: torch.Tensor) -> tuple[DynamicCache, torch.Tensor]:
    """The key-value cache of tokens (b, p), padded left, and the logits after the last one: (b, 1, v)."""
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


def greedy_answers(
    model: Any, tokenizer: Any, prompts: Sequence[Messages], max_new_tokens: int, size: int = 64
) -> Iterator[tuple[str, bool]]:
    """Greedy answers in the order of the prompts, and whether each ended with an end token.

    size: prompts per batch; prompts of similar length are batched.
    """
    lengths = [len(text) for text in chat_texts(tokenizer, prompts)]
    order = sorted(range(len(prompts)), key=lambda place: (lengths[place], place))
    found: dict[int, tuple[str, bool]] = {}
    for begin in range(0, len(order), size):
        places = order[begin : begin + size]
        batch = generate(model, tokenizer, [prompts[place] for place in places], max_new_tokens)
        found.update(zip(places, zip(batch.texts, batch.ended, strict=True), strict=True))
    yield from (found[place] for place in range(len(prompts)))


def log_probabilities(model: Any, batch: Batch, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The log-probability of every answer token, and the entropy of its distribution: two tensors (b, r).

    Equal prompts are prefilled once: the prompt is most of the tokens of a group.
    """
    width, longest = batch.prompts.shape[1], batch.responses.shape[1]
    both, places = torch.cat([batch.prompts, batch.attention[:, :width]], 1).unique(dim=0, return_inverse=True)
    cache, first = prefill(model, both[:, :width], both[:, width:])
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


def sub_batch(batch: Batch, rows: slice) -> Batch:
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
