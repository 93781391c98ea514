"""Dagster's outputs and inputs through the warehouse: assets return rows, and read those of others by name."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, get_args

import dagster as dg
import pyarrow as pa
import pyarrow.dataset as ds

from races.environments.errors import RacesError, UnknownName
from races.resources.store.dagster_internals import set_data_version
from races.resources.store.folders import Partition, WarehouseError
from races.resources.store.materializations import record_materialization
from races.resources.store.parquet_files import ArrowStream
from races.resources.store.row_changes import RowChanges, row_changes
from races.resources.store.validation import Model, column_notes
from races.resources.store.warehouse import CATALOG, Partitions, QueryContext, Selection, Warehouse, Written

# The definition metadata with which an asset names the column of its one partition dimension, and the default name.
DIMENSION_KEY = "partition_dimension"
DIMENSION = "partition"
# The definition metadata with which an asset names the field that numbers its rows; see `row_changes`.
ROW_NUMBER_KEY = "place_of_row"


class WarehouseIOManager(dg.IOManager):
    """Stores what assets return and loads what they ask for, by asset key.

    An asset returns a table, a stream (`pyarrow.RecordBatchReader`, polars, DuckDB) or `Partitions`. Its partition
    becomes folders: the dimensions of a MultiPartitionsDefinition, else one with the name that the asset's metadata
    gives as `partition_dimension` ("partition" otherwise). Rows are validated by `models[name]` before they replace
    others.

    An input is a `pyarrow.Table`, or a `pyarrow.dataset.Dataset` where its annotation says so. Several partitions are
    one table. Partition dimensions are columns of it. An input that is mapped to no partition at all, such as that of
    the first partition of an asset which depends on its own previous one, is None where its annotation allows for it
    (`pa.Table | None`), as with Dagster's own I/O managers of files, and without rows otherwise: with the columns that
    are stored, or else those that the table is known to have, if any. One of whose partitions some have not been made
    has the others, with a warning; UnknownName names them where none has.

    Each materialisation gets row count, columns, address and size as metadata, and as data version the hash of its
    content, set through the step (an `Output(data_version=...)` of the asset's own has precedence). The dataset
    `materializations` keeps which run made it with which code.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        models: Mapping[str, Model] | None = None,
        query_context: Callable[[], QueryContext] | None = None,
    ) -> None:
        self._warehouse = warehouse
        self._models = dict(models or {})
        self._query_context = query_context

    def handle_output(self, context: dg.OutputContext, obj: ArrowStream | Partitions) -> None:
        """Write the rows of an asset, or of its one partition; WarehouseError where a step has several partitions."""
        name, partition = dataset_name(context), _output_partition(context)
        columns_before = self._columns_of(name)
        before = None
        with suppress(RacesError):  # none there, or a broken one, which is what this write mends
            before = self._warehouse.dataset(name, partition)
        written = self._write(name, partition, obj)
        stored = self._warehouse.dataset(name, partition)
        place = str(context.definition_metadata.get(ROW_NUMBER_KEY, ""))
        changes = row_changes(before, stored, place) if written.changed else RowChanges(written.rows, 0, 0)
        record_materialization(
            self._warehouse.folder,
            name,
            partition,
            run_id=context.run_id,
            code_version=context.asset_spec.code_version or "",
            data_version=written.data_version,
            rows=written.rows,
            changed=written.changed,
            rows_new=changes.new,
            rows_gone=changes.gone,
        )
        set_data_version(context, written.data_version)
        metadata = self._metadata(name, partition, written, stored.schema) | {
            f"rows_{kind}": count for kind, count in vars(changes).items()
        }
        own = context.output_metadata  # the asset's own has precedence
        context.add_output_metadata({key: value for key, value in metadata.items() if key not in own})
        if self._query_context and (columns_before != self._columns_of(name) or not self._has_catalog()):
            self._warehouse.refresh_catalog(query_context=self._query_context())

    def _write(self, name: str, partition: Partition | None, rows: ArrowStream | Partitions) -> Written:
        if not isinstance(rows, Partitions):
            return self._warehouse.write(name, rows, partition=partition, validator=self._models.get(name))
        if partition is not None:
            raise WarehouseError(f"expected rows of one partition of {name}, got Partitions, which are a whole asset")
        return self._warehouse.write_partitions(name, rows.partitions, validator=self._models.get(name))

    def _metadata(self, name: str, partition: Partition | None, written: Written, schema: pa.Schema) -> dict[str, Any]:
        """What Dagster's page of the asset shows."""
        columns = _columns(schema, self._warehouse.partitions(name)[0], self._models.get(name))
        found = {
            "dagster/row_count": written.rows,
            "dagster/column_schema": columns,
            "dagster/uri": written.path.as_uri(),
            "bytes": written.bytes,
            "changed": written.changed,
        }
        if partition is not None:
            # The page of the asset shows the row count of its last run, which is to be that of the whole table.
            found |= {"dagster/partition_row_count": written.rows}
            with suppress(RacesError):  # another partition is broken, or of other columns until it is made again
                found |= {"dagster/row_count": self._warehouse.dataset(name).count_rows()}
        return found

    def _has_catalog(self) -> bool:
        return (self._warehouse.folder / CATALOG).exists()

    def _columns_of(self, name: str) -> pa.Schema | None:
        """The columns of a dataset as it is stored; None where there is none, or a broken one."""
        try:
            return self._warehouse.dataset(name).schema
        except RacesError:
            return None

    def load_input(self, context: dg.InputContext) -> pa.Table | ds.Dataset | None:
        """The rows of an upstream asset, or of those partitions of it that the input is mapped to."""
        name = dataset_name(context)
        annotated = context.dagster_type.typing_type
        allowed = get_args(annotated) or (annotated,)  # of Optional, the type and that of None
        partitions = self._input_partitions(context, name)
        if partitions is not None and not partitions:
            if NoneType in allowed:
                return None
            found = ds.dataset(self._known_columns(name).empty_table())
        else:
            found = self._warehouse.dataset(name, partitions)
        return found if ds.Dataset in allowed else found.to_table()

    def _known_columns(self, name: str) -> pa.Schema:
        known = self._query_context().empty.get(name) if self._query_context else None
        return self._columns_of(name) or known or pa.schema([])

    def _input_partitions(self, context: dg.InputContext, name: str) -> Selection:
        if not context.has_asset_partitions:
            return None
        stored = self._warehouse.partitions(name)
        # A single dimension has the name that its writer chose, whose metadata an input does not see.
        dimension = next((each for partition in stored for each in partition), DIMENSION)
        mapped = [
            _dagster_partition(context.asset_partitions_def, key, dimension) for key in context.asset_partition_keys
        ]
        missing = [partition for partition in mapped if partition not in stored]
        if missing and not stored:
            keys = ", ".join(context.asset_partition_keys)
            raise UnknownName(f"expected {name} of {keys}, got none of its partitions: materialise them first")
        if missing and len(missing) < len(mapped):
            context.log.warning("%s: %s of %s partitions are not there: %s", name, len(missing), len(mapped), missing)
        return mapped


