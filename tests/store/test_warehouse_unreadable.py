"""Datasets that DuckDB cannot show: each is left out with its reason, everywhere, and hinders no other one."""

from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.resources.store.warehouse import QueryContext, Warehouse, WarehouseError

NUMBERS = pa.table({"x": [1, 2]})
Make = Callable[[Warehouse], object]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    found = Warehouse(root=str(tmp_path / "store"))
    found.write("numbers", NUMBERS)
    return found


def stored(rows: pa.Table) -> Make:
    return lambda warehouse: warehouse.write("odd", rows)


def partitions(**rows: pa.Table) -> Make:
    """Partitions as a warehouse takes them."""
    return lambda warehouse: [warehouse.write("odd", each, {"partition": name}) for name, each in rows.items()]


def foreign(rows: pa.Table, folder: str = "") -> Make:
    """A file that another program has put there."""

    def make(warehouse: Warehouse) -> None:
        target = warehouse.folder / "odd" / folder / "data.parquet"
        target.parent.mkdir(parents=True)
        pq.write_table(rows, target)

    return make


def content(change: Callable[[bytes], bytes]) -> Make:
    """A file of ours with other bytes."""

    def make(warehouse: Warehouse) -> None:
        file = warehouse.write("odd", NUMBERS).path
        file.write_bytes(change(file.read_bytes()))

    return make


def unreadable_footer(data: bytes) -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length] + b"\xff" * length + data[-8:]


TWICE = [pa.array([1]), pa.array([2])]
ODD: Mapping[str, tuple[Make, str]] = {
    "no columns": (stored(pa.Table.from_pylist([])), "at least one column, got none"),
    "rows without columns": (stored(NUMBERS.select([])), "at least one column, got none"),
    "no bytes": (content(lambda data: b""), "file size is 0 bytes"),
    "half a file": (content(lambda data: data[: len(data) // 2]), "cannot read"),
    "a broken footer": (content(unreadable_footer), "cannot read"),
    "other types": (partitions(a=NUMBERS, b=pa.table({"x": ["text"]})), "the same types"),
    "names that differ in case": (partitions(a=NUMBERS, b=pa.table({"X": [1]})), "differ in more than case"),
    "one name twice": (foreign(pa.Table.from_arrays(TWICE, names=["x", "x"])), "duplicate field names"),
    "one name in two cases": (foreign(pa.Table.from_arrays(TWICE, names=["x", "X"])), "differ in more than case"),
    "a column like its dimension": (foreign(NUMBERS, "x=1"), "without a column x, which is a dimension"),
    "a column nearly like it": (foreign(NUMBERS, "X=1"), "differ in more than case"),
    "a type that DuckDB lacks": (stored(pa.table({"x": pa.array([1, 2], pa.float16())})), "Unsupported"),
    "a wider decimal": (stored(pa.table({"x": pa.array([1], pa.decimal256(60, 2))})), "Unsupported"),
}
# The catalogue reads files by itself, and knows these types.
ONLY_OURS = {"a type that DuckDB lacks", "a wider decimal"}


@pytest.mark.parametrize("name", ODD)
def test_one_dataset_that_cannot_be_shown_hides_no_other(
    warehouse: Warehouse, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    make, reason = ODD[name]
    make(warehouse)
    assert warehouse.datasets() == ["numbers", "odd"]
    assert warehouse.query("select sum(x) as total from numbers").to_pylist() == [{"total": 3}]
    with pytest.raises(WarehouseError, match=rf"(?s)no view odd: .*{reason}"):
        warehouse.query("from odd")
    with warehouse.connect() as connection:
        ((left_out, why),) = connection.sql("from skipped_views").fetchall()
        assert (left_out, reason in why) == ("odd", True)
    assert "no view odd: " in caplog.text
    caplog.clear()
    with duckdb.connect(str(warehouse.refresh_catalog()), read_only=True) as connection:
        assert connection.sql("select sum(x) from numbers").fetchall() == [(3,)]
        listed = [row[0] for row in connection.sql("select name from skipped_views").fetchall()]
        assert listed == ([] if name in ONLY_OURS else ["odd"])
    assert ("no view odd: " in caplog.text) == bool(listed)


def test_tables_are_listed_with_what_was_left_out(warehouse: Warehouse) -> None:
    warehouse.write("odd", pa.Table.from_pylist([]))
    result = CliRunner().invoke(main, ["query", "--tables", "--warehouse", warehouse.root], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "skipped: expected odd to have at least one column, got none" in result.stdout
    assert "2" in result.stdout.split("numbers")[1].split("\n")[0]


def test_a_partition_without_columns_has_no_rows_among_others(warehouse: Warehouse) -> None:
    partitions(a=pa.Table.from_pylist([]), b=NUMBERS)(warehouse)
    assert warehouse.query("select partition, x from odd order by x").to_pylist() == [
        {"partition": "b", "x": 1},
        {"partition": "b", "x": 2},
    ]


def test_no_dataset_takes_the_place_of_the_list(warehouse: Warehouse) -> None:
    warehouse.write("skipped_views", NUMBERS)
    (row,) = warehouse.query("from skipped_views").to_pylist()
    assert row["name"] == "skipped_views"
    assert "expected a dataset of another name" in row["reason"]


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"x": pa.array([{}], pa.struct([]))}),
        pa.table({"x": pa.array([{"y": {}}], pa.struct([("y", pa.struct([]))]))}),
        pa.table({"x": pa.nulls(1, pa.month_day_nano_interval())}),
    ],
    ids=["empty struct", "empty struct within", "interval"],
)
def test_what_parquet_cannot_hold_is_refused_by_its_type(warehouse: Warehouse, rows: pa.Table) -> None:
    with pytest.raises(WarehouseError, match="expected a type of Arrow that Parquet keeps"):
        warehouse.write("odd", rows)


def test_a_column_that_differs_from_the_dimension_in_case_is_refused(warehouse: Warehouse) -> None:
    with pytest.raises(WarehouseError, match="differ in more than case"):
        warehouse.write("odd", pa.table({"Partition": [1]}), {"partition": "a"})


def test_a_dataset_that_goes_while_views_are_made_is_not_there(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Warehouse, "datasets", lambda self: ["gone", "numbers"])
    assert warehouse.query("from numbers").num_rows == 2
    with warehouse.connect(query_context=QueryContext(empty={"gone": NUMBERS.schema})) as connection:
        assert connection.sql("select count(*) from gone").fetchall() == [(0,)]
