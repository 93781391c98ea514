"""Verifiable environments as LEGO bricks: typed functions that state a task, answer it and compose into new tasks.

>>> from environments import get
>>> brick = get("digit_sum")
>>> brick(472)
13
"""

from typing import TYPE_CHECKING, Any

from environments.core import Environment, environment
from environments.errors import OutOfDomain

if TYPE_CHECKING:
    from environments.registry import get, pool

__all__ = ["Environment", "OutOfDomain", "environment", "get", "pool"]


def __getattr__(name: str) -> Any:
    """Load the registry on first use: a theme imports this package while the registry imports the themes."""
    if name in ("get", "pool"):
        from environments import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
