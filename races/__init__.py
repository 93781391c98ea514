"""Verifiable environments as LEGO bricks: typed functions that state a task, answer it and compose into new tasks.

>>> import races
>>> brick = races.get("digit_sum")
>>> brick(472)
13
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from races.environments import Environment, OutOfDomain, environment, get, pool

__all__ = ["Environment", "OutOfDomain", "environment", "get", "pool"]


def __getattr__(name: str) -> Any:
    """Load the environments on first use: whoever needs another part of the package does not wait for them."""
    if name in __all__:
        from races import environments

        return getattr(environments, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
