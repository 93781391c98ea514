"""The queries of the report, one SELECT a file."""

from importlib.resources import files


def query(name: str) -> str:
    """The SQL of a query."""
    return files(__name__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
