"""The tables that the asset graph makes, for questions that are asked before all of them are there."""

from pathlib import Path

import pyarrow as pa

from races.assets.defs.datasets import problem_cache
from races.assets.defs.datasets.problem_cache import CANDIDATES
from races.assets.tables.schemas import MODELS, arrow_schema
from races.resources.store import materializations
from races.resources.store.saved_queries import FOLDER
from races.resources.store.views import Lengths, QueryContext
from races.resources.training.rows import VERL

# Dimensions of partitions that no model names, and what is stored beside a model's columns.
DIMENSIONS = {"training_sets": "recipe", "problem_sets": "problem_set"}
WIDER = {"training_sets": VERL}


def known_tables() -> dict[str, pa.Schema]:
    """The columns of every table that there can be, by its name."""
    schemas = {name: WIDER.get(name) or arrow_schema(model) for name, model in MODELS.items()}
    for name, dimension in DIMENSIONS.items():
        schemas[name] = schemas[name].append(pa.field(dimension, pa.string()))
    beside = (
        (materializations.MATERIALIZATIONS, materializations.SCHEMA, materializations.DIMENSION),
        (CANDIDATES, problem_cache.SCHEMA, problem_cache.DIMENSION),
    )
    return schemas | {name: schema.append(pa.field(dimension, pa.string())) for name, schema, dimension in beside}


def query_context(folder: Path | None = FOLDER, lengths: tuple[Lengths, str] | None = None) -> QueryContext:
    """The questions of a folder, over all tables that there can be: those that have not been made are empty."""
    return QueryContext(folder, known_tables(), lengths)
