"""What became of each candidate when problems were last generated, so that only what has changed is generated again.

The dataset `candidates` lies beside the tables and is no asset: without it every problem is generated anew, and the
rows are the same. It is written before the rows that it describes, which it knows by a hash: a run that dies between
the two leaves nothing that a later one could take for valid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from races.environments.generation.attempts import Attempt
from races.environments.generation.cache_keys import cache_key as cache_key_of
from races.environments.generation.chunks import Chunk, attempt_key
from races.environments.seeding import key_of
from races.resources.store.folders import partition_path
from races.resources.store.warehouse import Warehouse

CANDIDATES = "candidates"
# The names of this dimension and of the columns stay as they are stored, so that older stores can be read.
DIMENSION = "posed_for"  # the table and its partition
SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),  # what its randomness is drawn for
        pa.field("uses", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False),  # bricks
        pa.field("basis", pa.string(), nullable=False),  # the cache key: hash of all that the result depends on
        pa.field("id", pa.string(), nullable=False),  # of the problem; empty where there is none
        pa.field("reason", pa.string(), nullable=False),  # why there is none
        pa.field("content", pa.string(), nullable=False),  # hash of the row
    ]
)
WHOLE = ""  # the key of the row for the partition as a whole
Row = dict[str, Any]


@dataclass(frozen=True)
class Candidate:
    """One candidate with its row where that is at hand; a row of `candidates` without it."""

    key: str
    uses: tuple[str, ...]
    cache_key: str
    id: str
    reason: str
    content: str
    row: Row | None = None

    def stored(self) -> Row:
        """Its row in `candidates`."""
        return {name: getattr(self, "cache_key" if name == "basis" else name) for name in SCHEMA.names}


class ProblemCache:
    """The candidates of one partition of `problems` or `problem_sets`: those of the last time, and those of this time.

    whole: a hash of all that the partition as a whole depends on, where it is known before anything is tried.
    """

    def __init__(self, warehouse: Warehouse, dataset: str, partition: Mapping[str, str], whole: str = "") -> None:
        self.generated = self.kept = 0  # candidates of this time, generated anew or not
        self._stored: pa.Table | None = None
        self._warehouse, self._whole = warehouse, whole
        self._own = {DIMENSION: f"{dataset}/{partition_path(partition)}"}
        self._noted: list[Row] = []
        self._known: dict[str, Candidate] = {}
        if warehouse.exists(CANDIDATES, self._own) and warehouse.exists(dataset, partition):
            self._stored = warehouse.read(dataset, partition).drop_columns([*partition])
            rows = {row["key"]: row for row in self._stored.to_pylist()}
            self._known = {
                each["key"]: _loaded(each, _intact(rows.get(each["key"]), each["content"]))
                for each in warehouse.read(CANDIDATES, self._own).drop_columns([DIMENSION]).to_pylist()
            }

    def unchanged(self) -> pa.Table | None:
        """The stored rows, where all that the partition depends on is as it was the last time."""
        same = self._whole and WHOLE in self._known and self._known[WHOLE].cache_key == self._whole
        if (
            not same
            or self._stored is None
            or sum(each.row is not None for each in self._known.values()) < len(self._stored)
        ):
            return None
        self.kept = len(self._known) - 1
        return self._stored

    def lookup(self, chunk: Chunk) -> list[Candidate | None]:
        """The candidates of a chunk whose results would be the same again; a row may lack where it was not stored."""
        found = [self._known.get(attempt_key(chunk, index)) for index in range(len(chunk.draw_indices))]
        return [
            each if each and each.cache_key and each.cache_key == cache_key_of(chunk, index, each.uses) else None
            for index, each in enumerate(found)
        ]

    def note(self, candidates: Sequence[Candidate], anew: int) -> None:
        """Keep candidates for the next time, of which so many have been generated anew."""
        self.generated += anew
        self.kept += len(candidates) - anew
        self._noted += [each.stored() for each in candidates]

    def store(self) -> None:
        """Write down the candidates of this time."""
        whole = {"key": WHOLE, "uses": [], "basis": self._whole, "id": "", "reason": "", "content": ""}
        self._noted += [whole] if self._whole else []
        self._warehouse.write(CANDIDATES, pa.Table.from_pylist(self._noted, schema=SCHEMA), partition=self._own)


def candidate(chunk: Chunk, index: int, tried: Attempt, row: Row | None) -> Candidate:
    """What has just been tried, with its row."""
    cache_key = cache_key_of(chunk, index, tried.uses)
    identity = tried.problem.id if tried.problem else ""
    return Candidate(tried.key, tried.uses, cache_key, identity, tried.reason, content_of(row) if row else "", row)


def content_of(row: Row) -> str:
    """A hash of a row."""
    return key_of(sorted(row.items()))


def _intact(row: Row | None, content: str) -> Row | None:
    return row if row is not None and content_of(row) == content else None


def _loaded(stored: Row, row: Row | None) -> Candidate:
    """A candidate from its row in `candidates`, with the row of its problem."""
    return Candidate(cache_key=stored["basis"], row=row, **{name: stored[name] for name in stored if name != "basis"})
