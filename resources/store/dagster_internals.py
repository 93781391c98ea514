"""What Dagster has no public name for. pyproject.toml bounds its version, and a test fails where one of these moves."""

import dagster as dg

# What is compared with what a table was made from, and how: Dagster shows people what is out of date, but code only so.
from dagster._core.asset_graph_view.asset_graph_view import AssetGraphView
from dagster._core.definitions.assets.job.asset_job import IMPLICIT_ASSET_JOB_NAME
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleCauseCategory, StaleStatus

__all__ = [
    "IMPLICIT_ASSET_JOB_NAME",
    "AssetGraphView",
    "CachingStaleStatusResolver",
    "StaleCauseCategory",
    "StaleStatus",
    "set_data_version",
]


def set_data_version(context: dg.OutputContext, version: str) -> None:
    """Give the materialisation of an output, which is made after `handle_output`, this data version."""
    context.step_context.set_data_version(context.asset_key, dg.DataVersion(version))
