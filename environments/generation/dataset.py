"""The first problems of a stream as a data set: indexable, sliceable, and pickled as the recipe that makes it again."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any, overload

from races.environments.errors import SettingError
from races.environments.generation.cache_keys import generation_version
from races.environments.generation.settings import Bricks, Numbers, StreamSettings, checked
from races.environments.generation.stream import Stream
from races.environments.operators.problem import AnswerStyle, Problem
from races.environments.seeding import key_of
from races.environments.subpools import subpool


def dataset(
    bricks: Bricks = "training",
    operator: str = "sequential",
    size: Numbers = None,
    level: Numbers = None,
    seed: int | str = 0,
    healthy: bool = True,
    style: AnswerStyle = "tags",
    *,
    rows: int,
) -> "Dataset":
    """The first `rows` problems of the stream with the same arguments (see stream.stream).

    Problems are made when they are first asked for. SettingError and UnknownName as for streams; where the stream gives
    fewer problems than `rows`, the first access beyond them raises.

    Examples:
        >>> import races
        >>> problems = races.dataset(["digit_sum", "divisors"], size=2, seed=7, rows=10)
        >>> len(problems), problems[3].size, problems[3].score(problems[3].answer).value
        (10, 2, 1.0)
    """
    if rows < 1:
        raise SettingError(f"rows: expected an integer of at least 1, got {rows!r}")
    settings = checked(bricks, operator, size, level, seed, healthy, style)
    return Dataset(_Generated(settings), range(rows), rows)


class _Generated:
    """The problems of a stream that have been generated so far; slices of a data set share them."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self._stream = Stream(settings)
        self._problems: list[Problem] = []
        self._lock = Lock()  # threads of a data loader may ask at the same time

    def __getitem__(self, index: int) -> Problem:
        if index >= len(self._problems):
            with self._lock:
                while index >= len(self._problems):
                    self._problems.append(next(self._stream))
        return self._problems[index]


class Dataset(Sequence[Problem]):
    """Some of the first problems of a stream.

    It has what torch asks of a map-style data set: with torch's DataLoader, `collate_fn=list` gives lists of problems.
    Two are equal where their recipes and their rows are.
    """

    def __init__(self, generated: _Generated, places: range, rows: int) -> None:
        self._generated, self._places, self._rows = generated, places, rows

    @property
    def settings(self) -> StreamSettings:
        """The settings of the stream."""
        return self._generated.settings

    @property
    def call(self) -> str:
        """The Python expression that makes it again."""
        whole = f"races.dataset({self.settings.arguments()}, rows={self._rows})"
        if self._places == range(self._rows):
            return whole
        start, stop, step = self._places.start, self._places.stop, self._places.step
        return f"{whole}[{start}:{'' if stop < 0 else stop}:{step}]"

    @property
    def recipe(self) -> dict[str, str]:
        """What it takes to make it again.

        call: the Python expression.
        races: the version of the package, "" where it is not installed.
        fingerprint: a hash of the bricks and of the code that makes problems of them: where it is the same, so is every
            problem.
        """
        return {"call": self.call, "races": _version(), "fingerprint": _fingerprint(self.settings.bricks)}

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Problem: ...

    @overload
    def __getitem__(self, index: slice) -> "Dataset": ...

    def __getitem__(self, index: int | slice) -> "Problem | Dataset":
        if isinstance(index, slice):
            return Dataset(self._generated, self._places[index], self._rows)
        return self._generated[self._places[index]]

    def __iter__(self) -> Iterator[Problem]:
        return map(self._generated.__getitem__, self._places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return (self.settings, self._places) == (other.settings, other._places)

    def __hash__(self) -> int:
        return hash((self.settings, self._places))

    def __repr__(self) -> str:
        recipe = self.recipe
        return f"{self.call}  # {len(self)} problems, races {recipe['races']}, fingerprint {recipe['fingerprint']}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.settings, self._places, self._rows, _fingerprint(self.settings.bricks))

    def rows(self) -> list[dict[str, Any]]:
        """The problems in the columns that training sets have in the tables and that verl and TRL read."""
        return [problem.row(place) for place, problem in enumerate(self)]

    def to_huggingface(self) -> Any:
        """The rows as a `datasets.Dataset`; SettingError where the package `datasets` is not installed."""
        return _package("datasets").Dataset.from_list(self.rows())

    def to_torch(self) -> Any:
        """The problems as a `torch.utils.data.Dataset`; SettingError where torch is not installed."""
        return _package("torch.utils.data").Subset(self, range(len(self)))


def _restored(settings: StreamSettings, places: range, rows: int, fingerprint: str) -> Dataset:
    """An unpickled data set; SettingError where the problems would be others than those that were pickled."""
    found = _fingerprint(settings.bricks)
    made = Dataset(_Generated(settings), places, rows)
    if found != fingerprint:
        raise SettingError(
            f"expected the bricks and the code with which this data set was made, fingerprint {fingerprint}, got "
            f"{found}; make it anew: {made.call}"
        )
    return made


@cache
def _fingerprint(bricks: str) -> str:
    """A hash of the bricks of a sub-pool and of the code that makes problems of them."""
    return key_of(generation_version(), [(name, brick.fingerprint) for name, brick in subpool(bricks).items()])


def _version() -> str:
    try:
        return version("races")
    except PackageNotFoundError:
        return ""


def _package(name: str) -> Any:
    """A package that this one does not depend on."""
    try:
        return import_module(name)
    except ImportError as error:
        raise SettingError(f"expected the package {name.split('.')[0]} to be installed, got: {error}") from error
