"""`races audit`: does a brick keep the contract?"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from races import oracles as oracles_package
from races.assets.cli.console import print_table, say
from races.environments.audit.contract import RULES, THOROUGH, Audit, Case, audit, other_outputs, worked_examples
from races.environments.core import Environment, is_third_party
from races.environments.registry import faults, pool
from races.resources.processes.brick_audits import audits, cheap_audits

ORACLES = Path(oracles_package.__file__).parent
SHOWN = 3  # faults of a rule


@click.command("audit")
@click.argument("bricks", nargs=-1, metavar="[BRICK]...")
@click.option(
    "--oracles",
    type=click.Path(file_okay=False, path_type=Path),
    default=ORACLES,
    show_default="races.oracles",
    help="Folder with a module for each theme that holds EXAMPLES and ORACLES.",
)
@click.option("--all-rules", is_flag=True, help="Show the rules that were kept, too.")
@click.option(
    "--thorough", is_flag=True, help="Draw ten times as many inputs, others than usual, with a process for each core."
)
def audit_bricks(bricks: tuple[str, ...], oracles: Path, all_rules: bool, thorough: bool) -> None:
    """Run the contract, oracles and fault rules on bricks, or on the whole pool; exit code 1 where one is broken.

    Example: races audit digit_sum gcd_pair
    """
    known = pool()
    chosen = [known[name] for name in bricks] or list(known.values())
    names = [brick.name for brick in chosen]
    themes = {brick.theme for brick in known.values()}
    if oracles != ORACLES:
        for stray in sorted(file.name for file in oracles.glob("[!_]*.py") if file.stem not in themes):
            say(f"{oracles / stray} belongs to no theme: a file is named after its bricks' theme", err=True)
    results = list(audits(names, THOROUGH, oracles) if thorough else _cheap(chosen, oracles))
    unsound = sum(not result.sound for result in results)
    without = sum(not result.has_oracle for result in results)
    rows = [row for result in results for row in _rows(result, all_rules)]
    rows += [(str(fault.source), "joins the pool", fault.reason) for fault in faults()]
    if rows:
        print_table(("brick", "rule", "finding"), rows)
    say(
        f"bricks: {len(chosen)}, with faults: {unsound}, without an oracle: {without}, "
        f"rules: {len(RULES)}, left out of the pool: {len(faults())}"
    )
    if unsound or faults():
        sys.exit(1)


def _cheap(bricks: list[Environment], oracles: Path) -> Iterator[Audit]:
    """The audit of the tests: of bricks and with oracles of ours in this process, else under a clock."""
    foreign = other_outputs(pool())
    theirs = [brick.name for brick in bricks if oracles != ORACLES or is_third_party(brick)]
    clocked = dict(zip(theirs, cheap_audits(theirs, oracles, foreign), strict=True))
    for brick in bricks:
        if brick.name in clocked:
            yield clocked[brick.name]
        else:
            yield audit(Case(brick, foreign.get(brick.domain.name, []), *worked_examples(oracles, brick)))


def _rows(result: Audit, all_rules: bool) -> list[tuple[str, str, str]]:
    rows = []
    for name in RULES:
        said = name.replace("_", " ")
        found = result.faults.get(name, ())
        rows += [(result.brick, said, finding) for finding in found[:SHOWN]]
        if len(found) > SHOWN:
            rows.append((result.brick, said, f"and {len(found) - SHOWN} more"))
        if all_rules and not found:
            rows.append((result.brick, said, "kept"))
    return rows
