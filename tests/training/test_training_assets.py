"""The assets from a small set of problems to a trained model and its held-out scores, with the real back end."""

import json
import subprocess
from pathlib import Path
from statistics import fmean
from typing import Any

import dagster as dg
import pyarrow as pa
import pytest

from races.assets.catalog.recipes import PROBLEM_SETS
from races.assets.catalog.runs import RUNS, sets_of
from races.assets.checks import held_out_problems_were_not_trained_on, some_groups_were_mixed
from races.assets.definitions import definitions
from races.assets.defs.evaluation.paired_scores import paired
from races.assets.defs.training.run_rows import gain
from races.assets.tables.columns import table
from races.assets.tables.training import BaseModels
from races.environments.seeding import uniform
from races.resources.processes.interpreter import ROOT, variables
from races.resources.store.warehouse import Warehouse
from races.resources.training.config import TrainingError
from races.resources.training.verl.config import VerlSettings
from races.resources.training.verl.trainer import VerlTrainer

pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

MODEL = """
import sys, pyarrow.parquet as pq
from races.resources.training.models.folders import new_model, new_tokenizer
rows = pq.read_table(sys.argv[1], columns=["prompt", "answer"]).to_pylist()
tokenizer = new_tokenizer(text for row in rows for text in row.values())
new_model(tokenizer, 0, hidden=32, layers=1).save_pretrained(sys.argv[2])
tokenizer.save_pretrained(sys.argv[2])
"""
SMALL = {"steps": 3, "prompts": 4, "mini_batch": 2, "rollouts": 2, "response_length": 12, "save_every": 2}
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


class Graph:
    """The graph over a folder, one instance for all its runs."""

    def __init__(self, folder: Path) -> None:
        self.warehouse = Warehouse(root=str(folder / "warehouse"))
        made = definitions(str(folder / "warehouse"))
        self.job = made.resolve_implicit_global_asset_job_def()
        self.instance = dg.DagsterInstance.ephemeral()

    def run(self, *assets: str, key: str | None = None, config: dict[str, Any] | None = None) -> Any:
        return self.job.execute_in_process(
            run_config={"loggers": QUIET, "ops": {name: {"config": each} for name, each in (config or {}).items()}},
            instance=self.instance,
            asset_selection=[dg.AssetKey(each) for each in assets],
            partition_key=key,
            raise_on_error=False,
        )

    def made(self, *assets: str, key: str | None = None, config: dict[str, Any] | None = None) -> Any:
        result = self.run(*assets, key=key, config=config)
        failures = [event.step_failure_data.error.to_string() for event in result.all_events if event.is_step_failure]
        assert result.success, failures[:1]
        return result


def train(graph: Graph, model: str, **settings: Any) -> Any:
    config = {"training": {"model": model, "settings": SMALL | settings}}
    return graph.run("training_runs", "rollouts", "checkpoints", key="micro", config=config)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, training_python: str) -> tuple[Graph, str]:
    folder = tmp_path_factory.mktemp("training")
    graph = Graph(folder)
    for name in ("micro", "micro_depths", "micro_bricks"):
        graph.made("problem_sets", key=name, config={"problem_sets": {"per_cell": 40, "workers": 2}})
    graph.made("training_sets", key="micro_races")
    rows, _ = graph.warehouse.file("problem_sets", {"problem_set": "micro"})
    model = str(folder / "start")
    subprocess.run([training_python, "-c", MODEL, str(rows), model], env=variables(), check=True, cwd=ROOT)
    result = train(graph, model)
    assert result.success
    seen = [event.asset_observation_data.asset_observation for event in result.all_events if event.is_asset_observation]
    (first,) = [each for each in seen if each.asset_key == dg.AssetKey("training_runs")]
    assert first.partition == "micro"
    assert first.metadata["step"].value == 1
    assert {"reward", "reward_std", "clip_fraction", "entropy", "response_length"} <= set(first.metadata)
    row = {"folder": model, "parameters": 1, "vocabulary": 1, "warm_up_steps": 0, "greedy_score": 0.0, "weights": ""}
    graph.warehouse.write("base_models", table(BaseModels, [row], "model"), {"model": "tiny"})
    for name in ("tiny", "micro"):
        graph.made("heldout_scores", key=name, config={"heldout_scores": {"per_cell": 5, "batch": 16}})
    graph.made("heldout_differences")
    return graph, model


def test_a_run_leaves_its_curve_its_rollouts_and_a_model(trained: tuple[Graph, str]) -> None:
    graph, model = trained
    steps = graph.warehouse.read("training_runs").to_pylist()
    assert [row["step"] for row in steps] == [1, 2, 3]
    assert all(0 <= row["reward"] <= 1 and row["tokens"] > 0 and row["seconds"] > 0 for row in steps)
    (row,) = graph.warehouse.read("checkpoints").to_pylist()
    assert (row["last_step"], row["backend"], row["recipe"]) == (3, "torch", "micro_races")
    assert (Path(row["folder"]) / "config.json").exists()
    assert json.loads(row["config"])["steps"] == 3
    assert json.loads(row["config"])["model"] == model
    rollouts = graph.warehouse.read("rollouts").to_pylist()
    assert {row["step"] for row in rollouts} == {1}
    assert len(rollouts) == 4 * 2
    assert {row["operator"] for row in rollouts} <= {"sequential", "parallel"}
    assert {row["status"] for row in rollouts} <= {"scored", "unparseable"}


def test_the_same_run_again_is_not_trained_again_and_another_one_keeps_the_old_folder(
    trained: tuple[Graph, str],
) -> None:
    graph, model = trained
    (before,) = graph.warehouse.read("checkpoints").to_pylist()
    folder = Path(before["folder"])
    written = (folder / "model.safetensors").stat().st_mtime_ns
    assert train(graph, model).success
    assert (folder / "model.safetensors").stat().st_mtime_ns == written
    assert graph.warehouse.read("checkpoints").to_pylist() == [before]


