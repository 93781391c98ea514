"""Invented answers to benchmarks: rows of benchmark_samples, of which a test says what matters to it."""

import json
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from races.assets.tables.benchmarks import BenchmarkSamples
from races.assets.tables.columns import table
from races.resources.evaluation.suites.datasets import BENCHMARKS, MINI
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]


def sample(checkpoint: str, benchmark: str, question: str, number: int, score: float | None, **said: Any) -> Row:
    """A whole row; groups and parts as objects."""
    row = {
        "checkpoint": checkpoint,
        "benchmark": benchmark,
        "data": MINI,
        "question": question,
        "sample": number,
        "cluster": question,
        "groups": {},
        "score": score,
        "parts": {},
        "extracted": None if score is None else str(score),
        "reason": "",
        "grader_error": "the judge ended" if score is None else "",
        "response": f"{checkpoint} answers {question} for the {number}. time",
        "finish_reason": "stop",
        "truncated": False,
        "prompt": "[]",
        "prompt_cut": False,
        "prompt_hash": "p" * 24,
        "prompt_tokens": 10,
        "completion_tokens": 20,
        "seconds": 1.0,
        "retries": 0,
        "answered_at": "2026-11-29T12:00:00+00:00",
        "engine_score": None,
        "model": checkpoint,
        "weights": "",
        "server": "invented",
        "dataset_sha256": f"{benchmark:.<64}",
        "settings": "{}",
        "settings_hash": "s" * 24,
    } | said
    return row | {name: json.dumps(row[name]) for name in ("groups", "parts")}


def answers(checkpoint: str, benchmark: str, scores: Sequence[Sequence[float | None]], **said: Any) -> list[Row]:
    """A row for each score, by question and sample."""
    return [
        sample(checkpoint, benchmark, f"q{place}", number, score, **said)
        for place, each in enumerate(scores, 1)
        for number, score in enumerate(each, 1)
    ]


def drawn(checkpoint: str, benchmark: str, questions: int = 8, samples: int = 2, **said: Any) -> list[Row]:
    """Scores of 0 and 1 by a key that is the checkpoint's and the benchmark's."""
    rng = Random(f"{checkpoint} {benchmark}")
    rows = answers(
        checkpoint, benchmark, [[float(rng.random() < 0.6) for _ in range(samples)] for _ in range(questions)], **said
    )
    if benchmark == "ifeval":
        for row in rows:
            holds = [bool(row["score"]), True]
            parts = {"prompt_strict": all(holds), "prompt_loose": True, "strict": holds, "loose": [True, True]}
            row["parts"] = json.dumps(parts | {"instructions": 2})
    return rows


def all_six(checkpoint: str, **said: Any) -> list[Row]:
    """Answers to the six benchmarks."""
    return [row for benchmark in BENCHMARKS for row in drawn(checkpoint, benchmark, **said)]


def write(warehouse: Warehouse, rows: Iterable[Row]) -> None:
    """Store samples in the parts that the asset of them has."""
    parts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["checkpoint"], row["benchmark"]), []).append(row)
    for (checkpoint, benchmark), some in parts.items():
        part = {"checkpoint": checkpoint, "benchmark": benchmark}
        warehouse.write("benchmark_samples", table(BenchmarkSamples, some), part, BenchmarkSamples)
