"""What is made again by itself: every table with the tag of a rebuild that is out of date, in the order of the graph.

What has never been made is left to people, and so is everything from training on.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TypeVar, cast

import dagster as dg

from races.assets.defs.pool.source_versions import FILES, files_version
from races.assets.out_of_date import PARTITION, SOURCES, tick
from races.assets.tags import AUTO_REBUILD, REBUILD
from races.resources.store.dagster_internals import IMPLICIT_ASSET_JOB_NAME

TICK_S = int(os.environ.get("RACES_TICK", "30"))  # between two looks


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
        return "Out of date, nothing that it is made from is, and not tried without success within the hour"

    def evaluate(self, context: dg.AutomationContext[dg.AssetKey]) -> dg.AutomationResult[dg.AssetKey]:
        """The partitions of the table that are to be made now."""
        found = {piece.partition for piece in tick(context.asset_graph_view).due if piece.key == context.key}
        subset = context.candidate_subset
        if subset.is_partitioned:
            subset = subset.compute_intersection_with_partition_keys({each for each in found if each is not None})
        elif not found:
            subset = context.get_empty_subset()
        return dg.AutomationResult(context, subset)


Asset = TypeVar("Asset")


def automated(definitions: Iterable[Asset]) -> list[Asset]:
    """The same assets, of which those with the tag of a rebuild have the condition for it."""
    return [
        cast(Asset, each.map_asset_specs(_automated)) if isinstance(each, dg.AssetsDefinition) else each
        for each in definitions
    ]


def _automated(spec: dg.AssetSpec) -> dg.AssetSpec:
    return spec.replace_attributes(automation_condition=Due()) if spec.tags.items() >= AUTO_REBUILD.items() else spec


rebuild_what_changed = dg.AutomationConditionSensorDefinition(
    "rebuild_what_changed",
    target=dg.AssetSelection.tag(REBUILD, AUTO_REBUILD[REBUILD]),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=TICK_S,
    description="Makes again what is out of date, from the bricks to the training sets; never trains.",
    # A backfill would hide what is asked for, and why, behind one more level.
    emit_backfills=False,
    # Our condition exists where our code does.
    use_user_code_server=True,
)


@dg.sensor(
    target=dg.AssetSelection.assets(SOURCES),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=TICK_S,
)
def notice_edits(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """Observes the bricks again, in a process that loads them anew, when a file they may come from has been edited."""
    files = files_version()
    seen = context.instance.fetch_observations(SOURCES, limit=1).records
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
        yield dg.RunRequest(run_key=f"{night.date()} sources", asset_selection=[SOURCES])
        return
    graph = context.repository_def.asset_graph
    found = dg.evaluate_automation_conditions(defs=list(graph.assets_defs), instance=context.instance)
    wanted: dict[str | None, list[dg.AssetKey]] = {}
    for key in sorted(graph.materializable_asset_keys):
        for partition in found.get_requested_partitions(key) if graph.get(key).automation_condition else ():
            wanted.setdefault(partition, []).append(key)
    for partition, keys in wanted.items():
        run_key = f"{night.isoformat()} {partition or 'tables'}"
        yield dg.RunRequest(run_key=run_key, asset_selection=keys, tags={PARTITION: partition} if partition else {})


@dg.schedule(
    target=dg.AssetSelection.assets("audits"),
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Audits all bricks at three in the morning, on inputs that are drawn with the date as seed.",
)
def nightly_audit(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """The run of a night, whose seed is the date."""
    date = context.scheduled_execution_time.date().isoformat()
    return dg.RunRequest(run_key=date, run_config={"ops": {"audits": {"config": {"seed": date}}}})
