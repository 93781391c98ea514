"""Parquet files of the warehouse: written as a stream, with the hash of their content, and read as they are now."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from races.resources.store.folders import Partition, WarehouseError

ROWS_PER_GROUP = 16_384
VERSION_KEY = b"races.data_version"
# What pyarrow raises for a file that is broken: OSError for a footer that is no Thrift, and for one not to be opened.
UNREADABLE = (pa.ArrowException, OSError)


class ArrowStream(Protocol):
    """Whatever streams Arrow: a pyarrow Table or RecordBatchReader, a polars DataFrame, a DuckDB relation."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The schema as we store it: one spelling for each type, so that equal rows make equal files whoever made them."""
    distinct_ignoring_case(schema.names)
    return pa.schema([_plain_field(field, field.name) for field in schema])


def distinct_ignoring_case(names: Sequence[str]) -> None:
    """WarehouseError where two columns have one name for DuckDB, which would rename or mix them."""
    counts = Counter(name.casefold() for name in names)
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise WarehouseError(f"expected columns whose names differ in more than case, got {', '.join(twice)} twice")


_STORED_AS_IS = (
    pa.types.is_null,
    pa.types.is_string,
    pa.types.is_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_primitive,
    pa.types.is_decimal,
)


def _plain_field(field: pa.Field, name: str) -> pa.Field:
    return pa.field(name, _plain_type(field.type), nullable=field.nullable)


def _plain_type(given: pa.DataType) -> pa.DataType:
    kind = pa.types
    if kind.is_dictionary(given):
        return _plain_type(given.value_type)
    if kind.is_large_string(given) or kind.is_string_view(given):
        return pa.string()
    if kind.is_large_binary(given) or kind.is_binary_view(given):
        return pa.binary()
    if kind.is_list(given) or kind.is_large_list(given):
        # Parquet calls the entries "element"; any other name would be lost on the way.
        return pa.list_(_plain_field(given.value_field, "element"))
    if kind.is_fixed_size_list(given):
        return pa.list_(_plain_field(given.value_field, "element"), given.list_size)
    if kind.is_struct(given) and given.num_fields:
        fields = [given.field(index) for index in range(given.num_fields)]
        return pa.struct([_plain_field(field, field.name) for field in fields])
    if kind.is_map(given):
        return pa.map_(_plain_type(given.key_type), _plain_type(given.item_type))
    if any(fits(given) for fits in _STORED_AS_IS) and not kind.is_interval(given):
        return given
    raise WarehouseError(f"expected a type of Arrow that Parquet keeps, got {given}")


class ContentHash:
    """A sha256 over names, types and values, which does not see how the rows were cut into batches or row groups.

    Each buffer of each column runs through a hash of its own: which values are null, how long the texts and lists are,
    and the bytes of the values that are not null, since what lies behind a null is arbitrary.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._head = repr([(field.name, str(field.type)) for field in schema])
        self._streams: dict[str, hashlib._Hash] = {}
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        """Take in the next rows."""
        self.rows += table.num_rows
        for index, column in enumerate(table.columns):
            for chunk in column.chunks:
                self._array(str(index), chunk)

    def hexdigest(self) -> str:
        """The version of all rows so far, 64 hexadecimal digits."""
        total = hashlib.sha256(f"{self._head} {self.rows}".encode())
        for name in sorted(self._streams):
            total.update(f" {name} {self._streams[name].hexdigest()}".encode())
        return total.hexdigest()

    def _array(self, name: str, array: pa.Array) -> None:
        if pa.types.is_map(array.type):
            pair = pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])
            array = array.cast(pa.list_(pair))
        self._fixed(f"{name} valid", array.is_valid())
        if array.null_count:
            array = array.drop_null()
        if not len(array) or pa.types.is_null(array.type):
            return
        if pa.types.is_list(array.type) or pa.types.is_fixed_size_list(array.type):
            self._fixed(f"{name} length", pc.cast(pc.list_value_length(array), pa.int64()))
            self._array(f"{name}.0", array.flatten())
        elif pa.types.is_struct(array.type):
            for index, child in enumerate(array.flatten()):
                self._array(f"{name}.{index}", child)
        elif pa.types.is_string(array.type) or pa.types.is_binary(array.type):
            self._fixed(f"{name} length", pc.cast(pc.binary_length(array), pa.int64()))
            _, offsets, values = array.buffers()
            ends = memoryview(offsets).cast("B").cast("i")
            if values is not None:
                self._bytes(f"{name} value", memoryview(values)[ends[array.offset] : ends[array.offset + len(array)]])
        else:
            self._fixed(f"{name} value", array)

    def _fixed(self, name: str, array: pa.Array) -> None:
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.uint8())
        values = array.buffers()[1]
        if values is not None:
            width = array.type.bit_width // 8
            self._bytes(name, memoryview(values)[array.offset * width : (array.offset + len(array)) * width])

    def _bytes(self, name: str, values: memoryview) -> None:
        if len(values):
            self._streams.setdefault(name, hashlib.sha256()).update(values)


def row_groups(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows in tables of ROWS_PER_GROUP (the last is shorter), one contiguous piece a column."""
    waiting: list[pa.RecordBatch] = []
    rows = 0

    def collected() -> pa.Table:
        return pa.Table.from_batches(waiting, schema=reader.schema).cast(schema).combine_chunks()

    for batch in reader:
        while batch.num_rows:
            waiting.append(batch.slice(0, ROWS_PER_GROUP - rows))
            rows += waiting[-1].num_rows
            batch = batch.slice(waiting[-1].num_rows)
            if rows == ROWS_PER_GROUP:
                yield collected()
                waiting, rows = [], 0
    if waiting:
        yield collected()


