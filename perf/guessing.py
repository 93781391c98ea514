"""What a guess earns in SORT and SELECT: by size the mean and the most over problems, for the strongest guesser."""

from collections.abc import Iterator
from statistics import mean

from perf.guessers import GUESSERS, Guesses
from perf.known_paths import records
from perf.measure import Effort, Measurement
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import Chunk
from races.environments.operators import SIZES, Problem, select, sort

NAME = "guessing"
MAX_DRAWS = 6  # fresh inputs of a path, where its problems are few


def measurements(effort: Effort) -> Iterator[Measurement]:
    """For each operator and size: a guess at any length, and in SELECT one that knows the best length."""
    for operator in ("sort", "select"):
        for size in SIZES[operator] if effort is not Effort.QUICK else (4,):
            problems = _generated(operator, size, effort)
            guesses = [Guesses(each.prompt, operator) for each in problems]
            bound = sort.allowed_chance(size) if operator == "sort" else select.MAX_CHANCE
            note = f"{len(problems)} problems; stated chance {mean(p.chance for p in problems):.3f}" if problems else ""
            for way in ("any length", "best length")[: 1 + (operator == "select")]:
                worst = [max(_earned(each, name, way) for name in GUESSERS) for each in guesses]
                for statistic, measure in (("mean", mean), ("most", max)):
                    name = f"{operator.upper()} of {size}, {way}, {statistic}"
                    yield Measurement(
                        NAME, name, measure(worst) if worst else None, "reward", bound, ceiling=True, note=note
                    )


def _earned(guesses: Guesses, name: str, way: str) -> float:
    return guesses.best(name) if way == "best length" else guesses.earned(name)


def _generated(operator: str, size: int, effort: Effort) -> list[Problem]:
    known, wanted = records("orders", size, effort.of(12, 200)), effort.of(5, 200, 1_000)
    problems: dict[str, Problem] = {}
    for index in range(MAX_DRAWS):
        if len(problems) < wanted:
            made = generate_chunk(Chunk(operator, size, "benchmarks", (index,) * len(known), known)).problems
            problems |= {each.id: each for each in made}
    return list(problems.values())[:wanted]
