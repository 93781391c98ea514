"""Held-out problems: which a checkpoint is measured on, and what of them it was not trained on."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES
from races.assets.catalog.runs import RUNS
from races.environments.subpools import subpool
from races.resources.store.markdown import text
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
Group = tuple[str, str, int]  # what is unseen, operator, size


def problems_of(warehouse: Warehouse, name: str, per_cell: int) -> list[Row]:
    """The problems of a set, or the first so many of each of its cells."""
    columns = ["id", "operator", "size", "prompt", "truth", "problem_set"]
    found = warehouse.read("problem_sets", {"problem_set": name}, columns=columns).to_pylist()
    taken: dict[tuple[str, int], int] = defaultdict(int)
    kept = []
    for row in found:
        taken[row["operator"], row["size"]] += 1
        if not per_cell or taken[row["operator"], row["size"]] <= per_cell:
            kept.append(row)
    return kept


def longest_answer(checkpoint: str) -> int:
    """The tokens that an answer may have: as many as in training; a base model gets those of the runs from it."""
    if checkpoint in RUNS:
        return int(RUNS[checkpoint].config["response_length"])
    return max((int(run.config["response_length"]) for run in RUNS.values() if run.model == checkpoint), default=1024)


def weights_of(warehouse: Warehouse, checkpoint: str) -> str:
    """The folder of a checkpoint or of a base model."""
    name, dimension = ("base_models", "model") if checkpoint in BASE_MODELS else ("checkpoints", "run")
    (row,) = warehouse.read(name, {dimension: checkpoint}, columns=["folder"]).to_pylist()
    return str(row["folder"])


def unseen(checkpoint: str, problem: Row) -> str:
    """What of a problem a run was not trained on; of a base model everything is as unseen as for the runs from it."""
    run = RUNS.get(checkpoint)
    sub_pool = PROBLEM_SETS[problem["problem_set"]].sub_pool
    trained = {name for each in ([run] if run else runs_from(checkpoint)) for name in bricks_of(each.recipe)}
    if not trained & set(subpool(sub_pool)):
        return "bricks"
    if run is None:
        return "inputs"
    sizes = RECIPES[run.recipe].sizes
    if problem["operator"] not in sizes:
        return "operator"
    return "inputs" if problem["size"] in sizes[problem["operator"]] else "size"


def runs_from(model: str) -> list[Any]:
    """The runs that start from a model."""
    return [run for run in RUNS.values() if run.model == model]


def bricks_of(recipe: str) -> set[str]:
    """The bricks that a training set may hold."""
    source = RECIPES[recipe].source
    return set(subpool("training" if source == "problems" else PROBLEM_SETS[source].sub_pool))


def grouped(rows: Sequence[Row]) -> dict[Group, list[float]]:
    """The scores by what is unseen, operator and size."""
    found: dict[Group, list[float]] = defaultdict(list)
    for row in rows:
        if row["score"] is not None:
            found[row["unseen"], row["operator"], row["size"]].append(row["score"])
    return found


def means_table(means: dict[str, float]) -> str:
    """Means by name as a Markdown table."""
    return "\n".join(
        ["| problems | mean score |", "| --- | --- |", *(f"| {text(k)} | {v:.3f} |" for k, v in means.items())]
    )
