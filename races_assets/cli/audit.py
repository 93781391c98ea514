"""`races audit`: whether bricks keep the contract."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from races import oracles as oracles_package
from races.assets.cli.console import print_table, say
from races.environments.audit.contract import RULES, THOROUGH, Audit, Case, audit, other_outputs, worked_examples
from races.environments.core import Environment, is_third_party
from races.environments.registry import Pool, faults, pool
from races.resources.processes.brick_audits import audits, cheap_audits

ORACLES = Path(oracles_package.__file__).parent
SHOWN_FAULTS = 3  # of one rule


@click.command("audit")
@click.argument("bricks", nargs=-1, metavar="[BRICK]...")
@click.option(
    "--oracles",
    type=click.Path(file_okay=False, path_type=Path),
    default=ORACLES,
    show_default="races.oracles",
    help="Folder with a module for each theme that defines EXAMPLES and ORACLES.",
)
@click.option("--all-rules", is_flag=True, help="List the rules that hold, too.")
@click.option(
    "--thorough",
    is_flag=True,
    help="Draw ten times as many inputs, different from the usual ones, with one process per core.",
)
def audit_bricks(bricks: tuple[str, ...], oracles: Path, all_rules: bool, thorough: bool) -> None:
    """Check bricks against the contract.

    Runs its rules and the oracles on BRICKs, or on the whole pool; the exit code is 1 where a rule is broken.

    Example: races audit digit_sum gcd_pair
    """
    known = pool()
    chosen = [known[name] for name in bricks] or list(known.values())
    names = [brick.name for brick in chosen]
    themes = {brick.theme for brick in known.values()}
    if oracles != ORACLES:
        for stray in sorted(file.name for file in oracles.glob("[!_]*.py") if file.stem not in themes):
            say(f"{oracles / stray} belongs to no theme: a file is named after the theme of its bricks", err=True)
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
    """The audit of the tests: in this process for bricks and oracles of this package, else under a time limit."""
    outputs = other_outputs(_givers({brick.domain.name for brick in bricks}))
    third_party = [brick.name for brick in bricks if oracles != ORACLES or is_third_party(brick)]
    limited = dict(zip(third_party, cheap_audits(third_party, oracles, outputs), strict=True))
    for brick in bricks:
        if brick.name in limited:
            yield limited[brick.name]
        else:
            yield audit(Case(brick, outputs.get(brick.domain.name, []), *worked_examples(oracles, brick)))


def _givers(domains: set[str]) -> Pool:
    """The bricks whose outputs belong to any of these types: what an audit of bricks on them can draw from."""
    known = pool()
    return known.only(
        *(name for name, brick in known.items() if any(each.name in domains for each in brick.codomain.supertypes()))
    )


def _rows(result: Audit, all_rules: bool) -> list[tuple[str, str, str]]:
    rows = []
    for name in RULES:
        rule = name.replace("_", " ")
        found = result.faults.get(name, ())
        rows += [(result.brick, rule, finding) for finding in found[:SHOWN_FAULTS]]
        if len(found) > SHOWN_FAULTS:
            rows.append((result.brick, rule, f"and {len(found) - SHOWN_FAULTS} more"))
        if all_rules and not found:
            rows.append((result.brick, rule, "kept"))
    return rows
