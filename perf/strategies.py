"""The search `balanced` beside the paper's `chains` at equal work: what each finds with as many runs of a brick.

Trees are grown in one shuffled order, a first one from every brick before any second one, until one of them brings the
runs to the budget. So what is found depends on no clock; only the seconds do.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from statistics import mean

from perf.known_paths import kept
from perf.measure import Effort, Measurement
from races.environments.composition.balance import evenness
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, Shard, Strategy, explore
from races.environments.composition.path import Matching
from races.environments.composition.type_graph import type_graph
from races.environments.core import Environment
from races.environments.execution import draw, run
from races.environments.registry import Pool
from races.environments.seeding import generator, uniform
from races.environments.subpools import subpool

NAME = "strategies"
STRATEGIES: tuple[Strategy, ...] = ("balanced", "chains")
CASES: tuple[tuple[str, Matching, tuple[int, ...]], ...] = (
    ("training", "subtype", (100_000, 1_000_000)),
    ("training", "exact", (100_000, 1_000_000)),
    ("core_50", "subtype", (20_000, 100_000)),
    ("core_50", "exact", (20_000, 100_000)),
)  # sub-pool, matching, budgets of runs


@dataclass(frozen=True)
class Cut:
    """What a search has found when its runs reach a budget, in so many seconds of CPU and of wall time.

    healthy: the different sequences of bricks whose path the assets would keep.
    """

    runs: int
    found: int
    healthy: tuple[tuple[Environment, ...], ...]
    cpu: float
    wall: float

    @cached_property
    def use(self) -> Counter[str]:
        """How often each brick stands in a healthy path."""
        return Counter(brick.name for path in self.healthy for brick in path)

    @cached_property
    def types(self) -> set[str]:
        """The types of the states of healthy paths."""
        return {kind.name for path in self.healthy for kind in (path[0].domain, *[e.codomain for e in path])}

    @cached_property
    def type_pairs(self) -> set[tuple[str, str]]:
        """The types of two results of healthy paths, one right after the other."""
        return {(a.codomain.name, b.codomain.name) for path in self.healthy for a, b in pairwise(path)}


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Different healthy paths in a CPU second at each budget, and what they cover; means over seeds."""
    for sub_pool, matching, usual in CASES:
        bricks = subpool(sub_pool)
        for each in bricks.values():  # what makes a brick ready to be metered does not belong to a search
            run(each, draw(each, generator(NAME), 1))
        budgets = {Effort.QUICK: (1_000,), Effort.USUAL: usual, Effort.FULL: (*usual, 3 * usual[-1])}[effort]
        seeds = [f"benchmarks {seed}" for seed in range(effort.repeats)]
        # Alternately, so that another process on the machine disturbs both.
        cuts = [(strategy, cut(bricks, strategy, matching, seed, budgets)) for seed in seeds for strategy in STRATEGIES]
        for number, budget in enumerate(budgets):
            for strategy in STRATEGIES:
                name = f"{sub_pool}, {matching}, {budget:,} runs: {strategy}"
                at = [found[number] for each, found in cuts if each == strategy]
                yield from _compared(name, bricks, matching, at)


def _compared(name: str, bricks: Pool, matching: Matching, at: Sequence[Cut]) -> Iterator[Measurement]:
    """The measurements of a search at one budget, of which there is a cut for each seed."""
    graph = type_graph(bricks, matching)
    types = {kind.name for brick in bricks.values() for kind in (brick.domain, brick.codomain)}
    after = zip(graph.environments, graph.followers, strict=True)
    pairs = {(a.codomain.name, graph.environments[i].codomain.name) for a, following in after for i in following}
    counts = sorted(len(each.healthy) for each in at)
    work = (
        f"mean of {len(at)}: {mean(counts):,.0f} ({counts[0]:,} to {counts[-1]:,}) of "
        f"{mean(e.found for e in at):,.0f} in {mean(e.runs for e in at):,.0f} runs, "
        f"{mean(e.cpu for e in at):.1f} CPU s, {mean(e.wall for e in at):.1f} s"
    )
    cover = (
        f"bricks {mean(len(e.use) for e in at):.0f} of {len(bricks)}, types {mean(len(e.types) for e in at):.0f} of "
        f"{len(types)}, type pairs {mean(len(e.type_pairs) for e in at):.0f} of {len(pairs)}"
    )
    by_work = mean(1000 * len(each.healthy) / each.runs for each in at)
    by_time = mean(len(each.healthy) / each.cpu for each in at)
    even = mean(evenness(each.use, len(bricks)) for each in at)
    yield Measurement(NAME, f"{name}, healthy paths", by_work, "paths/1,000 runs", note=work)
    yield Measurement(NAME, f"{name}, healthy paths", by_time, "paths/CPU s")
    yield Measurement(NAME, f"{name}, evenness", even, "of 1", note=cover)


def cut(bricks: Pool, strategy: Strategy, matching: Matching, seed: str, budgets: Sequence[int]) -> list[Cut]:
    """What a search has found at each of some growing budgets of runs of a brick."""
    settings = SearchSettings(strategy=strategy, matching=matching, seed=seed)
    offers = CompatibleBricks(bricks, matching)
    trees = _trees(bricks, seed)
    runs = found = 0
    cpu = wall = 0.0
    healthy: dict[tuple[Environment, ...], None] = {}
    cuts = []
    for budget in budgets:
        while runs < budget:
            began, began_cpu = time.perf_counter(), time.process_time()
            result = explore(next(trees), offers, settings)
            wall, cpu = wall + time.perf_counter() - began, cpu + time.process_time() - began_cpu
            runs, found = runs + result.executions, found + len(result.found)
            healthy |= {each.path.environments: None for each in result.found if kept(each, settings)}
        cuts.append(Cut(runs, found, tuple(healthy), cpu, wall))
    return cuts


def _trees(bricks: Pool, seed: str) -> Iterator[Shard]:
    names = sorted(bricks, key=lambda name: uniform("turn", seed, name))
    return (Shard(name, index) for index in count() for name in names)
