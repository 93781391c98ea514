from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from races.resources.store.warehouse import QueryContext, Warehouse, WarehouseError

NUMBERS = pa.table({"x": [1, 2, 3], "word": ["a", None, "c"]})


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(root=str(tmp_path / "store"))


def test_odd_paths_work_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    warehouse = Warehouse(root='it\'s [a] *store?, "so" to say; ü')
    warehouse.write("numbers", NUMBERS)
    warehouse.write("cells", NUMBERS, {"size": "it's"})
    catalog = warehouse.refresh_catalog()
    with warehouse.connect() as connection:
        monkeypatch.chdir("/")
        assert connection.sql("select count(*) from numbers").fetchall() == [(3,)]
        assert connection.sql("select distinct size from cells").fetchall() == [("it's",)]
    with duckdb.connect(str(catalog), read_only=True) as connection:
        assert connection.sql("select count(*) from cells").fetchall() == [(3,)]
    assert Warehouse(root=str(catalog.parent)).query("select count(*) as n from cells")["n"].to_pylist() == [3]


def test_broken_files_break_only_their_own_view(warehouse: Warehouse, caplog: pytest.LogCaptureFixture) -> None:
    warehouse.write("numbers", NUMBERS)
    for name in ("broken", "torn", "mixed"):
        warehouse.write(name, NUMBERS, {"size": "2"})
    (warehouse.folder / "broken/size=2/data.parquet").write_bytes(b"no parquet")
    (warehouse.folder / "torn/size=2/data.parquet").write_bytes(b"")
    pq.write_table(NUMBERS, warehouse.folder / "mixed/data.parquet")
    (warehouse.folder / "numbers/old.parquet").write_bytes(b"a stray file")
    (warehouse.folder / "numbers/copy").mkdir()
    (warehouse.folder / "numbers/copy/data.parquet").write_bytes(b"another one")
    with warehouse.connect() as connection:
        assert connection.sql("select count(*) from numbers").fetchall() == [(3,)]
        assert connection.sql("select name from skipped_views order by name").fetchall() == [
            ("broken",),
            ("mixed",),
            ("torn",),
        ]
    assert "no view mixed: expected partitions of mixed with the same dimensions" in caplog.text
    assert warehouse.read("numbers").equals(NUMBERS)
    for name in ("broken", "torn"):
        with pytest.raises(WarehouseError, match=rf"cannot read .*{name}/size=2/data.parquet"):
            warehouse.read(name)
        with pytest.raises(WarehouseError, match=f"no view {name}: "):
            warehouse.query(f"select * from {name}")


def test_files_with_a_select_become_views_where_their_inputs_are(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.write("numbers", NUMBERS)
    folder = tmp_path / "sql"
    folder.mkdir()
    (folder / "a_first.sql").write_text("-- uses one that comes later\nselect n + 1 as n from how_many;\n")
    (folder / "how_many.sql").write_text("select count(*) as n from numbers -- all of them")
    (folder / "numbers.sql").write_text("select 1 as the_query_behind_the_table")
    (folder / "later.sql").write_text("select * from not_yet")
    (folder / "evil.sql").write_text("select 1; drop view numbers")
    assert warehouse.query("select n from a_first", query_context=QueryContext(folder))["n"].to_pylist() == [4]
    assert warehouse.query("select name from skipped_views order by name", query_context=QueryContext(folder))[
        "name"
    ].to_pylist() == [
        "evil",
        "later",
    ]
    catalog = warehouse.refresh_catalog(query_context=QueryContext(folder))
    with duckdb.connect(str(catalog), read_only=True) as connection:
        assert connection.sql("select n from a_first").fetchall() == [(4,)]


def test_an_open_catalogue_does_not_hinder_anybody(warehouse: Warehouse) -> None:
    warehouse.write("numbers", NUMBERS)
    with duckdb.connect(str(warehouse.refresh_catalog())) as opened:
        warehouse.write("more", NUMBERS)
        warehouse.write("numbers", NUMBERS.slice(1))
        warehouse.refresh_catalog()
        assert opened.sql("select count(*) from numbers").fetchall() == [(2,)]
    with duckdb.connect(str(warehouse.folder / "races.duckdb"), read_only=True) as again:
        assert again.sql("select count(*) from more").fetchall() == [(3,)]
    assert not list(warehouse.folder.rglob(".writing-*"))


def test_parameters_are_values(warehouse: Warehouse) -> None:
    warehouse.write("numbers", NUMBERS)
    assert warehouse.query("select x from numbers where word = ?", ["c"])["x"].to_pylist() == [3]
    assert warehouse.query("select x from numbers where word = $w", {"w": "' or 1 = 1 --"}).num_rows == 0


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{root}/evil.parquet'",
        "explain analyze copy (select 1) to '{root}/evil.parquet'",
        "select 1; copy (select 1) to '{root}/evil.parquet'",
        "select * from read_text('{outside}')",
        "select * from '{outside}'",
        "select * from read_text('{root}/../outside.txt')",
        "select * from glob('/etc/*')",
        "select * from read_parquet('https://example.org/x.parquet')",
        "attach '{root}/evil.duckdb'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "export database '{root}/evil'",
        "create table evil as select 1",
        "drop view numbers",
        "",
        "select from from",
    ],
)
def test_a_query_can_only_read_the_warehouse(warehouse: Warehouse, tmp_path: Path, sql: str) -> None:
    warehouse.write("numbers", NUMBERS)
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(WarehouseError):
        warehouse.query(sql.format(root=warehouse.folder, outside=outside))
    assert sorted(tmp_path.rglob("*")) == before
