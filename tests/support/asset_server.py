"""What a process of `asset_processes` does: it makes what it is asked for, and reports what Dagster says of it."""

import json
import os
import signal
import sys
from functools import cache
from typing import Any

import dagster as dg

from races.assets.definitions import definitions
from races.assets.tables.table_catalog import MODELS
from races.resources.store.io_manager import WarehouseIOManager, dataset_name
from races.resources.store.warehouse import Warehouse

DIE_AFTER = "RACES_TEST_DIE_AFTER"
HOME = "RACES_TEST_HOME"  # the folder of the Dagster instance that a process writes to; it has one of its own without
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


class DyingIOManager(WarehouseIOManager):
    """Kills its process right after it has stored the table that DIE_AFTER names."""

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        super().handle_output(context, obj)
        if dataset_name(context) == os.environ.get(DIE_AFTER):
            os.kill(os.getpid(), signal.SIGKILL)


@cache
def _job(store: str) -> dg.JobDefinition:
    made = definitions(store)
    resources = {**(made.resources or {}), "io_manager": DyingIOManager(Warehouse(root=store), MODELS)}
    together = dg.Definitions(made.assets, asset_checks=made.asset_checks, resources=resources)
    return together.resolve_implicit_global_asset_job_def()


def serve() -> None:
    """What a process does: a line of JSON for a step comes in, a line for its result goes out.

    It is killed right after it has stored the table that DIE_AFTER names.
    """
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    home = os.environ.get(HOME)
    with dg.DagsterInstance.from_config(home) if home else dg.DagsterInstance.ephemeral() as instance:
        for line in sys.stdin:
            replies.write(json.dumps(_answer(json.loads(line), instance)) + "\n")
            replies.flush()


def _answer(asked: dict[str, Any], instance: dg.DagsterInstance) -> dict[str, Any]:
    try:
        result = _job(asked.get("store", sys.argv[1])).execute_in_process(
            run_config={"loggers": QUIET, "ops": asked["ops"]},
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in asked["assets"]],
            partition_key=asked["partition"],
            raise_on_error=False,
        )
    except dg.DagsterInvalidConfigError as error:
        return {"errors": [str(error)], "tables": {}, "checks": {}}
    return _reported(result)


def _reported(result: Any) -> dict[str, Any]:
    tables, checks = {}, {}
    for event in result.all_events:
        if event.is_step_materialization:
            made = event.step_materialization_data.materialization
        elif event.is_asset_observation:
            made = event.asset_observation_data.asset_observation
        else:
            continue
        metadata = {name: _plain(value.value) for name, value in made.metadata.items()}
        version = (made.tags or {}).get("dagster/data_version")
        tables[made.asset_key.to_user_string()] = {"metadata": metadata, "version": version}
    for check in result.get_asset_check_evaluations():
        found = {name: value.value for name, value in check.metadata.items()}
        checks[check.check_name] = {"passed": check.passed, "severity": check.severity.name, "metadata": found}
    failures = [event for event in result.all_events if event.is_step_failure]
    errors = [event.step_failure_data.error.to_string() for event in failures]
    return {"errors": errors, "tables": tables, "checks": checks}


def _plain(value: Any) -> Any:
    return [column.name for column in value.columns] if hasattr(value, "columns") else value
