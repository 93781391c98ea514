"""The report as one page: its sections with the rows of a warehouse."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from races.assets.defs.benchmarks.report_tables import label
from races.assets.defs.reports.queries import query
from races.assets.defs.reports.report_sections import CPU_SIZE, SECTIONS, Block
from races.assets.defs.reports.templates import template
from races.assets.pictures import Picture
from races.assets.tables.table_catalog import query_context
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
SMALL = 1_000_000_000  # parameters below which results are said to be of CPU size
LEAD = (
    "Results marked “at CPU size” show that the pipeline runs end to end and say nothing of models of a practical "
    "size; benchmark scores marked “mini (invented)” are of a few invented questions and mean nothing at all. A table "
    "that is not there yet is made by materialising the asset of its name."
)


@dataclass
class Shown:
    """A block with the rows of a warehouse."""

    title: str
    note: str
    head: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    folded: bool = False


@dataclass
class ShownSection:
    """A section with what there is of it. missing: tables that have not been made."""

    name: str
    title: str
    about: str
    missing: list[str]
    blocks: list[Shown]


def sections(warehouse: Warehouse) -> list[ShownSection]:
    """Every section with what the warehouse has of it."""
    there = set(warehouse.datasets())
    found = []
    with warehouse.connect(query_context=query_context()) as connection:
        for section in SECTIONS:
            missing = sorted({name for block in section.blocks for name in block.tables} - there)
            blocks = [shown(block, connection) for block in section.blocks if there.issuperset(block.tables)]
            found.append(ShownSection(section.name, section.title, section.about, missing, blocks))
    return found


def shown(block: Block, connection: duckdb.DuckDBPyConnection) -> Shown:
    """A block with its rows; where there are none, or the table is of an older version, it says so."""
    try:
        rows: list[Row] = connection.sql(query(block.query)).to_arrow_table().to_pylist()
    except duckdb.BinderException as error:
        reason = str(error).splitlines()[0]
        return Shown(block.title, f"To be made again, since it was made by another version: {reason}")
    if not rows:
        return Shown(block.title, "The table is there and has no rows for this.")
    rows = [row | {"scale": scale(row["parameters"])} if "parameters" in row else row for row in rows]
    head = list(block.columns or rows[0])
    lines = [] if block.hidden else [[labelled(name, row[name]) for name in head] for row in rows]
    pictures = block.pictures(rows) if block.pictures else []
    return Shown(block.title, block.note, head, lines, pictures, block.folded)


def scale(parameters: int | None) -> str:
    """What is to be said of the size of a model; nothing of a large one, nor where the size is not known."""
    return CPU_SIZE if parameters is not None and parameters < SMALL else ""


def labelled(name: str, value: Any) -> Any:
    """A value; of a kind of data also whether it may be compared."""
    return label(value) if name == "data" else value


def formatted(value: Any) -> str:
    """A value as text: nothing for what is not there, numbers in few digits."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1e5 else f"{value:,.0f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def page(found: Sequence[ShownSection]) -> str:
    """The report as one HTML file that loads nothing."""
    return template("report.html.j2").render(sections=found, lead=LEAD, shown=formatted)


def preview(found: Sequence[ShownSection]) -> str:
    """What the UI shows of the report: its pictures, and what is not there yet."""
    lines = []
    for section in found:
        lines += [f"## {section.title}", ""]
        lines += [f"Not there yet: {', '.join(section.missing)}", ""] if section.missing else []
        for block in section.blocks:
            lines += [line for each in block.pictures for line in (each.markdown, "")]
    return "\n".join(lines)
