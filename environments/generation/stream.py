"""Problems without end from Python alone: `stream`, and `find_problem`, which makes one of them again by its key."""

import ast
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import Any

from races.environments.composition.frontier import Shard
from races.environments.errors import SettingError
from races.environments.generation.attempts import Attempt, generate_chunk
from races.environments.generation.chunks import Chunk
from races.environments.generation.settings import STYLES, Bricks, Numbers, StreamSettings, checked
from races.environments.generation.supply import Chain, Supply, chains_of
from races.environments.operators import FROM_PATHS, SIZES
from races.environments.operators.problem import AnswerStyle, Problem
from races.environments.seeding import uniform
from races.environments.types import LEVELS
from races.environments.types.base import shorten

MAX_FAILED_ATTEMPTS = 1000  # in a row; of SINGLE at least four for each brick
MAX_KEY = 100_000  # characters; a stream over all bricks by name has fewer than 20,000
_PREFIX = "stream "  # of the seeds of streamed problems
_TREES = 64  # searches whose chains find_problem keeps at hand


def stream(
    bricks: Bricks = "training",
    operator: str = "sequential",
    size: Numbers = None,
    level: Numbers = None,
    seed: int | str = 0,
    healthy: bool = True,
    style: AnswerStyle = "tags",
) -> "Stream":
    r"""Problems without end, the same for the same arguments in every process.

    bricks: the name of a sub-pool such as "core_50", or bricks of the pool, as they are or by their names.
    operator: single, sequential, parallel, sort or select.
    size: the number of bricks in a problem, or several that take turns: (3, 5) are three and five, range(3, 6) three
        to five. By default all that the operator takes.
    level: of the inputs, from 1 to 5, or several; by default all.
    seed: another one gives other problems.
    healthy: whether chains must pass the health checks that the table filtered_paths asks for.
    style: "tags" asks for <answer>...</answer>, "boxed" for \boxed{}.

    Nothing is stored or read: chains are searched for as problems are taken. No problem comes twice. Which sizes and
    levels a stream has decides which problems come, and not what any of them is.

    Raises SettingError or UnknownName for arguments that cannot work, and SettingError, with the reasons, once many
    attempts in a row have given nothing new.

    Examples:
        >>> from itertools import islice
        >>> import races
        >>> problems = races.stream(["digit_sum", "divisors"], size=2, seed=7)
        >>> [problem.size for problem in islice(problems, 3)]
        [2, 2, 2]
    """
    return Stream(checked(bricks, operator, size, level, seed, healthy, style))


