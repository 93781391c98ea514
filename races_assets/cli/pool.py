"""`races pool`: list the bricks."""

import json
from textwrap import shorten

import click

from races.assets.cli.console import known_name, print_csv, print_table, say
from races.environments.core import Environment
from races.environments.registry import pool
from races.environments.types import VOCABULARY

COLUMNS = ("name", "theme", "domain", "codomain", "statement", "fingerprint")
STATEMENT_WIDTH = 60  # characters in a table


@click.command("pool")
@click.option("--theme", help="Only the bricks of this theme.")
@click.option("--domain", help="Only the bricks that take this type.")
@click.option("--codomain", help="Only the bricks that return this type.")
@click.option("--search", metavar="TEXT", help="Only the bricks whose name or statement contains this text.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV with whole statements and fingerprints.")
@click.option("--json", "form", flag_value="json", help="Print the same as a JSON array.")
def list_pool(
    theme: str | None, domain: str | None, codomain: str | None, search: str | None, form: str | None
) -> None:
    """List the bricks of the pool.

    Example: races pool --domain IntList --search sort
    """
    bricks = pool()
    if theme is not None:
        known_name("theme", theme, {each.theme for each in bricks.values()})
    for kind in (domain, codomain):
        if kind is not None:
            known_name("type", kind, VOCABULARY)
    found = [
        each
        for each in bricks.values()
        if theme in (None, each.theme)
        and domain in (None, each.domain.name)
        and codomain in (None, each.codomain.name)
        and (search or "").casefold() in f"{each.name}\n{each.statement}".casefold()
    ]
    if form == "csv":
        print_csv(COLUMNS, [_row(each) for each in found])
    elif form == "json":
        click.echo(json.dumps([dict(zip(COLUMNS, _row(each), strict=True)) for each in found], indent=1))
    else:
        _print(found, len(bricks))


def _row(brick: Environment) -> tuple[str, ...]:
    names = (brick.name, brick.theme, brick.domain.name, brick.codomain.name)
    return (*names, brick.statement, brick.fingerprint)


def _print(found: list[Environment], total: int) -> None:
    print_table(
        ("name", "signature", "theme", "statement"),
        [
            (each.name, f"{each.domain} -> {each.codomain}", each.theme, shorten(each.statement, STATEMENT_WIDTH))
            for each in found
        ],
    )
    themes = {each.theme for each in found}
    types = {kind.name for each in found for kind in (each.domain, each.codomain)}
    say(f"bricks: {len(found)} of {total}, themes: {len(themes)}, types: {len(types)}")
