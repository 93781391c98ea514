"""What of a dataset is asked for: some of its parts, some of its columns."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from races.environments.errors import UnknownName
from races.resources.store.folders import Part, part_path

Selection: TypeAlias = Part | Sequence[Part] | None


def chosen(name: str, found: list[tuple[dict[str, str], Path]], part: Selection) -> list[tuple[dict[str, str], Path]]:
    """The parts with the values that are asked for; UnknownName where there are none."""
    if part is None:
        return found
    asked = [part] if isinstance(part, Mapping) else part
    found_parts = [(values, file) for values, file in found if any(values.items() >= one.items() for one in asked)]
    if not found_parts:
        shown = [str(part_path(values)) if values else "one file without parts" for values, _ in found[:5]]
        listed = ", ".join(shown) + (", ..." if len(found) > 5 else "")
        wanted = " or ".join(str(part_path(one)) for one in asked)
        raise UnknownName(f"{name} has no part {wanted or 'of an empty list'}: it has {listed}")
    return found_parts


def known_columns(name: str, schema: pa.Schema, columns: Sequence[str] | None) -> list[str] | None:
    """The columns as a list where the schema has them all; UnknownName otherwise."""
    for column in columns or ():
        if column not in schema.names:
            has = ", ".join(schema.names)
            raise UnknownName(f"{name} has no column {column!r}: {meant(column, schema.names)}it has {has}")
    return None if columns is None else list(columns)


def meant(name: str, existing: Sequence[str]) -> str:
    """What was perhaps meant by a name that is not there, as the start of a sentence; "" where nothing is near."""
    near = get_close_matches(name, existing, n=1)
    return f"did you mean {near[0]}? " if near else ""
