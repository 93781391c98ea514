"""What is used of verl beyond its public interface, in one place; for the interpreter that has verl.

tests/training_env/test_verl_internals.py fails where a new version moves or changes what is used here.
"""

from typing import Any


def rollout_names() -> set[str]:
    """The rollout engines that verl knows; its registry has no public listing."""
    from verl.workers.rollout.replica import RolloutReplicaRegistry

    return set(RolloutReplicaRegistry._registry)


def training_dataset(buffer: Any) -> Any:
    """The training set of the trainer that owns a replay buffer; None where there is none.

    verl passes the buffer nothing of its trainer but a bound method.
    """
    return getattr(getattr(buffer.refill_fn, "__self__", None), "train_dataset", None)
