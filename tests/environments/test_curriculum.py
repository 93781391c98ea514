"""The curriculum against learners of known ability: it follows them up and down, starves no arm, restarts exactly."""

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from races.environments.curriculum import Arm, Curriculum, CurriculumSettings
from races.environments.errors import InvalidValue, SettingError, UnknownName
from races.environments.seeding import generator

BATCH, GROUP = 32, 8
ARMS = [
    Arm(operator, size, level)
    for operator, sizes in {"sequential": range(2, 13), "parallel": range(2, 13), "sort": range(2, 7)}.items()
    for size in sizes
    for level in range(1, 6)
]
HARDER = {"sequential": 0.0, "parallel": -0.5, "sort": 1.5}  # than SEQUENTIAL, in logits


def difficulty(arm: Arm) -> float:
    return HARDER[arm.operator] + 0.6 * arm.size + 0.4 * arm.level


def accuracy(arm: Arm, ability: float) -> float:
    """The known curve: logistic in size and level."""
    return 1 / (1 + math.exp(difficulty(arm) - ability))


def train(
    curriculum: Curriculum, curve: Callable[[Arm], float], steps: int, rng: Random
) -> tuple[list[Arm], list[float]]:
    """Steps of BATCH problems; the scores of a step are known after the whole step alone, as in training."""
    drawn, scores = [], []
    for _ in range(steps):
        arms = curriculum.draw(rng, BATCH)
        results = [sum(rng.random() < curve(arm) for _ in range(GROUP)) / GROUP for arm in arms]
        for arm, score in zip(arms, results, strict=True):
            curriculum.record(arm, score)
        drawn += arms
        scores += results
    return drawn, scores


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("ability", "target"),
    [(2, 0.3), (2, 0.5), (4, 0.3), (4, 0.5), (4, 0.7), (6, 0.3), (6, 0.5), (6, 0.7), (8, 0.5), (8, 0.7)],
)
def test_accuracy_of_what_is_drawn_comes_to_within_0_04_of_the_target(ability: float, target: float) -> None:
    curriculum = Curriculum(ARMS, CurriculumSettings(target=target))
    rng = generator("learner", ability, target)
    train(curriculum, lambda arm: accuracy(arm, ability), 40, rng)
    _, scores = train(curriculum, lambda arm: accuracy(arm, ability), 60, rng)
    assert abs(mean(scores) - target) < 0.04


def test_without_a_curriculum_the_same_learners_are_far_from_the_target() -> None:
    uniform = [mean([accuracy(arm, ability) for arm in ARMS]) for ability in (2.0, 8.0)]
    assert uniform[0] < 0.2
    assert uniform[1] > 0.75


@pytest.mark.parametrize(("ability", "target", "beyond"), [(1.0, 0.8, 0.35), (10.0, 0.2, 0.75)])
def test_a_target_out_of_reach_is_approached_from_the_arms_that_are_nearest(
    ability: float, target: float, beyond: float
) -> None:
    """The easiest arm has an accuracy of 0.48 for the one, the hardest 0.69 for the other; a tenth is even."""
    curriculum = Curriculum(ARMS, CurriculumSettings(target=target, width=0.05))
    rng = generator("beyond", ability)
    train(curriculum, lambda arm: accuracy(arm, ability), 80, rng)
    _, scores = train(curriculum, lambda arm: accuracy(arm, ability), 60, rng)
    assert abs(mean(scores) - target) < abs(beyond - target)


def test_feedback_halves_the_deviation_under_a_learner_that_runs_ahead_of_its_estimates() -> None:
    deviation = {}
    for gain in (0.0, 1.0):
        curriculum = Curriculum(ARMS, CurriculumSettings(gain=gain, half_life=1024))
        rng = generator("ahead")
        train(curriculum, lambda arm: accuracy(arm, 1.5), 40, rng)
        scores = []
        for step in range(100):
            scores += train(curriculum, lambda arm, s=step: accuracy(arm, 1.5 + 0.07 * s), 1, rng)[1]  # type: ignore[misc]
        deviation[gain] = mean(scores[20 * BATCH :]) - 0.5
    assert deviation[0.0] > 0.08
    assert deviation[1.0] < 0.65 * deviation[0.0]


