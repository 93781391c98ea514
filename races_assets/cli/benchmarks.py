"""`races benchmarks`: where the data of benchmarks are, how to get them, and what an evaluation costs."""

from pathlib import Path

import click

from races.assets.cli.console import print_table, say
from races.environments.errors import SettingError
from races.resources.evaluation.measurement import Data, GenerationSettings, cost, prompt_lengths
from races.resources.evaluation.suites import datasets, local_copies


@click.group("benchmarks")
def benchmarks() -> None:
    """Manage benchmark data and estimate costs.

    Example: races benchmarks cost --limit 50
    """


@benchmarks.command("list")
def list_benchmarks() -> None:
    """List the benchmarks, with the data in use and the hash they are pinned to.

    Example: races benchmarks list
    """
    rows = []
    for name, kind in datasets.BENCHMARKS.items():
        path = local_copies.path_of(name)
        pin = local_copies.pinned(name, path)
        rows.append(
            (name, kind.title, str(path or datasets.MINI), str(kind.rows[0]), str(kind.samples), pin[:12] or "none")
        )
    print_table(("benchmark", "title", "data", "official size", "samples", "pin"), rows, {"official size", "samples"})
    if local_copies.folder() is None:
        say(f"{local_copies.VARIABLE} names no folder, so the invented miniature sets stand in")


@benchmarks.command("fetch")
@click.argument("name", type=click.Choice(list(datasets.BENCHMARKS)))
@click.option("--revision", default="main", show_default=True, help="Branch or commit hash of the data set.")
@click.option("--dry-run", is_flag=True, help="Print the equivalent command, and do nothing.")
def fetch_benchmark(name: str, revision: str, dry_run: bool) -> None:
    """Download a benchmark from the hub into the folder that RACES_BENCHMARKS names, check it, and pin its hash.

    Example: races benchmarks fetch ifeval --dry-run
    """
    place = local_copies.folder() or (Path("benchmarks") if dry_run else None)
    if place is None:
        raise SettingError(f"expected {local_copies.VARIABLE} to name the folder for the data, got nothing")
    if dry_run:
        say(datasets.fetch_command(name, place / name, revision))
        return
    datasets.fetch(name, place / name, revision)
    found = datasets.load(name, place / name)
    say(f"{name}: {len(found.questions)} questions, {found.label}, pinned to {local_copies.pin(name, place)}")


@benchmarks.command("pin")
@click.argument("name", type=click.Choice(list(datasets.BENCHMARKS)))
def pin_benchmark(name: str) -> None:
    """Pin the hash of a benchmark's files as they are now; an evaluation then refuses any others.

    Example: RACES_BENCHMARKS=~/benchmarks races benchmarks pin ifeval
    """
    place = local_copies.folder()
    if place is None or local_copies.path_of(name) is None:
        raise SettingError(f"expected a folder {name} below the one that {local_copies.VARIABLE} names, got none")
    found = datasets.load(name, place / name)
    say(f"{name}: {len(found.questions)} questions, {found.label}, pinned to {local_copies.pin(name, place)}")


@benchmarks.command("cost")
@click.argument("names", nargs=-1, type=click.Choice(list(datasets.BENCHMARKS)), metavar="[BENCHMARK]...")
@click.option("--samples", type=click.IntRange(min=0), default=0, help="Answers per question; 0: as in the paper.")
@click.option("--limit", type=click.IntRange(min=0), default=0, help="Questions per benchmark; 0: all.")
@click.option("--max-tokens", type=click.IntRange(min=1), default=32_768, show_default=True, help="Tokens per answer.")
@click.option("--prompt-limit", type=click.IntRange(min=0), default=0, help="Tokens per prompt of LongBench; 0: uncut.")
def cost_of(names: tuple[str, ...], samples: int, limit: int, max_tokens: int, prompt_limit: int) -> None:
    """Estimate the generations and tokens that evaluating one checkpoint takes; prompts are counted in characters.

    Example: races benchmarks cost aime_2024 --max-tokens 16384
    """
    rows, sums = [], [0] * 4
    for name in names or datasets.BENCHMARKS:
        path = local_copies.path_of(name)
        dataset = Data(name, str(path or ""), limit=limit).load()
        answers = GenerationSettings(
            samples or datasets.benchmark(name).samples, 1.0, 1.0, None, max_tokens, prompt_limit
        )
        found = cost(prompt_lengths(dataset), answers)
        counts = [found.questions, found.generations, found.prompt_tokens, found.completion_tokens]
        sums = [one + other for one, other in zip(sums, counts, strict=True)]
        rows.append((name, dataset.label, *(f"{each:,}" for each in counts)))
    head = ("questions", "generations", "prompt tokens (estimate)", "answer tokens (maximum)")
    rows.append(("all", "", *(f"{each:,}" for each in sums)))
    print_table(("benchmark", "data", *head), rows, set(head))
