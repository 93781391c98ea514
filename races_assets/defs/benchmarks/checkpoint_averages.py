"""The averages of checkpoints over all benchmarks, and the differences of those."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from races.assets.defs.benchmarks.scored_samples import Scored, mean
from races.resources.evaluation.statistics import intervals
from races.resources.evaluation.statistics.intervals import Clusters, Samples
from races.resources.evaluation.statistics.measures import question_set
from races.resources.evaluation.suites.datasets import BENCHMARKS

Row = dict[str, Any]
AVERAGED = {
    "livecodebench": "LiveCodeBench",
    "enigmata": "Enigmata",
    "longbench_v2": "LongBench-v2",
    "ifeval": "IFEval",
    "aime": "AIME",
}


def averages(found: Sequence[Scored]) -> list[Row]:
    """The averages of checkpoints that have all six benchmarks of one kind of data, and the differences of those."""
    of: dict[tuple[str, str], dict[str, Scored]] = defaultdict(dict)
    for each in found:
        of[each.checkpoint, each.data][each.benchmark] = each
    whole = {key: some for key, some in of.items() if some.keys() == BENCHMARKS.keys()}
    rows = []
    for (checkpoint, data), some in whole.items():
        made = intervals.average(_samples(some), _clusters(some), data)
        rows.append(_average({"checkpoint": checkpoint, "baseline": "", "same_settings": None}, some, made))
    for ((first, _), some), ((second, _), others) in combinations(whole.items(), 2):
        if all(some[name].compares == others[name].compares for name in BENCHMARKS):
            made = intervals.average_difference(_samples(some), _samples(others), _clusters(some), "difference")
            same = all(some[name].settings_hash == others[name].settings_hash for name in BENCHMARKS)
            rows.append(_average({"checkpoint": second, "baseline": first, "same_settings": same}, others, made, some))
    return rows


def _average(
    common: Row, some: Mapping[str, Scored], made: intervals.Average, baseline: Mapping[str, Scored] | None = None
) -> Row:
    each = [mean(one.samples) - (mean(baseline[name].samples) if baseline else 0) for name, one in some.items()]
    return common | {
        "data": next(iter(some.values())).data,
        "average": made.value,
        "error": made.error,
        "low": made.low,
        "high": made.high,
        **{column: made.columns[title] for column, title in AVERAGED.items()},
        "mean_of_six": fmean(each),
        "question_set": question_set(":".join(one.compares) for one in some.values()),
    }


def _samples(some: Mapping[str, Scored]) -> dict[str, Samples]:
    return {name: each.samples for name, each in some.items()}


def _clusters(some: Mapping[str, Scored]) -> dict[str, Clusters]:
    return {name: each.clusters for name, each in some.items()}
