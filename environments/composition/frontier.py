"""The frontier search: trees of paths grown from start values, in small shards that depend on nothing but themselves.

A shard grows one tree: the root is an input of its start brick, an edge runs a brick. Which bricks are run at a state
is drawn with probability proportional to what is left of each brick's budget. Every draw is seeded by the shard, the
state and the brick, so a brick that was not run in a shard has no influence on it, and the number of workers changes
nothing.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, get_args

from races.environments.composition.balance import even_weights
from races.environments.composition.orders import feasible_orders
from races.environments.composition.path import Matching, Path, fits
from races.environments.composition.quality import (
    Filters,
    Health,
    HealthSettings,
    extended,
    failed_health_checks,
    permanent_failures,
    redundant_steps,
    rejection,
)
from races.environments.core import Environment
from races.environments.errors import InvalidValue, SettingError
from races.environments.execution import MAX_STEPS, Outcome, PlainRunner, Runner, draw
from races.environments.seeding import generator, key_of, uniform
from races.environments.types import LEVELS, Type

Strategy = Literal["chains", "balanced", "orders"]
VERSION = "5"  # of this search: a change of what it finds is a change of this
_KEY_NAMES = {"probes": "witnesses"}  # settings under their first names, so that stored keys stay valid


@dataclass(frozen=True)
class SearchSettings:
    """How paths are searched for. The defaults are ours; the paper leaves most of these numbers open.

    matching: whether a codomain must be the next domain (`exact`, as in the paper) or may be a subtype of it.
    strategy: `chains` draws any brick that fits, as in the paper; `balanced` evens out the use of bricks, types and
        pairs of types; `orders` prefers bricks that could also stand elsewhere in the path, so that types do not give
        the order away.
    filters: see quality.rejection.
    longest: bricks in a path, at most.
    extensions: kept at a state, at most.
    tries: bricks that are run at a state, at most.
    frontier: states of one depth that are extended, at most.
    budget: how often a brick is kept in a shard, at most.
    roots: shards of each start brick.
    probes: fresh inputs that health is measured on; 0 measures none.
    health: bounds; a path that fails one permanently is kept and not extended.
    steps: the limit of a run.
    seed: of the whole search.
    pool: the sub-pool whose bricks are used.

    SettingError for a value that cannot work.
    """

    matching: Matching = "subtype"
    strategy: Strategy = "balanced"
    filters: Filters = "healthy"
    longest: int = 12
    extensions: int = 3
    tries: int = 8
    frontier: int = 3
    budget: int = 2
    roots: int = 8
    probes: int = 24
    health: HealthSettings = field(default_factory=HealthSettings)
    steps: int = MAX_STEPS
    seed: str = "races"
    pool: str = "training"

    def __post_init__(self) -> None:
        allowed = {"matching": ("exact", "subtype"), "strategy": get_args(Strategy), "filters": ("healthy", "paper")}
        for name, choices in allowed.items():
            if getattr(self, name) not in choices:
                raise SettingError(
                    f"search setting {name}: expected one of {', '.join(choices)}, got {getattr(self, name)!r}"
                )
        for each in fields(self):
            least, value = int(each.name != "probes"), getattr(self, each.name)
            if each.type is int and value < least:
                raise SettingError(f"search setting {each.name}: expected at least {least}, got {value}")

    @property
    def key(self) -> str:
        """A hash of the settings and of this search's version."""
        named = [(_KEY_NAMES.get(each.name, each.name), getattr(self, each.name)) for each in fields(self)]
        return key_of(VERSION, [(name, value) for name, value in named if name != "roots"])


@dataclass(frozen=True, order=True)
class Shard:
    """One tree of the search: the index-th root of a start brick."""

    start: str
    index: int

    @property
    def level(self) -> int:
        """The level of the root and of its probe inputs: the roots of a brick take all levels in turn.

        Bricks begin at different ones, so that a search with few roots has all levels, too.
        """
        return LEVELS[(self.index + int(key_of("level", self.start), 16)) % len(LEVELS)]


@dataclass(frozen=True)
class Found:
    """A path that the search kept.

    level: of its start value.
    steps: metered steps of all its runs.
    health: None without probe inputs.
    feasible_orders: how many orders of its environments types allow from the type of its start to that of its last
        output; 0 beyond six environments.
    redundant_steps: how many single steps could be left out with the same last result; counted where it is healthy.
    """

    path: Path
    level: int
    steps: int
    health: Health | None
    feasible_orders: int
    redundant_steps: int


@dataclass
class ShardResult:
    """What a shard found, what it rejected, and everything that it depends on.

    rejections: counts by (brick, reason).
    ran: fingerprints of the bricks that were run.
    compatible_bricks: for each type that a state had, CompatibleBricks.draw_digest. Together with `ran` and the
        settings it is the shard's cache key.
    executions: runs of bricks.
    """

    shard: Shard
    found: list[Found] = field(default_factory=list)
    rejections: Counter[tuple[str, str]] = field(default_factory=Counter)
    ran: dict[str, str] = field(default_factory=dict)
    compatible_bricks: dict[str, str] = field(default_factory=dict)
    executions: int = 0


