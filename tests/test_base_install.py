"""The base install, without extras: the graph loads, and what an extra is missing for says so."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
# Modules of other distributions are not found, as if those were not installed.
HEAD = """
import sys
from importlib.machinery import PathFinder
hidden = set({hidden!r})
found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in hidden else found(name, *rest)
"""


def closure(name: str, extras: frozenset[str] = frozenset()) -> set[tuple[str, frozenset[str]]]:
    """What a distribution needs, itself included, each with the extras that are asked of it."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(name), extras)]
    while waiting:
        name, extras = each = waiting.pop()
        if each in found:
            continue
        found.add(each)
        for text in metadata.requires(name) or ():
            need = Requirement(text)
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                waiting.append((canonicalize_name(need.name), frozenset(need.extras)))
    return found


def hidden() -> list[str]:
    """The top-level modules that only distributions outside the base install bring."""
    base = {name for name, _ in closure("races")}
    installed = metadata.packages_distributions()
    return [name for name, owners in installed.items() if not base & {canonicalize_name(each) for each in owners}]


def run(script: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-W", "ignore", "-c", HEAD.format(hidden=hidden()) + script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def test_the_base_leaves_out_what_only_extras_need() -> None:
    outside = {"inspect_ai", "lm_eval", "matplotlib", "networkx", "numpy", "openai", "scipy", "sympy", "tokenizers"}
    assert outside | {"dagster_webserver", "pytest"} <= set(hidden())
    assert not {"dagster", "duckdb", "pandera", "polars", "pyarrow", "races"} & set(hidden())


def test_the_graph_loads_and_bricks_compose() -> None:
    script = """
import json
from races.assets.definitions import defs
from races.assets.cli import main
graph = [node.key.to_user_string() for node in defs.resolve_asset_graph().asset_nodes]
print(json.dumps(graph))
sys.argv = ["races", "compose", "day_of_year", "divisors", "--level", "1"]
main()
"""
    done = run(script)
    assert done.returncode == 0, done.stderr
    first, _, rest = done.stdout.partition("\n")
    assert {"training_sets", "checkpoints", "benchmark_scores", "report"} <= set(json.loads(first))
    assert "Find all positive divisors" in rest


@pytest.mark.parametrize(
    ("script", "package", "extra"),
    [
        ("from races.assets.pictures import figure; figure(1, 1)", "matplotlib", "report"),
        ("from races.resources.evaluation.statistics.overlap import Overlap; Overlap()", "numpy", "report"),
        ("sys.argv = ['races', 'audit', 'digit_sum']; from races.assets.cli import main; main()", "sympy", "audit"),
    ],
)
def test_what_needs_an_extra_names_it(script: str, package: str, extra: str) -> None:
    done = run(script)
    assert done.returncode != 0
    last: Any = done.stderr.splitlines()[-1]
    assert f"expected the package {package}" in last
    assert f"pip install 'races[{extra}]'" in last
