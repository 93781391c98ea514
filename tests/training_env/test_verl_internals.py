"""What is used of verl beyond its public interface is there, and means what it meant."""

import importlib.util
import inspect
from types import SimpleNamespace

import pytest

from races.resources.training.verl import internals

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the packages of verl"),
    pytest.mark.filterwarnings("default"),  # those of verl's many packages are not ours to mend
]


def test_the_registry_has_the_engine_that_runs_use() -> None:
    assert "vllm" in internals.rollout_names()


def test_a_buffer_gets_a_method_of_its_trainer_whose_data_set_is_the_training_set() -> None:
    from verl.trainer.ppo.v1 import replay_buffer, trainer_base

    assert "refill_fn" in inspect.signature(replay_buffer.ReplayBuffer.__init__).parameters
    source = inspect.getsource(trainer_base)
    assert "refill_fn=self._add_prompts_to_generate" in source
    assert "self.train_dataset = " in source

    class Trainer:
        train_dataset = "rows"

        def add(self) -> None:
            pass

    assert internals.training_dataset(SimpleNamespace(refill_fn=Trainer().add)) == "rows"
    assert internals.training_dataset(SimpleNamespace(refill_fn=None)) is None
