"""`races export`: a training set and its card, in a folder ready to upload to the Hugging Face hub."""

from pathlib import Path

import click

from races.environments.errors import UnknownName, did_you_mean


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
    """Export a training set with its card.

    FOLDER then holds the card, README.md, and the rows as Parquet in data/, in the columns that verl reads: ready to
    upload to the Hugging Face hub, or to share.

    Example: races export races_300 ~/races_300
    """
    # Not at the top: Dagster and DuckDB take seconds to import, and the other commands do not need them.
    from races.assets.catalog.recipes import RECIPES
    from races.assets.cli.console import say
    from races.assets.cli.query import stored_warehouse
    from races.assets.defs.reports.dataset_cards import DATA, README, export

    known = ", ".join(RECIPES)
    if recipe not in RECIPES:
        raise UnknownName(
            f"there is no recipe {recipe!r}{did_you_mean(recipe, RECIPES, before=': ') or f': expected one of {known}'}"
        )
    export(stored_warehouse(root), RECIPES[recipe], folder.expanduser())
    say(f"{folder / README}\n{folder / DATA}")
