"""What `python -m races.assets.run` makes when assets and partitions are named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from races.assets.definitions import definitions
from races.assets.run import SMALL, asked, check_asked, evaluation, everything, training

ROOT = Path(__file__).parents[2]


@pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")
def test_steps_keep_their_order_and_whole_assets_that_stand_together_are_one(tmp_path: Path) -> None:
    wanted = ["types,path_counts", "sub_pools", "training_sets:micro_races", "training_runs,rollouts:micro", "report"]
    assert asked(wanted, definitions(str(tmp_path))) == [
        (("types", "path_counts", "sub_pools"), None),
        (("training_sets",), "micro_races"),
        (("training_runs", "rollouts"), "micro"),
        (("report",), None),
    ]


def test_a_step_that_fails_ends_the_run_with_the_error_at_its_root(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DAGSTER_HOME": str(tmp_path / "home")}
    env |= {"RACES_WAREHOUSE": str(tmp_path / "store"), "DAGSTER_DISABLE_TELEMETRY": "true"}
    command = [sys.executable, "-m", "races.assets.run", "report", "training_sets:micro_races", "types"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    steps = [line.split(" s ")[-1].strip() for line in done.stdout.splitlines() if " s  " in line]
    assert steps == ["report", "training_sets [micro_races]"]
    begun = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert begun == ["[ 1/3] report", "[ 2/3] training_sets [micro_races]"]
    last = done.stdout.splitlines()[-1]
    assert last.startswith("error: ")
    assert "the warehouse has no dataset 'problem_sets': it has none yet" in last
    assert not (tmp_path / "store" / "types").exists()


@pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")
def test_every_step_of_the_three_commands_is_there(tmp_path: Path) -> None:
    defs = definitions(str(tmp_path))
    for steps in (everything(defs), training(defs), evaluation(defs)):
        assert steps[-1] == (("report",), None)
        for names, key in steps:
            for name in names:
                check_asked(name, key or "", defs)
    measured = {name for names, _ in evaluation(defs) for name in names}
    assert measured >= {"benchmark_samples", "benchmark_scores", *SMALL}
    assert not measured & {"base_models", "training_runs"}
