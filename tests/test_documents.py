"""What the documents show is what happens today."""

import doctest
import re
from pathlib import Path

from environments.cards import GALLERY, blind_records, gallery, speed_records
from environments.registry import pool

ROOT = Path(__file__).parents[1]


def test_the_lines_of_the_readme_give_what_it_shows() -> None:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    test = doctest.DocTestParser().get_doctest(block.group(1), {}, "README.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_gallery_shows_the_bricks_as_they_are() -> None:
    # A test of the command line runs with bricks of its own; the gallery holds those of this repository.
    bricks = [each for each in pool().values() if each.function.__module__.startswith("environments.")]
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
    assert min(min(each.posed, each.scored) for each in records.values()) > 0
