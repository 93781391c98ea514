"""The samples that are stored, and their scores with intervals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.runs import RUNS
from races.environments.errors import InvalidValue
from races.resources.evaluation.statistics import intervals
from races.resources.evaluation.statistics.intervals import Clusters, Samples
from races.resources.evaluation.statistics.measures import ALL, SCORE, clusters, measures, question_set, values
from races.resources.store.markdown import text
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
SAMPLES = "benchmark_samples"
OF_ALL = ("data", "dataset_sha256", "settings_hash", "model")  # what all samples of a partition share
MEASURED = ("question", "sample", "cluster", "groups", "score", "parts", "extracted", "truncated", "prompt_cut")


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


def scores_table(title: str, rows: Iterable[Row]) -> str:
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


def mean(samples: Samples) -> float:
    """The mean over questions of the mean over samples."""
    return fmean(intervals.question_means(samples).values())


def _rank(checkpoint: str) -> tuple[int, int, str]:
    order = [*BASE_MODELS, *RUNS]
    index = order.index(checkpoint) if checkpoint in order else 0
    return 0 if checkpoint in BASE_MODELS else 2 if checkpoint in RUNS else 1, index, checkpoint
