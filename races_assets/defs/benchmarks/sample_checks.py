"""The checks of benchmark samples, and what the page of the asset shows of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from races.resources.evaluation.measurement import GenerationSettings
from races.resources.evaluation.suites import datasets

Row = dict[str, Any]
SPECS = [
    dg.AssetCheckSpec(name, asset="benchmark_samples", description=description)
    for name, description in {
        "every_sample_is_there": "One row for each question and sample.",
        "known_answers_score_one": "Before the model was asked: known right answers score 1, empty ones 0.",
        "no_grader_failed": "No answer is without a score through a fault of ours.",
        "data_are_as_pinned": "The benchmark's files have the hash of pins.json.",
    }.items()
]


def sample_metadata(rows: Sequence[Row]) -> Row:
    """What the page of the asset shows of the samples of a partition."""
    first = rows[0]
    truncated = sum(row["truncated"] for row in rows) / len(rows)
    return {"data": first["data"], "score": first["engine_score"], "truncated": truncated, "server": first["server"]}


def self_test_failed(error: Exception) -> dg.AssetCheckResult:
    """The result where known answers were scored wrongly: the model was not asked."""
    return dg.AssetCheckResult(passed=False, check_name="known_answers_score_one", metadata={"wrong": str(error)})


def checks(
    rows: list[dict[str, Any]], dataset: datasets.Dataset, answers: GenerationSettings, pin: str
) -> Iterator[dg.AssetCheckResult]:
    """What must hold of the samples that were just taken."""
    expected = len(dataset.questions) * answers.samples
    there = {(row["question"], row["sample"]) for row in rows}
    yield dg.AssetCheckResult(
        passed=len(there) == len(rows) == expected,
        check_name="every_sample_is_there",
        metadata={"rows": len(rows), "questions": len(dataset.questions), "samples": answers.samples},
    )
    yield dg.AssetCheckResult(
        passed=True,  # or the model would not have been asked
        check_name="known_answers_score_one",
        metadata={"right_answers": rows[0]["golds"], "empty_answers": len(dataset.questions)},
    )
    failed = [
        f"{row['question']}, sample {row['sample']}: {row['grader_error']}" for row in rows if row["grader_error"]
    ]
    yield dg.AssetCheckResult(
        passed=not failed, check_name="no_grader_failed", metadata={"failed": len(failed), "first": failed[:5]}
    )
    yield dg.AssetCheckResult(
        passed=pin == dataset.sha256,
        severity=dg.AssetCheckSeverity.ERROR if pin else dg.AssetCheckSeverity.WARN,
        check_name="data_are_as_pinned",
        metadata={"expected": pin or "not pinned: races benchmarks pin", "got": dataset.sha256, "data": dataset.label},
    )
