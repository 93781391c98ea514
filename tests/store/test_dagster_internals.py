"""What is used of Dagster's internals does what it is used for, and stands in one module."""

import re
from pathlib import Path
from typing import Any

import dagster as dg

from races.resources.store import dagster_internals
from races.resources.store.dagster_internals import (
    IMPLICIT_ASSET_JOB_NAME,
    AssetGraphView,
    CachingStaleStatusResolver,
    StaleCauseCategory,
    StaleStatus,
    set_data_version,
)

ROOT = Path(__file__).parents[2]


class Versioned(dg.IOManager):
    """Stores nothing and gives every output the same data version."""

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        set_data_version(context, "of the rows")

    def load_input(self, context: dg.InputContext) -> None:
        return None


def numbers(code_version: str) -> dg.AssetsDefinition:
    @dg.asset(name="numbers", code_version=code_version)
    def made() -> int:
        return 1

    return made


def test_an_output_gets_the_data_version_and_a_new_code_version_makes_it_stale() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize([numbers("1")], instance=instance, resources={"io_manager": Versioned()}).success
        event = instance.get_latest_materialization_event(dg.AssetKey("numbers"))
        assert event is not None
        assert event.asset_materialization is not None
        assert (event.asset_materialization.tags or {})["dagster/data_version"] == "of the rows"
        for version, expected in (("1", StaleStatus.FRESH), ("2", StaleStatus.STALE)):
            view = AssetGraphView.for_test(dg.Definitions([numbers(version)]), instance)
            resolver = CachingStaleStatusResolver(instance, view.asset_graph, view)
            assert resolver.get_status(dg.AssetKey("numbers"), None) is expected
            causes = resolver.get_stale_causes(dg.AssetKey("numbers"), None)
            assert [each.category for each in causes] == [StaleCauseCategory.CODE] * (version == "2")


def test_the_job_of_all_assets_is_there() -> None:
    jobs = dg.Definitions([numbers("1")]).get_repository_def().get_all_jobs()
    assert IMPLICIT_ASSET_JOB_NAME in {job.name for job in jobs}


def test_no_other_module_reaches_into_dagster() -> None:
    inside = re.compile(r"dagster\._|from dagster_(?!pipes)\w*|\.step_context\b|\bdg\._")
    files = [file for name in ("races_assets", "resources") for file in (ROOT / name).rglob("*.py")]
    found = [file for file in files if inside.search(file.read_text(encoding="utf-8"))]
    assert [file.name for file in found] == [Path(dagster_internals.__file__).name]
