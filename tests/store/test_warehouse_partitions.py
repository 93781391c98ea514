"""Partitions of Dagster as inputs and outputs: none, some, odd ones, and ones that are broken."""

import typing
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from races.resources.store.io_manager import WarehouseIOManager
from races.resources.store.warehouse import QueryContext, Warehouse

DAYS = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-04")
BEFORE = dg.TimeWindowPartitionMapping(start_offset=-1, end_offset=-1)
NOTHING: dg.StaticPartitionMapping = dg.StaticPartitionMapping({})
ROWS = pa.table({"x": [1, 2]})
MISSING = "no value"


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(root=str(tmp_path / "store"))


def run(
    warehouse: Warehouse,
    asset: dg.AssetsDefinition,
    key: str | None = None,
    instance: dg.DagsterInstance | None = None,
    known: dict[str, pa.Schema] | None = None,
) -> str:
    """Materialise a partition; the error at the root where that fails."""
    manager = WarehouseIOManager(warehouse, query_context=lambda: QueryContext(empty=known or {}))
    result = dg.materialize(
        [asset],
        resources={"io_manager": manager},
        partition_key=key,
        raise_on_error=False,
        instance=instance or dg.DagsterInstance.ephemeral(),
    )
    failed = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    error = failed[0] if failed else None
    while error and error.cause:
        error = error.cause
    return error.message if error else ""


def reader(seen: list[Any], annotation: Any, **options: Any) -> dg.AssetsDefinition:
    """An asset that keeps what it is given as `rows`."""

    def takes(rows: Any) -> pa.Table:
        seen.append(rows)
        return ROWS

    takes.__annotations__["rows"] = annotation
    return dg.asset(name="reader", **options)(takes)


def of_itself(seen: list[Any], annotation: Any) -> dg.AssetsDefinition:
    ins = {"rows": dg.AssetIn("reader", partition_mapping=BEFORE)}
    return reader(seen, annotation, partitions_def=DAYS, ins=ins)


@pytest.mark.parametrize("annotation", [typing.Optional[pa.Table], pa.Table | None, ds.Dataset | None])  # noqa: UP045
def test_the_first_partition_has_none_before_it_where_none_may_come(warehouse: Warehouse, annotation: Any) -> None:
    seen: list[Any] = []
    asset = of_itself(seen, annotation)
    assert [run(warehouse, asset, day) for day in ("2026-01-01", "2026-01-02")] == ["", ""]
    assert seen[0] is None
    expected = ds.Dataset if ds.Dataset in typing.get_args(annotation) else pa.Table
    assert isinstance(seen[1], expected)
    rows = seen[1].to_table() if isinstance(seen[1], ds.Dataset) else seen[1]
    assert rows.to_pylist() == [{"x": x, "partition": "2026-01-01"} for x in (1, 2)]


@pytest.mark.parametrize("annotation", [pa.Table, ds.Dataset, Any])
def test_the_first_partition_has_no_rows_before_it(warehouse: Warehouse, annotation: Any) -> None:
    seen: list[Any] = []
    asset = of_itself(seen, annotation)
    expected = ds.Dataset if annotation is ds.Dataset else pa.Table
    assert run(warehouse, asset, "2026-01-01") == ""
    assert isinstance(seen[0], expected)
    assert (seen[0].count_rows() if annotation is ds.Dataset else seen[0].num_rows) == 0
    assert seen[0].schema.names == []
    assert run(warehouse, asset, "2026-01-01", known={"reader": pa.schema({"never": pa.int64()})}) == ""
    assert seen[1].schema.names == ["x", "partition"]  # those that are stored by now


def test_no_rows_of_a_known_table_have_its_columns(warehouse: Warehouse) -> None:
    seen: list[Any] = []
    asset = of_itself(seen, pa.Table)
    assert run(warehouse, asset, "2026-01-01", known={"reader": ROWS.schema}) == ""
    assert seen[0].equals(ROWS.slice(0, 0))


def test_a_mapping_to_nothing_is_nothing_for_static_and_multiple_partitions(warehouse: Warehouse) -> None:
    seen: list[Any] = []
    letters = dg.StaticPartitionsDefinition(["a", "b"])
    warehouse.write("source", ROWS, {"partition": "a"})
    source = dg.AssetSpec("source", partitions_def=letters)
    ins = {"rows": dg.AssetIn("source", partition_mapping=NOTHING)}
    fixed = reader(seen, pa.Table, partitions_def=dg.StaticPartitionsDefinition(["c"]), ins=ins)
    result = dg.materialize(
        [source, fixed], resources={"io_manager": WarehouseIOManager(warehouse)}, partition_key="c", selection="reader"
    )
    assert result.success
    assert (seen[0].num_rows, seen[0].schema.names) == (0, ["x", "partition"])

    cells = dg.MultiPartitionsDefinition({"day": DAYS, "letter": letters})
    mapping = dg.MultiPartitionMapping(
        {
            "day": dg.DimensionPartitionMapping("day", BEFORE),
            "letter": dg.DimensionPartitionMapping("letter", dg.IdentityPartitionMapping()),
        }
    )
    both = reader(seen, pa.Table, partitions_def=cells, ins={"rows": dg.AssetIn("reader", partition_mapping=mapping)})
    other = Warehouse(root=f"{warehouse.root}-cells")
    assert [run(other, both, f"{day}|b") for day in ("2026-01-01", "2026-01-02")] == ["", ""]
    assert seen[1].num_rows == 0
    assert seen[2].to_pylist() == [{"x": x, "day": "2026-01-01", "letter": "b"} for x in (1, 2)]


