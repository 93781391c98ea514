"""The chains of a stream: searched for tree by tree, with the search, the bounds and the health checks of the tables.

The search is that of the tables with its default settings, but for its seed. Trees are grown as chains are needed, in
an order that the seed decides, and only trees whose root has a wanted level: a chain is asked at the level on which
its health was measured.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from races.environments.composition.frontier import CompatibleBricks, SearchSettings, Shard, explore
from races.environments.composition.path import PathRecord
from races.environments.composition.quality import Health, HealthSettings, failed_health_checks
from races.environments.core import Environment
from races.environments.errors import SettingError
from races.environments.generation.settings import StreamSettings
from races.environments.operators import select, sort
from races.environments.seeding import uniform
from races.environments.subpools import subpool
from races.environments.types import Type

MAX_FRUITLESS_SHARDS = 300  # trees grown in a row without a new problem
MAX_WAIT_SHARDS = 8  # trees that are grown for one size before the next one has its turn
MIXED = 16  # chains of a size among which the next one is drawn
MAX_KEPT = 64  # chains of a size that are kept for later


@dataclass(frozen=True)
class Chain:
    """A chain that a search found, as plain data.

    shard: the tree that it stands in.
    failed: the health checks that it does not pass.
    feasible_orders: see frontier.Found.
    """

    record: PathRecord
    shard: Shard
    failed: tuple[str, ...]
    feasible_orders: int

    @property
    def size(self) -> int:
        """The number of its bricks."""
        return len(self.record.environments)


def failed_checks(health: Health | None, codomain: Type[Any], redundant_steps: int) -> list[str]:
    """The health checks of the tables that a chain does not pass, by name; health: None where it was not measured."""
    if health is None:
        return ["not measured"]
    failed = failed_health_checks(health, codomain, HealthSettings())
    return [*failed, "a step can be left out"] if redundant_steps else failed


def types_allow(
    operator: str, bricks: Sequence[Environment], feasible_orders: int, compatible: CompatibleBricks
) -> bool:
    """Whether types alone let an operator ask about a chain: SORT and SELECT need other orders to be feasible."""
    if operator == "select":
        return select.may_be_open(bricks, compatible)
    return operator != "sort" or feasible_orders * sort.allowed_chance(len(bricks)) >= 1


@lru_cache(maxsize=16)
def compatible_bricks(bricks: str) -> CompatibleBricks:
    """The bricks of a sub-pool by the types that they take."""
    return CompatibleBricks(subpool(bricks), "subtype")


def chains_of(bricks: str, operator: str, seed: int | str, shard: Shard, longest: int) -> list[Chain]:
    """All chains of a tree up to a length; fewer than `longest` are the same for every `longest`."""
    strategy = "balanced" if operator == "sequential" else "orders"
    settings = SearchSettings(pool=bricks, strategy=strategy, longest=longest, seed=f"stream {seed!r}")  # type: ignore[arg-type]  # one of Strategy
    return [
        Chain(
            PathRecord(
                found.path.id,
                found.level,
                tuple(each.name for each in found.path.environments),
                found.path.states[0],
                found.path.states[1:],
            ),
            shard,
            tuple(failed_checks(found.health, found.path.environments[-1].codomain, found.redundant_steps)),
            found.feasible_orders,
        )
        for found in explore(shard, compatible_bricks(bricks), settings).found
    ]


class Supply:
    """The chains of a stream in their order: sizes take turns, and each next chain is drawn among those at hand."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self.reasons: Counter[str] = Counter()  # why chains, or problems of them, were left out
        self.fruitless = 0  # trees since the last new problem
        self.given = 0
        self._shards = self._all_shards()
        self._kept: dict[int, list[Chain]] = {size: [] for size in settings.sizes}
        self._waiting = list(settings.sizes)  # the next size first
        self._rare: set[int] = set()  # sizes that came up empty and are not waited for

    def __next__(self) -> Chain:
        """The next chain; SettingError, with the reasons, where the search finds no more."""
        while True:
            size = self._waiting.pop(0)
            self._waiting.append(size)
            if size in self._rare and len(self._rare) < len(self._waiting):
                continue
            if chain := self._next_of(size):
                return chain
            self._rare.add(size)

    def _next_of(self, size: int) -> Chain | None:
        kept, grown = self._kept[size], 0
        enough = min(MIXED, self.given + 1)  # the first problems do not wait for many trees
        while len(kept) < enough and (not kept or not grown) and grown < MAX_WAIT_SHARDS:
            self._grow()
            grown += 1
        if not kept:
            return None
        self.given += 1
        place = int(uniform("stream next", self.settings.seed, self.given) * len(kept))
        return kept.pop(place)

    def _grow(self) -> None:
        """Grow the next tree and keep its chains."""
        if self.fruitless >= MAX_FRUITLESS_SHARDS:
            raise SettingError(f"{self.fruitless} searches in a row gave nothing new{self.explanation()}")
        self.fruitless += 1
        settings, found = self.settings, 0
        for chain in chains_of(
            settings.bricks, settings.operator, settings.seed, next(self._shards), settings.sizes[-1]
        ):
            if chain.size not in self._kept:
                continue
            found += 1
            if reason := self._unfit(chain):
                self.reasons[reason] += 1
            elif len(self._kept[chain.size]) < MAX_KEPT:
                self._kept[chain.size].append(chain)
                self._rare.discard(chain.size)
        if not found:
            self.reasons["no chain of such a size from a start value"] += 1

    def _unfit(self, chain: Chain) -> str:
        """Why a chain is left out, "" where it is not."""
        if self.settings.healthy and chain.failed:
            return chain.failed[0]
        compatible = compatible_bricks(self.settings.bricks)
        bricks = [compatible.environments[name] for name in chain.record.environments]
        if types_allow(self.settings.operator, bricks, chain.feasible_orders, compatible):
            return ""
        if self.settings.operator == "sort":
            return "types leave no other order of the bricks open"
        return "no other bricks fit as distractors"

    def _all_shards(self) -> Iterator[Shard]:
        """The trees without end: one of every start brick, in an order of their own, then the next ones."""
        for index in count():
            names = sorted(self.settings.pool, key=lambda each: uniform("stream", self.settings.seed, index, each))
            for name in names:
                shard = Shard(name, index)
                if shard.level in self.settings.levels:
                    yield shard

    def explanation(self) -> str:
        """The commonest reasons why chains were left out."""
        listed = "; ".join(f"{reason} ({times} times)" for reason, times in self.reasons.most_common(3))
        return f": {listed}" if listed else ""