class Stream(Iterator[Problem]):
    """The problems of some settings, one after another."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self.taken = 0
        self._problems = _new_problems(settings)

    def __next__(self) -> Problem:
        problem = next(self._problems)
        self.taken += 1
        return problem

    def __repr__(self) -> str:
        return f"<stream({self.settings.arguments()}), {self.taken} taken>"


def _new_problems(settings: StreamSettings) -> Iterator[Problem]:
    """Each problem once; the ids of those that were given are kept, 24 characters each."""
    seen: set[str] = set()
    failed, limit = 0, max(MAX_FAILED_ATTEMPTS, 4 * len(settings.pool))
    supply = Supply(settings) if settings.operator in FROM_PATHS else None
    drawn = _drawn(settings)
    while True:
        try:
            attempt = _from_chain(settings, next(supply)) if supply else next(drawn)
        except SettingError as error:
            raise SettingError(_ended(settings, len(seen), str(error))) from error
        problem = attempt.problem
        if problem is not None and problem.id not in seen:
            seen.add(problem.id)
            failed = 0
            if supply:
                supply.fruitless = 0
            yield problem
            continue
        failed += 1
        if supply:
            supply.reasons[attempt.reason or "given before"] += 1
        if failed == limit:
            why = supply.explanation() if supply else ": the bricks have no other inputs at these levels"
            raise SettingError(_ended(settings, len(seen), f"{limit} attempts in a row gave nothing new{why}"))


def _ended(settings: StreamSettings, given: int, why: str) -> str:
    expected = f"expected problems without end, got {given}" if given else "expected a problem, got none"
    return f"stream({settings.arguments()}): {expected}; {why}"


def _seed(settings: StreamSettings, **place: Any) -> str:
    """What the randomness of a problem is seeded from, beside its operator, size and path: enough to make it again."""
    return _seed_text({"seed": settings.seed, "bricks": settings.bricks, "style": settings.style, **place})


def _seed_text(content: dict[str, Any]) -> str:
    return _PREFIX + json.dumps(content, sort_keys=True)


def _from_chain(settings: StreamSettings, chain: Chain) -> Attempt:
    """The chain on a fresh input of its level; the start value of the search is for the search alone."""
    seed = _seed(settings, shard=[chain.shard.start, chain.shard.index])
    return _attempt(settings.operator, chain.size, seed, 1, chain)


def _drawn(settings: StreamSettings) -> Iterator[Attempt]:
    """SINGLE goes round the bricks, each time in another order; PARALLEL draws bricks and lets its sizes take turns."""
    bricks = list(settings.pool)
    order: list[int] = []
    for number in count():
        turn, place = divmod(number, len(bricks))
        if place == 0:
            order = sorted(range(len(bricks)), key=lambda each: uniform("stream", settings.seed, turn, bricks[each]))
        size = settings.sizes[number % len(settings.sizes)]
        index = turn * len(bricks) + order[place] if settings.operator == "single" else number
        level = settings.levels[int(uniform("stream level", settings.seed, number) * len(settings.levels))]
        yield _attempt(settings.operator, size, _seed(settings, level=level), index, None)


def _attempt(operator: str, size: int, seed: str, index: int, chain: Chain | None) -> Attempt:
    content = json.loads(seed.removeprefix(_PREFIX))
    chunk = Chunk(
        operator,
        size,
        seed,
        draw_indices=(index,),
        records=(chain.record,) if chain else (),
        style=content["style"],
        pool=content["bricks"],
        levels=(chain.shard.level if chain else content["level"],),
    )
    return generate_chunk(chunk).attempts[0]


def find_problem(key: str) -> Problem:
    """The streamed problem with a key, made again: Problem.key says all that it takes, but for the code of the bricks.

    It is the same problem where its fingerprints are. UnknownName where a brick is gone, SettingError where the bricks
    no longer make the problem, and for a text that is no such key.

    Examples:
        >>> import races
        >>> problem = next(races.stream(["digit_sum", "divisors"], size=2, seed=7))
        >>> races.find_problem(problem.key) == problem
        True
    """
    try:
        operator, size, index, place, path_id, seed = _parsed(key)
    except (AttributeError, KeyError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        raise SettingError(f"expected the key of a streamed problem, got {shorten(key)}") from error
    chain = None
    if operator in FROM_PATHS:
        content = json.loads(seed.removeprefix(_PREFIX))
        chain = _chain(content["bricks"], operator, content["seed"], place, size, path_id)
    attempt = _attempt(operator, size, seed, index, chain)
    if attempt.problem is None:
        raise SettingError(f"expected a problem of bricks as they were, got none from those of today: {attempt.reason}")
    return attempt.problem


def _parsed(key: str) -> tuple[str, int, int, Shard, str, str]:
    """Operator, size, index, tree, path and seed of a key; one of many exceptions where it is none."""
    if len(key) > MAX_KEY:
        raise ValueError(len(key))
    kind, seed, operator, size, path_id, index = _constants(key)
    content = json.loads(seed.removeprefix(_PREFIX))
    start, place = content["shard"] if operator in FROM_PATHS else ("", content["level"] - 1)
    if not (
        kind == "problem"
        and seed == _seed_text(content)
        and size in SIZES[operator]
        and content["style"] in STYLES
        and isinstance(content["bricks"], str)
        and isinstance(content["seed"], int | str)
        and isinstance(start, str)
        and type(place) is type(index) is int
        and place >= 0 <= index
        and (start or place < len(LEVELS))
    ):
        raise ValueError(key)
    return operator, size, index, Shard(start, place), str(path_id), seed


def _constants(text: str) -> list[Any]:
    """The members of a tuple of texts and numbers as Python writes it; nothing is evaluated."""
    written = ast.parse(text, mode="eval").body
    members = written.elts if isinstance(written, ast.Tuple) else []
    return [member.value for member in members if isinstance(member, ast.Constant)]


def _chain(bricks: str, operator: str, seed: int | str, shard: Shard, size: int, path_id: str) -> Chain:
    for chain in _tree(bricks, operator, seed, shard, size):
        if chain.record.path_id == path_id:
            return chain
    raise SettingError(f"expected a chain with the id {path_id}, got none from {shard.start}: its bricks have changed")


@lru_cache(maxsize=_TREES)
def _tree(bricks: str, operator: str, seed: int | str, shard: Shard, longest: int) -> list[Chain]:
    return chains_of(bricks, operator, seed, shard, longest)
