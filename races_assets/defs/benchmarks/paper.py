"""The paper's figures, and ours beside them where they may stand there; the rest of ours in tables of its own."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import dagster as dg
import pyarrow as pa

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.recipes import RECIPES
from races.assets.catalog.runs import RUNS
from races.assets.defs.benchmarks.scores import interval
from races.assets.defs.evaluation.heldout import bricks_of
from races.assets.pictures import Picture, drawn, figure
from races.assets.tables.benchmarks import BenchmarkReport, PaperResults
from races.assets.tables.schemas import table
from races.resources import evaluation
from races.resources.evaluation.statistics.intervals import COLUMNS
from races.resources.evaluation.statistics.measures import ALL, SCORE, question_set
from races.resources.evaluation.suites.datasets import BENCHMARKS
from races.resources.store.markdown import text
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
PAPER, OURS = "paper (arXiv 2606.12373)", "ours"
OFFICIAL = "official size"
AVERAGE = "average"
PAPER_FILE = Path(evaluation.__file__).with_name("paper_results.csv")
NOTE = (
    f"Rows of the source {PAPER} are the paper's figures: none was measured here, and it gives no errors. It does "
    "not say LiveCodeBench's window, the prompts, the sampling and the lengths, in which ours may differ. In brackets "
    "stand the 95 % interval over questions and the hash of data and questions."
)
SHOWN = (*COLUMNS, AVERAGE)
SCORED = ("checkpoint", "benchmark", "data", "model", "value", "low", "high", "questions", "dataset_sha256")


@dg.asset(group_name="benchmarks", kinds={"parquet"}, code_version="1")
def paper_results() -> pa.Table:
    """One row per figure of the paper's tables (arXiv 2606.12373), none of which was measured here."""
    return table(PaperResults, of_paper())


def of_paper() -> list[Row]:
    """The figures of the paper, in percent."""
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


