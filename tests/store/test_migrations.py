"""A warehouse of an earlier version: refused with a hint, renamed whole or not at all, and read as ever afterwards."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.resources.store import migrations
from races.resources.store.folders import WarehouseError
from races.resources.store.layout_version import VERSION_FILE
from races.resources.store.materializations import last_materialization, record_materialization
from races.resources.store.migrations import RENAMES, migrate
from races.resources.store.parquet_files import write_file
from races.resources.store.warehouse import Warehouse

LAST: dict[str, Any] = {"run_id": "r", "code_version": "1", "data_version": "v", "rows": 2, "changed": True}
OLD = {
    "path_ailments/data": {"search": ["balanced", "orders"], "ailment": ["kept", "few answers"], "paths": [3, 4]},
    "composition_figures/data": {"pool": ["whole"], "executions": [7]},
    "foreign_refusals/data": {"name": ["halve"], "refused": [0.25]},
    "environments/data": {"name": ["halve"], "posed_per_second": [12.5]},
    "audits/data": {"name": ["halve"], "foreign": [40]},
    "search_shards/data": {"start_brick": ["halve"], "menus": ["{}"]},
    "discovered_paths/start_brick=halve/data": {"path_id": ["a", "b"], "idle_steps": [0, 1]},
    "discovered_paths/start_brick=double/data": {"path_id": ["c"], "idle_steps": [2]},
    "filtered_paths/data": {"path_id": ["a"], "idle_steps": [0]},
    "base_models/model=tiny/data": {"parameters": [867_000], "taught_steps": [1_000]},
    "benchmark_averages/data": {"checkpoint": ["tiny"], "less": [""]},
    "heldout_differences/data": {
        "checkpoint": ["micro"] * 3,
        "unseen": ["size"] * 3,
        "operator": ["sort", "sort", "all"],
        "size": [3, 0, 0],
        "difference": [0.25, 0.5, 0.75],
    },
    "changes/data": {"name": ["halve"], "foreign": ["a column of another table"]},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A warehouse as version 1 wrote it."""
    folder = tmp_path / "warehouse"
    for path, columns in OLD.items():
        file = (folder / path).with_suffix(".parquet")
        file.parent.mkdir(parents=True)
        write_file(file, pa.table(columns).to_reader(), lambda rows, first: None)
    for name in ("path_ailments", "changes"):
        record_materialization(tmp_path / "elsewhere", name, None, **LAST)
    (tmp_path / "elsewhere" / "materializations").rename(folder / "materializations")
    return folder


def cells(row: dict[str, Any]) -> list[str]:
    """What rows are sorted by, in whatever order their columns come."""
    return sorted(f"{name} {value}" for name, value in row.items())


def rows_of(root: Path) -> dict[str, list[dict[str, Any]]]:
    warehouse = Warehouse(root=str(root))
    return {
        name: sorted(warehouse.read(name).to_pylist(), key=cells)
        for name in warehouse.datasets()
        if name != "materializations"
    }


