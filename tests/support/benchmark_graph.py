"""The asset graph over a folder, for tests of what follows from benchmark samples."""

from pathlib import Path
from typing import Any

import dagster as dg

from races.assets.definitions import definitions
from races.resources.store.warehouse import Warehouse
from tests.support.invented_samples import Row

QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


class Graph:
    """The graph over a folder."""

    def __init__(self, folder: Path) -> None:
        self.warehouse = Warehouse(root=str(folder))
        self.job = definitions(str(folder)).resolve_implicit_global_asset_job_def()
        self.instance = dg.DagsterInstance.ephemeral()

    def made(self, asset: str, part: dict[str, str] | None = None, **config: Any) -> Any:
        result = self.job.execute_in_process(
            run_config={"loggers": QUIET, "ops": {asset: {"config": config}} if config else {}},
            instance=self.instance,
            asset_selection=[dg.AssetKey(asset)],
            partition_key=dg.MultiPartitionKey(part) if part else None,
            raise_on_error=False,
        )
        failures = [event.step_failure_data.error.to_string() for event in result.all_events if event.is_step_failure]
        assert not failures, failures[0]
        return result

    def rows(self, asset: str, part: dict[str, str] | None = None, **config: Any) -> list[Row]:
        """The rows of the table after the asset has been made."""
        self.made(asset, part, **config)
        return self.warehouse.read(asset).to_pylist()

    def score_all(self) -> None:
        for part in self.warehouse.partitions("benchmark_samples"):
            self.made("benchmark_scores", part)


def checks(result: Any) -> dict[str, Any]:
    return {each.check_name: each for each in result.get_asset_check_evaluations()}


def said(check: Any, name: str) -> Any:
    return check.metadata[name].value
