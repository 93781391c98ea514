"""Whether a training set holds questions of the benchmarks that its models are measured on."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.tables.benchmarks import BenchmarkOverlap
from races.assets.tables.schemas import table
from races.resources.evaluation.statistics.overlap import WORDS, Found, Overlap, Text
from races.resources.evaluation.suites import local_copies
from races.resources.evaluation.suites.datasets import BENCHMARKS, Dataset, load, load_mini
from races.resources.evaluation.suites.prompts import messages
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
WHOLE = "all words of the prompt"


class OverlapConfig(dg.Config):
    """Which benchmarks are searched, and what counts as shared."""

    datasets: dict[str, str] = Field(
        {}, description="File or folder of a benchmark; of others the one in RACES_BENCHMARKS, else the invented set."
    )
    words: int = Field(WORDS, ge=1, description="How many words in a row count as shared.")
    boilerplate: int = Field(5, ge=1, description="What more questions than so many have is no sign of any of them.")


@dg.asset(deps=["training_sets"], group_name="benchmarks", kinds={"parquet"}, code_version="1")
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


def training_prompts(warehouse: Warehouse, recipe: str) -> Iterator[Text]:
    """The id and the prompt of every problem of a training set."""
    for batch in warehouse.scan("training_sets", {"recipe": recipe}, ["id", "prompt"]):
        for row in batch.to_pylist():
            yield row["id"], "\n".join(message["content"] for message in row["prompt"])


def benchmark_prompts(dataset: Dataset) -> Iterator[Text]:
    """The id of every question of a benchmark and what it puts to a model, whole."""
    for question in dataset.questions:
        yield question.id, "\n".join(message["content"] for message in messages(question)[0])


def counted(found: Found, holders: dict[str, str], most: int) -> Row:
    """How many questions share what, and the first example. Runs in more than `most` questions are boilerplate."""
    shared = {question: sorted(runs & holders.keys()) for question, runs in found.runs.items()}
    times = Counter(run for runs in shared.values() for run in runs)
    telling = {question: [run for run in runs if times[run] <= most] for question, runs in sorted(shared.items())}
    matches = {question: runs[0] for question, runs in telling.items() if runs}
    common = {question: shared[question][0] for question, runs in telling.items() if shared[question] and not runs}
    question, text = next(
        iter([*dict.fromkeys(found.exact, WHOLE).items(), *matches.items(), *common.items()]), ("", "")
    )
    return {
        "exact_matches": len(found.exact),
        "ngram_matches": len(matches),
        "boilerplate": len(common),
        "shared": text,
        "example_question": question,
        "example_problem": found.exact.get(question) or holders.get(text, ""),
    }
