"""Verifiable environments as LEGO bricks: typed functions that state a task, answer it and compose into new tasks.

>>> from races.environments import get
>>> brick = get("digit_sum")
>>> brick(472)
13
"""

if __name__ == "environments":
    raise ImportError("expected `import races.environments`, got `import environments`")

from importlib import import_module
from typing import TYPE_CHECKING, Any

from races.environments.core import Environment, environment
from races.environments.errors import OutOfDomain

if TYPE_CHECKING:
    from races.environments.composition.path import compose
    from races.environments.generation.dataset import dataset
    from races.environments.generation.stream import find_problem, stream
    from races.environments.registry import get, pool

__all__ = ["Environment", "OutOfDomain", "compose", "dataset", "environment", "find_problem", "get", "pool", "stream"]

_LAZY = {
    "compose": "composition.path",
    "dataset": "generation.dataset",
    "find_problem": "generation.stream",
    "get": "registry",
    "pool": "registry",
    "stream": "generation.stream",
}


def __getattr__(name: str) -> Any:
    """Load on first use what builds on the themes, which import this package themselves."""
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
