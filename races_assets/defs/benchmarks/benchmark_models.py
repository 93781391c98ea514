"""The models that benchmarks measure: trained ones, base models and those of endpoints."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.catalog.endpoints import endpoints
from races.assets.catalog.partitions import EVALUATED, SAME_MODEL, SAME_RUN
from races.assets.catalog.runs import RUNS
from races.assets.defs.evaluation.heldout_problems import weights_of
from races.assets.tables.benchmarks import BenchmarkModels
from races.assets.tables.columns import table
from races.resources.evaluation.serving import families
from races.resources.evaluation.suites.scorers import as_json
from races.resources.store.warehouse import Warehouse
from races.resources.training.models.weights import fingerprint


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

    def served_by(self, checkpoint: str) -> str:
        """What serves a model of ours: those that verl trains are for GPUs; the rest are small."""
        if self.server != "auto":
            return self.server
        return "vllm" if checkpoint in RUNS and RUNS[checkpoint].backend == "verl" else "transformers"


@dg.asset(
    partitions_def=EVALUATED,
    deps=[
        dg.AssetDep("checkpoints", partition_mapping=SAME_RUN),
        dg.AssetDep("base_models", partition_mapping=SAME_MODEL),
    ],
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
            "server": config.served_by(checkpoint),
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
