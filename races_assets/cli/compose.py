"""`races compose`: make a problem of a path by hand, and score an answer to it like a model's."""

import sys

import click

from races.assets.cli.console import say
from races.assets.cli.generate import check_fit, environment, make_problem, print_solution
from races.environments.errors import RacesError
from races.environments.isolation.guard import shared_guard
from races.environments.operators import ScoreStatus
from races.environments.reward import graded
from races.environments.types import LEVELS

OPERATORS = ("single", "sequential", "sort", "select")


@click.command("compose")
@click.argument("bricks", nargs=-1, required=True)
@click.option("--level", type=click.IntRange(min(LEVELS), max(LEVELS)), default=3, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--operator", type=click.Choice(OPERATORS), default="sequential", show_default=True)
@click.option("--answer", help="The answer; without this option it is read from standard input.")
@click.option("--gold", is_flag=True, help="Show the solution instead of asking for an answer.")
def compose_path(bricks: tuple[str, ...], level: int, seed: int, operator: str, answer: str | None, gold: bool) -> None:
    """Make a problem of a path and score your answer to it.

    Prints the prompt of the path of BRICKS, reads an answer, and prints its score and the true result of every step.
    The answer may stand between <answer> and </answer> as a model would write it, or alone.

    Example: races compose gcd_pair digit_sum --answer "[12, 3]"
    """
    steps = [environment(name) for name in bricks]
    check_fit(steps)
    problem = make_problem(operator, steps, level, seed)
    say(problem.prompt + "\n")
    if not gold:
        _score(problem.truth, _read_answer() if answer is None else answer)
    print_solution(problem, steps)


def _read_answer() -> str:
    """One line that is typed at a terminal, or all that comes through a pipe."""
    return str(click.prompt("your answer")) if sys.stdin.isatty() else sys.stdin.read()


def _score(truth: str, answer: str) -> None:
    marked = any(mark in answer for mark in ("<answer>", "\\boxed{"))
    try:
        score = graded(truth, answer if marked else f"<answer>{answer}</answer>")
    finally:
        shared_guard().close()
    if score.status is ScoreStatus.GRADER_FAILED:
        raise RacesError(f"the grader failed: {score.reason}")
    reason = f": {score.reason}" if score.reason else ""
    say(f"score: {score.value:.4g} ({score.correct} of {score.total} right){reason}", bold=True)
