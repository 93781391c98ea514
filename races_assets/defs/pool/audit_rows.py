"""Rows of the table `audits`."""

from pathlib import Path
from typing import Any

from races import oracles
from races.environments.audit.contract import RULES, Audit, Effort, worked_examples
from races.environments.core import Environment

ORACLES = Path(oracles.__file__).parent
MAX_FINDINGS = 5  # of a rule


def audit_rows(brick: Environment, result: Audit, effort: Effort) -> list[dict[str, Any]]:
    """The rows of a brick, one for each rule."""
    _, oracle = worked_examples(ORACLES, brick)
    common = {
        "name": brick.name,
        "fingerprint": brick.fingerprint,
        "oracle": oracle is not None,
        "draws": effort.draws,
        "other_outputs": effort.other_outputs,
        "seed": effort.seed,
    }
    return [
        common
        | {"rule": rule, "kept": not findings, "faults": len(findings), "findings": list(findings[:MAX_FINDINGS])}
        for rule in RULES
        for findings in [result.faults.get(rule, ())]
    ]
