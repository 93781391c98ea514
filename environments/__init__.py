"""Verifiable environments as LEGO bricks: typed functions that state a task, answer it and compose into new tasks.

>>> from races.environments import get
>>> brick = get("digit_sum")
>>> brick(472)
13
"""

if __name__ == "environments":
    raise ImportError("expected `import races.environments`, got `import environments`")

from typing import TYPE_CHECKING, Any

from races.environments.core import Environment, environment
from races.environments.errors import OutOfDomain

if TYPE_CHECKING:
    from races.environments.registry import get, pool

__all__ = ["Environment", "OutOfDomain", "environment", "get", "pool"]


def __getattr__(name: str) -> Any:
    """Load the registry on first use: a theme imports this package while the registry imports the themes."""
    if name in ("get", "pool"):
        from races.environments import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
