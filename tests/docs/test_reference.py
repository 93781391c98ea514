"""The reference of the Python API: every entry is there, has an example, and the example gives what it shows."""

import doctest
import re
from pkgutil import resolve_name
from types import ModuleType

import pytest

import races
from tests.support.pages import ROOT

ENTRY = re.compile(r"^::: (\S+)$", re.MULTILINE)
PAGES = {page.stem: page.read_text() for page in sorted((ROOT / "docs" / "reference").glob("*.md"))}
ENTRIES = [name for text in PAGES.values() for name in ENTRY.findall(text)]


def failures_of(name: str, entry: object) -> tuple[int, str]:
    """The examples of an entry that give something else, with what they gave; -1 where there are none."""
    printed: list[str] = []
    (test,) = doctest.DocTestFinder(recurse=False, exclude_empty=False).find(
        entry, name, module=False, globs={"__name__": __name__}
    )
    if not test.examples:
        return -1, "no example"
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append).failed
    return failed, "".join(printed)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_has_an_example_that_gives_what_it_shows(name: str) -> None:
    failed, printed = failures_of(name, resolve_name(name))
    assert failed == 0, printed


def test_an_entry_without_an_example_and_one_with_a_wrong_one_are_noticed() -> None:
    def without() -> None:
        """Do nothing."""

    def wrong() -> None:
        """Add.

        >>> 1 + 1
        3
        """

    assert failures_of("without", without)[0] == -1
    assert failures_of("wrong", wrong)[0] == 1


def test_the_package_hands_out_what_it_names_and_the_reference_has_all_of_it() -> None:
    assert {f"races.{name}" for name in races.__all__} <= set(ENTRIES)
    assert all(getattr(races, name) is not None and name in dir(races) for name in races.__all__)
    assert not any(isinstance(getattr(races, name), ModuleType) for name in races.__all__)
    assert len(ENTRIES) == len(set(ENTRIES))
    with pytest.raises(AttributeError, match="module 'races' has no attribute 'gett'"):
        races.gett  # noqa: B018  # the look-up is what is tested


def test_the_example_of_the_package_gives_what_it_shows() -> None:
    failed, printed = failures_of("races", races)
    assert failed == 0, printed


def test_the_first_page_links_to_every_other() -> None:
    assert set(re.findall(r"\((\w+)\.md\)", PAGES["index"])) == set(PAGES) - {"index"}
