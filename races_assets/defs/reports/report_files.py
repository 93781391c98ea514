"""Where reports lie, and what Dagster shows of them."""

import hashlib
from pathlib import Path

import dagster as dg

from races.resources.store.warehouse import Warehouse

REPORT = "report.html"
# The file of a set holds a copy of its rows, so the folder lies beside the warehouse and not in it.
FOLDER = "reports"


def folder_of(warehouse: Warehouse) -> Path:
    """The folder of reports: `reports` beside the warehouse."""
    return warehouse.folder.parent / FOLDER


def written(path: Path, text: str, shown: str) -> dg.MaterializeResult:  # type: ignore[type-arg]  # nothing is handed on
    """What Dagster shows of a page: where it is, what is in it, and whether it has changed."""
    version = hashlib.sha256(text.encode()).hexdigest()
    metadata = {"path": dg.MetadataValue.path(path), "preview": dg.MetadataValue.md(shown)}
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(version))