def test_difficulty_follows_a_learner_that_improves_and_one_that_forgets() -> None:
    """Ability rises by 4.5 logits over 100 steps and falls by 3 at once; 0.1 of the target is kept and regained."""
    curriculum = Curriculum(ARMS)
    rng = generator("growing")
    train(curriculum, lambda arm: accuracy(arm, 2.5), 40, rng)
    hardness = []
    for tenth in range(10):
        drawn, scores = train(curriculum, lambda arm, t=tenth: accuracy(arm, 2.5 + t / 2), 10, rng)  # type: ignore[misc]
        hardness.append(mean([difficulty(arm) for arm in drawn]))
        assert abs(mean(scores) - 0.5) < 0.1
    assert hardness[9] > hardness[0] + 2.5
    assert sum(later > sooner for sooner, later in pairwise(hardness)) >= 8
    train(curriculum, lambda arm: accuracy(arm, 7.0), 10, rng)
    _, dip = train(curriculum, lambda arm: accuracy(arm, 4.0), 2, rng)
    assert mean(dip) < 0.3
    train(curriculum, lambda arm: accuracy(arm, 4.0), 30, rng)
    drawn, scores = train(curriculum, lambda arm: accuracy(arm, 4.0), 20, rng)
    assert abs(mean(scores) - 0.5) < 0.1
    assert mean([difficulty(arm) for arm in drawn]) < hardness[9] - 1.5


def test_estimates_are_near_the_known_curve() -> None:
    curriculum = Curriculum(ARMS, CurriculumSettings(half_life=4000))
    train(curriculum, lambda arm: accuracy(arm, 5.0), 200, generator("estimates"))
    errors = [abs(estimate - accuracy(arm, 5.0)) for arm, estimate in curriculum.estimates().items()]
    assert mean(errors) < 0.08
    assert max(errors) < 0.3


def test_every_live_arm_is_drawn_at_the_rate_of_the_floor() -> None:
    arms = [arm for arm in ARMS if arm.operator == "sort"]
    settings = CurriculumSettings(floor=0.2, retire_after=10**9)
    curriculum = Curriculum(arms, settings)
    drawn, _ = train(curriculum, lambda arm: accuracy(arm, 3.0), 500, generator("floor"))
    rate = settings.floor / len(arms)
    expected = rate * len(drawn)
    counts = Counter(drawn)
    assert min(curriculum.weights().values()) >= rate
    assert min(counts[arm] for arm in arms) > expected - 4 * math.sqrt(expected) > 0.6 * expected


def test_an_arm_without_data_leans_on_its_neighbours_and_not_on_other_operators() -> None:
    arms = [Arm("sort", 2, 1), Arm("sort", 3, 1), Arm("sort", 6, 5), Arm("select", 3, 1)]
    curriculum = Curriculum(arms)
    for _ in range(50):
        curriculum.record(arms[0], 0.0)
    estimates = curriculum.estimates()
    assert estimates[arms[0]] < 0.02
    assert estimates[arms[1]] < 0.2
    assert estimates[arms[2]] == estimates[arms[3]] == 0.5


def test_a_theme_is_a_step_like_a_level() -> None:
    arms = [Arm("single", 1, 1, "sets"), Arm("single", 1, 1, "words"), Arm("single", 1, 2, "sets")]
    curriculum = Curriculum(arms)
    curriculum.record(arms[0], 1.0)
    estimates = curriculum.estimates()
    assert 0.5 < estimates[arms[1]] == estimates[arms[2]] < estimates[arms[0]]


@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_an_arm_that_stays_at_an_edge_is_retired_probed_and_brought_back(edge: float) -> None:
    settings = CurriculumSettings(retire_after=3, probes=0.05)
    settled, other = Arm("sort", 2, 1), Arm("sort", 3, 1)
    curriculum = Curriculum([settled, other], settings)
    for score in (edge, 0.5, edge, edge, 1 - edge, edge, edge):
        curriculum.record(settled, score)
        curriculum.record(other, 0.5)
    assert not curriculum.retired()
    curriculum.record(settled, edge)
    assert curriculum.retired() == {settled}
    assert curriculum.weights()[settled] == pytest.approx(0.05)
    assert Counter(curriculum.draw(generator("probes"), 2000))[settled] == pytest.approx(100, abs=40)
    curriculum.record(settled, 0.5)
    assert not curriculum.retired()
    assert curriculum.weights()[settled] > 0.05


@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_a_pool_that_is_all_solved_or_all_hopeless_is_drawn_evenly_until_it_changes(edge: float) -> None:
    curriculum = Curriculum(ARMS)
    rng = generator("edge", edge)
    drawn, _ = train(curriculum, lambda _: edge, 400, rng)
    assert set(drawn) == set(ARMS)
    assert curriculum.retired() == set(ARMS)
    assert set(curriculum.weights().values()) == {1 / len(ARMS)}
    assert all(math.isfinite(estimate) for estimate in curriculum.estimates().values())
    train(curriculum, lambda arm: accuracy(arm, 5.0), 150, rng)
    _, scores = train(curriculum, lambda arm: accuracy(arm, 5.0), 40, rng)
    assert abs(mean(scores) - 0.5) < 0.1


