"""Two scores of the same problems, side by side."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from races.assets.catalog.runs import RUNS
from races.assets.pictures import Picture, differences_picture
from races.resources.extras import check_extra
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
CELL, OPERATOR, TOTAL = "operator and size", "operator", "all problems"  # what a difference is the mean over
Group = tuple[str, str, str | None, int | None]  # what is unseen, grain, operator, size


def heldout_picture(rows: Sequence[Row]) -> Picture:
    """Differences from base models with their intervals, one a line."""
    names = [f"{row['checkpoint']}: {row['unseen']}, {row['operator'] or TOTAL}" for row in rows]
    return differences_picture(names, rows, "score minus that of the base model, with 95 % interval over problems")


def differences(warehouse: Warehouse, checkpoint: str) -> Iterator[Row]:
    """A checkpoint against its base model, where both have been measured; nothing for a base model."""
    run = RUNS.get(checkpoint)
    stored = {part["checkpoint"] for part in warehouse.partitions("heldout_scores")}
    if run is None or run.model not in stored:
        return
    columns = ["id", "unseen", "operator", "size", "score"]
    after = warehouse.read("heldout_scores", {"checkpoint": checkpoint}, columns=columns).to_pylist()
    before = warehouse.read("heldout_scores", {"checkpoint": run.model}, columns=["id", "score"]).to_pylist()
    base = {row["id"]: row["score"] for row in before}
    pairs: dict[Group, list[tuple[float, float]]] = defaultdict(list)
    for row in after:
        if row["score"] is not None and base.get(row["id"]) is not None:
            pair = base[row["id"]], row["score"]
            pairs[row["unseen"], CELL, row["operator"], row["size"]].append(pair)
            pairs[row["unseen"], OPERATOR, row["operator"], None].append(pair)
            pairs[row["unseen"], TOTAL, None, None].append(pair)
    for what, found in sorted(pairs.items(), key=_order):
        yield {
            "checkpoint": checkpoint,
            "base": run.model,
            **dict(zip(("unseen", "grain", "operator", "size"), what, strict=True)),
            **paired(found),
        }


def _order(item: tuple[Group, Any]) -> tuple[str, str, str, int]:
    unseen, grain, operator, size = item[0]
    return unseen, operator or "", grain, size or 0


def paired(pairs: Sequence[tuple[float, float]]) -> Row:
    """Means of two scores of the same problems, and the mean difference with its 95 % interval by Student's t.

    SettingError where scipy is not installed.
    """
    check_extra("scipy", "report")
    from races.resources.evaluation.statistics.intervals import mean_interval

    value, error, low, high = mean_interval([second - first for first, second in pairs])
    return {
        "problems": len(pairs),
        "base_score": fmean(first for first, _ in pairs),
        "score": fmean(second for _, second in pairs),
        "difference": value,
        "standard_error": error,
        "low": low,
        "high": high,
    }