def test_partitions_that_have_not_been_made_are_named_with_their_asset(warehouse: Warehouse) -> None:
    asset = of_itself([], pa.Table)
    assert "expected reader of 2026-01-02, got none of its partitions" in run(warehouse, asset, "2026-01-03")
    assert run(warehouse, asset, "2026-01-01") == ""
    error = run(warehouse, asset, "2026-01-03")
    assert "reader has no partition partition=2026-01-02: it has partition=2026-01-01" in error


ODD = [
    "a/b",
    "a=b",
    "..",
    ".",
    " ",
    "é 漢 🎉",
    "a%2Fb",
    "x" * 80,
    "'; drop table x; --",
    "007",
    "*?[a]",
    "\n",
    "\x1b[31m",
]


def test_dynamic_partitions_may_have_any_name_and_go_again(warehouse: Warehouse) -> None:
    keys = dg.DynamicPartitionsDefinition(name="keys")
    instance = dg.DagsterInstance.ephemeral()

    @dg.asset(partitions_def=keys)
    def named(context: dg.AssetExecutionContext) -> pa.Table:
        return pa.table({"named": [context.partition_key]})

    seen: list[pa.Table] = []

    @dg.asset(name="named_all")
    def every(named: pa.Table) -> None:
        seen.append(named)

    def read() -> list[str]:
        resources = {"io_manager": WarehouseIOManager(warehouse)}
        assert dg.materialize([named, every], resources=resources, instance=instance, selection="named_all").success
        rows: list[dict[str, str]] = seen[-1].to_pylist()
        assert all(row.get("partition") == row["named"] for row in rows)
        return sorted(row["named"] for row in rows)

    assert read() == []
    instance.add_dynamic_partitions("keys", ODD)
    for key in ODD:
        assert run(warehouse, named, key, instance) == "", key
    assert read() == sorted(ODD)
    assert {partition["partition"] for partition in warehouse.partitions("named")} == set(ODD)
    instance.delete_dynamic_partition("keys", "..")
    assert read() == sorted(set(ODD) - {".."})


@pytest.mark.parametrize(("key", "said"), [("é" * 60, "at most 255 characters"), ("\ud800", "that UTF-8 can hold")])
def test_a_value_that_can_name_no_folder_is_refused(warehouse: Warehouse, key: str, said: str) -> None:
    with pytest.raises(Exception, match=said) as caught:
        warehouse.write("numbers", ROWS, {"partition": key})
    assert type(caught.value).__name__ == "WarehouseError"
    assert not warehouse.exists("numbers")


def test_a_partition_can_be_made_beside_a_broken_one_and_one_of_other_columns(warehouse: Warehouse) -> None:
    @dg.asset(partitions_def=dg.StaticPartitionsDefinition(["a", "b", "c"]))
    def letters() -> pa.Table:
        return ROWS

    warehouse.write("letters", pa.table({"x": ["text"]}), {"partition": "a"})
    assert run(warehouse, letters, "b") == ""
    (warehouse.folder / "letters/partition=a/data.parquet").write_bytes(b"")
    assert run(warehouse, letters, "c") == ""
    assert run(warehouse, letters, "a") == ""
    assert warehouse.read("letters").num_rows == 6


def test_an_asset_that_gets_partitions_says_what_is_in_their_way(warehouse: Warehouse) -> None:
    warehouse.write("reader", ROWS)
    error = run(warehouse, of_itself([], pa.Table), "2026-01-02")
    assert "reader has no partition partition=2026-01-01: it has one file without partitions" in error
    error = run(warehouse, of_itself([], pa.Table), "2026-01-01")
    assert "expected partitions of reader with the same dimensions, got () and (partition)" in error


def test_an_asset_without_columns_is_stored_and_read(warehouse: Warehouse) -> None:
    seen: list[pa.Table] = []

    @dg.asset
    def nothing() -> pa.Table:
        return pa.Table.from_pylist([])

    @dg.asset(name="nothing_read")
    def after(nothing: pa.Table) -> None:
        seen.append(nothing)

    for _ in range(2):
        assert dg.materialize([nothing, after], resources={"io_manager": WarehouseIOManager(warehouse)}).success
    assert (seen[0].num_rows, seen[0].num_columns) == (0, 0)
