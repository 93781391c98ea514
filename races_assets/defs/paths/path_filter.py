"""The filter of paths: which of those that the search found are healthy."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from races.assets.defs.paths.health_checks import FOUND_BEFORE, KEPT, count_rows, failed_checks, last_of
from races.assets.defs.paths.outputs import out_of
from races.assets.defs.paths.search_trees import ORDER
from races.assets.pictures import bars
from races.assets.tables.columns import arrow_schema, table
from races.assets.tables.paths import FailedHealthChecks, FilteredPaths
from races.environments.composition.quality import HealthSettings
from races.environments.composition.rows import MEASURES


def _share(default: float, description: str) -> Any:
    return Field(default, ge=0, le=1, description=description)


class HealthConfig(dg.Config):
    """What a healthy composite must reach; see races.environments.composition.quality.HealthSettings."""

    alive: float = _share(0.8, "Least share of probe inputs that run to the end.")
    healthy: float = _share(0.8, "Least share of final answers in the healthy range of their type.")
    distinct: int = Field(8, ge=1, description="Least number of different final answers.")
    top_share: float = _share(0.3, "Largest share of the commonest final answer.")
    identity: float = _share(0.3, "Largest share at which a step may repeat its input.")
    step_top_share: float = _share(0.5, "Largest share of one output at any step.")
    sensitivity: float = _share(0.7, "Least chance that two inputs differ in the output of any step.")
    redundant_steps: int = Field(0, ge=0, description="Steps without which the final answer may be the same.")

    def settings(self) -> HealthSettings:
        """The bounds on measured health."""
        return HealthSettings(
            **{k: v for k, v in self.model_dump().items() if k in HealthSettings.__dataclass_fields__}
        )


@dg.multi_asset(
    outs={name: out_of(name, "2") for name in ("filtered_paths", "failed_health_checks")},
    ins={"discovered_paths": dg.AssetIn()},
)
def path_filter(
    context: dg.AssetExecutionContext, config: HealthConfig, discovered_paths: pa.Table
) -> Iterator[dg.Output[pa.Table]]:
    """Keep each path whose composite is healthy on probe inputs, once; count the health checks that the others fail."""
    ordered = discovered_paths.take(pc.sort_indices(discovered_paths, [(name, "ascending") for name in ORDER]))
    kept: list[int] = []
    counts: Counter[tuple[str, int, str]] = Counter()
    seen: set[str] = set()
    settings = config.settings()
    rows = ordered.select(["search", "size", "path_id", "redundant_steps", *MEASURES]).to_pylist()
    for index, (row, last) in enumerate(zip(rows, last_of(ordered["types"]), strict=True)):
        failed = failed_checks(row, last, settings, config.redundant_steps)
        if row["path_id"] in seen:
            failed = [FOUND_BEFORE]
        seen.add(row["path_id"])
        for check in failed or [KEPT]:
            counts[row["search"], row["size"], check] += 1
        if not failed:
            kept.append(index)
    totals: Counter[str] = Counter()
    for (_, _, check), count in counts.items():
        totals[check] += count
    why = dg.MetadataValue.md(bars("paths by failed health check", dict(totals.most_common())))
    columns = arrow_schema(FilteredPaths)
    healthy = ordered.take(kept).select(columns.names).cast(columns)
    yield dg.Output(healthy, "filtered_paths", metadata={"by_health_check": why})
    yield dg.Output(table(FailedHealthChecks, count_rows(counts)), "failed_health_checks")
