"""How many rows of a table another one has left, against counting by hand."""

from collections import Counter
from random import Random

import pyarrow as pa
import pyarrow.dataset as ds

from races.resources.store.row_changes import RowChanges, row_changes


def test_rows_are_counted_as_often_as_they_are_there_and_in_whatever_order() -> None:
    rng = Random("rows to compare")
    for _ in range(30):
        old, new = (
            [
                {"name": rng.choice("abc"), "many": rng.choices("xy", k=rng.randint(0, 2))}
                for _ in range(rng.randint(1, 12))
            ]
            for _ in range(2)
        )
        counts = [Counter((row["name"], *row["many"]) for row in rows) for rows in (old, new)]
        kept = (counts[0] & counts[1]).total()
        found = row_changes(*(ds.dataset(pa.Table.from_pylist(rows)) for rows in (old, new)))
        assert found == RowChanges(kept, len(new) - kept, len(old) - kept)


def test_a_row_that_has_only_moved_stays() -> None:
    old = pa.table({"id": ["a", "b"], "extra": [{"index": 0, "level": 1}, {"index": 1, "level": 2}]})
    new = pa.table({"id": ["new", "a", "b"], "extra": [{"index": n, "level": n} for n in range(3)]})
    assert row_changes(ds.dataset(old), ds.dataset(new), "extra.index") == RowChanges(2, 1, 0)
    assert row_changes(ds.dataset(old), ds.dataset(new)) == RowChanges(0, 3, 2)
    assert row_changes(None, ds.dataset(new)) == RowChanges(0, 3, 0)
