"""Readers that are called on any text."""

from typing import Any

from races.environments.errors import Unparseable


def read(reader: Any, *arguments: Any) -> Any:
    """What a reader gives, or the Unparseable that it raises; any other exception is a failure."""
    try:
        return reader(*arguments)
    except Unparseable as error:
        return error
