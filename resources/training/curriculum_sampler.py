"""The order of training rows under the adaptive curriculum, for the torch back end and for verl's hooks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from races.environments.curriculum import Arm, Curriculum, CurriculumSettings
from races.environments.errors import SettingError
from races.environments.seeding import generator, key_of, uniform

Extra = Mapping[str, Any]  # a row's extra_info: id, operator, size, level, and optionally theme


class CurriculumSampler:
    """Row indices, drawn arm by arm: a sampler for a DataLoader without worker processes, which would prefetch.

    rows: the extra_info of each row, in the order of the data set. An arm's rows are drawn without replacement, in an
    order seeded by their ids, before any is repeated; the drawn problems do not depend on the order of the rows or on
    the batch size. An iteration yields one epoch of indices; after a restart, the rest of the epoch.
    """

    def __init__(
        self, rows: Sequence[Extra], settings: CurriculumSettings | None = None, seed: int | None = None
    ) -> None:
        self.seed, self.length = seed, len(rows)
        ids = [_column(row, "id") for row in rows]
        self._rows_key = key_of(*sorted(ids))
        self._places: dict[Arm, list[int]] = {}
        for place in sorted(range(len(rows)), key=lambda place: uniform("curriculum rows", seed, ids[place])):
            self._places.setdefault(arm_of(rows[place]), []).append(place)
        self.curriculum = Curriculum(self._places, settings or CurriculumSettings())
        self._taken = dict.fromkeys(sorted(self._places), 0)
        self._drawn = 0

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        """The remaining indices of the epoch."""
        for _ in range(self.length - self._drawn % self.length):
            yield self.take()

    def take(self) -> int:
        """The index of the next row."""
        # Each draw has its own generator: there is no state to save, and the batch size does not matter.
        (arm,) = self.curriculum.draw(generator("curriculum", self.seed, self._drawn), 1)
        places = self._places[arm]
        place = places[self._taken[arm] % len(places)]
        self._taken[arm] += 1
        self._drawn += 1
        return place

    def update(self, outcomes: Iterable[tuple[Extra, float]]) -> None:
        """Record the outcomes of a batch, in any order: a row's extra_info and the mean score of its responses."""
        scored = [(_column(row, "id"), score, arm_of(row)) for row, score in outcomes]
        for _, score, arm in sorted(scored):
            self.curriculum.record(arm, score)

    def metrics(self) -> dict[str, float]:
        """Metrics to log with a step."""
        return {
            "curriculum/set_point": self.curriculum.set_point,
            "curriculum/retired_arms": float(len(self.curriculum.retired())),
        }

    def state_dict(self) -> dict[str, Any]:
        """The state that the next rows depend on, JSON-compatible."""
        return {
            "curriculum": self.curriculum.state(),
            "seed": self.seed,
            "rows": self._rows_key,
            "drawn": self._drawn,
            "taken": list(self._taken.values()),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Resume exactly where `state_dict` was called; SettingError for a state of other rows or settings."""
        for name, value in (("seed", self.seed), ("rows", self._rows_key)):
            if name not in state or state[name] != value:
                raise SettingError(f"curriculum sampler: expected a state with {name} {value}, got {state.get(name)}")
        self.curriculum = Curriculum.from_state(state["curriculum"], self._places, self.curriculum.settings)
        self._drawn = state["drawn"]
        self._taken = dict(zip(self._taken, state["taken"], strict=True))


def arm_of(row: Extra) -> Arm:
    """The arm that a row belongs to, by its extra_info."""
    return Arm(_column(row, "operator"), _column(row, "size"), _column(row, "level"), row.get("theme") or "")


def settings_of(values: Mapping[str, Any] | None) -> CurriculumSettings:
    """Settings from their names and values; SettingError for an unknown name."""
    values = dict(values or {})
    known = [each.name for each in fields(CurriculumSettings)]
    for name in values:
        if name not in known:
            raise SettingError(f"curriculum settings: expected some of {', '.join(known)}, got {name}")
    return CurriculumSettings(**values)


def _column(row: Extra, name: str) -> Any:
    if row.get(name) is None:
        raise SettingError(f"curriculum: expected rows whose extra_info has a {name}, got {dict(row)}")
    return row[name]
