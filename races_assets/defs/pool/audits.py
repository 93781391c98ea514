"""Whether every brick keeps the contract, checked thoroughly on other inputs than the tests draw."""

from collections import Counter

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races.assets.defs.pool.audit_rows import ORACLES, audit_rows
from races.assets.pictures import bars
from races.assets.tables.columns import table
from races.assets.tables.pool import Audits
from races.environments.audit.contract import RULES, THOROUGH, Effort
from races.environments.registry import faults, pool
from races.resources.processes.brick_audits import audits as audits_of


class AuditConfig(dg.Config):
    """How many inputs every brick is tried on; see races.environments.audit.contract.Effort."""

    draws: int = Field(THOROUGH.draws, ge=1, description="Inputs at each level.")
    other_outputs: int = Field(
        THOROUGH.other_outputs, ge=0, description="Outputs of other bricks that are tried, at most."
    )
    per_level: int = Field(THOROUGH.per_level, ge=1, description="Runs of every other brick at each level for them.")
    seed: str = Field(THOROUGH.seed, description="Seed of all draws; another seed gives other inputs.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")

    def effort(self) -> Effort:
        """The same without the workers, which change nothing."""
        return Effort(self.draws, self.other_outputs, self.per_level, self.seed)


@dg.asset(deps=["environments"], kinds={"parquet"}, code_version="2")
def audits(context: dg.AssetExecutionContext, config: AuditConfig) -> pa.Table:
    """One row per environment and rule of the contract: whether it is kept, and what was found."""
    effort, bricks = config.effort(), pool()
    found = audits_of(list(bricks), effort, ORACLES, config.workers or None)
    rows = [row for result in found for row in audit_rows(bricks[result.brick], result, effort)]
    kept = Counter(row["rule"] for row in rows if row["kept"])
    context.add_output_metadata(
        {
            "bricks_that_break_a_rule": len({row["name"] for row in rows if not row["kept"]}),
            "without_oracle": len({row["name"] for row in rows if not row["oracle"]}),
            "left_out_of_the_pool": [str(fault) for fault in faults()],
            "by_rule": dg.MetadataValue.md(bars("bricks that keep a rule", {name: kept[name] for name in RULES})),
        }
    )
    return table(Audits, rows)
