"""Verifiable environments as LEGO bricks: typed functions that state a task, answer it and compose into new tasks.

>>> import races
>>> brick = races.get("digit_sum")
>>> brick(472)
13
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from races.environments import (
        Environment,
        OutOfDomain,
        compose,
        dataset,
        environment,
        find_problem,
        get,
        pool,
        stream,
    )

__all__ = ["Environment", "OutOfDomain", "compose", "dataset", "environment", "find_problem", "get", "pool", "stream"]


def __getattr__(name: str) -> Any:
    """Load the environments on first use: whoever needs another part of the package does not wait for them."""
    if name in __all__:
        from races import environments

        return getattr(environments, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
