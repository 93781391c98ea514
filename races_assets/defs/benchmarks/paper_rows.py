"""The results of the paper, and ours, as rows of the table `benchmark_report`."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.recipes import RECIPES
from races.assets.catalog.runs import RUNS
from races.assets.defs.evaluation.heldout_problems import bricks_of
from races.resources import evaluation
from races.resources.evaluation.statistics.intervals import COLUMNS
from races.resources.evaluation.statistics.measures import ALL, SCORE, question_set
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
PAPER, OURS = "paper (arXiv 2606.12373)", "ours"
OFFICIAL = "official size"
AVERAGE = "average"
PAPER_FILE = Path(evaluation.__file__).with_name("paper_results.csv")
SCORED = ("checkpoint", "benchmark", "data", "model", "value", "low", "high", "questions", "dataset_sha256")


def of_paper() -> list[Row]:
    """The results of the paper, in percent."""
    with PAPER_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        row
        | {
            "environments": int(row["environments"]),
            "size": int(row["size"]) if row["size"] else None,
            "points": float(row["points"]),
        }
        for row in rows
    ]


def scored(warehouse: Warehouse) -> list[Row]:
    """The scores on whole benchmarks that are stored."""
    if not warehouse.exists("benchmark_scores"):
        return []
    found = warehouse.read("benchmark_scores", columns=[*SCORED, "question_set", "measure", "subset"]).to_pylist()
    kept = [row for row in found if row["measure"] == SCORE and row["subset"] == ALL]
    return sorted(kept, key=lambda row: (row["data"], row["benchmark"], row["question_set"], row["checkpoint"]))


def averaged(warehouse: Warehouse) -> list[Row]:
    """The averages of checkpoints that are stored."""
    if not warehouse.exists("benchmark_averages"):
        return []
    return [row for row in warehouse.read("benchmark_averages").to_pylist() if not row["baseline"]]


def described(row: Row) -> Row:
    """What a checkpoint started from and was trained on, in the paper's words; an endpoint is a base model."""
    run = RUNS.get(row["checkpoint"])
    if run is None:
        model = row["checkpoint"] if row["checkpoint"] in BASE_MODELS else row["model"].rpartition("/")[2]
        return {"model": model, "training": "base", "environments": 0, "size": None}
    sizes = {size for some in RECIPES[run.recipe].sizes.values() for size in some}
    return {
        "model": run.model.rpartition("/")[2],
        "training": "individual" if sizes == {1} else "RACES",
        "environments": len(bricks_of(run.recipe)),
        "size": sizes.pop() if len(sizes) == 1 and sizes != {1} else None,
    }


def paper_row(row: Row) -> Row:
    """A result of the paper as a row of the report."""
    note = f"{row['operators']} only" if row["operators"] else row["note"]
    return row | {"source": PAPER, "data": OFFICIAL, "note": note, "low": None, "high": None, "questions": ""}


def ours(scores: Sequence[Row], averages: Sequence[Row]) -> list[Row]:
    """Our results as rows of the report: of a column only where all of its benchmarks are there."""
    of: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in scores:
        of[row["checkpoint"]][row["benchmark"]] = row
    rows = []
    for checkpoint, some in of.items():
        one = next(iter(some.values()))
        common = described(one) | {"source": OURS, "data": one["data"], "note": checkpoint}
        for column, names in COLUMNS.items():
            if some.keys() >= set(names):
                rows.append(common | {"benchmark": column} | in_points([some[name] for name in names]))
        for row in averages:
            if (row["checkpoint"], row["data"]) == (checkpoint, one["data"]):
                whole = {"value": row["average"], "low": row["low"], "high": row["high"]}
                rows.append(
                    common | {"benchmark": AVERAGE} | in_points([whole]) | {"questions": row["question_set"][:8]}
                )
    return rows


def in_points(scores: Sequence[Row]) -> Row:
    """The mean of scores in percent; its interval where it is one score."""
    alone = scores[0] if len(scores) == 1 and scores[0]["low"] is not None else None
    return {
        "points": 100 * fmean(row["value"] for row in scores),
        "low": 100 * alone["low"] if alone else None,
        "high": 100 * alone["high"] if alone else None,
        "questions": question_set(question_id(row) for row in scores)[:8],
    }


def question_id(row: Row) -> str:
    """What a score is on; an average says so itself."""
    return " ".join(str(row.get(each)) for each in ("benchmark", "data", "dataset_sha256", "question_set"))
