"""The page of the asset `benchmark_report`: tables and pictures of the paper's results and of ours."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from races.assets.defs.benchmarks.paper_rows import AVERAGE, OFFICIAL, OURS, PAPER, question_id
from races.assets.defs.benchmarks.scored_samples import interval
from races.assets.pictures import Picture, drawn, figure
from races.resources.evaluation.statistics.intervals import COLUMNS
from races.resources.evaluation.statistics.measures import question_set
from races.resources.evaluation.suites.datasets import BENCHMARKS
from races.resources.store.markdown import text

Row = dict[str, Any]
NOTE = (
    f"Rows of the source {PAPER} are the paper's results: none was measured here, and it gives no errors. It does "
    "not say LiveCodeBench's window, the prompts, the sampling and the lengths, in which ours may differ. In brackets "
    "stand the 95 % interval over questions and the hash of data and questions."
)
COLUMNS_SHOWN = (*COLUMNS, AVERAGE)


def report(models: Sequence[str], rows: Sequence[Row], others: Sequence[Row], averages: Sequence[Row]) -> str:
    """The page: the paper's models with what stands beside, then a section for each other kind of data."""
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
    return f"{data}, not to be compared with results of the paper or of other data"


def wide(rows: Sequence[Row]) -> list[str]:
    """A Markdown table with one line for each checkpoint and the paper's columns; ours with intervals."""
    found: dict[tuple[Any, ...], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        key = row["source"], row["data"], row["training"], row["environments"], row["size"], row["note"]
        found[key][row["benchmark"]] = row
    lines = [
        f"| source | data | training | environments | size | | {' | '.join(COLUMNS_SHOWN)} |",
        "| --- " * (6 + len(COLUMNS_SHOWN)) + "|",
    ]
    for (source, data, training, environments, size, note), some in found.items():
        cells = [points(some[column]) if column in some else "" for column in COLUMNS_SHOWN]
        said = [*map(text, (source, data, training, environments or "", size or "", note)), *cells]
        lines.append(f"| {' | '.join(said)} |")
    return lines


def points(row: Row) -> str:
    """A result in percent, and where it is ours the interval and the hash of its questions."""
    found = f"{row['points']:.1f} {interval(row, digits=1)}".strip()
    return f"{found} ({row['questions']})" if row["questions"] else found


def long(data: str, rows: Iterable[Row]) -> list[str]:
    """A Markdown table with one line for each score on one kind of data."""
    lines = [
        f"| {data}: checkpoint | benchmark | score | 95 % interval | questions | question set |",
        "| --- " * 6 + "|",
    ]
    for row in rows:
        said = [f"{row['value']:.3f}", interval(row), str(row["questions"]), question_set([question_id(row)])[:8]]
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
    """The paper's results by model and column, each of its trainings a series; ours are series of their own."""
    made = figure(9, 2.6 * len(models))
    for axes, model in zip(made.subplots(len(models), 1, squeeze=False)[:, 0], models, strict=True):
        series: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row["model"] == model and row["size"] is None and (row["source"] == OURS or not row["note"]):
                series[f"{row['source']}: {row['training']} {row['environments'] or ''} {row['note']}"].append(row)
        for place, (name, some) in enumerate(series.items()):
            at = [COLUMNS_SHOWN.index(row["benchmark"]) + (place - len(series) / 2) * 0.12 for row in some]
            reach = [[row["points"] - row[end] if row[end] else 0 for row in some] for end in ("low", "high")]
            errors = [[abs(each) for each in ends] for ends in reach]
            axes.errorbar(at, [r["points"] for r in some], yerr=errors, fmt="os^vDPX*"[place % 8], ms=4, label=name)
        axes.set_xticks(range(len(COLUMNS_SHOWN)), COLUMNS_SHOWN)
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
