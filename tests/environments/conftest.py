"""What tests of environments share besides tests/conftest.py."""

from pathlib import Path

import pytest


@pytest.fixture
def shadowed(tmp_path: Path) -> Path:
    """A working directory full of modules that shadow others."""
    made = tmp_path / "shadowed"
    for name in ("races", "environments", "resources", "multiprocessing"):
        (made / name).mkdir(parents=True)
        (made / name / "__init__.py").write_text("raise ImportError('shadowed')")
    for name in ("fractions", "json", "random", "struct", "pickle", "signal", "socket", "string", "types", "heapq"):
        (made / f"{name}.py").write_text("raise ImportError('shadowed')")
    return made
