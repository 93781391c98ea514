"""Rows of the tables of a run, and what the pages of its assets show."""

from statistics import fmean, variance
from typing import Any

from races.assets.catalog.runs import Run
from races.environments.reward import graded
from races.resources.store.warehouse import Warehouse
from races.resources.training.config import TrainingResult
from races.resources.training.models.weights import parameters

STEPS_AT_END = 20  # steps at either end of a run whose rewards are compared


def label(run: Run, model: str) -> dict[str, Any]:
    """What must stand beside every result of a run, so that a small one is never taken for a large one."""
    return {"backend": run.backend, "base": model, "recipe": run.recipe, "what": run.description}


def rewards(trained: TrainingResult) -> list[float]:
    """The reward of every step."""
    return [step.reward for step in trained.metrics]


def gain(found: list[float]) -> tuple[float, float, float]:
    """Mean reward of the first and of the last steps, and the standard error of their difference.

    In a short run each end is a third of it, so that no step is in both.
    """
    count = min(STEPS_AT_END, max(1, len(found) // 3))
    first, last = found[:count], found[-count:]
    error = sum(variance(part) / len(part) for part in (first, last) if len(part) > 1) ** 0.5
    return fmean(first), fmean(last), error


def checkpoint_row(run: Run, model: str, trained: TrainingResult, config: str, content: str) -> dict[str, Any]:
    """The row of a trained model."""
    first, last, error = gain(rewards(trained))
    return {
        "backend": trained.backend,
        "recipe": run.recipe,
        "base": run.model,
        "folder": str(trained.model),
        "parameters": parameters(trained.model),
        "last_step": trained.last_step,
        "reward_first": first,
        "reward_last": last,
        "reward_gain_error": error,
        "config": config,
        "rows": content,
        "greedy_prompt": trained.greedy[0],
        "greedy_answer": trained.greedy[1],
    }


def shown_of(row: dict[str, Any]) -> dict[str, Any]:
    """What the page of a checkpoint shows."""
    names = ("parameters", "last_step", "reward_first", "reward_last", "reward_gain_error", "greedy_answer")
    return {name: row[name] for name in names}


def rollout_rows(trained: TrainingResult, warehouse: Warehouse, recipe: str) -> list[dict[str, Any]]:
    """The kept responses, with the problem that each is to and what today's scorer says of it."""
    stored = warehouse.read("training_sets", {"recipe": recipe}, columns=["reward_model", "operator", "size"])
    known = {row["reward_model"]["ground_truth"]: row for row in stored.to_pylist()}
    rows = []
    for each in trained.rollouts:
        found, today = known.get(each["truth"]), graded(each["truth"], each["response"])
        rows.append(
            {
                **each,
                "operator": found["operator"] if found else "",
                "size": found["size"] if found else 0,
                "status": str(today.status),
                "reason": today.reason,
            }
        )
    return rows
