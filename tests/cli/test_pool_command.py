"""`races pool`: which bricks are listed, and how."""

import csv
import io
import json

import pytest

from races.assets.cli.console import print_table
from races.environments import get, pool
from tests.support.command_line import (
    printed,
    refused,
)


def test_the_pool_is_listed_with_counts() -> None:
    lines = printed("pool").splitlines()
    assert lines[0].split() == ["name", "signature", "theme", "statement"]
    assert sum(line.split()[0] in pool() for line in lines[2:-1]) == len(pool())
    assert lines[-1].startswith(f"bricks: {len(pool())} of {len(pool())}, ")


def test_the_pool_is_filtered_by_all_that_is_asked() -> None:
    expected = [each.name for each in pool().values() if each.domain.name == "IntPair" and each.codomain.name == "Nat"]
    found = json.loads(printed("pool", "--domain", "IntPair", "--codomain", "Nat", "--json"))
    assert [each["name"] for each in found] == expected
    assert [each["name"] for each in json.loads(printed("pool", "--search", "GCD_pair", "--json"))] == ["gcd_pair"]
    themes = {each["theme"] for each in json.loads(printed("pool", "--theme", "arithmetic", "--json"))}
    assert themes == {"arithmetic"}
    assert "bricks: 0 of" in printed("pool", "--search", "no statement says this")


def test_the_pool_as_csv_has_whole_statements_and_fingerprints() -> None:
    rows = list(csv.DictReader(io.StringIO(printed("pool", "--csv"))))
    assert [row["name"] for row in rows] == list(pool())
    assert all(row["statement"] == get(row["name"]).statement for row in rows)
    assert rows[0]["fingerprint"] == get(rows[0]["name"]).fingerprint


def test_unknown_themes_and_types_are_suggested() -> None:
    assert "there is no theme 'arithmetics': did you mean arithmetic" in refused("pool", "--theme", "arithmetics")
    assert "there is no type 'IntLists': did you mean IntList" in refused("pool", "--codomain", "IntLists")


def test_a_table_shows_what_looks_like_markup_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["name"], [["[red]a[/red] :smile:"]])
    assert "[red]a[/red] :smile:" in capsys.readouterr().out
