"""Who made what: one row per materialisation, kept for good beside the tables and not in them.

The file of a table is the same bytes whenever its rows are the same, so it cannot hold the run that wrote it. The
dataset `materializations` does: one file a dataset, to which every materialisation adds a row. Writers wait for one
another, and the file is replaced whole, so no row is ever lost.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from races.resources.store.folders import FILE, Part, locked, part_path, replace_parts, staging
from races.resources.store.parquet_files import stored_version, write_file

RECORDS = "materializations"
DIMENSION = "dataset"
SCHEMA = pa.schema(
    [
        pa.field("part", pa.string(), nullable=False),  # as in the path: operator=sort; empty for a whole dataset
        pa.field("run_id", pa.string(), nullable=False),  # of Dagster
        pa.field("code_version", pa.string(), nullable=False),  # of the asset; empty where it has none
        pa.field("data_version", pa.string(), nullable=False),  # hash of the rows
        pa.field("rows", pa.int64(), nullable=False),
        pa.field("changed", pa.bool_(), nullable=False),  # whether other bytes were there before
        pa.field("rows_new", pa.int64()),  # that were not there before; an edited row is a new one and a gone one
        pa.field("rows_gone", pa.int64()),  # that were there before; both are empty in records of earlier versions
        pa.field("made", pa.timestamp("us"), nullable=False),  # UTC; with a zone Python's client would need pytz
    ]
)


def record(root: Path, dataset: str, part: Part | None, **said: Any) -> None:
    """Add the row of a materialisation that has just been written below `root`, stamped with the time.

    said: run_id, code_version, data_version, rows, changed, rows_new, rows_gone. WarehouseError where the rows that are
    there already cannot be read: they are left as they are.
    """
    row = {"part": part_path(part or {}).as_posix() if part else "", "made": datetime.now(UTC).replace(tzinfo=None)}
    new = pa.Table.from_pylist([row | said], schema=SCHEMA)
    folder = root / RECORDS
    part_folder = part_path({DIMENSION: dataset})
    with staging(folder) as place, locked(folder):
        # Columns that a later version adds are empty in older rows.
        rows = pa.concat_tables([*_stored(folder / part_folder / FILE), new], promote_options="default")
        write_file(place / FILE, rows.to_reader(), lambda rows, first: None)
        replace_parts(folder, {part_folder: place / FILE})


def last_record(root: Path, dataset: str) -> dict[str, Any]:
    """The row of the last materialisation of a dataset, or of a part of it; empty where there is none."""
    rows = [
        row for stored in _stored(root / RECORDS / part_path({DIMENSION: dataset}) / FILE) for row in stored.to_pylist()
    ]
    return rows[-1] if rows else {}


def _stored(file: Path) -> list[pa.Table]:
    if not file.exists():
        return []
    stored_version(file)  # raises, with the name of the file, where it is broken
    return [pq.ParquetFile(file).read()]
