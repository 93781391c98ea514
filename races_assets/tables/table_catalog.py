"""The tables that the asset graph makes: their row models, and their columns while not all of them have been made."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pandera.polars as pandera
import pyarrow as pa

from races.assets import tables
from races.assets.defs.datasets import problem_cache
from races.assets.defs.datasets.problem_cache import CANDIDATES
from races.assets.tables.columns import arrow_schema
from races.resources.store import materializations
from races.resources.store.saved_queries import FOLDER
from races.resources.store.views import Lengths, QueryContext
from races.resources.training.rows import VERL

# Dimensions of partitions that no model names, and what is stored beside a model's columns.
DIMENSIONS = {"training_sets": "recipe", "problem_sets": "problem_set"}
WIDER = {"training_sets": VERL}


def _models() -> Iterator[tuple[str, type[pandera.DataFrameModel]]]:
    """The row models of the modules beside this one; the table of `TypeGraph` is `type_graph`."""
    for module in pkgutil.iter_modules(tables.__path__, f"{tables.__name__}."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if not isinstance(found, type) or found.__module__ != module.name or name.startswith("_"):
                continue
            if issubclass(found, pandera.DataFrameModel):
                yield re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(), found


MODELS = dict(_models())


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
    """The saved queries of a folder, over all tables that there can be: those that have not been made are empty."""
    return QueryContext(folder, known_tables(), lengths)
