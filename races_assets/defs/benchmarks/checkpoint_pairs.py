"""Differences between checkpoints that answered the same questions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from races.assets.defs.benchmarks.scored_samples import Scored, mean
from races.assets.pictures import Picture, differences_picture
from races.resources.evaluation.statistics import intervals
from races.resources.evaluation.suites.datasets import BENCHMARKS

Row = dict[str, Any]


def differences(found: Sequence[Scored]) -> list[Row]:
    """Every pair that compares, with p values adjusted over the benchmarks of a pair and kind of data."""
    alike: dict[tuple[str, ...], list[Scored]] = defaultdict(list)
    for each in found:
        alike[each.compares].append(each)
    rows = [difference(*pair) for some in alike.values() for pair in combinations(some, 2)]
    families: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        families[row["first"], row["second"], row["data"]].append(row)
    for family in families.values():
        adjusted = intervals.holm({row["benchmark"]: row["p"] for row in family})
        for row in family:
            row["p_holm"] = adjusted[row["benchmark"]]
    return sorted(rows, key=lambda row: (row["data"], row["first"], row["second"], row["benchmark"]))


def difference(first: Scored, second: Scored) -> Row:
    """One pair on one benchmark, without the adjusted p."""
    found = asdict(intervals.difference(first.samples, second.samples, first.clusters, first.benchmark))
    return {
        "first": first.checkpoint,
        "second": second.checkpoint,
        "first_score": mean(first.samples),
        "second_score": mean(second.samples),
        "difference": found.pop("value"),
        "first_settings": first.settings_hash,
        "second_settings": second.settings_hash,
        "same_settings": first.settings_hash == second.settings_hash,
        **dict(zip(("benchmark", "data", "dataset_sha256", "question_set"), first.compares, strict=True)),
        **found,
    }


def pairs_picture(data: str, rows: Sequence[Row]) -> Picture:
    """The differences on one kind of data, which the title names."""
    names = [f"{row['second']} - {row['first']}: {BENCHMARKS[row['benchmark']].title}" for row in rows]
    return differences_picture(names, rows, "second minus first, with 95 % interval over questions", data)
