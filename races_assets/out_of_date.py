"""What is out of date, under way or failed at one moment, as the automation sees it.

A table, or a partition of one, is out of date as Dagster's pages say it ("unsynced"): its code version, or the data
version of something that it is made from, is another than when it was made. That is read anew at every tick from what
is on record and nothing is remembered between ticks, so no failed, cancelled or lost run and no restart loses a change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, lru_cache

import dagster as dg

from races.resources.store.dagster_internals import (
    AssetGraphView,
    CachingStaleStatusResolver,
    StaleCauseCategory,
    StaleStatus,
)

SOURCES = dg.AssetKey("environment_sources")
PARTITION = "dagster/partition"
RETRY_AFTER = timedelta(hours=1)  # between two tries of what fails although no brick has changed
RUN_TIMEOUT = timedelta(days=1)  # a run of which nothing has been heard for so long counts as dead
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
FAILED = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
DONE = [dg.DagsterRunStatus.SUCCESS]


@dataclass(frozen=True)
class Piece:
    """A table, or one partition of it."""

    key: dg.AssetKey
    partition: str | None = None


class Tick:
    """What is out of date, under way or failed at one moment."""

    def __init__(self, view: AssetGraphView) -> None:
        self._view, self._instance, self._graph = view, view.instance, view.asset_graph
        self._resolver = CachingStaleStatusResolver(view.instance, view.asset_graph, view)

    @cached_property
    def due(self) -> frozenset[Piece]:
        """What is to be made now: out of date, from things that are not, and not just tried without success."""
        return frozenset(
            piece
            for piece in self.stale
            if not self._in(self.running, piece) and not self._waits(piece) and not self._tried_lately(piece)
        )

    @cached_property
    def stale(self) -> frozenset[Piece]:
        """What is out of date, and what a blocking check has refused."""
        keys = [key for key in self._graph.materializable_asset_keys if self._graph.get(key).automation_condition]
        pieces = [Piece(key, partition) for key in keys for partition in self._partitions(key)]
        return frozenset(piece for piece in pieces if self._status(piece) is StaleStatus.STALE or self._refused(piece))

    @cached_property
    def running(self) -> Mapping[Piece, datetime]:
        """What runs under way are to make."""
        return self._targets(UNFINISHED, RUN_TIMEOUT)

    @cached_property
    def failed(self) -> Mapping[Piece, datetime]:
        """What runs have lately failed to make, with the time when they were asked for."""
        return self._targets(FAILED, RETRY_AFTER)

    @cached_property
    def done(self) -> Mapping[Piece, datetime]:
        """What runs have lately made, with the time when they were asked for."""
        return self._targets(DONE, RETRY_AFTER)

    def _partitions(self, key: dg.AssetKey) -> Iterable[str | None]:
        definition = self._graph.get(key).partitions_def
        return definition.get_partition_keys() if definition else [None]

    def _status(self, piece: Piece) -> StaleStatus:
        return self._resolver.get_status(piece.key, piece.partition)

    def _refused(self, piece: Piece) -> bool:
        """Whether the run that made it failed, where it is checked: the check has refused what is stored."""
        checks = self._graph.get_check_keys_for_assets({piece.key})
        if not any(self._graph.get(check).blocking for check in checks):
            return False
        only = dg.AssetRecordsFilter(piece.key, asset_partitions=[piece.partition] if piece.partition else None)
        made = self._instance.fetch_materializations(only, limit=1).records
        run = self._instance.get_run_by_id(made[0].run_id) if made else None
        return run is not None and run.status is dg.DagsterRunStatus.FAILURE

    def _waits(self, piece: Piece) -> bool:
        """Whether something that it is made from is not there, or is to be made again first, at any remove."""
        parents = self._parents(piece)
        return any(
            parent in self.stale
            or self._in(self.running, parent)
            or self._status(parent) is StaleStatus.MISSING
            or self._waits(parent)
            for parent in parents
        )

    def _parents(self, piece: Piece) -> list[Piece]:
        found = self._graph.get_parents_partitions(piece.key, piece.partition).parent_partitions
        return [Piece(each.asset_key, each.partition_key) for each in found]

    def _tried_lately(self, piece: Piece) -> bool:
        """Whether a run has failed to make it within the hour, and no brick has changed since it was asked for.

        A run that succeeded counts as failed where the code version alone differs: runs then have newer code than this
        process, which stays as it is until the definitions are reloaded.
        """
        runs = [self.failed, self.done] if self._differs_in_code_alone(piece) else [self.failed]
        times = [found[each] for found in runs for each in (piece, Piece(piece.key)) if each in found]
        if not times:
            return False
        seen = self._instance.fetch_observations(SOURCES, limit=1).records
        return not seen or seen[0].timestamp <= max(times).timestamp()

    def _differs_in_code_alone(self, piece: Piece) -> bool:
        causes = self._resolver.get_stale_causes(piece.key, piece.partition)
        return bool(causes) and all(cause.category is StaleCauseCategory.CODE for cause in causes)

    def _targets(self, statuses: list[dg.DagsterRunStatus], within: timedelta) -> Mapping[Piece, datetime]:
        since = self._view.effective_dt - within
        found: dict[Piece, datetime] = {}
        for record in self._instance.get_run_records(dg.RunsFilter(statuses=statuses, updated_after=since)):
            run = record.dagster_run
            for key in run.asset_selection or ():
                piece = Piece(key, run.tags.get(PARTITION))
                found[piece] = max(record.create_timestamp, found.get(piece, record.create_timestamp))
        return found

    @staticmethod
    def _in(found: Mapping[Piece, datetime], piece: Piece) -> bool:
        return piece in found or Piece(piece.key) in found


@lru_cache(maxsize=1)
def tick(view: AssetGraphView) -> Tick:
    """The one look at the graph that all tables of an evaluation share."""
    return Tick(view)
