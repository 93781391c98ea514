"""SINGLE problems: sample, f metered, prompt and gold answer, brick by brick."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from statistics import mean, median

from perf.measure import Effort, Measurement, rate, seconds
from races.environments.core import Environment
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import chunks
from races.environments.operators import single
from races.environments.registry import pool
from races.environments.seeding import generator
from races.environments.types import LEVELS

NAME = "single"
TARGET = 20_000
SLOWEST = 10


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Problems in a second for the pool, its median brick and its slowest ones; and with keys, as the asset makes."""
    count = effort.of(1, 60) * len(LEVELS)
    rates = [(count / seconds(partial(_generated, brick, count), effort.repeats), brick) for brick in _warm(effort)]
    rates.sort(key=lambda pair: pair[0])
    fast = sum(each >= TARGET for each, _ in rates)
    yield Measurement(
        NAME,
        "the median brick",
        median(each for each, _ in rates),
        "problems/s",
        TARGET,
        note=f"{fast} of {len(rates)} bricks reach the target",
    )
    whole = 1 / mean(1 / each for each, _ in rates)
    yield Measurement(NAME, "all bricks in equal numbers", whole, "problems/s", TARGET, note="levels 1 to 5")
    yield Measurement(NAME, "as the asset generates them", _asset(effort), "problems/s", note="a key for each problem")
    for each, brick in rates[:SLOWEST]:
        yield Measurement(NAME, f"slow: {brick.name}", each, "problems/s", note=brick.theme)


def _warm(effort: Effort) -> list[Environment]:
    """The bricks, each run once so that its metered function is compiled and its fingerprint known."""
    bricks = list(pool().values())[:: effort.of(20, 1)]
    for brick in bricks:
        single.pose(brick, generator(NAME, brick.name), LEVELS[0])
    return bricks


def _generated(brick: Environment, count: int) -> None:
    rng = generator(NAME, brick.name)
    for number in range(count):
        single.pose(brick, rng, LEVELS[number % len(LEVELS)])


def _asset(effort: Effort) -> float:
    some = list(islice(chunks("single", 1, "benchmarks", ()), effort.of(2, 200)))
    return rate(lambda: sum(len(generate_chunk(chunk).problems) for chunk in some), effort.repeats)
