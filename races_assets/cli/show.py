"""`races show`: one brick, and a problem made of it."""

import click

from races.assets.cli.console import say
from races.assets.cli.generate import environment, make_problem, print_solution, steps_of
from races.environments.core import Environment
from races.environments.operators import SCORERS
from races.environments.types import LEVELS


@click.command("show")
@click.argument("brick")
@click.option("--level", type=click.Choice([*map(str, LEVELS), "all"]), default="3", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--operator", type=click.Choice(list(SCORERS)), default="single", show_default=True)
def show_brick(brick: str, level: str, seed: int, operator: str) -> None:
    """Show a brick and a problem made of it.

    Prints its signature and statement, the prompt exactly as a model sees it, and the solution. BRICK may be a
    composite; every operator but single then works on the bricks that it is composed of.

    Example: races show digit_sum --level all

    Example: races show "(next_prime > digit_sum)" --operator sequential
    """
    whole = environment(brick)
    _print_brick(whole)
    for each in LEVELS if level == "all" else [int(level)]:
        problem = make_problem(operator, steps_of(whole), each, seed)
        say(f"\n--- {operator}, level {each}, seed {seed}: the prompt ---", bold=True)
        say(problem.prompt)
        say("\n--- the solution ---", bold=True)
        print_solution(problem, steps_of(whole))


def _print_brick(brick: Environment) -> None:
    say(f"{brick.name}: {brick.domain} -> {brick.codomain}", bold=True)
    say(f"theme: {brick.theme}\nfingerprint: {brick.fingerprint}")
    if brick.terminal:
        say("position: the last step of a path only")
    say(f"statement: {brick.statement}")
