import json
from pathlib import Path

from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.measure import Figure

IN_THIS_PROCESS = ["single", "reasoning-gym", "sequential", "search", "scoring", "latency"]


def test_a_quick_run_prints_and_writes_figures_of_every_benchmark(tmp_path: Path, capsys):
    """Those that start processes of their own (`cold`, `million`) take too long here."""
    file = tmp_path / "figures.json"
    asked = [word for name in IN_THIS_PROCESS for word in ("--only", name)]
    assert main(["--quick", "--json", str(file), *asked]) == 0
    written = json.loads(file.read_text())
    assert set(IN_THIS_PROCESS) < set(BENCHMARKS)
    assert {figure["benchmark"] for figure in written["figures"]} == set(IN_THIS_PROCESS)
    measured = [figure for figure in written["figures"] if figure["verdict"] != "not measured"]
    # What two processes take together is a difference of clocks, which a quick run may read as less than nothing.
    assert all(figure["measured"] > 0 for figure in measured if "both processes" not in figure["name"])
    assert "the median brick" in capsys.readouterr().out


def test_a_verdict_follows_from_the_target():
    assert Figure("a", "rate", 3.0, "items/s", 2.0).verdict == "met"
    assert Figure("a", "rate", 1.0, "items/s", 2.0).verdict == "MISSED"
    assert Figure("a", "time", 1.0, "s", 2.0, ceiling=True).verdict == "met"
    assert Figure("a", "time", 3.0, "s", 2.0, ceiling=True).verdict == "MISSED"
    assert Figure("a", "rate", 1.0, "items/s").verdict == ""
    assert Figure("a", "rate", None, "items/s", 2.0).verdict == "not measured"
