"""Rows of the table `environments`: what is measured of a brick, and what is on record of it."""

from typing import Any

from races.environments.audit.cards import blind_records, speed_records
from races.environments.core import Environment
from races.environments.profile import VERSION, profile


def environment_row(brick: Environment) -> dict[str, Any]:
    """The row of a brick, without what is on record of it."""
    return {
        "name": brick.name,
        "theme": brick.theme,
        "statement": brick.statement,
        "domain": brick.domain.name,
        "codomain": brick.codomain.name,
        "signature": f"{brick.domain} -> {brick.codomain}",
        "grade": brick.grade,
        "terminal": brick.terminal,
        "fingerprint": brick.fingerprint,
        "words": len(brick.statement.split()),
        "measured_by": VERSION,
        **profile(brick),
    }


def recorded(name: str, fingerprint: str) -> dict[str, Any]:
    """What is on record of a brick in this form and no run can reproduce."""
    solved, speed = blind_records().get(name), speed_records().get(name)
    if solved is not None and solved.fingerprint != fingerprint:
        solved = None
    if speed is not None and speed.fingerprint != fingerprint:
        speed = None
    return {
        "solved_blind": solved.solved if solved else 0,
        "solved_blind_of": solved.of if solved else 0,
        "generated_per_second": speed.generated if speed else 0.0,
        "scored_per_second": speed.scored if speed else 0.0,
    }
