"""Modules and functions that are named as texts, for other interpreters and for verl, are where the names say."""

from importlib import import_module
from importlib.util import find_spec

import pytest

from races.resources.training.config import REWARD_NAME, REWARD_PATH
from races.resources.training.store import ANSWERING, UNPACK, WARM_UP
from races.resources.training.torch import trainer as torch_trainer
from races.resources.training.verl import config as verl_config
from races.resources.training.verl import trainer as verl_trainer

NAMES = (
    ANSWERING,
    UNPACK,
    WARM_UP,
    torch_trainer.WORKER,
    verl_trainer.WORKER,
    REWARD_PATH.removeprefix("pkg://"),
    verl_config.CURRICULUM.removeprefix("pkg://"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_that_another_process_runs_is_there(name: str) -> None:
    assert find_spec(name) is not None


def test_the_reward_is_a_function_of_its_module() -> None:
    from races.environments import reward

    assert getattr(import_module(REWARD_PATH.removeprefix("pkg://")), REWARD_NAME) is reward.compute_score
