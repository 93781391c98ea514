"""The rows of a training set: their schema, and checks that they can be read and graded by the current pool."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from races.environments.composition.path import find
from races.environments.errors import UnknownName
from races.resources.training.metrics import TrainingError

# verl concatenates files of one schema, so nested fields are fixed and the truth is a JSON string.
VERL = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("data_source", pa.string(), nullable=False),
        pa.field("prompt", pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])), nullable=False),
        pa.field("ability", pa.string(), nullable=False),
        pa.field("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())]), nullable=False),
        pa.field(
            "extra_info",
            pa.struct(
                [
                    ("index", pa.int64()),
                    ("id", pa.string()),
                    ("operator", pa.string()),
                    ("size", pa.int64()),
                    ("level", pa.int64()),
                    ("path_id", pa.string()),
                ]
            ),
            nullable=False,
        ),
        pa.field("operator", pa.string(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("level", pa.int64(), nullable=False),
        pa.field("environments", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False),
        pa.field("prompt_characters", pa.int64(), nullable=False),
    ]
)


def checked_rows(files: Sequence[Path]) -> int:
    """The number of rows; TrainingError where a file cannot be read or its rows belong to an older pool.

    SORT and SELECT are scored by running bricks: a row whose brick was removed or changed can no longer be scored.
    """
    truths: list[str] = []
    for file in files:
        try:
            table = pq.read_table(file, columns=["prompt", "reward_model"])
            truths += [row["ground_truth"] for row in table["reward_model"].to_pylist()]
        except (OSError, KeyError, pa.ArrowException) as error:
            raise TrainingError(f"{file}: expected a training set in Parquet, got: {error}") from error
    stale = {name for truth in truths for name in _changed(truth)}
    if stale:
        raise TrainingError(
            f"expected rows of the current pool, got rows of bricks that were removed or changed: "
            f"{', '.join(sorted(stale))}; materialise problems and training_sets again"
        )
    return len(truths)


def copy_first_row(file: Path, target: Path) -> None:
    """Write a training set with only the first row of a file."""
    pq.write_table(pq.read_table(file).slice(0, 1), target)


def _changed(truth: str) -> list[str]:
    content = json.loads(truth)
    pairs = zip(content.get("environments", ()), content.get("fingerprints", ()), strict=False)
    return [name for name, fingerprint in pairs if _fingerprint(name) != fingerprint]


def _fingerprint(name: str) -> str:
    try:
        return find(name).fingerprint
    except UnknownName:
        return ""
