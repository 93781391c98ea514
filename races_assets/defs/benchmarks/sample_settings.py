"""How samples are taken: the data, what serves the model, and how its answers are drawn."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from races.assets.catalog.endpoints import endpoints
from races.environments.errors import SettingError
from races.environments.seeding import key_of
from races.resources.evaluation.measurement import Data, EvaluationError, GenerationSettings, Measurement
from races.resources.evaluation.serving import families, servers
from races.resources.evaluation.suites import datasets, local_copies
from races.resources.training.models.weights import fingerprint

RESERVED = 8_192  # tokens of a long-context prompt's budget that are kept for its answer, where the window has them
Row = dict[str, Any]
# Options of vLLM that change how fast answers come and not what they are.
FOR_SPEED = frozenset(
    "gpu-memory-utilization max-num-seqs max-num-batched-tokens swap-space cpu-offload-gb block-size "
    "enable-prefix-caching enable-chunked-prefill disable-log-stats disable-log-requests".split()
)
MARGIN = 64  # tokens that the chat template may add to a prompt


class BenchmarkConfig(dg.Config):
    """What is measured, what else than for other benchmarks is asked of the model, and how fast."""

    path: str = Field(
        "", description="File or folder of the benchmark; empty: RACES_BENCHMARKS, else the invented set."
    )
    sha256: str = Field("", description="Hash that the files must have; empty takes the one that they are pinned to.")
    begin: str = Field("", description="LiveCodeBench: first day of the window of contests, as 2025-02-01.")
    end: str = Field("", description="LiveCodeBench: last day of it.")
    limit: int = Field(0, ge=0, description="Questions, for a look; 0 takes all. The score is then called partial.")
    samples: int = Field(
        0, ge=0, description="GenerationSettings to each question; 0 takes the paper's 32 (AIME) or 4."
    )
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


def measurement_of(
    data: Data,
    answers: GenerationSettings,
    model: Row,
    endpoint: servers.Endpoint,
    config: BenchmarkConfig,
    folder: Path,
    sha256: str,
) -> Measurement:
    """What is asked of an endpoint. folder: below it lie the answers, by all that they depend on."""
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
    kept = key_of("benchmark", identity(model, endpoint.root), sha256, asked.settings())
    return replace(asked, folder=str(folder / kept))
