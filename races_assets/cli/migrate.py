"""`races migrate`: rename the tables and columns of a warehouse that an earlier version wrote."""

from pathlib import Path

import click


@click.command("migrate")
@click.option(
    "--warehouse",
    "root",
    type=click.Path(path_type=Path),
    envvar="RACES_WAREHOUSE",
    show_envvar=True,
    default="warehouse",
    show_default=True,
)
def migrate_warehouse(root: Path) -> None:
    """Rename tables and columns of a warehouse that an earlier version wrote.

    Rows stay as they are. Stop whatever writes to the warehouse first. Dagster knows a renamed table once it is
    materialized under its new name.

    Example: races migrate
    """
    # Not at the top: Dagster and DuckDB take seconds to import, and the other commands do not need them.
    from races.assets.cli.console import say
    from races.assets.cli.query import stored_warehouse
    from races.assets.tables.table_catalog import query_context
    from races.resources.store.migrations import migrate

    warehouse = stored_warehouse(root)
    done = migrate(warehouse.folder)
    for line in done:
        say(line)
    if done:
        warehouse.refresh_catalog(query_context=query_context())
    else:
        say(f"{root} has the names of this version already")
