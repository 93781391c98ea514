"""The kinds of columns that tables are made of."""

from typing import Any

import pandera.polars as pandera


def column(description: str, **bounds: Any) -> Any:
    """A column with its description, which the UI and the SQL catalogue show."""
    return pandera.Field(description=description, **bounds)


def texts(description: str) -> Any:
    """A column of lists of strings."""
    return pandera.Field(description=description)


def share(description: str, **bounds: Any) -> Any:
    """A column of shares from 0 to 1."""
    return pandera.Field(description=description, ge=0, le=1, **bounds)
