"""Benchmark samples: what models, trained ones and those of others, answer to six benchmarks, and what it earns."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.endpoints import endpoints
from races.assets.catalog.partitions import BENCHMARKED, EVALUATED, SAME_MODEL, SAME_RUN
from races.assets.catalog.runs import RUNS
from races.assets.defs.evaluation.heldout import weights_of
from races.assets.defs.training.training import told
from races.assets.tables.benchmarks import BenchmarkModels, BenchmarkSamples
from races.assets.tables.schemas import table
from races.environments.errors import SettingError
from races.environments.seeding import key_of
from races.resources.evaluation import measurement
from races.resources.evaluation.launch import ScorerSelfTestFailed, evaluate
from races.resources.evaluation.measurement import (
    Data,
    EvaluationError,
    GenerationSettings,
    Measurement,
    cost,
    prompt_lengths,
)
from races.resources.evaluation.serving import families, servers
from races.resources.evaluation.suites import datasets, local_copies
from races.resources.evaluation.suites.scorers import as_json
from races.resources.store.warehouse import Warehouse
from races.resources.training.models.weights import fingerprint
from races.resources.training.store import TrainingStore

RESERVED = 8_192  # tokens of a long-context prompt's budget that are kept for its answer, where the window has them
Row = dict[str, Any]
# Options of vLLM that change how fast answers come and not what they are.
FOR_SPEED = frozenset(
    "gpu-memory-utilization max-num-seqs max-num-batched-tokens swap-space cpu-offload-gb block-size "
    "enable-prefix-caching enable-chunked-prefill disable-log-stats disable-log-requests".split()
)
MARGIN = 64  # tokens that the chat template may add to a prompt


class ModelConfig(dg.Config):
    """How a model is served and asked."""

    like: str = Field(
        "", description="A model of a hub whose card says how answers are drawn; empty finds it from the model itself."
    )
    think: bool = Field(True, description="Whether a model that can answer with and without thinking is to think.")
    sampling: dict[str, Any] = Field(
        {}, description="Instead of what the card advises: temperature, top_p, top_k, max_tokens, context, ..."
    )
    server: Literal["auto", "vllm", "transformers"] = Field(
        "auto", description="What serves a model of ours: vLLM on GPUs, or transformers on a CPU."
    )


class BenchmarkConfig(dg.Config):
    """What is measured, what else than for other benchmarks is asked of the model, and how fast."""

    path: str = Field(
        "", description="File or folder of the benchmark; empty: RACES_BENCHMARKS, else the invented set."
    )
    sha256: str = Field("", description="Hash that the files must have; empty takes the one that they are pinned to.")
    begin: str = Field("", description="LiveCodeBench: first day of the window of contests, as 2025-02-01.")
    end: str = Field("", description="LiveCodeBench: last day of it.")
    limit: int = Field(0, ge=0, description="Questions, for a look; 0 takes all. The score is then called partial.")
    samples: int = Field(0, ge=0, description="Answers to each question; 0 takes the paper's 32 (AIME) or 4.")
    sampling: dict[str, Any] = Field(
        {}, description="Instead of what benchmark_models says of the model: temperature, max_tokens, ..."
    )
    checkout: str = Field("", description="Checkout of Enigmata; empty: RACES_ENIGMATA. The invented set needs none.")
    gpus: int = Field(1, ge=1, description="GPUs of vLLM, which share the model.")
    afresh: bool = Field(False, description="Whether to ask again for answers that an earlier measurement has.")
    arguments: dict[str, Any] = Field({}, description="Further options of vllm serve, such as gpu-memory-utilization.")
    threads: int = Field(1, ge=1, description="Threads of torch, where the model is served on a CPU.")
    concurrency: int = Field(8, ge=1, description="Requests at once.")
    graders: int = Field(1, ge=1, description="Programs and puzzles graded at once; more than the CPUs fail good ones.")
    timeout: int = Field(1800, ge=1, description="Seconds of one request.")
    retries: int = Field(5, ge=0, description="Of a request that fails, with waits that grow.")


@dg.asset(
    partitions_def=EVALUATED,
    deps=[
        dg.AssetDep("checkpoints", partition_mapping=SAME_RUN),
        dg.AssetDep("base_models", partition_mapping=SAME_MODEL),
    ],
    group_name="benchmarks",
    kinds={"parquet"},
    code_version="2",
    metadata={"partition_dimension": "checkpoint"},
)
def benchmark_models(context: dg.AssetExecutionContext, config: ModelConfig, warehouse: Warehouse) -> pa.Table:
    """One row per model that benchmarks measure: what serves it, and how it is asked."""
    checkpoint = context.partition_key
    entry = endpoints().get(checkpoint)
    if entry is not None:
        window = {"context": entry.context} if entry.context else {}
        how = families.sampling(config.like or entry.like or entry.model, window | config.sampling, config.think)
        place = {**asdict(entry), "server": "remote", "folder": "", "weights": ""}
    else:
        folder = Path(weights_of(warehouse, checkpoint))
        how = families.sampling(config.like or folder, config.sampling, config.think)
        place = {
            "model": RUNS[checkpoint].model if checkpoint in RUNS else checkpoint,
            "server": served_by(checkpoint, config),
            "folder": str(folder),
            "weights": fingerprint(folder),
            "base_url": "",
            "key_variable": "",
            "tokenizer": str(folder / "tokenizer.json"),
        }
    asked = asdict(how)
    row = {**place, "family": asked.pop("family"), "source": asked.pop("source"), "sampling": as_json(asked)}
    context.add_output_metadata({**row, "sampling": asked})
    return table(BenchmarkModels, [row], "checkpoint")


def served_by(checkpoint: str, config: ModelConfig) -> str:
    """Models that verl trains are for GPUs; the rest are small."""
    if config.server != "auto":
        return config.server
    return "vllm" if checkpoint in RUNS and RUNS[checkpoint].backend == "verl" else "transformers"


@dg.asset(
    partitions_def=BENCHMARKED,
    deps=["benchmark_models"],
    group_name="benchmarks",
    kinds={"parquet"},
    code_version=measurement.VERSION,
    pool="training",
    check_specs=[
        dg.AssetCheckSpec(
            "every_sample_is_there", asset="benchmark_samples", description="One row for each question and sample."
        ),
        dg.AssetCheckSpec(
            "known_answers_score_one",
            asset="benchmark_samples",
            description="Before the model was asked: known right answers score 1, empty ones 0.",
        ),
        dg.AssetCheckSpec(
            "no_grader_failed",
            asset="benchmark_samples",
            description="No answer is without a score through a fault of ours.",
        ),
        dg.AssetCheckSpec(
            "data_are_as_pinned",
            asset="benchmark_samples",
            description="The benchmark's files have the hash of pins.json.",
        ),
    ],
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
    place = training_store.folder / "benchmarks" / checkpoint / benchmark
    with serving(model, sampling, config, training_store.python, place / "server.log").serve() as endpoint:
        answers = answers_of(benchmark, model, sampling, endpoint.context, config)
        if answers.max_tokens < sampling.max_tokens:
            told_of = "the window of %d tokens leaves answers %d tokens, where %d were asked for"
            context.log.warning(told_of, endpoint.context, answers.max_tokens, sampling.max_tokens)
        expected = cost(prompt_lengths(dataset), answers)
        context.log.info("%s on %s, %s: %s", checkpoint, benchmark, dataset.label, expected)
        asked = Measurement(
            data,
            answers,
            endpoint.base_url,
            endpoint.model,
            "",
            key_variable=endpoint.key_variable,
            tokenizer=model["tokenizer"] if answers.prompt_limit else "",
            takes_top_k=endpoint.takes_top_k,
            checkout=config.checkout or local_copies.checkout(),
            concurrency=min(config.concurrency, endpoint.connections or config.concurrency),
            **config.model_dump(include={"graders", "timeout", "retries"}),
        )
        settings = asked.settings()
        asked = replace(
            asked, folder=str(place / key_of("benchmark", identity(model, endpoint.root), dataset.sha256, settings))
        )
        if config.afresh:
            shutil.rmtree(asked.folder, ignore_errors=True)
        try:
            found = evaluate(asked, told(context))
        except ScorerSelfTestFailed as error:
            yield dg.AssetCheckResult(
                passed=False, check_name="known_answers_score_one", metadata={"wrong": str(error)}
            )
            raise
    constant = {
        "data": dataset.label,
        "model": model["model"],
        "weights": model["weights"],
        "server": endpoint.server,
        "dataset_sha256": dataset.sha256,
        "settings": as_json(settings),
        "settings_hash": key_of("benchmark settings", settings),
    }
    rows = [{**{name: value for name, value in row.items() if name != "golds"}, **constant} for row in found]
    yield dg.Output(
        table(BenchmarkSamples, rows, "checkpoint", "benchmark"),
        metadata={
            "data": dataset.label,
            "score": found[0]["engine_score"],
            "truncated": sum(row["truncated"] for row in found) / len(found),
            "server": endpoint.server,
            "settings": settings,
            "estimated": vars(expected),
        },
    )
    yield from checks(found, dataset, answers, local_copies.pinned(benchmark, Path(data.path) if data.path else None))


def data_of(config: BenchmarkConfig, benchmark: str) -> Data:
    """The questions that are asked: the settings', else the user's copy, else the invented set."""
    found = Path(config.path) if config.path else local_copies.path_of(benchmark)
    sha256 = config.sha256 or ("" if config.path else local_copies.pinned(benchmark, found))
    return Data(benchmark, str(found or ""), sha256, config.begin, config.end, config.limit)


def sampling_of(model: Row, overrides: dict[str, Any]) -> families.Sampling:
    """How a model is asked, with what one benchmark asks otherwise."""
    said = json.loads(model["sampling"])
    said["given"] = tuple(said.get("given", ()))
    stored = families.Sampling(family=model["family"], source=model["source"], **said)
    return families.overridden(stored, overrides)


def serving(
    model: Row, sampling: families.Sampling, config: BenchmarkConfig, python: str, log: Path
) -> servers.Serving:
    """What serves a model. EvaluationError where its weights, or the entry of an endpoint, are not those of its row."""
    if model["server"] == "remote":
        entry = endpoints().get(model["checkpoint"])
        told = {name: value for name, value in asdict(entry).items() if name in model} if entry else {}
        if kept := {name: model[name] for name in told if model[name] != told[name]}:
            raise EvaluationError(
                f"expected of the endpoint {model['checkpoint']} {kept}, got {told}: materialise benchmark_models again"
            )
        # What a card says is no more than the model can take: the server may take less, and says so.
        window = sampling.context or 0 if "context" in sampling.given else 0
        return servers.Remote(model["base_url"], model["model"], model["key_variable"], window)
    folder = Path(model["folder"])
    if fingerprint(folder) != model["weights"]:
        raise EvaluationError(
            f"expected the model {model['weights']} in {folder}, got another one: materialise benchmark_models again"
        )
    if model["server"] == "vllm":
        return servers.VllmServer(
            str(folder),
            log,
            arguments=config.arguments,
            tensor_parallel=config.gpus,
            max_model_len=sampling.context or 0,
        )
    return servers.TransformersServer(folder, log, python=python, top_k=sampling.top_k, threads=config.threads)


def identity(model: Row, root: str) -> str:
    """What the answers of a model are kept under. root: what a server of others has loaded under its name."""
    return key_of(*(model[each] for each in ("server", "weights", "base_url", "model")), root)


def answers_of(
    benchmark: str, model: Row, drawn: families.Sampling, served: int, config: BenchmarkConfig
) -> GenerationSettings:
    """How answers are drawn. A long prompt gets what a model's window leaves beside its answer.

    served: tokens of the longest prompt and answer together that the server takes; 0 where it does not say.
    """
    window, limit = min((each for each in (drawn.context, served) if each), default=0), 0
    if benchmark == "longbench_v2" and window:
        longest = min(drawn.max_tokens, RESERVED, window // 2)
        limit = window - longest - MARGIN
        if limit < 1:
            raise SettingError(f"longbench_v2: expected a window of more than {2 * MARGIN} tokens, got {window}")
        if not Path(model["tokenizer"]).is_file():
            raise SettingError(
                f"longbench_v2 on {model['model']}: expected a tokenizer.json to cut its prompts to {limit} tokens, "
                f"got {model['tokenizer'] or 'none'}; name it in the endpoint's entry"
            )
    else:
        longest = families.within(drawn, served).max_tokens
    return GenerationSettings(
        samples=config.samples or datasets.benchmark(benchmark).samples,
        temperature=drawn.temperature,
        top_p=drawn.top_p,
        top_k=drawn.top_k,
        max_tokens=longest,
        prompt_limit=limit,
        system=drawn.system,
        thinking_opened=drawn.thinking == "opened by the template",
        template=dict(drawn.template),
        serving={name: value for name, value in config.arguments.items() if name.replace("_", "-") not in FOR_SPEED},
    )


def checks(
    rows: list[dict[str, Any]], dataset: datasets.Dataset, answers: GenerationSettings, pin: str
) -> Iterator[dg.AssetCheckResult]:
    """What must hold of the samples that were just taken."""
    expected = len(dataset.questions) * answers.samples
    there = {(row["question"], row["sample"]) for row in rows}
    yield dg.AssetCheckResult(
        passed=len(there) == len(rows) == expected,
        check_name="every_sample_is_there",
        metadata={"rows": len(rows), "questions": len(dataset.questions), "samples": answers.samples},
    )
    yield dg.AssetCheckResult(
        passed=True,  # or the model would not have been asked
        check_name="known_answers_score_one",
        metadata={"right_answers": rows[0]["golds"], "empty_answers": len(dataset.questions)},
    )
    failed = [
        f"{row['question']}, sample {row['sample']}: {row['grader_error']}" for row in rows if row["grader_error"]
    ]
    yield dg.AssetCheckResult(
        passed=not failed, check_name="no_grader_failed", metadata={"failed": len(failed), "first": failed[:5]}
    )
    yield dg.AssetCheckResult(
        passed=pin == dataset.sha256,
        severity=dg.AssetCheckSeverity.ERROR if pin else dg.AssetCheckSeverity.WARN,
        check_name="data_are_as_pinned",
        metadata={"expected": pin or "not pinned: races benchmarks pin", "got": dataset.sha256, "data": dataset.label},
    )
