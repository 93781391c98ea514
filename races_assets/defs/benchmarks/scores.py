"""Scores on benchmarks with their uncertainty, and checkpoints against one another on the same questions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import dagster as dg
import pyarrow as pa

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.partitions import BENCHMARKED
from races.assets.catalog.runs import RUNS
from races.assets.pictures import Picture, drawn, figure
from races.assets.tables.benchmarks import BenchmarkAverages, BenchmarkDifferences, BenchmarkScores
from races.assets.tables.schemas import table
from races.environments.errors import InvalidValue
from races.resources.evaluation.statistics import intervals
from races.resources.evaluation.statistics.intervals import Clusters, Samples
from races.resources.evaluation.statistics.measures import ALL, SCORE, clusters, measures, question_set, values
from races.resources.evaluation.suites.datasets import BENCHMARKS
from races.resources.store.markdown import text
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
SAMPLES = "benchmark_samples"
OF_ALL = ("data", "dataset_sha256", "settings_hash", "model")  # what all samples of a partition share
MEASURED = ("question", "sample", "cluster", "groups", "score", "parts", "extracted", "truncated", "prompt_cut")
AVERAGED = {
    "livecodebench": "LiveCodeBench",
    "enigmata": "Enigmata",
    "longbench_v2": "LongBench-v2",
    "ifeval": "IFEval",
    "aime": "AIME",
}


@dataclass(frozen=True)
class Scored:
    """The scores of a checkpoint on a benchmark. Two compare where `compares` is the same."""

    checkpoint: str
    benchmark: str
    data: str
    dataset_sha256: str
    settings_hash: str
    samples: Samples
    clusters: Clusters
    question_set: str

    @property
    def compares(self) -> tuple[str, str, str, str]:
        """Benchmark, kind of data, its files and the questions that have scores."""
        return self.benchmark, self.data, self.dataset_sha256, self.question_set


@dg.asset(
    partitions_def=BENCHMARKED,
    deps=[SAMPLES],
    group_name="benchmarks",
    kinds={"parquet"},
    code_version="1",
)
def benchmark_scores(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per checkpoint, benchmark, measure and subset of its questions: the value and how uncertain it is."""
    key = context.partition_key
    if not isinstance(key, dg.MultiPartitionKey):
        raise InvalidValue(f"expected a checkpoint and a benchmark, got {key!r}")
    part = dict(key.keys_by_dimension)
    samples = warehouse.read(SAMPLES, part, columns=[*MEASURED, *OF_ALL]).to_pylist()
    common = part | shared(samples, f"{part['benchmark']} by {part['checkpoint']}")
    rows = [common | row for row in scores(part["benchmark"], samples)]
    title = f"{BENCHMARKS[part['benchmark']].title}, {common['data']}"
    context.add_output_metadata({"data": common["data"], "scores": dg.MetadataValue.md(as_table(title, rows))})
    return table(BenchmarkScores, rows)


def shared(samples: Sequence[Row], what: str) -> Row:
    """What all samples have in common; InvalidValue where they do not, since they would be of different things."""
    kinds = {tuple(row[column] for column in OF_ALL) for row in samples}
    if len(kinds) != 1:
        raise InvalidValue(f"{what}: expected samples of one {', '.join(OF_ALL)}, got {sorted(kinds)[:3] or 'none'}")
    return dict(zip(OF_ALL, kinds.pop(), strict=True))


def scores(benchmark: str, samples: Sequence[Row]) -> Iterator[Row]:
    """The rows of a checkpoint on a benchmark, without what all of them share."""
    for each in measures(benchmark, samples):
        found = intervals.estimate(each.samples, each.clusters, benchmark, each.measure, each.subset)
        yield {
            "measure": each.measure,
            "subset": each.subset,
            "grader_errors": each.left_out,
            "question_set": question_set(each.questions),
            **asdict(found),
        }


def as_table(title: str, rows: Iterable[Row]) -> str:
    """Scores as a Markdown table, with what they are of in its head."""
    lines = [f"| {text(title)} | questions | value | 95 % interval |", "| --- | --- | --- | --- |"]
    for row in rows:
        what = row["measure"] if row["subset"] == ALL else f"{row['measure']}, {row['subset']}"
        lines.append(f"| {text(what)} | {row['questions']} | {row['value']:.3f} | {interval(row)} |")
    return "\n".join(lines)


def interval(row: Mapping[str, Any], scale: float = 1, digits: int = 3) -> str:
    """The interval of a row; nothing where there is none."""
    if row["low"] is None:
        return ""
    return f"[{scale * row['low']:.{digits}f}, {scale * row['high']:.{digits}f}]"


