"""What became of each candidate when problems were posed last, so that only what has changed is posed again.

The dataset `candidates` lies beside the tables and is no asset: without it every problem is posed anew, and the rows
are the same. It is written before the rows that it speaks of, which it knows by a hash: a run that dies between the two
leaves nothing that a later one could take for true.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from races.environments.generation.attempts import Attempt
from races.environments.generation.cache_keys import cache_key
from races.environments.generation.chunks import Chunk, attempt_key
from races.environments.seeding import key_of
from races.resources.store.folders import partition_path
from races.resources.store.warehouse import Warehouse

CANDIDATES = "candidates"
DIMENSION = "posed_for"
SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),  # what its randomness is drawn for
        pa.field("uses", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False),  # bricks
        pa.field("basis", pa.string(), nullable=False),  # hash of all that the result hangs on
        pa.field("id", pa.string(), nullable=False),  # of the problem; empty where there is none
        pa.field("reason", pa.string(), nullable=False),  # why there is none
        pa.field("content", pa.string(), nullable=False),  # hash of the row
    ]
)
WHOLE = ""  # the key of the row that speaks of the part as a whole
Row = dict[str, Any]


@dataclass(frozen=True)
class Candidate:
    """One candidate with its row where that is at hand; a row of `candidates` without it."""

    key: str
    uses: tuple[str, ...]
    basis: str
    id: str
    reason: str
    content: str
    row: Row | None = None


class Memory:
    """The candidates of one part of `problems` or `problem_sets`: those of the last time, and those of this time.

    whole: a hash of all that the part as a whole hangs on, where it is known before anything is tried.
    """

    def __init__(self, warehouse: Warehouse, dataset: str, part: Mapping[str, str], whole: str = "") -> None:
        self.posed = self.kept = 0  # candidates of this time, posed anew or not
        self._stored: pa.Table | None = None
        self._warehouse, self._whole = warehouse, whole
        self._own = {DIMENSION: f"{dataset}/{partition_path(part)}"}
        self._noted: list[Row] = []
        self._known: dict[str, Candidate] = {}
        if warehouse.exists(CANDIDATES, self._own) and warehouse.exists(dataset, part):
            self._stored = warehouse.read(dataset, part).drop_columns([*part])
            rows = {row["key"]: row for row in self._stored.to_pylist()}
            self._known = {
                each["key"]: Candidate(**each, row=_intact(rows.get(each["key"]), each["content"]))
                for each in warehouse.read(CANDIDATES, self._own).drop_columns([DIMENSION]).to_pylist()
            }

    def unchanged(self) -> pa.Table | None:
        """The stored rows, where the part as a whole hangs on nothing else than the last time."""
        same = self._whole and WHOLE in self._known and self._known[WHOLE].basis == self._whole
        if (
            not same
            or self._stored is None
            or sum(each.row is not None for each in self._known.values()) < len(self._stored)
        ):
            return None
        self.kept = len(self._known) - 1
        return self._stored

    def recall(self, chunk: Chunk) -> list[Candidate | None]:
        """The candidates of a chunk whose results would be the same again; a row may lack where it was not stored."""
        found = [self._known.get(attempt_key(chunk, place)) for place in range(len(chunk.draw_indices))]
        return [
            each if each and each.basis and each.basis == cache_key(chunk, place, each.uses) else None
            for place, each in enumerate(found)
        ]

    def note(self, candidates: Sequence[Candidate], anew: int) -> None:
        """Keep candidates for the next time, of which so many have been posed anew."""
        self.posed += anew
        self.kept += len(candidates) - anew
        self._noted += [{name: getattr(each, name) for name in SCHEMA.names} for each in candidates]

    def store(self) -> None:
        """Write down the candidates of this time."""
        whole = {"key": WHOLE, "uses": [], "basis": self._whole, "id": "", "reason": "", "content": ""}
        self._noted += [whole] if self._whole else []
        self._warehouse.write(CANDIDATES, pa.Table.from_pylist(self._noted, schema=SCHEMA), partition=self._own)


def candidate(chunk: Chunk, place: int, tried: Attempt, row: Row | None) -> Candidate:
    """What has just been tried, with its row."""
    found = cache_key(chunk, place, tried.uses)
    identity = tried.problem.id if tried.problem else ""
    return Candidate(tried.key, tried.uses, found, identity, tried.reason, content_of(row) if row else "", row)


def content_of(row: Row) -> str:
    """A hash of a row."""
    return key_of(sorted(row.items()))


def _intact(row: Row | None, content: str) -> Row | None:
    return row if row is not None and content_of(row) == content else None
