"""`races audit` on the command line."""

from pathlib import Path

from races.assets.cli import audit
from races.environments.audit.contract import other_outputs
from races.environments.registry import pool
from tests.support.command_line import races


def test_a_file_of_oracles_that_belongs_to_no_theme_is_named(tmp_path: Path) -> None:
    for name in ("arithmetic", "arithmetics"):
        (tmp_path / f"{name}.py").write_text("EXAMPLES, ORACLES = {}, {}")
    lines = [line for line in races("audit", "digit_sum", "--oracles", tmp_path).stderr.splitlines() if "theme" in line]
    assert len(lines) == 1
    assert "arithmetics.py belongs to no theme" in lines[0]


def test_bricks_are_audited_on_the_same_outputs_of_others_as_with_the_whole_pool() -> None:
    everything = other_outputs(pool())
    for domain in ("Nat", "DigitList"):
        assert other_outputs(audit._givers({domain}))[domain] == everything[domain]
