"""Whether every brick keeps the contract, asked thoroughly and every night of other inputs."""

from collections import Counter
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field

from races import oracles
from races.assets.pictures import bars
from races.assets.tables.schemas import Audits, table
from races.environments.audit.contract import RULES, THOROUGH, Audit, Effort, worked_examples
from races.environments.core import Environment
from races.environments.registry import faults, pool
from races.resources.processes.brick_audits import audits as audits_of

ORACLES = Path(oracles.__file__).parent
SHOWN = 5  # findings of a rule


class AuditConfig(dg.Config):
    """How much is drawn for every brick; see races.environments.audit.contract.Effort."""

    draws: int = Field(THOROUGH.draws, ge=1, description="Inputs at each level.")
    foreign: int = Field(THOROUGH.other_outputs, ge=0, description="Values of other bricks that are tried, at most.")
    per_level: int = Field(THOROUGH.per_level, ge=1, description="Runs of every other brick at each level for them.")
    seed: str = Field(THOROUGH.seed, description="What every draw is keyed by; another seed meets other inputs.")
    workers: int = Field(0, ge=0, description="Processes; 0 takes one a core.")

    def effort(self) -> Effort:
        """The same without the workers, which change nothing."""
        return Effort(self.draws, self.foreign, self.per_level, self.seed)


@dg.asset(deps=["environments"], group_name="pool", kinds={"parquet"}, code_version="1")
def audits(context: dg.AssetExecutionContext, config: AuditConfig) -> pa.Table:
    """One row per environment and rule of the contract: whether it is kept, and what was found."""
    effort, bricks = config.effort(), pool()
    found = audits_of(list(bricks), effort, ORACLES, config.workers or None)
    rows = [row for result in found for row in audit_rows(bricks[result.brick], result, effort)]
    kept = Counter(row["rule"] for row in rows if row["kept"])
    context.add_output_metadata(
        {
            "unsound": len({row["name"] for row in rows if not row["kept"]}),
            "without_oracle": len({row["name"] for row in rows if not row["oracle"]}),
            "left_out_of_the_pool": [str(fault) for fault in faults()],
            "by_rule": dg.MetadataValue.md(bars("bricks that keep a rule", {name: kept[name] for name in RULES})),
        }
    )
    return table(Audits, rows)


def audit_rows(brick: Environment, result: Audit, effort: Effort) -> list[dict[str, Any]]:
    """The rows of a brick, one for each rule."""
    _, oracle = worked_examples(ORACLES, brick)
    common = {
        "name": brick.name,
        "fingerprint": brick.fingerprint,
        "oracle": oracle is not None,
        "draws": effort.draws,
        "foreign": effort.other_outputs,
        "seed": effort.seed,
    }
    return [
        common | {"rule": rule, "kept": not findings, "faults": len(findings), "findings": list(findings[:SHOWN])}
        for rule in RULES
        for findings in [result.faults.get(rule, ())]
    ]


@dg.schedule(
    target=[audits],
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Audit all bricks at three in the morning, on inputs that are keyed by the date.",
)
def nightly_audit(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """The run of a night, whose seed is the date."""
    date = context.scheduled_execution_time.date().isoformat()
    return dg.RunRequest(run_key=date, run_config={"ops": {"audits": {"config": {"seed": date}}}})
