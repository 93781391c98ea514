"""What answers are scored against: the truth that a line carries, or that of a stored problem."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from races.environments.errors import RacesError, SettingError
from races.environments.operators import SCORERS
from races.environments.types import VOCABULARY
from races.environments.types.base import shorten

_BATCH_ROWS = 4096


class Malformed(RacesError):
    """A line of a file that is not as expected."""

    def __init__(self, number: int, expected: str, got: str) -> None:
        super().__init__(f"line {number}: expected {expected}, got {got}")


def value_at(record: dict[str, Any], name: str) -> Any:
    """A field of an object, or with dots of one within it ("reward_model.ground_truth"); None where it has none."""
    if name in record:
        return record[name]
    value: Any = record
    for key in name.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def truth_of(record: dict[str, Any], name: str) -> Any:
    """The truth that a row carries, in the named field or where verl has it; None where it has none."""
    truth = value_at(record, name)
    return value_at(record, "reward_model.ground_truth") if truth is None else truth


def keys_of(record: dict[str, Any]) -> tuple[str | None, int | None]:
    """The id and the index of a row, at the top or in verl's extra_info; None for each that it lacks."""
    key, index = (record.get(name, value_at(record, f"extra_info.{name}")) for name in ("id", "index"))
    return key if isinstance(key, str) else None, index if type(index) is int else None


def size_of(record: dict[str, Any]) -> int:
    """The size that a row carries, or 0."""
    size = record.get("size", value_at(record, "extra_info.size"))
    return size if type(size) is int else 0


def operator_and_size(number: int, truth: object) -> tuple[str, int]:
    """The operator and size of the problem of a truth; the size is 0 where the truth does not determine it.

    Raises Malformed where no operator can have written the truth.
    """
    try:
        content = json.loads(truth) if isinstance(truth, str) else None
    except (ValueError, RecursionError):
        content = None
    match content:
        case {"operator": "single" | "sequential" | "parallel" as operator, "types": [*types], "answers": [*answers]}:
            if _texts(types, answers) and all(kind in VOCABULARY for kind in types):
                return operator, len(answers)
        case {
            "operator": "sort" | "select" as operator,
            "environments": [*names],
            "fingerprints": [*fingerprints],
            "type": str(kind),
            "start": str(),
            "target": str(),
        }:
            if _texts(names, fingerprints) and kind in VOCABULARY:
                return operator, len(names) if operator == "sort" else 0  # SELECT lists the distractors too
    expected = f"the truth column of a problem, as an operator ({', '.join(SCORERS)}) writes it"
    raise Malformed(number, expected, shorten(truth, 200))


def _texts(first: list[Any], second: list[Any]) -> bool:
    """Whether both lists hold strings only, the same number of them, and at least one."""
    return len(first) == len(second) > 0 and all(isinstance(each, str) for each in [*first, *second])


def parquet_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file in constant memory; SettingError where the file is not Parquet."""
    # Not at the top: Arrow takes longer to import than all that the other commands need.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            for batch in opened.iter_batches(_BATCH_ROWS):
                yield from batch.to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise SettingError(f"cannot read {file} as Parquet: {error}") from error


class Problems:
    """Truths and sizes of stored problems by id and by index, on disk, so that memory does not grow with their number.

    Raises SettingError for a file or folder that is not Parquet, or that has no truths.
    """

    def __init__(self, path: Path, truth_field: str) -> None:
        self.path = path
        self._rows = sqlite3.connect("")  # a temporary database on disk that SQLite removes
        self._rows.execute("create table problems (id text, position integer, truth text, size integer)")
        insert = "insert into problems values (?, ?, ?, ?)"
        for row, record in enumerate(self._records(truth_field)):
            key, index = keys_of(record)
            if index is None and path.is_file():
                index = row
            truth = truth_of(record, truth_field)
            if not isinstance(truth, str):
                raise SettingError(f"{path}: expected a truth in row {row}, got {shorten(truth)}")
            self._rows.execute(insert, (key, index, truth, size_of(record)))
        for column in ("id", "position"):
            self._rows.execute(f"create index by_{column} on problems ({column})")

    def __enter__(self) -> "Problems":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rows.close()

    def find(self, number: int, record: dict[str, Any]) -> tuple[str | None, int]:
        """The truth and size of the problem that a line refers to; None and 0 where it refers to none."""
        key, index = keys_of(record)
        if key is None and index is None:
            return None, 0
        column, value = ("position", index) if key is None else ("id", key)
        found = self._rows.execute(f"select distinct truth, size from problems where {column} = ? limit 2", (value,))
        rows: list[tuple[str, int]] = found.fetchall()
        if len(rows) != 1:
            name = "index" if key is None else "id"
            expected = f"one problem with the {name} {value!r} in {self.path}"
            raise Malformed(number, expected, "several" if rows else "none")
        return rows[0]

    def _records(self, truth_field: str) -> Iterator[dict[str, Any]]:
        # Not at the top: Arrow takes longer to import than all that the other commands need.
        import pyarrow as pa
        import pyarrow.dataset as ds

        try:
            source = ds.dataset(self.path, format="parquet", partitioning="hive")
        except (pa.ArrowInvalid, OSError) as error:
            raise SettingError(f"cannot read {self.path} as Parquet: {error}") from error
        wanted = {"id", "index", "size", "extra_info", "reward_model", truth_field, truth_field.split(".")[0]}
        columns = [name for name in source.schema.names if name in wanted]
        if not {truth_field, truth_field.split(".")[0], "reward_model"} & set(columns):
            raise SettingError(f"{self.path}: expected a column {truth_field}, got {', '.join(source.schema.names)}")
        for batch in source.to_batches(
            columns=columns, batch_size=_BATCH_ROWS, batch_readahead=1, fragment_readahead=1
        ):
            yield from batch.to_pylist()