def test_an_untried_curriculum_draws_evenly_and_one_arm_is_enough() -> None:
    assert list(Curriculum(ARMS).weights().values()) == pytest.approx([1 / len(ARMS)] * len(ARMS))
    only = Arm("sort", 2, 1)
    curriculum = Curriculum([only])
    train(curriculum, lambda _: 1.0, 10, generator("one"))
    assert curriculum.draw(generator("one"), 3) == [only] * 3


def test_weights_add_up_to_one_whatever_is_retired() -> None:
    curriculum = Curriculum(ARMS, CurriculumSettings(retire_after=2, width=1e-3))
    rng = generator("sum")
    for _ in range(30):
        train(curriculum, lambda arm: accuracy(arm, 6.0), 1, rng)
        weights = curriculum.weights().values()
        assert math.isclose(sum(weights), 1, rel_tol=1e-12)
        assert min(weights) > 0


def test_a_restart_in_the_middle_draws_the_very_same() -> None:
    def curve(arm: Arm) -> float:
        return accuracy(arm, 6.0)

    whole = Curriculum(ARMS)
    train(whole, curve, 15, generator("first"))
    stored = json.dumps(whole.state())
    expected = train(whole, curve, 15, generator("second"))
    again = Curriculum.from_state(json.loads(stored), reversed(ARMS))
    assert json.dumps(again.state()) == stored
    assert train(again, curve, 15, generator("second")) == expected
    assert again.state() == whole.state()


def test_the_order_in_which_arms_are_given_changes_nothing() -> None:
    shuffled = generator("order").sample(ARMS, len(ARMS))
    one, other = Curriculum(ARMS), Curriculum(shuffled)
    results = [train(each, lambda arm: accuracy(arm, 4.0), 10, generator("draws")) for each in (one, other)]
    assert results[0] == results[1]
    assert one.state() == other.state()


HASHED = """
from races.environments.curriculum import Arm, Curriculum
from races.environments.seeding import generator, key_of

curriculum = Curriculum({
    Arm(o, size, level, t) for o in ("sort", "select") for size in (2, 3) for level in (1, 2)
    for t in "ab"
})
rng = generator("hash")
for _ in range(50):
    for arm in curriculum.draw(rng, 4):
        curriculum.record(arm, rng.randint(0, 8) / 8)
print(key_of(curriculum.state(), curriculum.draw(rng, 20)))
"""


def test_draws_do_not_depend_on_the_order_of_hashes() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", HASHED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", 0.0),
        ("target", 1.0),
        ("gain", -0.1),
        ("width", 0.0),
        ("half_life", 0.5),
        ("lean", 0.0),
        ("floor", 0.0),
        ("floor", 1.1),
        ("retire_after", 0),
        ("probes", 0.0),
        ("probes", 1.0),
        *[(name, math.nan) for name in ("target", "gain", "width", "half_life", "lean", "floor", "probes")],
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_name(name: str, value: float) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(SettingError, match=f"curriculum setting {name}: expected .*, got {value}"):
        CurriculumSettings(**wrong)


def test_arms_and_scores_that_cannot_be_are_refused() -> None:
    with pytest.raises(SettingError, match="expected at least one"):
        Curriculum([])
    with pytest.raises(SettingError, match="each once, got 2"):
        Curriculum([ARMS[0], ARMS[0]])
    curriculum = Curriculum(ARMS[:2])
    with pytest.raises(UnknownName, match="has no arm"):
        curriculum.record(ARMS[2], 0.5)
    for score in (-0.1, 1.1, math.nan):
        with pytest.raises(InvalidValue, match="expected a score from 0 to 1"):
            curriculum.record(ARMS[0], score)


def test_a_state_that_does_not_fit_or_is_damaged_is_refused() -> None:
    curriculum = Curriculum(ARMS[:3])
    curriculum.record(ARMS[0], 0.25)
    state = curriculum.state()
    with pytest.raises(SettingError, match=r"with target 0\.4, got 0\.5"):
        Curriculum.from_state(state, ARMS[:3], CurriculumSettings(target=0.4))
    with pytest.raises(SettingError, match="of the same arms, got one that differs in"):
        Curriculum.from_state(state, ARMS[:2])
    damaged = json.loads(json.dumps(state))
    damaged["records"][0][1] += 0.5
    missing = {name: value for name, value in state.items() if name != "drawn"}
    for wrong in (damaged, missing, {}, {**state, "check": "0"}, {**state, "more": 1}):
        with pytest.raises(SettingError, match="damaged"):
            Curriculum.from_state(wrong, ARMS[:3])
