import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pandera.polars as pandera
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from races.resources.store.io_manager import WarehouseIOManager
from races.resources.store.warehouse import Partitions, Warehouse

HERE = Path(__file__).parents[2]
NUMBERS = pa.table({"x": [1, 2, 3]})
SIZES = dg.StaticPartitionsDefinition(["2", "3"])
CELLS = dg.MultiPartitionsDefinition({"size": SIZES, "operator": dg.StaticPartitionsDefinition(["sort", "select"])})


class Numbers(pandera.DataFrameModel):
    x: int = pandera.Field(ge=0, unique=True, description="Counts up.")


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(root=str(tmp_path / "store"))


def build(
    warehouse: Warehouse,
    *assets: dg.AssetsDefinition,
    partition: str | None = None,
    tags: dict[str, str] | None = None,
    raise_on_error: bool = True,
    instance: dg.DagsterInstance | None = None,
) -> dg.ExecuteInProcessResult:
    """Materialise assets with Dagster; models are those of the assets called numbers."""
    return dg.materialize(
        list(assets),
        resources={"io_manager": WarehouseIOManager(warehouse, {"numbers": Numbers}), "warehouse": warehouse},
        partition_key=partition,
        tags=tags,
        raise_on_error=raise_on_error,
        instance=instance or dg.DagsterInstance.ephemeral(),
    )


def event(result: dg.ExecuteInProcessResult, asset: str) -> dg.AssetMaterialization:
    (found,) = result.asset_materializations_for_node(asset)
    return found


@dg.asset
def numbers() -> pa.Table:
    return NUMBERS


def test_a_materialisation_says_what_is_in_the_table(warehouse: Warehouse) -> None:
    first, second = (event(build(warehouse, numbers), "numbers") for _ in range(2))
    metadata = {key: value.value for key, value in first.metadata.items()}
    file = warehouse.folder / "numbers/data.parquet"
    assert metadata["dagster/row_count"] == 3
    assert metadata["dagster/uri"] == file.as_uri()
    assert metadata["bytes"] == file.stat().st_size
    assert (metadata["changed"], second.metadata["changed"].value) == (True, False)
    (column,) = metadata["dagster/column_schema"].columns
    assert (column.name, column.type, column.description) == ("x", "int64", "Counts up.")
    assert column.constraints.unique


def test_the_data_version_is_the_hash_of_the_rows(warehouse: Warehouse) -> None:
    @dg.asset(name="numbers")
    def other() -> pa.Table:
        return NUMBERS.slice(1)

    first, again, changed = (event(build(warehouse, asset), "numbers") for asset in (numbers, numbers, other))
    version = warehouse.write("numbers", NUMBERS).data_version
    assert [(each.tags or {})["dagster/data_version"] == version for each in (first, again, changed)] == [
        True,
        True,
        False,
    ]


def test_an_asset_downstream_is_stale_only_where_rows_changed(warehouse: Warehouse) -> None:
    rows = NUMBERS

    @dg.asset(name="numbers")
    def changing() -> pa.Table:
        return rows

    condition = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed())

    @dg.asset(automation_condition=condition)
    def doubled(numbers: pa.Table) -> pa.Table:
        return numbers

    definitions = dg.Definitions(assets=[changing, doubled])
    instance = dg.DagsterInstance.ephemeral()
    build(warehouse, changing, doubled, instance=instance)
    tick = dg.evaluate_automation_conditions(defs=definitions, instance=instance)
    asked = []
    for rows in (NUMBERS, NUMBERS.slice(1)):  # noqa: B007 (the asset above returns them)
        build(warehouse, changing, instance=instance)
        tick = dg.evaluate_automation_conditions(defs=definitions, instance=instance, cursor=tick.cursor)
        asked.append(tick.total_requested)
    assert asked == [0, 1]


def test_an_asset_may_set_its_own_version_and_metadata(warehouse: Warehouse) -> None:
    @dg.asset(name="numbers")
    def own() -> dg.Output[pa.Table]:
        return dg.Output(NUMBERS, data_version=dg.DataVersion("mine"), metadata={"bytes": -1, "note": "hello"})

    found = event(build(warehouse, own), "numbers")
    assert found.tags is not None
    assert found.tags["dagster/data_version"] == "mine"
    assert found.metadata["bytes"].value == -1
    assert found.metadata["note"].value == "hello"
    assert found.metadata["dagster/row_count"].value == 3


