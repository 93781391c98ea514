"""The curriculum as an order of rows, in a plain loop."""

import json
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from races.environments.curriculum import Arm, CurriculumSettings
from races.environments.errors import SettingError
from races.environments.seeding import generator
from races.resources.training.curriculum_sampler import CurriculumSampler, arm_of, settings_of
from tests.support.curriculum_rows import EXTRAS, score, steps


def test_each_row_of_an_arm_comes_once_before_one_comes_again() -> None:
    sampler = CurriculumSampler(EXTRAS, seed=1)
    rows_of: dict[Arm, list[str]] = {}
    for _ in range(600):
        row = EXTRAS[sampler.take()]
        rows_of.setdefault(arm_of(row), []).append(row["id"])
    sizes = Counter(map(arm_of, EXTRAS))
    assert set(rows_of) == set(sizes)
    for arm, ids in rows_of.items():
        for begin in range(0, len(ids) - sizes[arm], sizes[arm]):
            assert len(set(ids[begin : begin + sizes[arm]])) == sizes[arm]


def test_what_is_drawn_does_not_depend_on_the_order_of_rows_or_the_size_of_batches_but_on_the_seed() -> None:
    order = generator("rows").sample(range(len(EXTRAS)), len(EXTRAS))
    sampler = CurriculumSampler(EXTRAS, seed=1)
    mixed = CurriculumSampler([EXTRAS[place] for place in order], seed=1)
    ids = [EXTRAS[sampler.take()]["id"] for _ in range(60)]
    assert [EXTRAS[order[mixed.take()]]["id"] for _ in range(60)] == ids
    assert steps(CurriculumSampler(EXTRAS, seed=1), 1, Random(0), 60) == ids
    rows = {extra["id"]: extra for extra in EXTRAS}
    other = steps(CurriculumSampler(EXTRAS, seed=2), 1, Random(0), 60)
    assert [arm_of(rows[name]) for name in other] != [arm_of(rows[name]) for name in ids]


def test_a_batch_may_be_learnt_in_any_order() -> None:
    outcomes = [(extra, number % 5 / 4) for number, extra in enumerate(EXTRAS)]
    one, other = CurriculumSampler(EXTRAS), CurriculumSampler(EXTRAS)
    one.update(outcomes)
    other.update(reversed(outcomes))
    assert one.state_dict() == other.state_dict()
    assert one.metrics() == other.metrics()


def test_rows_come_to_the_target_accuracy() -> None:
    """A pool of accuracy 0.33 for this learner."""
    sampler = CurriculumSampler(EXTRAS, CurriculumSettings(half_life=128), seed=3)
    rng = generator("scores")
    steps(sampler, 40, rng)
    rows = {extra["id"]: extra for extra in EXTRAS}
    later = [score(rows[name], rng) for name in steps(sampler, 100, rng)]
    assert sum(later) / len(later) == pytest.approx(0.5, abs=0.06)


def test_a_saved_sampler_continues_exactly() -> None:
    sampler = CurriculumSampler(EXTRAS, seed=4)
    steps(sampler, 10, generator("a"))
    stored = json.dumps(sampler.state_dict())
    expected = steps(sampler, 10, generator("b"))
    again = CurriculumSampler(EXTRAS, seed=4)
    again.load_state_dict(json.loads(stored))
    assert steps(again, 10, generator("b")) == expected


def test_rows_settings_and_states_that_do_not_fit_are_refused() -> None:
    state = CurriculumSampler(EXTRAS, seed=1).state_dict()
    with pytest.raises(SettingError, match="a state with seed 2, got 1"):
        CurriculumSampler(EXTRAS, seed=2).load_state_dict(state)
    with pytest.raises(SettingError, match="a state with rows"):
        CurriculumSampler(EXTRAS[1:], seed=1).load_state_dict(state)
    with pytest.raises(SettingError, match=r"with target 0\.4, got 0\.5"):
        CurriculumSampler(EXTRAS, CurriculumSettings(target=0.4), seed=1).load_state_dict(state)
    with pytest.raises(SettingError, match="extra_info has a level, got"):
        CurriculumSampler([{"id": "p", "operator": "sort", "size": 2}])
    with pytest.raises(SettingError, match=r"expected some of target, .*, got aim"):
        settings_of({"aim": 0.5})
    assert arm_of({**EXTRAS[0], "theme": "sets"}) == Arm("sequential", 2, 1, "sets")
    assert settings_of(None) == CurriculumSettings()
    assert settings_of({"target": 0.6}).target == 0.6


def test_the_sampler_needs_neither_torch_nor_verl() -> None:
    code = (
        "import sys, races.resources.training.curriculum_sampler; sys.exit(bool({'torch', 'verl'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
