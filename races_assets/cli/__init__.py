"""The command line: inspect bricks, try paths by hand, score stored answers, query the warehouse."""

import click

from races.assets.cli.audit import audit_bricks
from races.assets.cli.benchmarks import benchmarks
from races.assets.cli.compose import compose_path
from races.assets.cli.console import Commands
from races.assets.cli.export import export_set
from races.assets.cli.migrate import migrate_warehouse
from races.assets.cli.pool import list_pool
from races.assets.cli.query import query_warehouse
from races.assets.cli.score import score_file
from races.assets.cli.show import show_brick


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="races")
def main() -> None:
    """RACES: verifiable environments as bricks that compose into reasoning tasks.

    Example: races show digit_sum
    """


for _command in (
    show_brick,
    list_pool,
    compose_path,
    audit_bricks,
    score_file,
    query_warehouse,
    export_set,
    benchmarks,
    migrate_warehouse,
):
    main.add_command(_command)
