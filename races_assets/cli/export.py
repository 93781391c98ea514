"""`races export`: a training set and its card, in a folder that a hub of data sets takes."""

from pathlib import Path

import click

from races.environments.errors import UnknownName


@click.command("export")
@click.argument("recipe")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--warehouse",
    "root",
    type=click.Path(path_type=Path),
    envvar="RACES_WAREHOUSE",
    show_envvar=True,
    default="warehouse",
    show_default=True,
)
def export_set(recipe: str, folder: Path, root: Path) -> None:
    """Write a training set and its card into FOLDER, for a hub of data sets or to hand on.

    FOLDER then holds README.md, the card, and the rows in Parquet below data/, in the columns that verl reads.

    Example: races export races_300 ~/races_300
    """
    # Not at the top: Dagster and DuckDB take a second to import, which the other commands do without.
    from races.assets.catalog.recipes import RECIPES
    from races.assets.cli.console import meant, say
    from races.assets.cli.query import stored_warehouse
    from races.assets.defs.reports.dataset_cards import DATA, README, export

    known = ", ".join(RECIPES)
    if recipe not in RECIPES:
        raise UnknownName(f"there is no recipe {recipe!r}{meant(recipe, RECIPES) or f': expected one of {known}'}")
    export(stored_warehouse(root), RECIPES[recipe], folder.expanduser())
    say(f"{folder / README}\n{folder / DATA}")
