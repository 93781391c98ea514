"""An adaptive curriculum: which arms (operator, size, level) to draw problems from, so that their accuracy is a target.

Group-relative training learns from a problem only where its responses differ: of groups of n independent ones a share
1 - p^n - (1 - p)^n is mixed, and the variance of a reward of 0 or 1 is p(1 - p). Both are largest at an accuracy of
one half, and nothing is learnt at 0 or 1. So arms near a target are drawn most, and the target is 0.5 unless set
otherwise.

The law is proportional control of accuracy. With a_i the estimated accuracy of arm i and A the mean accuracy of what
was drawn lately,

    set point = target + gain * (target - A)
    w_i = exp(-(a_i - aim)^2 / (2 * width^2))

with the aim in [0, 1] at which the next draws are expected to meet the set point. While what is drawn comes out too
easy, the set point lies below the target and harder arms are drawn; while it is too hard, easier ones. Moving the aim
is exponential tilting: of all weights that meet the set point, these are the nearest in relative entropy to those
whose aim is the target itself, whatever the pool has many or few of. Where all arms are too hard or too easy for any
aim to meet it, the nearer end of [0, 1] is taken. A deviation that wrong estimates leave is divided by 1 + gain. A
whole batch is drawn before its scores are known, and A may follow within one batch: a gain of at most 1 cannot build
up oscillations even then, which is why 1 is the default; a larger one needs a half-life of several batches.

Estimates fade with the half-life, counted in outcomes of the whole curriculum: what was seen long ago says little
about the learner of today. An arm with little data, or only old, leans on its neighbours, arms of the same operator of
nearby size and level; where there are none it is taken to be at the target, so that it is tried.

An arm whose last outcomes were all 0, or all 1, is retired and only probed; a single outcome that differs brings it
back, be it for ability that grew or for what was forgotten.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field
from operator import mul
from random import Random
from typing import Any

from races.environments.errors import InvalidValue, SettingError, UnknownName
from races.environments.seeding import key_of

REACH = 4  # steps of size, level and theme over which an arm still leans on another
BISECTIONS = 24  # of the aim; it is then known to a ten-millionth


@dataclass(frozen=True, order=True)
class Arm:
    """Problems of one operator, size and level.

    theme: of the bricks, "" for any theme.

    Examples:
        >>> from races.environments.curriculum import Arm
        >>> Arm("sequential", size=4, level=1)
        Arm(operator='sequential', size=4, level=1, theme='')
    """

    operator: str
    size: int
    level: int
    theme: str = ""


@dataclass(frozen=True)
class CurriculumSettings:
    """How the curriculum steers; SettingError for what cannot work.

    target: mean accuracy of what is drawn.
    gain: how strongly a deviation from it is countered; 0 is no feedback.
    width: standard deviation, in accuracy, of the weights about the aim.
    half_life: outcomes after which an outcome counts half.
    lean: outcomes that the neighbours of an arm count for together, at most.
    floor: share of the draws that is spread evenly over all live arms.
    retire_after: equal outcomes in a row, all 0 or all 1, that retire an arm; an outcome is the mean of a whole group
        of responses.
    probes: share of the draws that is spread evenly over the retired arms.

    Examples:
        >>> from races.environments.curriculum import CurriculumSettings
        >>> CurriculumSettings(target=0.3).target
        0.3
    """

    target: float = 0.5
    gain: float = 1.0
    width: float = 0.15
    half_life: float = 512
    lean: float = 4.0
    floor: float = 0.1
    retire_after: int = 16
    probes: float = 0.02

    def __post_init__(self) -> None:
        for name, works, expected in (
            ("target", 0 < self.target < 1, "a number between 0 and 1"),
            ("gain", 0 <= self.gain < math.inf, "a number of at least 0"),
            ("width", 0 < self.width < math.inf, "a number above 0"),
            ("half_life", 1 <= self.half_life < math.inf, "at least 1 outcome"),
            ("lean", 0 < self.lean < math.inf, "a number above 0"),
            ("floor", 0 < self.floor <= 1, "a share above 0 and at most 1"),
            ("retire_after", self.retire_after >= 1, "at least 1 outcome"),
            ("probes", 0 < self.probes < 1, "a share between 0 and 1"),
        ):
            if not works:
                raise SettingError(f"curriculum setting {name}: expected {expected}, got {getattr(self, name)}")


@dataclass
class Tally:
    """Outcomes with fading weights.

    weight: their sum of weights.
    total: their weighted sum of scores.
    """

    weight: float = 0.0
    total: float = 0.0

    def add(self, score: float) -> None:
        self.weight += 1.0
        self.total += score

    def fade(self, factor: float) -> None:
        self.weight *= factor
        self.total *= factor


@dataclass
class Record(Tally):
    """The outcomes of an arm.

    edge: its last score, where that is 0 or 1, else None.
    streak: how often that came in a row.
    """

    streak: int = 0
    edge: float | None = None

    def add(self, score: float) -> None:
        super().add(score)
        edge = score if score in (0.0, 1.0) else None
        self.streak = 0 if edge is None else self.streak + 1 if edge == self.edge else 1
        self.edge = edge


@dataclass
class Curriculum:
    """Draws arms and learns from their scores. What it draws depends on its state and the generator passed in alone.

    Examples:
        >>> from races.environments.curriculum import Arm, Curriculum
        >>> from races.environments.seeding import generator
        >>> curriculum = Curriculum([Arm("sequential", size, 1) for size in (2, 4, 6, 8)])
        >>> for index in range(200):
        ...     (arm,) = curriculum.draw(generator("arms", index), 1)
        ...     curriculum.record(arm, 1.0 - arm.size / 10)
        >>> max(curriculum.weights(), key=curriculum.weights().get).size in (4, 6)
        True
    """

    arms: Iterable[Arm]
    settings: CurriculumSettings = field(default_factory=CurriculumSettings)

    def __post_init__(self) -> None:
        arms = list(self.arms)
        self.arms = tuple(sorted(set(arms)))
        if not arms or len(arms) != len(self.arms):
            raise SettingError(f"curriculum arms: expected at least one and each once, got {len(arms)} with repeats")
        self._place = {arm: place for place, arm in enumerate(self.arms)}
        self._near = [_neighbours(arm, self._place) for arm in self.arms]
        self._records = [Record() for _ in self.arms]
        self._drawn = Tally()
        self._chances: list[float] | None = None

    def draw(self, rng: Random, count: int) -> list[Arm]:
        """Arms to generate problems of, drawn with replacement."""
        return rng.choices(tuple(self._place), list(self.weights().values()), k=count)

    def record(self, arm: Arm, score: float) -> None:
        """Learn the mean score, from 0 to 1, of one problem's responses.

        UnknownName for another arm, InvalidValue for another score.
        """
        if arm not in self._place:
            raise UnknownName(f"the curriculum has no arm {arm}")
        if not 0 <= score <= 1:
            raise InvalidValue(f"curriculum: expected a score from 0 to 1 for {arm}, got {score}")
        fading = 0.5 ** (1 / self.settings.half_life)
        for tally in (self._drawn, *self._records):
            tally.fade(fading)
        self._drawn.add(score)
        self._records[self._place[arm]].add(float(score))
        self._chances = None

    @property
    def set_point(self) -> float:
        """The accuracy that the next draws are to have; it may lie outside [0, 1] where the last ones were far off."""
        target = self.settings.target
        if not self._drawn.weight:
            return target
        return target + self.settings.gain * (target - self._drawn.total / self._drawn.weight)

    def retired(self) -> frozenset[Arm]:
        """The arms that are only probed."""
        return frozenset(arm for arm, retired in zip(self._place, self._retired(), strict=True) if retired)

    def estimates(self) -> dict[Arm, float]:
        """The accuracy of each arm as far as it is known."""
        return dict(zip(self._place, self._estimates(), strict=True))

    def weights(self) -> dict[Arm, float]:
        """The chance of each arm, in the order of the arms; they add up to 1. Uniform once every arm is retired."""
        if self._chances is None:
            self._chances = self._weighed()
        return dict(zip(self._place, self._chances, strict=True))

    def _retired(self) -> list[bool]:
        return [record.streak >= self.settings.retire_after for record in self._records]

    def _estimates(self) -> list[float]:
        found = []
        for own, neighbours in zip(self._records, self._near, strict=True):
            near = Tally()
            for place, nearness in neighbours:
                near.weight += nearness * self._records[place].weight
                near.total += nearness * self._records[place].total
            # Many neighbours together count no more than `lean` outcomes; one at the target stands for what is unknown.
            share = self.settings.lean / max(self.settings.lean, near.weight)
            weight = own.weight + share * near.weight + 1
            found.append((own.total + share * near.total + self.settings.target) / weight)
        return found

    def _weighed(self) -> list[float]:
        retired, estimates = self._retired(), self._estimates()
        resting = sum(retired)
        lively = len(retired) - resting
        if not lively:
            return [1 / resting] * resting
        probes = self.settings.probes if resting else 0.0
        evenly, freely = (1 - probes) * self.settings.floor, (1 - probes) * (1 - self.settings.floor)
        least = [probes / resting if rests else evenly / lively for rests in retired]
        if not freely:
            return least
        # What is free to move must come out at this accuracy for all draws together to meet the set point.
        wanted = (self.set_point - sum(map(mul, least, estimates))) / freely
        live = [estimate for estimate, rests in zip(estimates, retired, strict=True) if not rests]
        shares = iter(_meeting(wanted, live, self.settings.width))
        return [low if rests else low + freely * next(shares) for low, rests in zip(least, retired, strict=True)]

    def state(self) -> dict[str, Any]:
        """Everything that the next draws depend on, as JSON; `from_state` continues exactly."""
        body = {
            "settings": asdict(self.settings),
            "arms": [list(astuple(arm)) for arm in self._place],
            "records": [list(astuple(record)) for record in self._records],
            "drawn": list(astuple(self._drawn)),
        }
        return {**body, "check": _check(body)}

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], arms: Iterable[Arm], settings: CurriculumSettings | None = None
    ) -> "Curriculum":
        """The curriculum that was saved; SettingError for a state that is damaged or of other settings or arms."""
        curriculum = cls(arms, settings or CurriculumSettings())
        body = {name: value for name, value in state.items() if name != "check"}
        if set(body) != {"settings", "arms", "records", "drawn"} or state.get("check") != _check(body):
            raise SettingError("curriculum state: expected one that `state` gave, got one that is damaged")
        for name, value in asdict(curriculum.settings).items():
            if body["settings"].get(name) != value:
                raise SettingError(
                    f"curriculum state: expected one with {name} {value}, got {body['settings'].get(name)}"
                )
        other = sorted({Arm(*arm) for arm in body["arms"]} ^ set(curriculum._place))
        if other:
            raise SettingError(f"curriculum state: expected one of the same arms, got one that differs in {other[0]}")
        curriculum._records = [Record(*record) for record in body["records"]]
        curriculum._drawn = Tally(*body["drawn"])
        return curriculum


def _meeting(wanted: float, accuracies: list[float], width: float) -> list[float]:
    """Shares about the aim at which the mean accuracy is the wanted one, or as near to it as an aim in [0, 1] comes."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        aim = (low + high) / 2
        # The mean grows with the aim: its slope is the variance of the accuracies over width squared.
        if sum(map(mul, _about(aim, accuracies, width), accuracies)) < wanted:
            low = aim
        else:
            high = aim
    return _about((low + high) / 2, accuracies, width)


def _about(aim: float, accuracies: list[float], width: float) -> list[float]:
    """Shares that fall with the distance from the aim and add up to 1."""
    squares = [(accuracy - aim) ** 2 for accuracy in accuracies]
    # Relative to the nearest arm, so that one at least has weight 1 however narrow the width is.
    nearest, scale = min(squares), 2 * width**2
    weights = [math.exp((nearest - square) / scale) for square in squares]
    whole = sum(weights)
    return [weight / whole for weight in weights]


def _neighbours(arm: Arm, places: Mapping[Arm, int]) -> list[tuple[int, float]]:
    """How much other arms of the operator say about an arm: half as much with every step of size, level or theme."""
    found = []
    for other, place in places.items():
        steps = abs(arm.size - other.size) + abs(arm.level - other.level) + (arm.theme != other.theme)
        if other.operator == arm.operator and 0 < steps <= REACH:
            found.append((place, 0.5**steps))
    return found


def _check(body: Mapping[str, Any]) -> str:
    return key_of("curriculum", json.dumps(body, sort_keys=True))
