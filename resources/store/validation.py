"""Rows are validated by a pandera model while they are written, and refused before anybody can read them."""

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from races.environments.terminal import visible
from races.resources.store.folders import Partition, WarehouseError, dimension_types, partition_path
from races.resources.store.parquet_files import ROWS_PER_GROUP
from races.resources.store.views import literal_glob, open_memory, quoted_name, quoted_text

if TYPE_CHECKING:
    import polars as pl
    from pandera.polars import DataFrameModel

Model: TypeAlias = type["DataFrameModel"]

ROWS_SHOWN = 5  # of a report, for each check
MAX_FAILURES = 1_000  # after which the rest is not read
HEAD = ("row", "column", "check", "value")


class InvalidRows(WarehouseError):
    """Rows that do not fit the model of their dataset: which columns and checks, and the first rows, as Markdown."""


class RowCheck:
    """Validates the rows of a dataset by its model, some thousands at a time, in constant memory.

    Small partitions wait until there are as many rows as a row group has, since pandera takes as long for a few rows
    as for many: one check sees less than twice that many. Uniqueness (of a column, or of `Config.unique`) is checked
    over the whole dataset instead, by `finish`. A model may declare the dimensions of the partition as columns or leave
    them out. `coerce` has no effect: rows are stored as they came.
    """

    def __init__(self, name: str, model: Model) -> None:
        self._name = name
        schema = model.to_schema()
        self.keys: list[list[str]] = [[each] for each, column in schema.columns.items() if column.unique]
        if schema.unique:
            self.keys.append([schema.unique] if isinstance(schema.unique, str) else list(schema.unique))
        self._schema = copy.deepcopy(schema)
        self._schema.unique = None
        for column in self._schema.columns.values():
            column.unique = False
        self._title = f"expected the rows of {name} to fit {model.__name__}"
        self._counts: Counter[tuple[str, str]] = Counter()
        self._shown: list[tuple[object, ...]] = []
        self._waiting: list[tuple[pa.Table, int, Partition]] = []

    def see(self, table: pa.Table, first: int, partition: Partition) -> None:
        """Check the rows of a partition from row number `first` on; InvalidRows once there are a thousand failures."""
        for dimension, kind in dimension_types(self._name, [partition]).items():
            if dimension in self._schema.columns:
                value = pa.scalar(partition[dimension]).cast(kind)
                table = table.append_column(dimension, pa.repeat(value, table.num_rows))
        if self._waiting and self._waiting[0][0].schema != table.schema:
            self._check()
        self._waiting.append((table, first, partition))
        if sum(each.num_rows for each, _, _ in self._waiting) >= ROWS_PER_GROUP:
            self._check()

    def _check(self) -> None:
        """Check the rows that wait."""
        import polars as pl
        from pandera.errors import SchemaErrors

        waiting, self._waiting = self._waiting, []
        try:
            self._schema.validate(pl.DataFrame(pa.concat_tables([table for table, _, _ in waiting])), lazy=True)
        except SchemaErrors as error:
            for column, check, row, value in _failures(error.failure_cases):
                self._counts[column, check] += 1
                if self._counts[column, check] <= ROWS_SHOWN:
                    self._shown.append((_place(waiting, row), column, check, value))
        if self._counts.total() >= MAX_FAILURES:
            self.finish_rows()

    def finish_rows(self) -> None:
        """InvalidRows with all failures so far, where there are any."""
        if self._waiting:
            self._check()
        if self._counts:
            found = (f"{column}: {check} ({count})" for (column, check), count in self._counts.items())
            raise InvalidRows(f"{self._title}, got {', '.join(found)}\n\n{markdown(HEAD, self._shown)}")

    def finish(self, files: Sequence[Path], spill: Path) -> None:
        """InvalidRows where rows failed, or where two rows of these files have the same key."""
        self.finish_rows()
        listed = ", ".join(quoted_text(literal_glob(file)) for file in files)
        source = (
            f"read_parquet([{listed}], hive_partitioning = true, hive_types_autocast = false, union_by_name = true)"
        )
        with open_memory() as connection:
            connection.execute(f"set temp_directory = {quoted_text(str(spill / 'spill'))}")
            connection.execute("set memory_limit = '1GB'")
            connection.execute("set preserve_insertion_order = false")
            for key in self.keys:
                columns = ", ".join(map(quoted_name, key))
                twice = f"select {columns}, count(*) as n from {source} group by all having n > 1 order by all"
                rows = connection.execute(f"{twice} limit {ROWS_SHOWN}").fetchall()
                if rows:
                    raise InvalidRows(
                        f"{self._title}, got more than one row with the same {', '.join(key)}: unique\n\n"
                        + markdown([*key, "rows"], rows)
                    )


def _place(waiting: Sequence[tuple[pa.Table, int, Partition]], row: int | None) -> str:
    """The partition of a row among tables that were checked together, and its number there."""
    for table, first, partition in waiting:
        if row is None or row < table.num_rows:
            number = "" if row is None else str(first + row)
            return f"{partition_path(partition)} {number}" if partition else number
        row -= table.num_rows
    return ""


def _failures(cases: "pl.DataFrame") -> Iterator[tuple[str, str, int | None, object]]:
    for case in cases.iter_rows(named=True):
        check, value = str(case["check"]), case["failure_case"]
        # Of a column that is missing or too many, pandera gives the model as the column and the column as the value.
        column = value if check in {"column_in_dataframe", "column_in_schema"} else case["column"]
        yield str(column), check, case["index"], value


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A small table; long values are cut, so that it stays readable in a log."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    text = " ".join(visible(str(value)).split()).replace("|", "\\|")
    return text if len(text) <= 60 else f"{text[:59]}…"


def column_notes(model: Model | None) -> Mapping[str, tuple[str | None, bool]]:
    """What a model says of each column: its description, and whether its values are unique."""
    if model is None:
        return {}
    return {name: (column.description, bool(column.unique)) for name, column in model.to_schema().columns.items()}
