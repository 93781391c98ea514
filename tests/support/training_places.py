"""What the tests of training share: rows in files, a tiny model, processes that live or not."""

import json
import stat
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from races.environments import get
from races.environments.operators import Problem, single
from races.environments.operators.problem import training_row
from races.resources.training.rows import VERL

BRICKS = ("digit_sum", "run_lengths", "running_totals", "gcd_pair")
CHAT = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def problems(count: int) -> list[Problem]:
    """Problems of the operator SINGLE, of a few bricks in turn."""
    return [
        single.pose(get(BRICKS[number % len(BRICKS)]), Random(f"training row {number}"), 1 + number % 2)
        for number in range(count)
    ]


def few_problems(count: int = 12) -> list[Problem]:
    """Problems of few tokens, of one brick."""
    return [single.pose(get("digit_sum"), Random(f"few {number}"), 1) for number in range(count)]


def write_solved(file: Path, posed: Sequence[Problem], count: int) -> Path:
    """Solved problems, over and over under further ids, so that those to measure on are among those that are taught."""
    chosen = [posed[number % len(posed)] for number in range(count)]
    columns = ("operator", "size", "prompt", "answer", "truth")
    rows = [
        {"id": f"row {number}", **{name: getattr(each, name) for name in columns}} for number, each in enumerate(chosen)
    ]
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file


def write_rows(file: Path, posed: Sequence[Problem]) -> Path:
    rows = [training_row(each.as_dict(), place) for place, each in enumerate(posed)]
    pq.write_table(pa.Table.from_pylist(rows, schema=VERL), file)
    return file


def tiny_model(folder: Path, texts: Sequence[str]) -> Path:
    """A Qwen3 of a few thousand parameters that knows nothing, with a tokenizer of the texts."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=320,
            special_tokens=["<|pad|>", "<|im_end|>", "<|user|>", "<|assistant|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    special = {"pad_token": "<|pad|>", "eos_token": "<|im_end|>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, chat_template=CHAT, **special)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder


def stand_in(folder: Path) -> str:
    """An interpreter that stands in for the one of verl's environment."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).parent}/stand_in_verl.py" "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return str(python)


def answer(problem: Problem) -> str:
    """A response that answers a problem rightly."""
    return f"I think.\n<answer>{problem.answer}</answer>"


def wait_for(happens: Callable[[], Any], seconds: float = 20) -> Any:
    until = time.monotonic() + seconds
    while not (found := happens()):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pids(file: Path) -> list[int]:
    """The processes that a file names, once its line is whole."""
    found = wait_for(lambda: file.exists() and file.read_text().endswith("\n") and file.read_text())
    return [int(pid) for pid in found.split()]


def json_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]
