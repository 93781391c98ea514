"""What the tests of training share; nothing that they load is kept outside of their own folders."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from races.environments.isolation.guard import shared_guard
from races.resources.training.torch.warm_up import WarmUpSpec, warm_up
from tests.support.training_places import few_problems, write_rows, write_solved

# As Ray asks for by default; it reads them but once, when it is first imported.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a-token-of-these-tests-alone-0123456789"}


@pytest.fixture(scope="session", autouse=True)
def _caches_are_left_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep datasets' copies of training sets, which verl makes, out of the home folder."""
    os.environ["HF_DATASETS_CACHE"] = str(tmp_path_factory.mktemp("datasets"))


@pytest.fixture(scope="session", autouse=True)
def _no_guard_is_left() -> Iterator[None]:
    """End the process that scorers share, so that none is left running."""
    yield
    shared_guard().close()


@pytest.fixture(scope="session")
def warm_up_spec(tmp_path_factory: pytest.TempPathFactory) -> WarmUpSpec:
    """What a small model may be taught within seconds: the answers to twelve problems."""
    folder = tmp_path_factory.mktemp("taught")
    file = write_solved(folder / "solved.parquet", few_problems(), 160)
    sizes = {"steps": 200, "batch": 16, "validate_every": 5, "validation_size": 24, "response_length": 12}
    return WarmUpSpec(str(file), str(folder / "model"), str(folder / "metrics.jsonl"), target=0.4, **sizes)


@pytest.fixture(scope="session")
def warmed_up(warm_up_spec: WarmUpSpec) -> Path:
    """A small model that has some of those answers right, beside rows.parquet of the problems."""
    warm_up(warm_up_spec)
    write_rows(Path(warm_up_spec.folder).with_name("rows.parquet"), few_problems(16))
    return Path(warm_up_spec.folder)