@dataclass(frozen=True, slots=True)
class _Node:
    """A state of the tree: the path to it, and what the probe inputs have become on it."""

    environments: tuple[Environment, ...]
    outputs: tuple[Any, ...]
    texts: tuple[str, ...]
    kind: Type[Any]
    probes: tuple[Any, ...]
    health: Health | None
    steps: int

    @property
    def value(self) -> Any:
        return self.outputs[-1]


class CompatibleBricks:
    """The bricks that may follow each type of state, under one kind of matching."""

    def __init__(self, environments: Mapping[str, Environment], matching: Matching) -> None:
        self.environments, self.matching = environments, matching
        self._bricks: dict[str, tuple[Environment, ...]] = {}
        self._signatures: dict[str, str] = {}
        self._draws: dict[str, str] = {}

    def of(self, kind: Type[Any]) -> tuple[Environment, ...]:
        """The bricks whose domain takes the type, in the order of their names."""
        if kind.name not in self._bricks:
            self._bricks[kind.name] = tuple(
                each for _, each in sorted(self.environments.items()) if fits(kind, each.domain, self.matching)
            )
        return self._bricks[kind.name]

    def signature_digest(self, kind: Type[Any]) -> str:
        """A hash of the names and signatures of the bricks that take the type."""
        if kind.name not in self._signatures:
            signatures = [(e.name, e.domain.name, e.codomain.name, e.terminal) for e in self.of(kind)]
            self._signatures[kind.name] = key_of(signatures)
        return self._signatures[kind.name]

    def draw_digest(self, kind: Type[Any]) -> str:
        """A hash of all that a draw at a state of this type depends on: the bricks that take it, and their weights."""
        if kind.name not in self._draws:
            weights = [self.weights[each.name] for each in self.of(kind)]
            self._draws[kind.name] = key_of(self.signature_digest(kind), weights)
        return self._draws[kind.name]

    @cached_property
    def weights(self) -> dict[str, float]:
        """Weights that even out the use of the bricks, by name."""
        kinds = {kind.name: kind for e in self.environments.values() for kind in (e.domain, e.codomain)}
        return even_weights({name: self.of(kind) for name, kind in sorted(kinds.items())})


def shards(environments: Mapping[str, Environment], settings: SearchSettings) -> list[Shard]:
    """The shards of a search: SearchSettings.roots of every brick."""
    return [Shard(name, index) for name in sorted(environments) for index in range(settings.roots)]


def still_valid(
    ran: Mapping[str, str],
    compatible_bricks: Mapping[str, str],
    compatible: CompatibleBricks,
    kinds: Mapping[str, Type[Any]],
) -> bool:
    """Whether a shard would find the same again.

    ran, compatible_bricks: of its ShardResult.
    compatible: the bricks of today.
    kinds: the types of today, by name.
    """
    known = compatible.environments
    if any(name not in known or known[name].fingerprint != fingerprint for name, fingerprint in ran.items()):
        return False
    return all(
        name in kinds and compatible.draw_digest(kinds[name]) == digest for name, digest in compatible_bricks.items()
    )


def explore(
    shard: Shard, compatible: CompatibleBricks, settings: SearchSettings, runner: Runner | None = None
) -> ShardResult:
    """Grow a shard's tree. `runner` runs the bricks; in this process by default."""
    return _Search(shard, compatible, settings, runner or PlainRunner()).grow()


