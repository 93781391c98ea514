"""The health checks that paths are filtered by, and rows of the table `failed_health_checks`."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from races.environments.composition.quality import Health, HealthSettings, failed_health_checks
from races.environments.composition.rows import MEASURES
from races.environments.types import VOCABULARY

Row = dict[str, Any]
KEPT = "kept"  # what stands in the place of a health check for paths that fail none
FOUND_BEFORE = "found before"
REDUNDANT = "a step can be left out"


def last_of(lists: pa.ChunkedArray) -> list[str]:
    """The last entry of each list."""
    whole = lists.combine_chunks()
    found: list[str] = whole.values.take(pc.subtract(whole.offsets[1:], 1)).to_pylist()
    return found


def failed_checks(row: Row, kind: str, settings: HealthSettings, redundant: int) -> Sequence[str]:
    """The health checks that a path which ends in a value of this type fails, by name."""
    found = failed_health_checks(Health(**{name: row[name] for name in MEASURES}), VOCABULARY[kind], settings)
    return [*found, REDUNDANT] if row["redundant_steps"] > redundant else found


def count_rows(counts: Mapping[tuple[str, int, str], int]) -> list[Row]:
    """The rows of failed_health_checks."""
    return [
        {"search": name, "size": size, "health_check": check, "paths": count}
        for (name, size, check), count in sorted(counts.items())
    ]
