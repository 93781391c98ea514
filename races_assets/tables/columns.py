"""The kinds of columns that tables are made of, and tables of a row model's columns."""

from typing import Any

import pandera.polars as pandera
import polars as pl
import pyarrow as pa

STRATEGIES = ["balanced", "chains", "orders"]


def column(description: str, **bounds: Any) -> Any:
    """A column with its description, which the UI and the SQL catalogue show."""
    return pandera.Field(description=description, **bounds)


def texts(description: str) -> Any:
    """A column of lists of strings."""
    return pandera.Field(description=description)


def share(description: str, **bounds: Any) -> Any:
    """A column of shares from 0 to 1."""
    return pandera.Field(description=description, ge=0, le=1, **bounds)


def arrow_schema(model: type[pandera.DataFrameModel], *dimensions: str) -> pa.Schema:
    """The Arrow schema of a row model, without the columns that are dimensions of its partitions."""
    columns = model.to_schema().columns.items()
    return pa.schema(
        [
            pa.field(name, _arrow(each.dtype.type), nullable=each.nullable)
            for name, each in columns
            if name not in dimensions
        ]
    )


def _arrow(kind: Any) -> pa.DataType:
    if isinstance(kind, pl.List):
        return pa.list_(pa.field("element", _arrow(kind.inner), nullable=False))
    plain = {"String": pa.string(), "Int64": pa.int64(), "Float64": pa.float64(), "Boolean": pa.bool_()}
    return plain[str(kind)]


def table(model: type[pandera.DataFrameModel], rows: list[dict[str, Any]], *dimensions: str) -> pa.Table:
    """Rows as a table of the model's columns, without the columns that are dimensions of its partitions."""
    return pa.Table.from_pylist(rows, schema=arrow_schema(model, *dimensions))