def expected() -> dict[str, list[dict[str, Any]]]:
    """What the old rows are under their new names."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path, columns in OLD.items():
        name, *partition = path.split("/")[:-1]
        renames = RENAMES.get(name, migrations.Renames())
        if name == "heldout_differences":
            columns = columns | {  # by hand
                "grain": ["operator and size", "operator", "all problems"],
                "operator": ["sort", "sort", None],
                "size": [3, None, None],
            }
        new = {renames.columns.get(column, column): values for column, values in columns.items()}
        dimension = dict(each.split("=") for each in partition)
        rows = [row | dimension for row in pa.table(new).to_pylist()]
        found.setdefault(renames.table or name, []).extend(rows)
    return {name: sorted(rows, key=cells) for name, rows in sorted(found.items())}


@pytest.mark.parametrize(
    "act",
    [
        lambda warehouse: warehouse.read("environments"),
        lambda warehouse: warehouse.query("select 1"),
        lambda warehouse: warehouse.exists("failed_health_checks"),
        lambda warehouse: warehouse.write("environments", pa.table({"x": [1]})),
        lambda warehouse: warehouse.sweep(),
        lambda warehouse: record_materialization(warehouse.folder, "changes", None, **LAST),
    ],
    ids=["read", "query", "exists", "write", "sweep", "record"],
)
def test_an_old_warehouse_is_refused_with_the_command_that_helps(root: Path, act: Any) -> None:
    before = files_of(root)
    with pytest.raises(WarehouseError, match=rf"got version 1 in .*: races migrate --warehouse {root}"):
        act(Warehouse(root=str(root)))
    assert files_of(root) == before


def files_of(root: Path) -> dict[str, bytes]:
    return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}


def test_tables_and_columns_are_renamed_and_rows_stay(root: Path) -> None:
    lines = migrate(root)
    assert rows_of(root) == expected()
    assert "table path_ailments is now failed_health_checks" in lines
    assert "failed_health_checks: column ailment is now health_check" in lines
    assert len(lines) == 1 + len([each for each in RENAMES.values() if each.table]) + sum(
        len(each.columns) for each in RENAMES.values()
    )
    assert Warehouse(root=str(root)).read("heldout_differences").column_names[2:5] == ["grain", "operator", "size"]
    assert last_materialization(root, "failed_health_checks")["run_id"] == "r"
    assert last_materialization(root, "path_ailments") == {}
    assert last_materialization(root, "changes")["run_id"] == "r"
    # The same bytes as if it were written now.
    warehouse = Warehouse(root=str(root))
    assert not warehouse.write("environments", warehouse.read("environments")).changed
    before = files_of(root)
    assert migrate(root) == []
    assert files_of(root) == before


@pytest.mark.parametrize("moment", range(0, 26, 2))
def test_an_interrupted_migration_loses_nothing_and_is_run_again(
    root: Path, moment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def interrupted(act: Any) -> Any:
        def acting(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > moment:
                raise KeyboardInterrupt
            return act(*arguments, **options)

        return acting

    with monkeypatch.context() as patched:
        for name in ("write_file", "replace_partitions", "remove_folder"):
            patched.setattr(migrations, name, interrupted(getattr(migrations, name)))
        with pytest.raises(KeyboardInterrupt):
            migrate(root)
    with pytest.raises(WarehouseError, match="races migrate"):
        Warehouse(root=str(root)).read("environments")
    migrate(root)
    assert rows_of(root) == expected()


def test_a_table_that_was_made_again_is_not_replaced_by_the_old_one(root: Path) -> None:
    new = root / "failed_health_checks" / "data.parquet"
    new.parent.mkdir()
    columns = {"search": ["orders"], "health_check": ["kept"], "paths": [1]}
    write_file(new, pa.table(columns).to_reader(), lambda rows, first: None)
    migrate(root)
    assert rows_of(root)["failed_health_checks"] == pa.table(columns).to_pylist()
    assert not (root / "path_ailments").exists()


def test_a_file_that_cannot_be_read_stays_and_is_named(root: Path) -> None:
    file = root / "path_ailments" / "data.parquet"
    file.write_bytes(b"torn")
    with pytest.raises(WarehouseError, match=r"cannot read .*path_ailments/data.parquet"):
        migrate(root)
    assert file.read_bytes() == b"torn"


def test_a_newer_warehouse_is_refused(tmp_path: Path) -> None:
    warehouse = Warehouse(root=str(tmp_path))
    warehouse.write("numbers", pa.table({"x": [1]}))
    (tmp_path / VERSION_FILE).write_text(json.dumps({"version": 99}))
    for act in (lambda: warehouse.read("numbers"), lambda: migrate(tmp_path)):
        with pytest.raises(WarehouseError, match="got version 99"):
            act()
    (tmp_path / VERSION_FILE).write_text("torn")
    with pytest.raises(WarehouseError, match=r"cannot read .*version\.json"):
        warehouse.read("numbers")


def test_the_command_migrates_and_writes_the_catalogue_anew(root: Path) -> None:
    done = CliRunner().invoke(main, ["migrate", "--warehouse", str(root)])
    assert (done.exit_code, done.stdout.splitlines()[0]) == (
        0,
        "failed_health_checks: column ailment is now health_check",
    )
    assert (root / "races.duckdb").exists()
    again = CliRunner().invoke(main, ["migrate", "--warehouse", str(root)])
    assert again.stdout == f"{root} has the names of this version already\n"
    refused = CliRunner().invoke(main, ["migrate", "--warehouse", str(root / "none")])
    assert "expected a folder as the warehouse" in refused.stderr
