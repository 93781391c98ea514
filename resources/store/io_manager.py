"""Dagster's outputs and inputs through the warehouse: assets return rows, and ask for those of others by name."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, get_args

import dagster as dg
import pyarrow as pa
import pyarrow.dataset as ds

from races.environments.errors import RacesError, UnknownName
from races.resources.store.folders import Part, WarehouseError
from races.resources.store.materializations import record
from races.resources.store.parquet_files import ArrowStream
from races.resources.store.row_changes import RowChanges, row_changes
from races.resources.store.validation import Model, column_notes
from races.resources.store.warehouse import CATALOG, Asking, Parts, Selection, Warehouse, Written

# The definition metadata with which an asset names the column of its one partition dimension, and the default name.
DIMENSION_KEY = "partition_dimension"
DIMENSION = "partition"
# The definition metadata with which an asset names the field that numbers its rows; see `row_changes`.
PLACE_KEY = "place_of_row"


class WarehouseIOManager(dg.IOManager):
    """Stores what assets return and loads what they ask for, by asset key.

    An asset returns a table, a stream (`pyarrow.RecordBatchReader`, polars, DuckDB) or `Parts`. Its partition becomes
    folders: the dimensions of a MultiPartitionsDefinition, else one with the name that the asset's metadata gives as
    `partition_dimension` ("partition" otherwise). Rows are checked against `models[name]` before they replace others.

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
        asking: Callable[[], Asking] | None = None,
    ) -> None:
        self._warehouse = warehouse
        self._models = dict(models or {})
        self._asking = asking

    def handle_output(self, context: dg.OutputContext, obj: ArrowStream | Parts) -> None:
        """Write the rows of an asset, or of its one partition; WarehouseError where a step has several partitions."""
        name = dataset_name(context)
        part = _output_part(context)
        model = self._models.get(name)
        columns_before = self._columns_of(name)
        before = None
        with suppress(RacesError):  # none there, or a broken one, which is what this write mends
            before = self._warehouse.dataset(name, part)
        if isinstance(obj, Parts):
            if part is not None:
                raise WarehouseError(
                    f"expected rows of one partition of {name}, got parts: only a whole asset has parts"
                )
            written = self._warehouse.write_parts(name, obj.parts, validator=model)
        else:
            written = self._warehouse.write(name, obj, part=part, validator=model)
        stored = self._warehouse.dataset(name, part)
        place = str(context.definition_metadata.get(PLACE_KEY, ""))
        rows = row_changes(before, stored, place) if written.changed else RowChanges(written.rows, 0, 0)
        record(
            self._warehouse.folder,
            name,
            part,
            run_id=context.run_id,
            code_version=context.asset_spec.code_version or "",
            data_version=written.data_version,
            rows=written.rows,
            changed=written.changed,
            rows_new=rows.new,
            rows_gone=rows.gone,
        )
        # The materialisation is made after this method, with the version that the step then holds for the asset.
        context.step_context.set_data_version(context.asset_key, dg.DataVersion(written.data_version))
        columns = _columns(stored.schema, self._warehouse.parts(name)[0], model)
        found = _metadata(written, columns) | {f"rows_{name}": count for name, count in vars(rows).items()}
        if part is not None:
            # The page of the asset shows the row count of its last run, which is to be that of the whole table.
            found |= {"dagster/partition_row_count": written.rows}
            with suppress(RacesError):  # another partition is broken, or of other columns until it is made again
                found |= {"dagster/row_count": self._warehouse.dataset(name).count_rows()}
        context.add_output_metadata({key: value for key, value in found.items() if key not in context.output_metadata})
        if self._asking and (
            columns_before != self._columns_of(name) or not (self._warehouse.folder / CATALOG).exists()
        ):
            self._warehouse.refresh_catalog(asking=self._asking())

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
        parts = self._input_parts(context, name)
        if parts is not None and not parts:
            if NoneType in allowed:
                return None
            found = ds.dataset(self._known_columns(name).empty_table())
        else:
            found = self._warehouse.dataset(name, parts)
        return found if ds.Dataset in allowed else found.to_table()

    def _known_columns(self, name: str) -> pa.Schema:
        known = self._asking().empty.get(name) if self._asking else None
        return self._columns_of(name) or known or pa.schema([])

    def _input_parts(self, context: dg.InputContext, name: str) -> Selection:
        if not context.has_asset_partitions:
            return None
        stored = self._warehouse.parts(name)
        # A single dimension has the name that its writer chose, whose metadata an input does not see.
        dimension = next((each for part in stored for each in part), DIMENSION)
        asked = [_part(context.asset_partitions_def, key, dimension) for key in context.asset_partition_keys]
        missing = [part for part in asked if part not in stored]
        if missing and not stored:
            keys = ", ".join(context.asset_partition_keys)
            raise UnknownName(f"expected {name} of {keys}, got none of its partitions: materialise them first")
        if missing and len(missing) < len(asked):
            context.log.warning("%s: %s of %s partitions are not there: %s", name, len(missing), len(asked), missing)
        return asked


def dataset_name(context: dg.InputContext | dg.OutputContext) -> str:
    """The dataset of an asset: its key, with two underscores between the pieces of a longer one."""
    if not context.has_asset_key:
        raise WarehouseError(f"expected the rows of an asset, got {context.name!r}, which belongs to none")
    return "__".join(context.asset_key.path)


def _output_part(context: dg.OutputContext) -> Part | None:
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
    return _part(context.asset_partitions_def, keys[0], str(dimension))


def _part(definition: dg.PartitionsDefinition[Any], key: str, dimension: str) -> Part:
    if isinstance(definition, dg.MultiPartitionsDefinition):
        return dict(definition.get_partition_key_from_str(key).keys_by_dimension)
    return {dimension: key}


def _columns(schema: pa.Schema, part: Part, model: Model | None) -> dg.TableSchema:
    notes = column_notes(model)
    columns = []
    for field in schema:
        description, unique = notes.get(field.name, (None, False))
        if field.name in part:
            description = description or "Dimension of the partition."
        constraints = dg.TableColumnConstraints(nullable=field.nullable, unique=unique)
        columns.append(dg.TableColumn(field.name, str(field.type), description, constraints))
    return dg.TableSchema(columns)


def _metadata(written: Written, columns: dg.TableSchema) -> dict[str, Any]:
    return {
        "dagster/row_count": written.rows,
        "dagster/column_schema": columns,
        "dagster/uri": written.path.as_uri(),
        "bytes": written.bytes,
        "changed": written.changed,
    }
