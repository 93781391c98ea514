"""Which run made what: every materialisation is on record, and a row is traced to the runs that made it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from races.assets.tables.table_catalog import query_context
from races.resources.store.materializations import record_materialization
from races.resources.store.warehouse import Warehouse, WarehouseError
from tests.support.asset_processes import whole_graph

HERE = Path(__file__).parents[2]
FIELDS: dict[str, Any] = {"code_version": "1", "data_version": "v", "rows": 3, "changed": True}


def test_materializations_of_writers_at_once_are_all_kept(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from races.resources.store.materializations import record_materialization\n"
        "for n in range(8): record_materialization(Path(sys.argv[1]), 'numbers', {'size': '2'},"
        " run_id=f'{sys.argv[2]} {n}', code_version='1', data_version='v', rows=3, changed=True)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(n)], cwd=HERE) for n in range(3)]
    assert [each.wait() for each in writers] == [0, 0, 0]
    rows = Warehouse(root=str(tmp_path)).read("materializations").to_pylist()
    assert sorted(row["run_id"] for row in rows) == sorted(f"{w} {n}" for w in range(3) for n in range(8))
    assert {(row["dataset"], row["part"]) for row in rows} == {("numbers", "size=2")}
    for writer in range(3):
        ours = [row for row in rows if row["run_id"].startswith(f"{writer} ")]
        assert [row["run_id"] for row in sorted(ours, key=lambda row: row["made"])] == [
            f"{writer} {n}" for n in range(8)
        ]


def test_materializations_that_cannot_be_read_are_left_as_they_are(tmp_path: Path) -> None:
    record_materialization(tmp_path, "numbers", None, run_id="first", **FIELDS)
    (file,) = tmp_path.rglob("*.parquet")
    file.write_bytes(b"torn")
    with pytest.raises(WarehouseError, match=r"cannot read .*dataset=numbers/data.parquet"):
        record_materialization(tmp_path, "numbers", None, run_id="second", **FIELDS)
    assert file.read_bytes() == b"torn"


def test_a_row_is_traced_to_the_runs_that_made_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    warehouse = whole_graph(tmp_path_factory).warehouse
    rows = warehouse.query("select * from lineage()", query_context=query_context()).to_pylist()
    assert len(rows) == warehouse.read("training_sets").num_rows
    made = warehouse.read("materializations").to_pylist()
    runs = {(row["dataset"], row["part"]): row["run_id"] for row in made}
    codes = {row["code_version"] for row in made if row["dataset"] == "training_sets"}
    assert len(set(runs.values())) == 11  # one a step; assets of one step share it
    for row in rows:
        assert row["set_run"] == runs["training_sets", f"recipe={row['recipe']}"]
        assert row["problems_run"] == runs["problems", f"operator={row['operator']}"]
        assert row["paths_run"] == (runs["filtered_paths", ""] if row["path_id"] else None)
        assert {row["set_code"]} == codes
        assert (row["problems_code"], row["outdated"]) == ("1", [])
    assert any(row["paths_run"] for row in rows)
