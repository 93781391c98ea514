"""Looks and runs of the automation over a copy of a few themes, in processes that share an instance on disk.

A process has the bricks that it loaded; a test edits them between two processes, as people do between two runs.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeAlias

from tests.support.asset_processes import settled
from tests.support.asset_runs import GENERATION, SEARCH, TABLES, Place
from tests.support.fork_server import fork

Action: TypeAlias = dict[str, Any]
Wanted: TypeAlias = dict[str, list[str]]  # partitions by table, [""] for a table without

OBSERVE: Action = {"do": "make", "assets": ["environment_sources"]}
LEVELS: Sequence[tuple[list[str], str | None]] = (
    (["environments"], None),
    (["changes", "refused_outputs", "sub_pools", "types", "type_graph", "path_counts"], None),
    ([*TABLES], None),
    (["filtered_paths", "failed_health_checks"], None),
    (["problems"], "single"),
    (["problems"], "sort"),
    (["training_sets"], "individual_analysis"),
)
MADE = sorted({name for names, _ in LEVELS for name in names})


def make(assets: Sequence[str], partition: str | None = None) -> Action:
    """One run, as people ask for it."""
    return {"do": "make", "assets": list(assets), "partition": partition}


def look(later: float = 0) -> Action:
    """What a tick would ask for, so many minutes from now; nothing is run."""
    return {"do": "look", "later": later}


def settle(later: float = 0) -> Action:
    """Ticks, each with the runs that it asks for, until one asks for nothing; what each asked for, and how it went."""
    return {"do": "settle", "later": later}


def settle_once(later: float = 0) -> Action:
    """One such tick."""
    return {"do": "settle_once", "later": later}


def notice() -> Action:
    """Whether the sensor of edits asks for an observation."""
    return {"do": "notice"}


def night(clock: str) -> Action:
    """What the schedule asks for at a time of the night."""
    return {"do": "night", "clock": clock}


def automation(place: Place, *actions: Action) -> list[Any]:
    """What actions give that one process does one after another."""
    with ExitStack() as stack:
        asked, answered, errors = (stack.enter_context(TemporaryFile("w+")) for _ in range(3))
        json.dump(actions, asked)
        asked.seek(0)
        files = [each.fileno() for each in (asked, answered, errors)]
        function, arguments = "tests.support.automation_runs:main", [str(place.folder)]
        code = fork(function, arguments, place.folder, settled(place), files).wait(timeout=300)
        answered.seek(0)
        errors.seek(0)
        assert not code, errors.read()[-4000:]
        found: list[Any] = json.loads(answered.read().splitlines()[-1])
        return found


def main() -> None:
    """Do the actions that come in as JSON, over the store and the instance in a folder."""
    import dagster as dg

    from races.assets.definitions import definitions

    place = Place(Path(sys.argv[1]))
    (place.folder / "home").mkdir(exist_ok=True)
    with dg.DagsterInstance.local_temp(str(place.folder / "home")) as instance:
        doing = Doing(definitions(str(place.store)), instance)
        results = [getattr(doing, action.pop("do"))(**action) for action in json.load(sys.stdin)]
    print(json.dumps(results))  # noqa: T201  # the answer of this process


class Doing:
    """The actions, over definitions and an instance."""

    def __init__(self, definitions: Any, instance: Any) -> None:
        self.definitions, self.instance = definitions, instance
        self.job = definitions.resolve_implicit_global_asset_job_def()

    def make(self, assets: list[str], partition: str | None = None) -> bool:
        import dagster as dg

        ops = {"path_search": SEARCH} if set(assets) & set(TABLES) else {}
        # SINGLE goes round the bricks, each at five levels: enough for all of them.
        count = 200 if partition == "single" else GENERATION["per_cell"]
        ops |= {"problems": GENERATION | {"per_cell": count}} if "problems" in assets else {}
        result = self.job.execute_in_process(
            run_config={
                "ops": {name: {"config": config} for name, config in ops.items()},
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
            instance=self.instance,
            asset_selection=[dg.AssetKey(name) for name in assets],
            partition_key=partition,
            raise_on_error=False,
        )
        return bool(result.success)

    def look(self, later: float) -> Wanted:
        import dagster as dg

        when = datetime.now(UTC) + timedelta(minutes=later)
        found = dg.evaluate_automation_conditions(self.definitions, self.instance, evaluation_time=when)
        keys = self.definitions.resolve_asset_graph().materializable_asset_keys
        conditioned = [key for key in keys if self.definitions.resolve_asset_graph().get(key).automation_condition]
        wanted = {key.to_user_string(): found.get_requested_partitions(key) for key in conditioned}
        return {name: sorted(each or "" for each in parts) for name, parts in sorted(wanted.items()) if parts}

    def settle(self, later: float) -> list[list[Any]]:
        ticks: list[list[Any]] = []
        while (tick := self.settle_once(later))[0]:
            ticks.append(tick)
            assert len(ticks) < 12, f"did not settle: {ticks}"
        return ticks

    def settle_once(self, later: float) -> list[Any]:
        wanted = self.look(later)
        by_partition: dict[str, list[str]] = {}
        for name, partitions in wanted.items():
            for partition in partitions:
                by_partition.setdefault(partition, []).append(name)
        return [wanted, all([self.make(names, key or None) for key, names in by_partition.items()])]

    def stale(self) -> list[str]:
        from dagster._core.asset_graph_view.asset_graph_view import AssetGraphView
        from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus

        view = AssetGraphView.for_test(self.definitions, self.instance)
        status = CachingStaleStatusResolver(self.instance, view.asset_graph, view)
        return sorted(
            f"{key.to_user_string()} {partition or ''}".strip()
            for key in view.asset_graph.materializable_asset_keys
            for definition in [view.asset_graph.get(key).partitions_def]
            for partition in (definition.get_partition_keys() if definition else [None])
            if status.get_status(key, partition) is StaleStatus.STALE
        )

    def notice(self) -> bool:
        import dagster as dg

        with dg.build_sensor_context(self.instance, repository_def=self.definitions.get_repository_def()) as context:
            return bool(self.definitions.resolve_sensor_def("notice_edits").evaluate_tick(context).run_requests)

    def night(self, clock: str) -> Wanted:
        import dagster as dg

        when = datetime.fromisoformat(f"2026-03-01T{clock}:00+00:00")
        context = dg.build_schedule_context(
            self.instance, scheduled_execution_time=when, repository_def=self.definitions.get_repository_def()
        )
        wanted: Wanted = {}
        for request in self.definitions.resolve_schedule_def("nightly_rebuild").evaluate_tick(context).run_requests:
            for key in request.asset_selection:
                wanted.setdefault(key.to_user_string(), []).append(request.tags.get("dagster/partition", ""))
        return {name: sorted(parts) for name, parts in sorted(wanted.items())}
