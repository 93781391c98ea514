"""`races audit`: does a brick keep the contract?"""

import sys
from pathlib import Path

import click

from environments.audit import RULES, Audit, Case, audit, foreign_values, worked_examples
from environments.registry import faults, pool
from races_assets.cli.console import print_table

ORACLES = Path(__file__).parents[2] / "tests" / "oracles"
SHOWN = 3  # faults of a rule


@click.command("audit")
@click.argument("bricks", nargs=-1, metavar="[BRICK]...")
@click.option(
    "--oracles",
    type=click.Path(file_okay=False, path_type=Path),
    default=ORACLES,
    show_default="tests/oracles of the checkout",
    help="Folder with a module for each theme that holds EXAMPLES and ORACLES.",
)
@click.option("--all-rules", is_flag=True, help="Show the rules that were kept, too.")
def audit_bricks(bricks: tuple[str, ...], oracles: Path, all_rules: bool) -> None:
    """Run the contract, oracles and fault rules on bricks, or on the whole pool; exit code 1 where one is broken.

    Example: races audit digit_sum gcd_pair
    """
    known = pool()
    chosen = [known[name] for name in bricks] or list(known.values())
    foreign = foreign_values(known)
    rows: list[tuple[str, str, str]] = []
    unsound = without = 0
    for brick in chosen:
        examples, oracle = worked_examples(oracles, brick)
        result = audit(Case(brick, foreign.get(brick.domain.name, []), examples, oracle))
        unsound += not result.sound
        without += oracle is None
        rows += _rows(result, all_rules)
    rows += [(str(fault.source), "joins the pool", fault.reason) for fault in faults()]
    if rows:
        print_table(("brick", "rule", "finding"), rows)
    click.echo(
        f"bricks: {len(chosen)}, with faults: {unsound}, without an oracle: {without}, "
        f"rules: {len(RULES)}, left out of the pool: {len(faults())}"
    )
    if unsound or faults():
        sys.exit(1)


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