def test_invalid_rows_fail_the_run_and_leave_the_table(warehouse: Warehouse) -> None:
    @dg.asset(name="numbers")
    def invalid() -> pa.Table:
        return pa.table({"x": [5, -1]})

    build(warehouse, numbers)
    result = build(warehouse, invalid, raise_on_error=False)
    assert not result.success
    (failure,) = result.get_step_failure_events()
    assert "| 1 | x | greater_than_or_equal_to(0) | -1 |" in str(failure.step_failure_data.error)
    assert warehouse.read("numbers").equals(NUMBERS)


def test_an_input_is_what_its_annotation_asks_for(warehouse: Warehouse) -> None:
    seen: dict[str, type] = {}

    @dg.asset
    def streamed() -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(NUMBERS.schema, NUMBERS.to_batches())

    @dg.asset
    def as_table(streamed: pa.Table) -> pa.Table:
        seen["table"] = type(streamed)
        return streamed

    @dg.asset
    def as_dataset(streamed: ds.Dataset) -> pa.Table:
        seen["dataset"] = type(streamed)
        return streamed.to_table()

    build(warehouse, streamed, as_table, as_dataset)
    assert seen["table"] is pa.Table
    assert issubclass(seen["dataset"], ds.Dataset)
    assert warehouse.read("as_dataset").equals(NUMBERS)


@dg.asset(partitions_def=CELLS)
def cells(context: dg.AssetExecutionContext) -> pa.Table:
    return pa.table({"x": [len(context.partition_key)]})


@dg.asset(partitions_def=CELLS)
def kept_cells(cells: pa.Table) -> pa.Table:
    return cells


@dg.asset
def summary(cells: pa.Table) -> pa.Table:
    return cells


def test_partitions_are_folders_and_come_back_as_columns(warehouse: Warehouse) -> None:
    for key in ("sort|2", "select|3"):
        found = event(build(warehouse, cells, kept_cells, partition=key), "cells")
        assert found.metadata["dagster/partition_row_count"].value == 1
    assert [str(each) for each in warehouse.partitions("kept_cells")] == [
        "{'operator': 'select', 'size': '3'}",
        "{'operator': 'sort', 'size': '2'}",
    ]
    build(warehouse, cells.to_source_asset(), summary)
    assert warehouse.read("summary").to_pylist() == [
        {"x": 8, "operator": "select", "size": 3},
        {"x": 6, "operator": "sort", "size": 2},
    ]


def test_a_partition_that_is_no_longer_defined_is_not_read(warehouse: Warehouse) -> None:
    build(warehouse, cells, partition="sort|2")
    warehouse.write("cells", pa.table({"x": [99]}), {"operator": "sort", "size": "9"})
    build(warehouse, cells.to_source_asset(), summary)
    assert warehouse.read("summary", columns=["x"]).to_pylist() == [{"x": 6}]


def test_an_asset_names_its_one_dimension(warehouse: Warehouse) -> None:
    @dg.asset(partitions_def=SIZES, metadata={"partition_dimension": "recipe"})
    def named() -> pa.Table:
        return NUMBERS

    @dg.asset(partitions_def=SIZES)
    def unnamed(named: pa.Table) -> pa.Table:
        return named.select(["x"])

    build(warehouse, named, unnamed, partition="2")
    assert warehouse.partitions("named") == [{"recipe": "2"}]
    assert warehouse.partitions("unnamed") == [{"partition": "2"}]
    assert warehouse.read("unnamed").num_rows == 3


def test_an_asset_may_be_kept_in_partitions(warehouse: Warehouse) -> None:
    @dg.asset
    def shards() -> Partitions:
        return Partitions(({"brick": name}, NUMBERS) for name in "ab")

    found = event(build(warehouse, shards), "shards")
    assert found.metadata["dagster/row_count"].value == 6
    assert [column.name for column in found.metadata["dagster/column_schema"].value.columns] == ["x", "brick"]
    assert warehouse.partitions("shards") == [{"brick": "a"}, {"brick": "b"}]


def test_a_step_with_several_partitions_is_refused(warehouse: Warehouse) -> None:
    @dg.asset(partitions_def=SIZES, backfill_policy=dg.BackfillPolicy.single_run())
    def several() -> pa.Table:
        return NUMBERS

    tags = {"dagster/asset_partition_range_start": "2", "dagster/asset_partition_range_end": "3"}
    result = build(warehouse, several, tags=tags, raise_on_error=False)
    (failure,) = result.get_step_failure_events()
    assert "expected one partition of several a step, got 2" in str(failure.step_failure_data.error)
    assert not warehouse.exists("several")


