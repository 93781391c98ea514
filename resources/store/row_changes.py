"""How many rows of a table another one has left as they were."""

from dataclasses import dataclass

import pyarrow.dataset as ds

from races.resources.store.views import open_memory

_KEPT = """
with old as (select hash(each) as row, count(*) as times from ({old}) as each group by row),
    new as (select hash(each) as row, count(*) as times from ({new}) as each group by row)
select coalesce(sum(least(old.times, new.times)), 0)::bigint from old join new using (row)
"""


@dataclass(frozen=True)
class RowChanges:
    """Rows that stayed, in whatever order; rows that are new; and rows that are there no longer."""

    kept: int
    new: int
    gone: int


def row_changes(old: ds.Dataset | None, new: ds.Dataset, place: str = "") -> RowChanges:
    """What a table has of an earlier one, None where there was none. An edited row is a new one and a gone one.

    place: the field that holds the number of a row, as column.field, if any: a row that has only moved stays.
    """
    after = new.count_rows()
    if old is None:
        return RowChanges(0, after, 0)
    with open_memory() as connection:
        connection.register("old_rows", old)
        connection.register("new_rows", new)
        selects = {name: _select(f"{name}_rows", place) for name in ("old", "new")}
        ((kept,),) = connection.execute(_KEPT.format_map(selects)).fetchall()
    return RowChanges(kept, after - kept, old.count_rows() - kept)


def _select(table: str, place: str) -> str:
    column, _, field = place.partition(".")
    moved = f" replace (struct_update({column}, {field} := 0) as {column})" if place else ""
    return f"select *{moved} from {table}"
