"""Verifiable environments as LEGO bricks: typed functions that state a task, answer it and compose into new tasks.

Examples:
    >>> import races
    >>> chain = races.compose(races.get("divisors"), races.get("mean_of_list"))
    >>> chain(175)
    Fraction(124, 3)
    >>> chain.verify("124/3", truth=chain(175))
    True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from races.environments.composition.path import compose
    from races.environments.core import Environment, environment
    from races.environments.errors import OutOfDomain
    from races.environments.generation.dataset import dataset
    from races.environments.generation.stream import find_problem, stream
    from races.environments.registry import get, pool
    from races.environments.responses.thinking import opened_in_prompt
    from races.environments.reward import RewardUnavailable, compute_score, graded, trl_reward, trl_reward_for

__all__ = [
    "Environment",
    "OutOfDomain",
    "RewardUnavailable",
    "compose",
    "compute_score",
    "dataset",
    "environment",
    "find_problem",
    "get",
    "graded",
    "opened_in_prompt",
    "pool",
    "stream",
    "trl_reward",
    "trl_reward_for",
]

_MODULES = {
    "races.environments.composition.path": ("compose",),
    "races.environments.core": ("Environment", "environment"),
    "races.environments.errors": ("OutOfDomain",),
    "races.environments.generation.dataset": ("dataset",),
    "races.environments.generation.stream": ("find_problem", "stream"),
    "races.environments.registry": ("get", "pool"),
    "races.environments.responses.thinking": ("opened_in_prompt",),
    "races.environments.reward": ("RewardUnavailable", "compute_score", "graded", "trl_reward", "trl_reward_for"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import races.resources` does not load the environments."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
