"""The arms of the experiment at CPU size, paired by problem and seed."""

from collections import defaultdict
from statistics import fmean
from typing import Any

from races.assets.catalog.models import TINY
from races.assets.catalog.runs import ARMS, SEEDS
from races.assets.defs.evaluation.paired_scores import paired
from races.assets.pictures import Picture, drawn, figure
from races.environments.errors import UnknownName
from races.resources.store.warehouse import Warehouse

Row = dict[str, Any]
Measure = tuple[str, str, int]  # problem set, operator, size
INDIVIDUAL, COMPOSITES = ARMS


def run_name(arm: str, seed: int) -> str:
    """The run of an arm and a seed."""
    return f"micro_{arm}_{seed}"


def scores_of(warehouse: Warehouse, checkpoint: str) -> dict[tuple[str, str, int, str], float]:
    """The scores of a checkpoint by problem set, operator, size and id."""
    partition = {"checkpoint": checkpoint}
    if not warehouse.exists("heldout_scores", partition):
        raise UnknownName(f"expected heldout_scores of {checkpoint}, got none; materialise that partition first")
    columns = ["problem_set", "operator", "size", "id", "score"]
    rows = warehouse.read("heldout_scores", partition, columns=columns).to_pylist()
    return {
        (row["problem_set"], row["operator"], row["size"], row["id"]): row["score"]
        for row in rows
        if row["score"] is not None
    }


def measured(measure: Measure, scores: dict[str, dict[tuple[str, str, int, str], float]]) -> Row:
    """The two arms on one measure; the interval is over problems, each with the mean of its differences over seeds."""
    shared = set.intersection(*(set(found) for found in scores.values()))
    problems = sorted(key for key in shared if key[:3] == measure)
    means: dict[str, list[float]] = defaultdict(list)
    for key in problems:
        for arm in ARMS:
            means[arm].append(fmean(scores[run_name(arm, seed)][key] for seed in SEEDS))
    found = paired(list(zip(means[INDIVIDUAL], means[COMPOSITES], strict=True)))
    by_seed = [
        fmean(scores[run_name(COMPOSITES, seed)][key] - scores[run_name(INDIVIDUAL, seed)][key] for key in problems)
        for seed in SEEDS
    ]
    return {
        "measure": " ".join(map(str, measure)),
        "seeds": len(SEEDS),
        "problems": len(problems),
        "base": fmean(scores[TINY][key] for key in problems),
        INDIVIDUAL: found["base_score"],
        COMPOSITES: found["score"],
        "difference": found["difference"],
        "low": found["low"],
        "high": found["high"],
        "seed_low": min(by_seed),
        "seed_high": max(by_seed),
    }


def experiment_picture(rows: list[Row]) -> Picture:
    """The three scores of every measure."""
    made = figure(7, 0.8 + 0.3 * len(rows))
    axes = made.subplots()
    names = [row["measure"] for row in rows]
    for arm, mark in (("base", "x"), (INDIVIDUAL, "o"), (COMPOSITES, "s")):
        axes.plot([row[arm] for row in rows], names, mark, label=arm, markersize=5, fillstyle="none")
    axes.legend()
    axes.set(xlabel="mean held-out score (a million parameters, on a CPU)", xlim=(-0.02, 1.02))
    return drawn(made, "micro experiment")
