"""What is made again by itself: every table from the bricks to the training sets that is out of date, in their order.

A table, or a partition of one, is out of date as Dagster's pages say it ("unsynced"): its code version, or the data
version of something that it is made from, is another than when it was made. That is read anew at every tick from what
is on record and nothing is remembered between ticks, so no failed, cancelled or lost run and no restart loses a change.
What has never been made is left to people, and so is everything from training on.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import TypeVar, cast

import dagster as dg

from races.assets.defs.pool.environments import FILES, environment_sources, files_version
from races.resources.store.dagster_internals import (
    IMPLICIT_ASSET_JOB_NAME,
    AssetGraphView,
    CachingStaleStatusResolver,
    StaleCauseCategory,
    StaleStatus,
)

REBUILT = (
    "environments",
    "changes",
    "foreign_refusals",
    "sub_pools",
    "types",
    "type_graph",
    "path_counts",
    "discovered_paths",
    "rejected_extensions",
    "search_shards",
    "filtered_paths",
    "path_ailments",
    "problems",
    "problem_sets",
    "training_sets",
)
TICK = int(os.environ.get("RACES_TICK", "30"))  # seconds between two looks
PATIENCE = timedelta(hours=1)  # between two tries of what fails although no brick has changed
FORGOTTEN = timedelta(days=1)  # a run of which nothing has been heard for so long has died without a word
PARTITION = "dagster/partition"

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
IN_VAIN = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
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
        """What is to be made now: out of date, from things that are not, and not just tried in vain."""
        return frozenset(
            piece
            for piece in self.stale
            if not self._in(self.running, piece) and not self._waits(piece) and not self._tried(piece)
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
        return self._targets(UNFINISHED, FORGOTTEN)

    @cached_property
    def failed(self) -> Mapping[Piece, datetime]:
        """What runs have lately failed to make, with the time when they were asked for."""
        return self._targets(IN_VAIN, PATIENCE)

    @cached_property
    def done(self) -> Mapping[Piece, datetime]:
        """What runs have lately made, with the time when they were asked for."""
        return self._targets(DONE, PATIENCE)

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

    def _tried(self, piece: Piece) -> bool:
        """Whether a run has failed to make it within the hour, and no brick has changed since it was asked for.

        A run that succeeded is one in vain too where the code version alone is another: runs then have newer code than
        this process, which stays as it is until the definitions are reloaded.
        """
        runs = [self.failed, self.done] if self._differs_in_code_alone(piece) else [self.failed]
        times = [found[each] for found in runs for each in (piece, Piece(piece.key)) if each in found]
        if not times:
            return False
        seen = self._instance.fetch_observations(environment_sources.key, limit=1).records
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
    """The one look that all tables of an evaluation share."""
    return Tick(view)


class Due(dg.AutomationCondition[dg.AssetKey]):
    """Out of date, while nothing that it is made from is; after a failure once an hour, or when a brick changes."""

    @property
    def requires_cursor(self) -> bool:
        return False

    @property
    def name(self) -> str:
        return "out_of_date"

    @property
    def description(self) -> str:
        return "Out of date, nothing that it is made from is, and not tried in vain within the hour"

    def evaluate(self, context: dg.AutomationContext[dg.AssetKey]) -> dg.AutomationResult[dg.AssetKey]:
        """The part of the table that is to be made now."""
        found = {piece.partition for piece in tick(context.asset_graph_view).due if piece.key == context.key}
        subset = context.candidate_subset
        if subset.is_partitioned:
            subset = subset.compute_intersection_with_partition_keys({each for each in found if each is not None})
        elif not found:
            subset = context.get_empty_subset()
        return dg.AutomationResult(context, subset)


Asset = TypeVar("Asset")


def automated(definitions: Iterable[Asset]) -> list[Asset]:
    """The same assets, of which those that are rebuilt by themselves have the condition for it."""
    return [
        cast(Asset, each.map_asset_specs(_automated)) if isinstance(each, dg.AssetsDefinition) else each
        for each in definitions
    ]


def _automated(spec: dg.AssetSpec) -> dg.AssetSpec:
    kept = spec.key.to_user_string() in REBUILT
    return spec.replace_attributes(automation_condition=Due()) if kept else spec


rebuild_what_changed = dg.AutomationConditionSensorDefinition(
    "rebuild_what_changed",
    target=dg.AssetSelection.assets(*REBUILT),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=TICK,
    description="Makes again what is out of date, from the bricks to the training sets; never trains.",
    # A backfill would hide what is asked for, and why, behind one more level.
    emit_backfills=False,
    # Our condition exists where our code does.
    use_user_code_server=True,
)


@dg.sensor(
    target=dg.AssetSelection.assets(environment_sources.key),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=TICK,
)
def notice_edits(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """Observes the bricks again, in a process that loads them anew, when a file they may come from has been edited."""
    files = files_version()
    seen = context.instance.fetch_observations(environment_sources.key, limit=1).records
    observation = seen[0].asset_observation if seen else None
    if observation is None:
        return dg.SkipReason("the bricks have not been observed yet, so nothing has been made from them")
    if observation.metadata.get(FILES) == dg.MetadataValue.text(files):
        return dg.SkipReason("no file has been edited since the bricks were observed")
    # One observation for each state of the files, and where it fails another one every hour.
    hour = datetime.now(UTC).strftime("%Y-%m-%dT%H")
    return dg.RunRequest(run_key=f"{files} {hour}")


@dg.schedule(
    job_name=IMPLICIT_ASSET_JOB_NAME,  # a schedule may have no other over several partitionings
    cron_schedule="*/10 3-5 * * *",
    description="Observes the bricks at three in the morning, makes again what is out of date until six; never trains.",
    default_status=dg.DefaultScheduleStatus.RUNNING,
)
def nightly_rebuild(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
    """Observes the bricks at three in the morning, and until six makes again what is out of date, level by level.

    It asks for nothing where the sensor has done everything, and does everything where the sensor is stopped.
    """
    night = context.scheduled_execution_time
    if (night.hour, night.minute) == (3, 0):
        yield dg.RunRequest(run_key=f"{night.date()} sources", asset_selection=[environment_sources.key])
        return
    graph = context.repository_def.asset_graph
    found = dg.evaluate_automation_conditions(defs=list(graph.assets_defs), instance=context.instance)
    wanted: dict[str | None, list[dg.AssetKey]] = {}
    for name in REBUILT:
        for partition in found.get_requested_partitions(dg.AssetKey(name)):
            wanted.setdefault(partition, []).append(dg.AssetKey(name))
    for partition, keys in wanted.items():
        key = f"{night.isoformat()} {partition or 'tables'}"
        yield dg.RunRequest(run_key=key, asset_selection=keys, tags={PARTITION: partition} if partition else {})