def write_file(path: Path, reader: pa.RecordBatchReader, on_rows: Callable[[pa.Table, int], None]) -> ContentHash:
    """Write a stream to a file in constant memory and hash it.

    `on_rows` gets each row group first, with the number of its first row, and may refuse it; no rows are an empty one.
    The bytes follow from the rows and the version of pyarrow alone. The version of the content lies in the footer.
    """
    schema = plain_schema(reader.schema)
    content = ContentHash(schema)
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=3) as writer:
        for group in row_groups(reader, schema):
            on_rows(group, content.rows)
            content.add(group)
            writer.write_table(group, row_group_size=ROWS_PER_GROUP)
        if not content.rows:
            on_rows(schema.empty_table(), 0)
        writer.add_key_value_metadata({VERSION_KEY: content.hexdigest().encode()})
    return content


def without_dimensions(data: ArrowStream, partition: Partition) -> pa.RecordBatchReader:
    """The rows without the columns that the path holds; WarehouseError where a row says otherwise than the path."""
    if not hasattr(data, "__arrow_c_stream__"):
        raise WarehouseError(f"expected a table or a stream of Arrow, got {type(data).__name__}")
    reader = pa.RecordBatchReader.from_stream(data)
    repeated = [dimension for dimension in partition if dimension in reader.schema.names]
    distinct_ignoring_case([*reader.schema.names, *(dimension for dimension in partition if dimension not in repeated)])
    if not repeated:
        return reader

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            for dimension in repeated:
                values = set(batch[dimension].cast(pa.string()).to_pylist())
                if values - {partition[dimension]}:
                    raise WarehouseError(
                        f"expected {dimension} to be {partition[dimension]} in this partition, got {values}"
                    )
            yield batch.drop_columns(repeated)

    schema = pa.schema([field for field in reader.schema if field.name not in repeated])
    return pa.RecordBatchReader.from_batches(schema, batches())


def stored_version(file: Path) -> tuple[int, str]:
    """How many rows a file of ours has and the version of its content, from its footer."""
    try:
        footer = pq.read_metadata(file)
    except FileNotFoundError:
        raise WarehouseError(f"expected a partition to keep, got none at {file}") from None
    except UNREADABLE as error:
        raise WarehouseError(f"cannot read {file}: {error}") from error
    version = (footer.metadata or {}).get(VERSION_KEY)
    if version is None:
        raise WarehouseError(f"expected a file that the warehouse wrote, got {file}")
    return footer.num_rows, version.decode()


def pinned_fragment(file: Path, values: Partition, types: Mapping[str, pa.DataType]) -> ds.ParquetFileFragment:
    """A snapshot of a file: by its path, a second scan would read a new file by the old one's footer."""
    known = [pc.field(each) == pa.scalar(values[each]).cast(kind) for each, kind in types.items()]
    condition = reduce(and_, known) if known else None
    try:
        with pa.memory_map(str(file)) as opened:
            fragment = ds.ParquetFileFormat().make_fragment(opened.read_buffer(), partition_expression=condition)
        fragment.ensure_complete_metadata()
    except FileNotFoundError:
        raise  # gone since it was listed
    except UNREADABLE as error:
        raise WarehouseError(f"cannot read {file}: {error}; materialise it again") from error
    return fragment


def united_schema(name: str, schemas: Sequence[pa.Schema], dimensions: Mapping[str, pa.DataType]) -> pa.Schema:
    """The columns of all files, and dimensions as the last ones; a column that only some have is null elsewhere."""
    try:
        schema = pa.unify_schemas(schemas, promote_options="permissive").remove_metadata()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise WarehouseError(f"expected partitions of {name} whose columns have the same types, got {error}") from error
    for dimension, kind in dimensions.items():
        if dimension in schema.names:
            raise WarehouseError(
                f"expected partitions of {name} without a column {dimension}, which is a dimension of it"
            )
        schema = schema.append(pa.field(dimension, kind))
    return schema
