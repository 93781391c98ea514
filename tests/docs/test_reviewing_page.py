"""The page for reviewers: its commands print what it shows, and the bricks that it names exist."""

import re
import sys
from pathlib import Path

from races.environments.registry import pool
from tests.support.pages import ROOT, agrees, expectations, printed

PAGE = (ROOT / "docs" / "reviewing.md").read_text()


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    shown = printed(PAGE, tmp_path, seconds=300, variables={"PYTHONPATH": str(ROOT)})
    pairs = list(expectations(PAGE))
    assert len(pairs) == 3
    for block, text in pairs:
        assert agrees(shown[block.line], text.text), f"line {block.line} printed\n{shown[block.line]}"
    assert (tmp_path / "shown.txt").read_text().count("the prompt") == 5
    assert "\nrun_lengths," in (tmp_path / "similar.csv").read_text()


def test_the_good_examples_are_bricks_whose_statements_say_what_the_page_praises() -> None:
    named = re.findall(r"^\| `(\w+)` \|", PAGE.split("## Good examples")[1], re.MULTILINE)
    assert set(named) <= set(pool())
    assert "longest possible" in pool()["run_lengths"].statement
    assert "keep its sign" in pool()["reversed_digits"].statement
    assert "0 is even" in pool()["even_and_odd_digits"].statement
