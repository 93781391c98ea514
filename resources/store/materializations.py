"""Which run made what: one row per materialisation, kept beside the tables and not in them.

The file of a table has the same bytes whenever its rows are the same, so it cannot name the run that wrote it. The
dataset `materializations` does: one file a dataset, to which every materialisation adds a row. Writers wait for one
another, and the file is replaced whole, so no row is lost.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from races.resources.store.folders import FILE, Partition, locked, partition_path, replace_partitions, staging
from races.resources.store.layout_version import check_layout, note_layout
from races.resources.store.parquet_files import stored_version, write_file

MATERIALIZATIONS = "materializations"
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
        pa.field("rows_gone", pa.int64()),  # that were there before; both are empty in rows of earlier versions
        pa.field("made", pa.timestamp("us"), nullable=False),  # UTC; with a zone Python's client would need pytz
    ]
)


def record_materialization(root: Path, dataset: str, partition: Partition | None, **fields: Any) -> None:
    """Add the row of a materialisation that has just been written below `root`, stamped with the time.

    fields: run_id, code_version, data_version, rows, changed, rows_new, rows_gone. WarehouseError where the rows that
    are there already cannot be read: they are left as they are.
    """
    row = {
        "part": partition_path(partition or {}).as_posix() if partition else "",
        "made": datetime.now(UTC).replace(tzinfo=None),
    }
    new = pa.Table.from_pylist([row | fields], schema=SCHEMA)
    check_layout(root)
    note_layout(root)
    folder = root / MATERIALIZATIONS
    partition_folder = partition_path({DIMENSION: dataset})
    with staging(folder) as place, locked(folder):
        # Columns that a later version adds are empty in older rows.
        rows = pa.concat_tables([*_stored(folder / partition_folder / FILE), new], promote_options="default")
        write_file(place / FILE, rows.to_reader(), lambda rows, first: None)
        replace_partitions(folder, {partition_folder: place / FILE})


def last_materialization(root: Path, dataset: str) -> dict[str, Any]:
    """The row of the last materialisation of a dataset, or of a partition of it; empty where there is none."""
    rows = [
        row
        for stored in _stored(root / MATERIALIZATIONS / partition_path({DIMENSION: dataset}) / FILE)
        for row in stored.to_pylist()
    ]
    return rows[-1] if rows else {}


def _stored(file: Path) -> list[pa.Table]:
    if not file.exists():
        return []
    stored_version(file)  # raises, with the name of the file, where it is broken
    return [pq.ParquetFile(file).read()]
