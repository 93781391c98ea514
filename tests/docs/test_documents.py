"""What the documents show is what happens today."""

import doctest
import re
import shlex
from itertools import combinations
from pathlib import Path

from click.testing import CliRunner

from races.assets.cli import main
from races.environments.audit.cards import GALLERY, blind_records, gallery, speed_records
from races.environments.composition.path import trace
from races.environments.composition.quality import HealthSettings, extended, failed_health_checks, redundant_steps
from races.environments.execution import instance
from races.environments.registry import get, pool
from races.environments.seeding import generator

ROOT = Path(__file__).parents[2]


def test_the_lines_of_the_readme_give_what_it_shows() -> None:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    test = doctest.DocTestParser().get_doctest(block.group(1), {}, "README.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_problem_of_the_readme_is_generated_and_scored_as_shown() -> None:
    text = (ROOT / "README.md").read_text()
    shown = re.search(r"```shell\n(\S*races compose .*?)\n```\n\n```text\n(.*?)\n```", text, re.DOTALL)
    assert shown is not None
    found = CliRunner().invoke(main, shlex.split(shown[1])[1:])
    assert found.output.rstrip() == shown[2]


def test_the_chains_of_the_documents_are_healthy_by_our_own_rules() -> None:
    shown = {page: (ROOT / page).read_text() for page in ("README.md", "docs/trainers.md")}
    calls = [call for text in shown.values() for call in re.findall(r"compose\(((?:races\.)?get\(.*\))\)", text)]
    chains = {tuple(re.findall(r'get\("(\w+)"\)', call)) for call in calls}
    shown["docs/tables.md"] = (ROOT / "docs/tables.md").read_text()
    for page in ("README.md", "docs/tables.md"):
        chains |= {tuple(line.split()) for line in re.findall(r"races compose ([a-z_ ]+?)(?:  | --)", shown[page])}
    assert {len(chain) for chain in chains} == {2, 3}
    for chain in chains:
        for start, end in combinations(range(len(chain) + 1), 2):
            assert faults_of(*chain[start:end]) == set(), chain[start:end]


def faults_of(*names: str) -> set[str]:
    """Why the search or the health checks would reject a chain, on 24 inputs of its first brick at level 3."""
    bricks, found, health = [get(name) for name in names], set(), None
    inputs = [instance(bricks[0], generator("documents", names[0], index), 3)[0] for index in range(24)]
    paths = [path for x in inputs if (path := trace(bricks, x)[0])]
    states = [(path.start, *path.outputs) for path in paths]
    for place, brick in enumerate(bricks):
        column = [each[place + 1] for each in states]
        health = extended(health, brick.codomain, [each[place] for each in states], column, len(inputs))
    if health is None or not paths:
        return {"never runs"}
    if sum(len(set(path.states)) < len(path.states) for path in paths) > len(paths) / 4:
        found.add("repeats a state")
    if sum(redundant_steps(bricks, each, path.states[-1]) > 0 for each, path in zip(states, paths, strict=True)):
        found.add("redundant steps")
    return found | set(failed_health_checks(health, bricks[-1].codomain, HealthSettings()))


def test_the_gallery_shows_the_bricks_as_they_are() -> None:
    # A test of the command line runs with bricks of its own; the gallery holds those of this repository.
    bricks = [each for each in pool().values() if each.function.__module__.startswith("races.")]
    assert GALLERY.read_text() == gallery(bricks), "make gallery writes it anew"


def test_the_records_of_blind_solving_are_of_the_bricks_as_they_are() -> None:
    for name, brick in pool().items():
        record = blind_records()[name]
        assert record.fingerprint == brick.fingerprint, f"{name} has changed since it was solved"
        assert record.solved >= 4
        assert record.of >= 6


def test_the_speed_of_every_brick_as_it_is_is_on_record() -> None:
    records = speed_records()
    lacking = [n for n, b in pool().items() if n not in records or records[n].fingerprint != b.fingerprint]
    assert lacking == [], "make gallery measures them"
    assert set(records) <= set(pool()), "make gallery forgets the others"
    assert min(min(each.generated, each.scored) for each in records.values()) > 0
