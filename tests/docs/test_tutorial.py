"""The tutorial, block by block, in a copy of this repository."""

from pathlib import Path

import pytest

from tests.support.pages import ROOT, agrees, blocks, copy_of_repository, expectations, printed

TUTORIAL = ROOT / "docs" / "tutorial.md"


@pytest.mark.slow  # just under three minutes of CPU time, more than half of it the small model
def test_every_block_of_the_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    page = TUTORIAL.read_text()
    place = copy_of_repository(tmp_path / "races")
    shown = printed(page, place, seconds=1800)
    wrong = [
        f"line {block.line} printed\n{shown[block.line]}\nand not\n{text.text}"
        for block, text in expectations(page)
        if not agrees(shown[block.line], text.text)
    ]
    assert not wrong, "\n".join(wrong)
    assert (place / "reports" / "report.html").is_file()
    assert (place / "my_training_set" / "README.md").is_file()


def test_every_block_of_the_tutorial_is_run_or_compared() -> None:
    found = blocks(TUTORIAL.read_text())
    left = [each for each in found if each.info == "setup"]
    assert [each.text.splitlines() for each in left] == [
        ["git clone https://github.com/OWNER/races.git", "cd races", "make setup"]
    ]
    assert {each.language for each in found} <= {"shell", "text", "python", "toml"}
    assert all(each.info in ("", "setup") or each.info.startswith("file=") for each in found)
