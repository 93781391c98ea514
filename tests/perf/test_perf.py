import json
from pathlib import Path

import pytest

from perf.__main__ import AREAS, main
from perf.measure import Measurement
from perf.strategies import STRATEGIES, cut
from races.environments.composition.balance import evenness
from races.environments.subpools import subpool

IN_THIS_PROCESS = ["single", "reasoning-gym", "sequential", "search", "strategies", "scoring", "guessing", "latency"]


def test_a_quick_run_prints_and_writes_measurements_of_every_area(tmp_path: Path, capsys):
    """Those that start processes of their own (`cold`, `million`) take too long here."""
    file = tmp_path / "perf.json"
    asked = [word for name in IN_THIS_PROCESS for word in ("--only", name)]
    assert main(["--quick", "--json", str(file), *asked]) == 0
    written = json.loads(file.read_text())
    assert set(IN_THIS_PROCESS) < set(AREAS)
    assert {each["area"] for each in written["measurements"]} == set(IN_THIS_PROCESS)
    measured = [each for each in written["measurements"] if each["verdict"] != "not measured"]
    # What two processes take together is a difference of clocks, which a quick run may read as negative.
    assert all(each["measured"] > 0 for each in measured if "both processes" not in each["name"])
    assert "the median brick" in capsys.readouterr().out


def test_a_verdict_follows_from_the_target():
    assert Measurement("a", "rate", 3.0, "items/s", 2.0).verdict == "met"
    assert Measurement("a", "rate", 1.0, "items/s", 2.0).verdict == "MISSED"
    assert Measurement("a", "time", 1.0, "s", 2.0, ceiling=True).verdict == "met"
    assert Measurement("a", "time", 3.0, "s", 2.0, ceiling=True).verdict == "MISSED"
    assert Measurement("a", "rate", 1.0, "items/s").verdict == ""
    assert Measurement("a", "rate", None, "items/s", 2.0).verdict == "not measured"


def test_what_a_search_finds_at_equal_work_depends_on_its_seed_and_budget_alone():
    bricks = subpool("core_50")
    budgets = (2_000, 6_000)
    first, second = (
        cut(bricks, "balanced", "subtype", "test", budgets),
        cut(bricks, "balanced", "subtype", "test", budgets),
    )
    assert [(c.runs, c.found, c.healthy) for c in first] == [(c.runs, c.found, c.healthy) for c in second]
    assert cut(bricks, "balanced", "subtype", "test", budgets[1:])[0].healthy == first[1].healthy
    assert cut(bricks, "balanced", "subtype", "other", budgets)[1].healthy != first[1].healthy
    for strategy in STRATEGIES:
        small, large = cut(bricks, strategy, "subtype", "test", budgets)
        # A tree of this pool takes hundreds of runs, and the last one is grown to its end.
        assert 0 <= small.runs - budgets[0] < 2_000
        assert 0 <= large.runs - budgets[1] < 2_000
        assert set(small.healthy) < set(large.healthy)
        assert len(set(large.healthy)) == len(large.healthy) < large.found
        assert set(large.use) <= set(bricks)
        assert sum(large.use.values()) == sum(map(len, large.healthy))
        assert {pair[0] for pair in large.type_pairs} <= large.types


def test_evenness_is_one_for_equal_counts_and_less_for_others():
    assert evenness({"a": 3, "b": 3, "c": 3}, 3) == pytest.approx(1)
    assert evenness({"a": 4, "b": 4}, 4) == pytest.approx(0.5)  # entropy log 2 by its largest value log 4
    assert evenness({"a": 9, "b": 1}, 2) < 0.5
    assert evenness({}, 3) == evenness({"a": 5}, 1) == 0
