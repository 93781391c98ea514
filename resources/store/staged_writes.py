"""Partitions that are written and checked in a staging folder before their files are moved into place."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from races.resources.store.folders import FILE, Partition, WarehouseError, partition_path
from races.resources.store.parquet_files import ArrowStream, stored_version, without_dimensions, write_file
from races.resources.store.validation import RowCheck


@dataclass(frozen=True)
class StagedPartition:
    """A finished file that is not in place yet."""

    path: Path
    partition: Partition
    rows: int
    data_version: str


def combined_version(versions: Mapping[Path, str]) -> str:
    """The version of a dataset of several partitions."""
    text = "\n".join(f"{where} {versions[where]}" for where in sorted(versions))
    return hashlib.sha256(text.encode()).hexdigest()


def stage_rows(place: Path, data: ArrowStream, partition: Partition, check: RowCheck | None) -> StagedPartition:
    """Write a partition below the staging folder, checking its rows on the way."""
    path = place / partition_path(partition) / "new.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)

    def see(rows: pa.Table, first: int) -> None:
        if check:
            check.see(rows, first, partition)

    content = write_file(path, without_dimensions(data, partition), see)
    return StagedPartition(path, partition, content.rows, content.hexdigest())


def stage_stored(place: Path, folder: Path, partition: Partition) -> StagedPartition:
    """Stage a stored partition as it is, by a hard link, so that another writer cannot remove it meanwhile."""
    path, stored = place / partition_path(partition) / "new.parquet", folder / partition_path(partition) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(stored, path)
    except FileNotFoundError:
        raise WarehouseError(f"expected a partition to keep, got none at {stored}") from None
    rows, version = stored_version(path)  # of what is linked, whatever lies there by now
    return StagedPartition(path, partition, rows, version)
