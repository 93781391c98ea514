"""The rows of the saved queries on benchmarks by loops over rows, in their order; nothing here uses SQL."""

from collections import defaultdict
from statistics import fmean
from typing import Any

from tests.support.invented_tables import Invented
from tests.support.query_oracles import Rows, grouped, mean, rounded


def benchmark_means(of: Invented) -> Rows:
    found = []
    for key, rows in grouped(of.rows["benchmark_samples"], "checkpoint", "benchmark", "data", "dataset_sha256").items():
        scores = {
            question: [row["score"] for row in some if row["score"] is not None]
            for question, some in grouped(rows, "question").items()
        }
        means = [fmean(some) for some in scores.values() if some]
        count = sum(map(len, scores.values()))
        found.append((*key, len(means), count, len(rows) - count, fmean(means), rows[0]["engine_score"]))
    return found


def benchmark_table(
    of: Invented,
    data: str | None = None,
    benchmark: str | None = None,
    measure: str | None = None,
    subset: str | None = "all",
) -> Rows:
    asked = {"data": data, "benchmark": benchmark, "measure": measure, "subset": subset}
    rows = [r for r in of.rows["benchmark_scores"] if all(value in (None, r[name]) for name, value in asked.items())]
    names = ("data", "benchmark", "measure", "subset", "question_set", "checkpoint")
    order = ("data", "benchmark", "measure", "subset", "dataset_sha256", "question_set", "checkpoint")
    return [
        (
            *(row[name] for name in names),
            *(None if row[name] is None else rounded(row[name], 4) for name in ("value", "low", "high")),
            *(row[name] for name in ("questions", "samples", "grader_errors", "dataset_sha256", "settings_hash")),
        )
        for row in sorted(rows, key=lambda row: [row[name] for name in order])
    ]


def benchmark_cases(of: Invented, first: str, second: str, benchmark: str, question: str | None = None) -> Rows:
    rows = [row for row in of.rows["benchmark_samples"] if row["benchmark"] == benchmark]
    found = [
        (
            one["data"],
            one["question"],
            one["sample"],
            *(row[name] for name in ("score", "extracted", "response") for row in (one, other)),
            one["prompt"],
            one["prompt_hash"] == other["prompt_hash"],
        )
        for one in rows
        for other in rows
        if (one["checkpoint"], other["checkpoint"]) == (first, second)
        and all(one[name] == other[name] for name in ("data", "dataset_sha256", "question", "sample"))
        and question in (None, one["question"])
    ]
    return sorted(found, key=lambda row: (row[3] == row[4], row[:3]))


def benchmark_pairs(of: Invented, checkpoint: str | None = None, data: str | None = None) -> Rows:
    rounds = ("first_score", "second_score", "difference", "low", "high", "p", "p_holm")
    rows = [
        (
            *(row[name] for name in ("data", "first", "second", "benchmark")),
            *(rounded(row[name], 4) for name in rounds),
            row["questions"],
            row["same_settings"],
        )
        for row in of.rows["benchmark_differences"]
        if checkpoint in (None, row["first"], row["second"]) and data in (None, row["data"])
    ]
    return sorted(rows)


def benchmark_truncation(of: Invented, checkpoint: str | None = None) -> Rows:
    key = ("data", "benchmark", "checkpoint", "dataset_sha256", "settings_hash")
    found = []
    for names, rows in grouped(of.rows["benchmark_samples"], *key).items():
        cut, ended = ([r["score"] for r in rows if r["truncated"] == is_cut] for is_cut in (True, False))
        tokens = [row["completion_tokens"] for row in rows if row["completion_tokens"] >= 0]
        line = (
            *names[:3],
            len(rows),
            mean(row["truncated"] for row in rows),
            *(
                mean(s for s in some if s is not None) if any(s is not None for s in some) else None
                for some in (cut, ended)
            ),
            mean(row["prompt_cut"] for row in rows),
            mean(tokens, 1) if tokens else None,
            max(tokens, default=None),
        )
        if checkpoint in (None, names[2]):
            found.append((*line, *names[3:]))
    return found


def paper_table(of: Invented, model: str | None = None) -> Rows:
    lines: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for row in of.rows["paper_results"]:
        if model in (None, row["model"]):
            key = tuple(
                row.get(name, "") for name in ("model", "training", "environments", "operators", "size", "note")
            )
            lines[key][row["benchmark"]] = row["points"]
    bases = {key[0]: line["average"] for key, line in lines.items() if key[1] == "base"}
    columns = ("LiveCodeBench", "Enigmata", "LongBench-v2", "IFEval", "AIME", "average")
    return [
        (
            *key,
            *(line.get(column) for column in columns),
            rounded(line["average"] - bases[key[0]], 1) if key[0] in bases else None,
        )
        for key, line in sorted(
            lines.items(), key=lambda item: (item[0][0], item[0][1] != "base", *item[0][1:3], item[0][4] or 0)
        )
    ]