def dataset_name(context: dg.InputContext | dg.OutputContext) -> str:
    """The dataset of an asset: its key, with two underscores between the pieces of a longer one."""
    if not context.has_asset_key:
        raise WarehouseError(f"expected the rows of an asset, got {context.name!r}, which belongs to none")
    return "__".join(context.asset_key.path)


def _output_partition(context: dg.OutputContext) -> Partition | None:
    # Not partition_key: a run of a backfill with a policy has only a range, and every partition would be one file.
    if not context.has_asset_partitions:
        return None
    keys = context.asset_partition_keys
    if len(keys) != 1:
        raise WarehouseError(
            f"expected one partition of {dataset_name(context)} a step, got {len(keys)}: "
            "leave backfill_policy unset, or use BackfillPolicy.multi_run(1)"
        )
    dimension = context.definition_metadata.get(DIMENSION_KEY, DIMENSION)
    return _dagster_partition(context.asset_partitions_def, keys[0], str(dimension))


def _dagster_partition(definition: dg.PartitionsDefinition[Any], key: str, dimension: str) -> Partition:
    if isinstance(definition, dg.MultiPartitionsDefinition):
        return dict(definition.get_partition_key_from_str(key).keys_by_dimension)
    return {dimension: key}


def _columns(schema: pa.Schema, partition: Partition, model: Model | None) -> dg.TableSchema:
    notes = column_notes(model)
    columns = []
    for field in schema:
        description, unique = notes.get(field.name, (None, False))
        if field.name in partition:
            description = description or "Dimension of the partition."
        constraints = dg.TableColumnConstraints(nullable=field.nullable, unique=unique)
        columns.append(dg.TableColumn(field.name, str(field.type), description, constraints))
    return dg.TableSchema(columns)