def test_what_is_no_table_and_what_is_no_asset_is_refused(warehouse: Warehouse) -> None:
    @dg.asset
    def text() -> str:
        return "rows"

    (failure,) = build(warehouse, text, raise_on_error=False).get_step_failure_events()
    assert "expected a table or a stream of Arrow, got str" in str(failure.step_failure_data.error)

    @dg.op
    def number() -> int:
        return 1

    @dg.job(resource_defs={"io_manager": dg.IOManagerDefinition.hardcoded_io_manager(WarehouseIOManager(warehouse))})
    def no_asset() -> None:
        number()

    (failure,) = no_asset.execute_in_process(raise_on_error=False).get_step_failure_events()
    assert "expected the rows of an asset, got 'result'" in str(failure.step_failure_data.error)


def test_the_root_may_come_from_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACES_WAREHOUSE", str(tmp_path / "elsewhere"))
    build(Warehouse(root=dg.EnvVar("RACES_WAREHOUSE")), numbers)
    assert Warehouse(root=str(tmp_path / "elsewhere")).read("numbers").equals(NUMBERS)


DEFINITIONS = """
import os
import dagster as dg
import pyarrow as pa
from races.resources.store.io_manager import WarehouseIOManager
from races.resources.store.warehouse import Warehouse

CELLS = dg.MultiPartitionsDefinition(
    {name: dg.StaticPartitionsDefinition(["a", "b"]) for name in ("size", "operator")}
)

def rows(context):
    return pa.table({"key": list(context.partition_keys), "has_partition_key": [context.has_partition_key]})

@dg.asset(partitions_def=CELLS)
def plain(context: dg.AssetExecutionContext) -> pa.Table:
    return rows(context)

@dg.asset(partitions_def=CELLS, backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=1))
def ranged(context: dg.AssetExecutionContext) -> pa.Table:
    return rows(context)

defs = dg.Definitions(
    [plain, ranged],
    resources={"io_manager": WarehouseIOManager(Warehouse(root=os.environ["ROOT"]))},
    executor=dg.in_process_executor,
)
"""

# Dagster has no public way to run a backfill without its daemon, so this is what the daemon itself does.
BACKFILL = """
import logging, time
import dagster as dg
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.test_utils import instance_for_test
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import PythonFileTarget
from dagster._daemon.backfill import execute_backfill_iteration

here = {"module": "dagster._core.launcher.sync_in_memory_run_launcher", "class": "SyncInMemoryRunLauncher"}
at_once = {"module": "dagster._core.run_coordinator", "class": "DefaultRunCoordinator"}
with (
    instance_for_test(overrides={"run_launcher": here, "run_coordinator": at_once}) as instance,
    WorkspaceProcessContext(instance, PythonFileTarget("definitions.py", None, ".", "races")) as context,
):
    for name in ("plain", "ranged"):
        backfill = PartitionBackfill.from_asset_partitions(
            asset_graph=context.create_request_context().asset_graph, backfill_id=name, tags={},
            backfill_timestamp=time.time(), asset_selection=[dg.AssetKey(name)],
            partition_names=["a|a", "a|b", "b|a", "b|b"], dynamic_partitions_store=instance, all_partitions=False,
            title=None, description=None, run_config=None,
        )
        instance.add_backfill(backfill)
        while instance.get_backfill(name).status == BulkActionStatus.REQUESTED:
            list(execute_backfill_iteration(context, logging.getLogger("backfill")))
        print(name, instance.get_backfill(name).status.name)
    print(len(instance.get_runs()), "runs")
"""


@pytest.mark.slow
def test_a_backfill_writes_one_file_a_partition(tmp_path: Path) -> None:
    (tmp_path / "definitions.py").write_text(DEFINITIONS)
    root = tmp_path / "store"
    environment = {**os.environ, "PYTHONPATH": str(HERE), "ROOT": str(root)}
    command = [sys.executable, "-c", BACKFILL]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert {"plain COMPLETED_SUCCESS", "ranged COMPLETED_SUCCESS", "8 runs"} <= set(run.stdout.splitlines())
    # A run of a backfill with a policy has no partition key, only a range of one.
    for name, has_key in (("plain", True), ("ranged", False)):
        files = sorted(str(file.relative_to(root / name)) for file in (root / name).rglob("*.parquet"))
        assert files == [f"operator={operator}/size={size}/data.parquet" for operator in "ab" for size in "ab"]
        rows = Warehouse(root=str(root)).read(name).to_pylist()
        assert [row["key"] for row in rows] == [f"{row['operator']}|{row['size']}" for row in rows]
        assert {row["has_partition_key"] for row in rows} == {has_key}