def stored(warehouse: Warehouse) -> list[Scored]:
    """What has been measured, base models before endpoints and those before runs, so that a run's base comes first."""
    found = []
    for part in warehouse.partitions(SAMPLES) if warehouse.exists(SAMPLES) else ():
        rows = warehouse.read(SAMPLES, part, ["question", "sample", "cluster", SCORE, *OF_ALL]).to_pylist()
        common = shared(rows, f"{part['benchmark']} by {part['checkpoint']}")
        samples = values(rows, SCORE)
        if samples:
            del common["model"]
            ids = question_set(samples)
            found.append(
                Scored(
                    part["checkpoint"],
                    part["benchmark"],
                    **common,
                    samples=samples,
                    clusters=clusters(rows),
                    question_set=ids,
                )
            )
    return sorted(found, key=lambda each: (*_rank(each.checkpoint), each.benchmark))


def _rank(checkpoint: str) -> tuple[int, int, str]:
    order = [*BASE_MODELS, *RUNS]
    place = order.index(checkpoint) if checkpoint in order else 0
    return 0 if checkpoint in BASE_MODELS else 2 if checkpoint in RUNS else 1, place, checkpoint


@dg.asset(deps=[SAMPLES], group_name="benchmarks", kinds={"parquet"}, code_version="1")
def benchmark_differences(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per benchmark and pair of checkpoints on the same questions: the second less the first, paired."""
    rows = differences(stored(warehouse))
    pictures = {
        f"differences, {data}": dg.MetadataValue.md(
            differences_picture(data, [row for row in rows if row["data"] == data]).markdown
        )
        for data in sorted({row["data"] for row in rows})
    }
    context.add_output_metadata(pictures)
    return table(BenchmarkDifferences, rows)


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


def mean(samples: Samples) -> float:
    """The mean over questions of the mean over samples."""
    return fmean(intervals.question_means(samples).values())


def differences_picture(data: str, rows: Sequence[Row]) -> Picture:
    """The differences on one kind of data, which the title names."""
    picture = figure(7, 0.9 + 0.28 * len(rows))
    axes = picture.subplots()
    names = [f"{row['second']} - {row['first']}: {BENCHMARKS[row['benchmark']].title}" for row in rows]
    ends = [(row["difference"] if row[end] is None else row[end]) for end in ("low", "high") for row in rows]
    reach = [abs(end - row["difference"]) for end, row in zip(ends, [*rows, *rows], strict=True)]
    places = range(len(rows))
    axes.errorbar([r["difference"] for r in rows], places, xerr=[reach[: len(rows)], reach[len(rows) :]], fmt="o", ms=3)
    axes.set_yticks(places, names)
    axes.axvline(0, linewidth=0.8)
    axes.set(title=data, xlabel="second less first, with 95 % interval over questions")
    return drawn(picture, f"differences, {data}")


@dg.asset(deps=[SAMPLES], group_name="benchmarks", kinds={"parquet"}, code_version="1")
def benchmark_averages(context: dg.AssetExecutionContext, warehouse: Warehouse) -> pa.Table:
    """One row per checkpoint with all six benchmarks of one kind of data, and per pair of such: the paper's average."""
    rows = averages(stored(warehouse))
    lines = [
        "| checkpoint | data | average of the paper's columns | 95 % interval | mean of six |",
        "| - | - | - | - | - |",
    ]
    for row in rows:
        name = f"{row['checkpoint']} - {row['less']}" if row["less"] else row["checkpoint"]
        lines.append(f"| {name} | {row['data']} | {row['average']:.3f} | {interval(row)} | {row['mean_of_six']:.3f} |")
    context.add_output_metadata({"averages": dg.MetadataValue.md("\n".join(lines))})
    return table(BenchmarkAverages, rows)


def averages(found: Sequence[Scored]) -> list[Row]:
    """The averages of checkpoints that have all six benchmarks of one kind of data, and the differences of those."""
    of: dict[tuple[str, str], dict[str, Scored]] = defaultdict(dict)
    for each in found:
        of[each.checkpoint, each.data][each.benchmark] = each
    whole = {key: some for key, some in of.items() if some.keys() == BENCHMARKS.keys()}
    rows = []
    for (checkpoint, data), some in whole.items():
        made = intervals.average(_samples(some), _clusters(some), data)
        rows.append(_average({"checkpoint": checkpoint, "less": "", "same_settings": None}, some, made))
    for ((first, _), some), ((second, _), others) in combinations(whole.items(), 2):
        if all(some[name].compares == others[name].compares for name in BENCHMARKS):
            made = intervals.average_difference(_samples(some), _samples(others), _clusters(some), "difference")
            same = all(some[name].settings_hash == others[name].settings_hash for name in BENCHMARKS)
            rows.append(_average({"checkpoint": second, "less": first, "same_settings": same}, others, made, some))
    return rows


def _average(
    said: Row, some: Mapping[str, Scored], made: intervals.Average, less: Mapping[str, Scored] | None = None
) -> Row:
    each = [mean(one.samples) - (mean(less[name].samples) if less else 0) for name, one in some.items()]
    return said | {
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