@dg.asset(
    deps=["paper_results", "benchmark_scores", "benchmark_averages"],
    group_name="benchmarks",
    kinds={"parquet"},
    code_version="1",
)
def benchmark_report(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per figure of the paper, and of ours that may stand beside: its models, on data of official size."""
    paper = warehouse.read("paper_results").to_pylist()
    models = list(dict.fromkeys(row["model"] for row in paper))
    scores, averages = scored(warehouse), averaged(warehouse)
    beside = [row for row in scores if row["data"] == OFFICIAL and described(row)["model"] in models]
    shown = {(row["checkpoint"], row["data"]) for row in beside}
    rows = [paper_row(row) for row in paper] + ours(beside, averages)
    text = report(
        models,
        rows,
        *([row for row in some if (row["checkpoint"], row["data"]) not in shown] for some in (scores, averages)),
    )
    context.add_output_metadata({"report": dg.MetadataValue.md(text)})
    return table(BenchmarkReport, rows)


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
    return [row for row in warehouse.read("benchmark_averages").to_pylist() if not row["less"]]


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
    """A figure of the paper as a row of the report."""
    said = f"{row['operators']} only" if row["operators"] else row["note"]
    return row | {"source": PAPER, "data": OFFICIAL, "note": said, "low": None, "high": None, "questions": ""}


def ours(scores: Sequence[Row], averages: Sequence[Row]) -> list[Row]:
    """Our figures as rows of the report: of a column only where all of its benchmarks are there."""
    of: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in scores:
        of[row["checkpoint"]][row["benchmark"]] = row
    rows = []
    for checkpoint, some in of.items():
        one = next(iter(some.values()))
        said = described(one) | {"source": OURS, "data": one["data"], "note": checkpoint}
        for column, names in COLUMNS.items():
            if some.keys() >= set(names):
                rows.append(said | {"benchmark": column} | in_points([some[name] for name in names]))
        for row in averages:
            if (row["checkpoint"], row["data"]) == (checkpoint, one["data"]):
                whole = {"value": row["average"], "low": row["low"], "high": row["high"]}
                rows.append(said | {"benchmark": AVERAGE} | in_points([whole]) | {"questions": row["question_set"][:8]})
    return rows


def in_points(scores: Sequence[Row]) -> Row:
    """The mean of scores in percent; its interval where it is one score."""
    alone = scores[0] if len(scores) == 1 and scores[0]["low"] is not None else None
    return {
        "points": 100 * fmean(row["value"] for row in scores),
        "low": 100 * alone["low"] if alone else None,
        "high": 100 * alone["high"] if alone else None,
        "questions": question_set(asked(row) for row in scores)[:8],
    }


def asked(row: Row) -> str:
    """What a score is on; an average says so itself."""
    return " ".join(str(row.get(each)) for each in ("benchmark", "data", "dataset_sha256", "question_set"))


# The page


def report(models: Sequence[str], rows: Sequence[Row], others: Sequence[Row], averages: Sequence[Row]) -> str:
    """The page: the paper's models with what stands beside, then a part for each other kind of data."""
    lines = [
        "# Benchmarks",
        "",
        "## The paper's models",
        "",
        NOTE,
        "",
        beside_picture(models, rows).markdown,
    ]
    for model in models:
        lines += ["", f"### {model}, {OFFICIAL}", "", *wide([row for row in rows if row["model"] == model])]
    for data in sorted({row["data"] for row in others}):
        some = [row for row in others if row["data"] == data]
        lines += ["", f"## Ours alone: {label(data)}", "", long_picture(data, some).markdown, "", *long(data, some)]
        lines += ["", *long_averages(data, [row for row in averages if row["data"] == data])]
    return "\n".join(lines)


def label(data: str) -> str:
    """What a kind of data is, and that it is not the paper's."""
    if data == OFFICIAL:
        return f"{data}, models that the paper does not have"
    return f"{data}, not to be compared with figures of the paper or of other data"


def wide(rows: Sequence[Row]) -> list[str]:
    """A Markdown table with one line for each checkpoint and the paper's columns; ours with intervals."""
    found: dict[tuple[Any, ...], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        key = row["source"], row["data"], row["training"], row["environments"], row["size"], row["note"]
        found[key][row["benchmark"]] = row
    lines = [
        f"| source | data | training | environments | size | | {' | '.join(SHOWN)} |",
        "| --- " * (6 + len(SHOWN)) + "|",
    ]
    for (source, data, training, environments, size, note), some in found.items():
        cells = [points(some[column]) if column in some else "" for column in SHOWN]
        said = [*map(text, (source, data, training, environments or "", size or "", note)), *cells]
        lines.append(f"| {' | '.join(said)} |")
    return lines


def points(row: Row) -> str:
    """A figure in percent, and where it is ours the interval and the hash of its questions."""
    found = f"{row['points']:.1f} {interval(row, digits=1)}".strip()
    return f"{found} ({row['questions']})" if row["questions"] else found


def long(data: str, rows: Iterable[Row]) -> list[str]:
    """A Markdown table with one line for each score on one kind of data."""
    lines = [
        f"| {data}: checkpoint | benchmark | score | 95 % interval | questions | question set |",
        "| --- " * 6 + "|",
    ]
    for row in rows:
        said = [f"{row['value']:.3f}", interval(row), str(row["questions"]), question_set([asked(row)])[:8]]
        lines.append(f"| {row['checkpoint']} | {BENCHMARKS[row['benchmark']].title} | {' | '.join(said)} |")
    return lines


def long_averages(data: str, rows: Sequence[Row]) -> list[str]:
    """A Markdown table of averages on one kind of data; nothing where there are none."""
    if not rows:
        return []
    head = f"| {data}: checkpoint | average of the five columns | 95 % interval | plain mean of six | question set |"
    lines = [head, "| --- " * 5 + "|"]
    for row in rows:
        said = [f"{row['average']:.3f}", interval(row), f"{row['mean_of_six']:.3f}", row["question_set"][:8]]
        lines.append(f"| {row['checkpoint']} | {' | '.join(said)} |")
    return lines


def beside_picture(models: Sequence[str], rows: Sequence[Row]) -> Picture:
    """The paper's figures by model and column, each of its trainings a series; ours are series of their own."""
    made = figure(9, 2.6 * len(models))
    for axes, model in zip(made.subplots(len(models), 1, squeeze=False)[:, 0], models, strict=True):
        series: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row["model"] == model and row["size"] is None and (row["source"] == OURS or not row["note"]):
                series[f"{row['source']}: {row['training']} {row['environments'] or ''} {row['note']}"].append(row)
        for place, (name, some) in enumerate(series.items()):
            at = [SHOWN.index(row["benchmark"]) + (place - len(series) / 2) * 0.12 for row in some]
            reach = [[row["points"] - row[end] if row[end] else 0 for row in some] for end in ("low", "high")]
            errors = [[abs(each) for each in ends] for ends in reach]
            axes.errorbar(at, [r["points"] for r in some], yerr=errors, fmt="os^vDPX*"[place % 8], ms=4, label=name)
        axes.set_xticks(range(len(SHOWN)), SHOWN)
        axes.set(title=f"{model}, {OFFICIAL}", ylabel="percent")
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    return drawn(made, "paper and ours")


def long_picture(data: str, rows: Sequence[Row]) -> Picture:
    """A panel for each benchmark and set of questions, as scores on others do not compare; the title names the data."""
    panels: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        panels[row["benchmark"], row["dataset_sha256"], row["question_set"]].append(row)
    heights = [0.7 + 0.25 * len(some) for some in panels.values()]
    made = figure(7, 0.6 + sum(heights))
    made.suptitle(data)
    grid = made.subplots(len(panels), 1, squeeze=False, sharex=True, height_ratios=heights)
    for axes, ((name, *_), some) in zip(grid[:, 0], panels.items(), strict=True):
        ends = [
            [abs(row["value"] - row[end]) if row[end] is not None else 0 for row in some] for end in ("low", "high")
        ]
        places = range(len(some))
        axes.errorbar([row["value"] for row in some], places, xerr=ends, fmt="o", ms=3)
        axes.set_yticks(places, [row["checkpoint"] for row in some])
        axes.set_ylim(-0.7, len(some) - 0.3)
        axes.set(title=f"{BENCHMARKS[name].title}, {data}", xlim=(-0.02, 1.02))
    return drawn(made, f"scores, {data}")
