"""Which partitions and columns of a dataset are read."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from races.environments.errors import UnknownName, did_you_mean
from races.resources.store.folders import Partition, partition_path

Selection: TypeAlias = Partition | Sequence[Partition] | None


def selected_partitions(
    name: str, found: list[tuple[dict[str, str], Path]], partition: Selection
) -> list[tuple[dict[str, str], Path]]:
    """The partitions that have the selected values; UnknownName where there are none."""
    if partition is None:
        return found
    wanted = [partition] if isinstance(partition, Mapping) else partition
    selected = [(values, file) for values, file in found if any(values.items() >= one.items() for one in wanted)]
    if not selected:
        shown = [str(partition_path(values)) if values else "one file without partitions" for values, _ in found[:5]]
        listed = ", ".join(shown) + (", ..." if len(found) > 5 else "")
        listed_wanted = " or ".join(str(partition_path(one)) for one in wanted)
        raise UnknownName(f"{name} has no partition {listed_wanted or 'of an empty list'}: it has {listed}")
    return selected


def known_columns(name: str, schema: pa.Schema, columns: Sequence[str] | None) -> list[str] | None:
    """The columns as a list where the schema has them all; UnknownName otherwise."""
    for column in columns or ():
        if column not in schema.names:
            has = ", ".join(schema.names)
            question = did_you_mean(column, schema.names, most=1, after=" ")
            raise UnknownName(f"{name} has no column {column!r}: {question}it has {has}")
    return None if columns is None else list(columns)
