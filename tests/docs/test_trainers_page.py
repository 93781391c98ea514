"""The page for trainers: its programs print what it shows, and its columns and settings are the actual ones."""

import re
import sys
from pathlib import Path

from races.resources.training.config import REWARD_NAME, REWARD_PATH
from races.resources.training.rows import VERL
from tests.support.pages import ROOT, agrees, blocks, expectations, printed

PAGE = (ROOT / "docs" / "trainers.md").read_text()


def test_the_programs_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    shown = printed(PAGE, tmp_path, seconds=300, variables={"PYTHONPATH": f"{ROOT}:{tmp_path}"})
    pairs = list(expectations(PAGE))
    assert len(pairs) == 7
    for block, text in pairs:
        assert agrees(shown[block.line], text.text), f"line {block.line} printed\n{shown[block.line]}"


def test_the_page_names_every_column_and_no_other() -> None:
    table = PAGE.split("| column | content |")[1].split("\n\n")[0]
    named = {name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert named == {field.name for field in VERL}


def test_the_settings_of_verl_are_those_of_our_runs() -> None:
    (block,) = [each for each in blocks(PAGE) if each.info == "verl"]
    assert f"reward.custom_reward_function.path={REWARD_PATH}\n" in block.text
    assert f"reward.custom_reward_function.name={REWARD_NAME}\n" in block.text
