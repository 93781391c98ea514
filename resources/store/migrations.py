"""Renames tables and columns of a warehouse that an earlier version has written, and restates one table.

A table is rewritten beside the old one, which goes when the new one is whole. A migration that was interrupted is run
again: what is done already stays as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from races.resources.atomic import remove_folder
from races.resources.store.folders import (
    FILE,
    WarehouseError,
    locked,
    partition_path,
    remove_partition,
    replace_partitions,
    staging,
    stored_partitions,
)
from races.resources.store.layout_version import VERSION, note_layout, stored_layout
from races.resources.store.materializations import DIMENSION, MATERIALIZATIONS
from races.resources.store.parquet_files import ROWS_PER_GROUP, UNREADABLE, write_file


@dataclass(frozen=True)
class Renames:
    """What a table has new names for. table: its new name, empty where it keeps its own. columns: old names to new."""

    table: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


# From version 1 to version 2, by the old name of the table.
RENAMES: Mapping[str, Renames] = {
    "path_ailments": Renames("failed_health_checks", {"ailment": "health_check"}),
    "composition_figures": Renames("search_comparison"),
    "foreign_refusals": Renames("refused_outputs"),
    "environments": Renames(columns={"posed_per_second": "generated_per_second"}),
    "audits": Renames(columns={"foreign": "other_outputs"}),
    "search_shards": Renames(columns={"menus": "compatible_bricks"}),
    "discovered_paths": Renames(columns={"idle_steps": "redundant_steps"}),
    "filtered_paths": Renames(columns={"idle_steps": "redundant_steps"}),
    "base_models": Renames(columns={"taught_steps": "warm_up_steps"}),
    "benchmark_averages": Renames(columns={"less": "baseline"}),
}


def migrate(root: Path) -> list[str]:
    """Give the tables of a warehouse the names of this version; what was renamed, a line each, none where nothing was.

    No run may write to the warehouse meanwhile. WarehouseError where a table cannot be read or the warehouse is newer.
    """
    version = stored_layout(root)
    if version is not None and version > VERSION:
        raise WarehouseError(f"expected a warehouse of version {VERSION} at most, got version {version} in {root}")
    if version is None or version == VERSION:
        return []
    with locked(root):
        done = [line for name, renames in RENAMES.items() for line in _migrate_table(root, name, renames)]
        done += _state_grain(root)
        note_layout(root)
    return done


def _migrate_table(root: Path, name: str, renames: Renames) -> Iterator[str]:
    source, target = root / name, root / (renames.table or name)
    if not (found := stored_partitions(source)):
        return
    renamed: set[str] = set()
    staged: dict[Path, Path] = {}
    with staging(target) as place:
        for partition, file in found:
            where = partition_path(partition)
            if source != target and (target / where / FILE).exists():
                continue  # renamed before an interruption, or made again since
            columns = _renamed_columns(file, renames.columns)
            if source == target and not columns:
                continue
            staged[where] = place / where / FILE
            staged[where].parent.mkdir(parents=True, exist_ok=True)
            _rewrite(file, columns, staged[where])
            renamed |= columns.keys()
        if staged:
            with locked(target):
                replace_partitions(target, staged)
    for column in sorted(renamed):
        yield f"{target.name}: column {column} is now {renames.columns[column]}"
    if source != target:
        _move_materializations(root, name, target.name)
        remove_folder(source)  # the last step: what is interrupted before is found and done again
        yield f"table {name} is now {renames.table}"


def _renamed_columns(file: Path, columns: Mapping[str, str]) -> dict[str, str]:
    """The renames that apply to a file, which may have been rewritten already."""
    try:
        names = pq.read_schema(file).names
    except UNREADABLE as error:
        raise WarehouseError(f"cannot read {file}: {error}; remove it, or restore it, and migrate again") from error
    return {old: new for old, new in columns.items() if old in names and new not in names}


def _rewrite(file: Path, columns: Mapping[str, str], target: Path) -> None:
    with pq.ParquetFile(file) as opened:
        old = opened.schema_arrow.remove_metadata()
        schema = pa.schema([each.with_name(columns.get(each.name, each.name)) for each in old])
        batches = (
            pa.RecordBatch.from_arrays(batch.columns, schema=schema)
            for batch in opened.iter_batches(batch_size=ROWS_PER_GROUP)
        )
        write_file(target, pa.RecordBatchReader.from_batches(schema, batches), lambda rows, first: None)


def _state_grain(root: Path) -> Iterator[str]:
    """Say of each row of heldout_differences what it is a mean over; version 1 said it by size 0 and operator `all`."""
    folder = root / "heldout_differences"
    for partition, file in stored_partitions(folder):
        if "grain" in pq.read_schema(file).names:
            continue
        with pq.ParquetFile(file) as opened:
            old = opened.read().replace_schema_metadata()
        rows = [_with_grain(row) for row in old.to_pylist()]
        schema = _grain_schema(old.schema)
        with staging(folder) as place, locked(folder):
            write_file(place / FILE, pa.Table.from_pylist(rows, schema=schema).to_reader(), lambda rows, first: None)
            replace_partitions(folder, {partition_path(partition): place / FILE})
        yield "heldout_differences: column grain says what a row is the mean over"


def _with_grain(row: dict[str, Any]) -> dict[str, Any]:
    if row["operator"] == "all":
        return row | {"grain": "all problems", "operator": None, "size": None}
    if row["size"] == 0:
        return row | {"grain": "operator", "size": None}
    return row | {"grain": "operator and size"}


def _grain_schema(old: pa.Schema) -> pa.Schema:
    """The columns with grain before operator, which may be empty now, as may size."""
    fields = [each.with_nullable(True) if each.name in ("operator", "size") else each for each in old]
    fields.insert(old.get_field_index("operator"), pa.field("grain", pa.string(), nullable=False))
    return pa.schema(fields)


def _move_materializations(root: Path, old: str, new: str) -> None:
    """Append what is on record of a table under its old name to what is on record under the new one."""
    folder = root / MATERIALIZATIONS
    before, after = (partition_path({DIMENSION: name}) for name in (old, new))
    if not (folder / before / FILE).exists():
        return
    files = [folder / where / FILE for where in (before, after) if (folder / where / FILE).exists()]
    rows = pa.concat_tables([pq.ParquetFile(file).read() for file in files], promote_options="default")
    with staging(folder) as place, locked(folder):
        write_file(place / FILE, rows.to_reader(), lambda rows, first: None)
        replace_partitions(folder, {after: place / FILE})
        remove_partition(folder / before / FILE, folder)
