"""Benchmark samples: what models, trained ones and those of others, answer to six benchmarks, and what it earns."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pyarrow as pa

from races.assets.catalog.partitions import BENCHMARKED
from races.assets.defs.benchmarks.sample_checks import SPECS, checks, sample_metadata, self_test_failed
from races.assets.defs.benchmarks.sample_settings import (
    BenchmarkConfig,
    answers_of,
    data_of,
    measurement_of,
    sampling_of,
    serving,
)
from races.assets.progress import report_progress
from races.assets.tables.benchmarks import BenchmarkSamples
from races.assets.tables.columns import table
from races.environments.seeding import key_of
from races.resources.evaluation import measurement
from races.resources.evaluation.launch import ScorerSelfTestFailed, evaluate
from races.resources.evaluation.measurement import cost, prompt_lengths
from races.resources.evaluation.suites import local_copies
from races.resources.evaluation.suites.scorers import as_json
from races.resources.store.warehouse import Warehouse
from races.resources.training.store import TrainingStore


@dg.asset(
    partitions_def=BENCHMARKED,
    deps=["benchmark_models"],
    kinds={"parquet"},
    code_version=measurement.VERSION,
    pool="training",
    check_specs=SPECS,
)
def benchmark_samples(
    context: dg.AssetExecutionContext, config: BenchmarkConfig, warehouse: Warehouse, training_store: TrainingStore
) -> Iterator[dg.Output[pa.Table] | dg.AssetCheckResult]:
    """One row per model, benchmark, question and sample: the answer, and what it earns."""
    dimensions = BENCHMARKED.get_partition_key_from_str(context.partition_key).keys_by_dimension
    checkpoint, benchmark = dimensions["checkpoint"], dimensions["benchmark"]
    data = data_of(config, benchmark)
    dataset = data.load()
    (model,) = warehouse.read("benchmark_models", {"checkpoint": checkpoint}).to_pylist()
    sampling = sampling_of(model, config.sampling)
    folder = training_store.folder / "benchmarks" / checkpoint / benchmark
    with serving(model, sampling, config, training_store.python, folder / "server.log").serve() as endpoint:
        answers = answers_of(benchmark, model, sampling, endpoint.context, config)
        if answers.max_tokens < sampling.max_tokens:
            message = "the window of %d tokens leaves answers %d tokens, where %d were asked for"
            context.log.warning(message, endpoint.context, answers.max_tokens, sampling.max_tokens)
        expected = cost(prompt_lengths(dataset), answers)
        context.log.info("%s on %s, %s: %s", checkpoint, benchmark, dataset.label, expected)
        asked = measurement_of(data, answers, model, endpoint, config, folder, dataset.sha256)
        if config.afresh:
            shutil.rmtree(asked.folder, ignore_errors=True)
        try:
            found = evaluate(asked, report_progress(context))
        except ScorerSelfTestFailed as error:
            yield self_test_failed(error)
            raise
    settings = asked.settings()
    common = {name: model[name] for name in ("model", "weights")} | {
        "data": dataset.label,
        "server": endpoint.server,
        "dataset_sha256": dataset.sha256,
        "settings": as_json(settings),
        "settings_hash": key_of("benchmark settings", settings),
    }
    rows = [{name: value for name, value in row.items() if name != "golds"} | common for row in found]
    shown = sample_metadata(rows) | {"settings": settings, "estimated": vars(expected)}
    yield dg.Output(table(BenchmarkSamples, rows, "checkpoint", "benchmark"), metadata=shown)
    yield from checks(found, dataset, answers, local_copies.pinned(benchmark, Path(data.path) if data.path else None))
