"""Whether a training set holds questions of the benchmarks that its models are measured on."""

from pathlib import Path

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.defs.benchmarks.overlap_counts import benchmark_prompts, counted, training_prompts
from races.assets.tables.benchmarks import BenchmarkOverlap
from races.assets.tables.columns import table
from races.resources.evaluation.statistics.overlap import WORDS, Overlap
from races.resources.evaluation.suites import local_copies
from races.resources.evaluation.suites.datasets import BENCHMARKS, load, load_mini
from races.resources.store.warehouse import Warehouse


class OverlapConfig(dg.Config):
    """Which benchmarks are searched, and what counts as shared."""

    datasets: dict[str, str] = Field(
        {}, description="File or folder of a benchmark; of others the one in RACES_BENCHMARKS, else the invented set."
    )
    words: int = Field(WORDS, ge=1, description="How many words in a row count as shared.")
    boilerplate: int = Field(5, ge=1, description="What more questions than so many have is no sign of any of them.")


@dg.asset(deps=["training_sets"], kinds={"parquet"}, code_version="1")
def benchmark_overlap(context: dg.AssetExecutionContext, config: OverlapConfig, warehouse: Warehouse) -> pa.Table:
    """One row per recipe and benchmark: how many of its questions share text with the problems of the training set."""
    overlap = Overlap(config.words)
    recipes = {part["recipe"]: 0 for part in warehouse.partitions("training_sets")}
    for recipe in recipes:
        recipes[recipe] = overlap.add(recipe, training_prompts(warehouse, recipe))
    rows = []
    for name in BENCHMARKS:
        path = config.datasets.get(name) or local_copies.path_of(name)
        dataset = load(name, Path(path)) if path else load_mini(name)
        for recipe, found in overlap.search(benchmark_prompts(dataset)).items():
            runs = (run for some in found.runs.values() for run in some)
            holders = overlap.holders(runs, training_prompts(warehouse, recipe))
            rows.append(
                {
                    "recipe": recipe,
                    "benchmark": name,
                    "data": dataset.label,
                    "training_rows": recipes[recipe],
                    "questions": len(dataset.questions),
                    "words": config.words,
                    "dataset_sha256": dataset.sha256,
                    **counted(found, holders, config.boilerplate),
                }
            )
        context.log.info("%s, %s: searched %s questions", name, dataset.label, len(dataset.questions))
    return table(BenchmarkOverlap, rows)
