"""The settings of a search: which keys they give, which cannot work, and which shards they make."""

from dataclasses import replace
from typing import Any

import pytest

from races.environments import pool
from races.environments.composition.frontier import (
    SearchSettings,
    Shard,
    shards,
)
from races.environments.composition.quality import HealthSettings
from races.environments.errors import SettingError
from races.environments.types import LEVELS

SETTINGS = SearchSettings(longest=5, probes=8, health=HealthSettings(distinct=4))


def test_the_key_changes_with_every_setting_but_the_number_of_roots() -> None:
    changes: list[dict[str, Any]] = [
        {"matching": "exact"},
        *[{"strategy": other} for other in ("chains", "orders", "balanced") if other != SETTINGS.strategy],
        {"filters": "paper"},
        *[{name: 7} for name in ("longest", "extensions", "tries", "frontier", "budget", "probes", "steps")],
        {"seed": "other"},
        {"pool": "other"},
        {"health": HealthSettings(alive=0.5)},
    ]
    keys = {SETTINGS.key, *[replace(SETTINGS, **each).key for each in changes]}
    assert len(keys) == len(changes) + 1
    assert replace(SETTINGS, roots=99).key == SETTINGS.key


def test_the_key_of_the_defaults_is_the_one_under_which_searches_are_stored() -> None:
    assert SearchSettings().key == "479284dcf32ad0a964b245fc"


@pytest.mark.parametrize("name", ["longest", "extensions", "tries", "frontier", "budget", "roots", "steps"])
def test_a_setting_that_cannot_work_is_refused(name: str) -> None:
    zero: dict[str, Any] = {name: 0}
    with pytest.raises(SettingError, match=f"search setting {name}: expected at least 1, got 0"):
        SearchSettings(**zero)
    with pytest.raises(SettingError, match="search setting probes: expected at least"):
        SearchSettings(probes=-1)
    wrong: dict[str, Any] = {"matching": "loose"}
    with pytest.raises(SettingError, match="search setting matching: expected one of exact, subtype, got 'loose'"):
        SearchSettings(**wrong)


def test_there_are_so_many_shards_of_every_brick() -> None:
    bricks = pool().only("digit_sum", min(pool()))
    found = shards(bricks, replace(SETTINGS, roots=3))
    assert found == sorted(found)
    assert len(found) == 6
    assert {shard.level for shard in shards(bricks, SETTINGS)} == set(LEVELS)


def test_the_roots_of_a_search_have_all_levels_however_few_each_brick_has() -> None:
    for index in range(3):
        levels = [Shard(name, index).level for name in pool()]
        assert all(levels.count(level) > len(levels) / 10 for level in LEVELS)
    assert sorted(Shard("digit_sum", index).level for index in range(len(LEVELS))) == list(LEVELS)
