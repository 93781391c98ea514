"""The pictures of the report, each of the rows of a query."""

from collections import defaultdict
from typing import Any

from races.assets.defs.benchmarks.report_tables import long_picture
from races.assets.defs.evaluation.paired_scores import heldout_picture
from races.assets.pictures import Picture, curve, drawn, figure, type_graph_picture

Row = dict[str, Any]


def types_picture(rows: list[Row]) -> list[Picture]:
    """The types and the bricks between them."""
    return [type_graph_picture([(row["domain"], row["codomain"]) for row in rows])]


def sizes_picture(rows: list[Row]) -> list[Picture]:
    """The number of type-correct sequences by their length."""
    made = figure(6, 2.6)
    axes = made.subplots()
    for matching in sorted({row["matching"] for row in rows}):
        some = [row for row in rows if row["matching"] == matching]
        axes.semilogy([row["size"] for row in some], [row["paths"] for row in some], "o-", ms=3, label=matching)
    axes.set(xlabel="bricks in a sequence", ylabel="type-correct sequences")
    axes.legend()
    return [drawn(made, "type-correct sequences by length")]


def healthy_picture(rows: list[Row]) -> list[Picture]:
    """The share of found paths that is healthy, by size, for every search."""
    made = figure(7, 3)
    axes = made.subplots()
    lines: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        lines[f"{row['pool']}, {row['matching']}, {row['search']}"].append(row)
    for name, some in lines.items():
        found = [row for row in some if row["found"]]
        axes.plot(
            [row["size"] for row in found], [row["healthy"] / row["found"] for row in found], "o-", ms=3, label=name
        )
    axes.set(xlabel="bricks in a path", ylabel="healthy share", ylim=(0, 1))
    axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    return [drawn(made, "healthy share of found paths by size")]


def curves(rows: list[Row]) -> list[Picture]:
    """The reward of every step, a picture a run."""
    runs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        runs[row["run"], row["scale"]].append(row["reward"])
    return [
        curve(rewards, ", ".join(filter(None, (f"reward of {run}", scale)))) for (run, scale), rewards in runs.items()
    ]


def heldout_pictures(rows: list[Row]) -> list[Picture]:
    """Checkpoints against their base models."""
    return [heldout_picture(rows)] if rows else []


def score_pictures(rows: list[Row]) -> list[Picture]:
    """The scores on each kind of data, which is named in every title."""
    return [long_picture(data, [r for r in rows if r["data"] == data]) for data in sorted({r["data"] for r in rows})]
