"""Data sets of this package in the hands of the libraries of training: Hugging Face's datasets, torch and verl."""

import importlib.util
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import races
from races.environments.reward import trl_reward

DATA = races.dataset("core_50", operator="sequential", size=(2, 3), level=1, seed="libraries", rows=12)
ROOT = Path(__file__).parents[2]


def test_a_hugging_face_data_set_has_the_rows() -> None:
    datasets = pytest.importorskip("datasets")
    found = DATA[2:8].to_huggingface()
    assert isinstance(found, datasets.Dataset)
    assert found.to_list() == DATA[2:8].rows()
    columns = found.to_dict()
    completions = [[{"role": "assistant", "content": each.answer}] for each in DATA[2:8]]
    assert trl_reward(completions=completions, **columns) == [1.0] * 6


@pytest.mark.parametrize("workers", [0, 2])
def test_torch_loads_problems_in_batches(workers: int) -> None:
    data = pytest.importorskip("torch.utils.data")
    for each in (DATA, DATA.to_torch()):
        loader = data.DataLoader(each, batch_size=5, num_workers=workers, collate_fn=list)
        batches = list(loader)
        assert [len(batch) for batch in batches] == [5, 5, 2]
        assert [problem for batch in batches for problem in batch] == list(DATA)
    assert isinstance(DATA.to_torch(), data.Dataset)


@pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the packages of verl")
@pytest.mark.filterwarnings("default")
def test_verl_takes_the_command_and_the_rows_of_the_example(tmp_path: Path) -> None:
    from races.resources.training.verl.worker import compose, reward_faults

    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "verl_command.py", tmp_path, "MODEL", "8"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        check=True,
        text=True,
    )
    config = compose(shlex.split(done.stdout)[3:])
    assert reward_faults(config) == []
    assert config.data.train_files == str(tmp_path / "train.parquet")
    rows = pytest.importorskip("datasets").load_dataset("parquet", data_files=config.data.train_files, split="train")
    assert len(rows) == 8
    assert json.loads(rows[0]["reward_model"]["ground_truth"])["operator"] == "sequential"


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("trl") is None, reason="needs TRL")
def test_trl_takes_the_steps_of_the_example(warmed_up: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, ROOT / "examples" / "trl_grpo.py", warmed_up, tmp_path],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        check=True,
    )
    assert list(tmp_path.glob("checkpoint-*"))
