"""Sandboxes that the tests of a process share, since each takes a second to start."""

from collections.abc import Iterator

import pytest

from races.resources.evaluation.suites import livecode
from races.resources.sandbox.sandbox import Sandbox
from tests.support.sandboxes import STRICT


@pytest.fixture(scope="session")
def running() -> Iterator[Sandbox]:
    """What honest programs run in."""
    with livecode.sandbox() as entered:
        yield entered


@pytest.fixture(scope="session")
def strict() -> Iterator[Sandbox]:
    """A sandbox with tight limits, which many cheats share one after another."""
    with Sandbox(STRICT, prelude=livecode.PRELUDE) as entered:
        yield entered