def test_settings_that_cannot_work_are_refused_before_anything_starts(trained: tuple[Graph, str]) -> None:
    graph, model = trained
    for settings, expected in (({"mini_batch": 3}, "divides the 4 prompts"), ({"prompts": 5000}, "at least 5000 rows")):
        result = train(graph, model, **settings)
        said = [event.step_failure_data.error.to_string() for event in result.all_events if event.is_step_failure]
        assert not result.success
        assert expected in said[0]
    assert graph.warehouse.read("checkpoints")["last_step"].to_pylist() == [3]


def test_held_out_scores_tell_what_is_unseen_and_share_no_problem_with_training(trained: tuple[Graph, str]) -> None:
    graph, _ = trained
    rows = graph.warehouse.read("heldout_scores", {"checkpoint": "micro"}).to_pylist()
    seen = {(row["operator"], row["size"]): row["unseen"] for row in rows if row["problem_set"] == "micro_depths"}
    assert seen["single", 1] == "operator"
    assert (seen["sequential", 2], seen["sequential", 4]) == ("inputs", "size")
    assert (seen["parallel", 2], seen["parallel", 3]) == ("inputs", "size")
    assert {row["unseen"] for row in rows if row["problem_set"] == "micro_bricks"} == {"bricks"}
    assert {row["problem_set"] for row in rows} == set(sets_of("micro"))
    assert held_out_problems_were_not_trained_on(graph.warehouse).passed
    taught = set(graph.warehouse.read("problem_sets", {"problem_set": "micro"}, ["id"])["id"].to_pylist())
    assert not taught & {row["id"] for row in rows}
    # Small sets may miss one another by chance: every problem must lie on its side of the split.
    for row in graph.warehouse.read("problem_sets", columns=["id", "problem_set"]).to_pylist():
        assert PROBLEM_SETS[row["problem_set"]].held_out == (uniform("held out", row["id"]) < 0.1)


def test_differences_are_paired_by_problem(trained: tuple[Graph, str]) -> None:
    graph, _ = trained
    rows = {
        name: {row["id"]: row for row in graph.warehouse.read("heldout_scores", {"checkpoint": name}).to_pylist()}
        for name in ("tiny", "micro")
    }
    found = graph.warehouse.read("heldout_differences").to_pylist()
    assert {row["checkpoint"] for row in found} == {"micro"}
    for row in found:
        if row["size"]:
            ids = [
                key
                for key, each in rows["micro"].items()
                if (each["unseen"], each["operator"], each["size"]) == (row["unseen"], row["operator"], row["size"])
            ]
            changes = [rows["micro"][key]["score"] - rows["tiny"][key]["score"] for key in ids]
            assert row["problems"] == len(ids)
            assert row["difference"] == pytest.approx(fmean(changes))


def test_the_interval_of_a_paired_difference_is_students() -> None:
    # By hand: differences 0, 0, 1, 1 have mean 1/2 and standard error sqrt((4 * 1/4) / 3 / 4) = 0.288675; with three
    # degrees of freedom the 97.5 % point of Student's t is 3.182446.
    found = paired([(0, 0), (0, 0), (0, 1), (0, 1)])
    assert found["standard_error"] == pytest.approx(0.288675, abs=1e-6)
    assert found["low"] == pytest.approx(0.5 - 3.182446 * 0.288675, abs=1e-5)
    assert found["high"] == pytest.approx(0.5 + 3.182446 * 0.288675, abs=1e-5)


def test_the_gain_of_a_run_compares_its_first_and_last_twenty_steps() -> None:
    # By hand: ten 0 and ten 1 have the variance 5 / 19, so the error of the difference is sqrt(2 * 5 / 19 / 20).
    assert gain([0.0] * 20 + [0.5] * 27 + [1.0] * 20) == (0.0, 1.0, 0.0)
    assert gain([0.0, 1.0] * 30) == pytest.approx((0.5, 0.5, 0.162221), abs=1e-6)


def test_no_step_of_a_short_run_is_at_both_of_its_ends() -> None:
    assert gain([0.0] * 3 + [0.5] * 3 + [1.0] * 3) == (0.0, 1.0, 0.0)
    assert gain([0.0, 1.0]) == (0.0, 1.0, 0.0)
    assert gain([0.25]) == (0.25, 0.25, 0.0)


def test_verl_refuses_a_bound_that_it_does_not_have(tmp_path: Path) -> None:
    asked = RUNS["analysis_4b"].training("anything").model_copy(update={"tokens": 5})
    with pytest.raises(TrainingError, match="no token limit"):
        VerlTrainer(VerlSettings()).check(asked, [tmp_path / "rows.parquet"])


def test_every_run_is_measured_on_held_out_sets_alone() -> None:
    for run in RUNS.values():
        assert run.measured_on
        assert all(PROBLEM_SETS[name].held_out for name in run.measured_on)
        run.training("anything")


def test_a_run_in_which_no_group_was_mixed_is_told_of(tmp_path: Path) -> None:
    warehouse = Warehouse(root=str(tmp_path))
    for shares, passed in (([0.0, 0.0], False), ([0.0, 0.25], True), ([None, None], True)):
        mixed = pa.table({"mixed_groups": pa.array(shares, pa.float64())})
        warehouse.write("training_runs", mixed, {"run": "micro"})
        found = some_groups_were_mixed(warehouse)
        assert found.passed is passed
        assert found.metadata["runs_that_learned_nothing"].value == ("none" if passed else "micro")