class _Search:
    """A shard while it is grown."""

    def __init__(self, shard: Shard, compatible: CompatibleBricks, settings: SearchSettings, runner: Runner) -> None:
        self.shard, self.compatible, self.settings, self.runner = shard, compatible, settings, runner
        self.result = ShardResult(shard)
        self.left = dict.fromkeys(compatible.environments, settings.budget)
        self.pairs: Counter[tuple[str, str]] = Counter()  # of types, among the extensions that were kept
        self.kinds: Counter[str] = Counter()  # types of the states that were extended
        self.purpose = key_of(settings.seed, settings.strategy, shard.start, shard.index)

    def grow(self) -> ShardResult:
        brick = self.compatible.environments[self.shard.start]
        rng = generator(self.purpose, "root")
        self.result.ran[brick.name] = brick.fingerprint
        try:
            start, *others = [draw(brick, rng, self.shard.level) for _ in range(1 + self.settings.probes)]
        except (SettingError, InvalidValue):
            self.result.rejections[brick.name, "its sampler fails"] += 1
            return self.result
        root = _Node((), (start,), (brick.domain.dumps(start),), brick.domain, tuple(others), None, 0)
        first = self._extension(root, brick, set())
        layer = [first] if first is not None else []
        for _ in range(1, self.settings.longest):
            following: list[_Node] = []
            for node in layer:
                following += self._extensions(node)
            self.result.found += [self._found(start, node) for node in following]
            layer = self._kept(following)
        return self.result

    def _found(self, start: Any, node: _Node) -> Found:
        path = Path(start, node.environments, node.outputs[1:])
        counted = len(node.environments) <= 6
        domain = node.environments[0].domain
        orders = feasible_orders(node.environments, domain, node.kind, self.settings.matching) if counted else 0
        healthy = node.health is not None and not failed_health_checks(node.health, node.kind, self.settings.health)
        redundant = redundant_steps(node.environments, node.outputs, node.texts[-1], self._run) if healthy else 0
        return Found(path, self.shard.level, node.steps, node.health, orders, redundant)

    def _kept(self, nodes: list[_Node]) -> list[_Node]:
        """The states to extend: those that may still become healthy, as many as the frontier takes, drawn by key."""
        able = [n for n in nodes if not n.environments[-1].terminal]
        if self.settings.probes:
            bounds = self.settings.health
            able = [n for n in able if n.health is not None and not permanent_failures(n.health, n.kind, bounds)]
        able.sort(key=lambda node: uniform(self.purpose, "keep", [e.name for e in node.environments]))
        if self.settings.strategy != "balanced":
            return able[: self.settings.frontier]
        kept: list[_Node] = []
        while able and len(kept) < self.settings.frontier:
            rarest = min(able, key=lambda node: self.kinds[node.kind.name])
            self.kinds[rarest.kind.name] += 1
            able.remove(rarest)
            kept.append(rarest)
        return kept

    def _extensions(self, node: _Node) -> list[_Node]:
        self.result.compatible_bricks[node.kind.name] = self.compatible.draw_digest(node.kind)
        here = key_of(self.purpose, [e.name for e in node.environments])
        weighted = [
            (self._weight(brick, node), brick)
            for brick in self.compatible.of(node.kind)
            if brick not in node.environments
        ]
        # Sorting by -log(u)/weight draws without replacement with probability proportional to the weights.
        race = sorted((-math.log(uniform(here, b.name)) / weight, b.name, b) for weight, b in weighted if weight > 0)
        kept: list[_Node] = []
        siblings: set[str] = set()
        for _, _, brick in race[: self.settings.tries]:
            self.result.ran[brick.name] = brick.fingerprint
            extension = self._extension(node, brick, siblings)
            if extension is not None:
                kept.append(extension)
                siblings.add(extension.texts[-1])
                self.left[brick.name] -= 1
                self.pairs[node.kind.name, brick.codomain.name] += 1
                if len(kept) == self.settings.extensions:
                    break
        return kept

    def _weight(self, brick: Environment, node: _Node) -> float:
        """What is left of the brick's budget, times what the strategy makes of the brick here."""
        weight = float(self.left[brick.name])
        if self.settings.strategy != "chains":
            weight *= self.compatible.weights[brick.name]
        if self.settings.strategy == "balanced":
            weight /= 1 + self.pairs[node.kind.name, brick.codomain.name]
        if self.settings.strategy == "orders" and node.environments:
            weight *= self._freedom(brick, node.environments)
        return weight

    def _freedom(self, brick: Environment, path: Sequence[Environment]) -> float:
        """How freely the brick could change places with those of the path, as far as types go; never quite 0."""
        matching = self.settings.matching
        forward = sum(fits(brick.codomain, other.domain, matching) for other in path)
        backward = sum(fits(other.codomain, brick.domain, matching) for other in path)
        return 0.01 + (forward * backward / len(path) ** 2) ** 2

    def _run(self, brick: Environment, x: Any, steps: int) -> Outcome:
        self.result.executions += 1
        return self.runner.run(brick, x, steps)

    def _extension(self, node: _Node, brick: Environment, siblings: set[str]) -> _Node | None:
        """The state that the brick leads to, or None and a reason counted."""
        outcome = self._run(brick, node.value, self.settings.steps)
        reason = rejection(outcome, brick.codomain, node.texts, siblings, self.settings.filters)
        if reason is not None:
            self.result.rejections[brick.name, reason] += 1
            return None
        health, probes = self._probed(node, brick)
        return _Node(
            (*node.environments, brick),
            (*node.outputs, outcome.value),
            (*node.texts, brick.codomain.dumps(outcome.value)),
            brick.codomain,
            probes,
            health,
            node.steps + outcome.steps,
        )

    def _probed(self, node: _Node, brick: Environment) -> tuple[Health | None, tuple[Any, ...]]:
        if not self.settings.probes:
            return None, ()
        previous, current = self.runner.survivors(brick, node.probes, self.settings.steps)
        self.result.executions += len(node.probes)
        total = self.settings.probes
        return extended(node.health, brick.codomain, previous, current, total), tuple(current)
