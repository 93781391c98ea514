"""The arguments of `stream` and `dataset`, checked once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index

from races.environments.composition.type_graph import type_graph
from races.environments.core import Environment
from races.environments.errors import SettingError, UnknownName, did_you_mean
from races.environments.operators import FROM_PATHS, SIZES
from races.environments.operators.problem import AnswerStyle
from races.environments.registry import pool
from races.environments.subpools import AD_HOC, subpool, subpool_names
from races.environments.types import LEVELS

Bricks = str | Iterable[str | Environment]
Numbers = int | Iterable[int] | None
STYLES = ("tags", "boxed")
MAX_EXACT = 12  # bricks whose chains are told apart by the bricks that they use


@dataclass(frozen=True)
class StreamSettings:
    """What a stream gives.

    bricks: the name of a sub-pool; of bricks that were listed, the name that subpools.subpool takes for them.
    operator: one of operators.SIZES.
    sizes: numbers of bricks in a problem, in increasing order.
    levels: of the inputs, 1 to 5, in increasing order.
    seed: of every draw; 7 and "7" are two seeds.
    healthy: whether chains must pass the health checks of the tables.
    style: how the answer is asked for.
    """

    bricks: str
    operator: str
    sizes: tuple[int, ...]
    levels: tuple[int, ...]
    seed: int | str
    healthy: bool
    style: AnswerStyle

    @property
    def pool(self) -> Mapping[str, Environment]:
        """The bricks by name."""
        return subpool(self.bricks)

    def arguments(self) -> str:
        """The arguments as Python writes them."""
        listed = self.bricks.startswith(AD_HOC)
        bricks = self.bricks[len(AD_HOC) :].split(AD_HOC) if listed else self.bricks
        return (
            f"bricks={bricks!r}, operator={self.operator!r}, size={self.sizes!r}, level={self.levels!r}, "
            f"seed={self.seed!r}, healthy={self.healthy!r}, style={self.style!r}"
        )


def checked(
    bricks: Bricks, operator: str, size: Numbers, level: Numbers, seed: int | str, healthy: bool, style: AnswerStyle
) -> StreamSettings:
    """The settings of these arguments; see stream.stream for what each may be.

    UnknownName for a brick or a sub-pool that there is not, SettingError for any other argument that cannot work.
    """
    if operator not in SIZES:
        hint = did_you_mean(str(operator), SIZES, before=": ")
        raise SettingError(f"operator: expected one of {', '.join(SIZES)}, got {operator!r}{hint}")
    if style not in STYLES:
        raise SettingError(f"style: expected one of {', '.join(STYLES)}, got {style!r}")
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        raise SettingError(f"seed: expected an integer or a text, got {seed!r}")
    settings = StreamSettings(
        _sub_pool(bricks),
        operator,
        _numbers("size", size, SIZES[operator]),
        _numbers("level", level, LEVELS),
        seed,
        bool(healthy),
        style,
    )
    _check_sizes(settings)
    return settings


def _sub_pool(bricks: Bricks) -> str:
    if isinstance(bricks, str):
        if bricks in subpool_names():
            return bricks
        if bricks in pool():
            raise UnknownName(f"expected the name of a sub-pool, got that of a brick: write [{bricks!r}]")
        named = [each for each in subpool_names() if not each.startswith("random_")]
        raise UnknownName(
            f"expected a sub-pool ({', '.join(named)}), got {bricks!r}{did_you_mean(bricks, named, before=': ')}"
        )
    if isinstance(bricks, Environment) or not isinstance(bricks, Iterable):
        raise SettingError(f"bricks: expected a list of bricks or the name of a sub-pool, got {bricks!r}")
    names = {_brick(each) for each in bricks}
    if not names:
        raise SettingError("bricks: expected at least one brick, got none")
    return "".join(f"{AD_HOC}{name}" for name in sorted(names))


def _brick(brick: str | Environment) -> str:
    """The name of a brick of the pool."""
    if isinstance(brick, str):
        return pool()[brick].name
    if not isinstance(brick, Environment):
        raise SettingError(f"bricks: expected bricks or names of bricks, got {brick!r}")
    if brick.composed_of:
        raise SettingError(f"bricks: expected single bricks, got the composite {brick.name}; list its parts instead")
    if pool().get(brick.name) is not brick:
        raise SettingError(
            f"bricks: expected bricks of the pool, got {brick!r}, which is not in it: put its file into a folder that "
            "RACES_BRICKS names, or name its module as an entry point, so that answers can be scored in any process"
        )
    return brick.name


def _numbers(name: str, value: Numbers, allowed: tuple[int, ...]) -> tuple[int, ...]:
    """One number or several, in increasing order; None is all that are allowed."""
    if value is None:
        return allowed
    try:
        found = {index(each) for each in (value if isinstance(value, Iterable) else [value])}
    except TypeError as error:
        raise SettingError(f"{name}: expected a number or several, got {value!r}") from error
    if not found or not found <= set(allowed):
        span = f"numbers from {allowed[0]} to {allowed[-1]}" if len(allowed) > 1 else str(allowed[0])
        raise SettingError(f"{name}: expected {span}, got {value!r}")
    return tuple(sorted(found))


def _check_sizes(settings: StreamSettings) -> None:
    """Raise SettingError for a size that these bricks cannot make, whatever their inputs."""
    count, largest = len(settings.pool), settings.sizes[-1]
    if largest > count:
        raise SettingError(
            f"size: expected at most {count}, the number of these bricks, got {largest}: "
            f"{settings.operator} takes each brick at most once"
        )
    if settings.operator not in FROM_PATHS:
        return
    for size in settings.sizes:
        if not _can_chain(list(settings.pool.values()), size):
            raise SettingError(
                f"size: expected a length of chains that these {count} bricks can form, got {size}: "
                f"no {size} of them follow one another so that each takes the type that the one before it gives"
            )


def _can_chain(bricks: Sequence[Environment], size: int) -> bool:
    """Whether types allow a chain of so many bricks; of many bricks, one in which a brick may stand twice."""
    graph = type_graph(bricks)
    if len(bricks) > MAX_EXACT:
        return graph.paths(size)[size] > 0
    ends = {(1 << brick, brick) for brick in range(len(bricks))}  # the bricks used, and the last one
    for _ in range(1, size):
        ends = {
            (used | 1 << after, after)
            for used, last in ends
            for after in graph.followers[last]
            if not used >> after & 1
        }
    return bool(ends)
