"""Rows of a made-up training set, and a learner of a known curve, for the tests of the curriculum."""

import math
from random import Random
from typing import Any

from races.environments.operators.problem import training_row
from races.resources.training.curriculum_sampler import CurriculumSampler

GROUP, BATCH = 4, 8


def problem(number: int) -> dict[str, Any]:
    """A problem as the table of problems has it."""
    return {
        "id": f"p{number:03}",
        "operator": ("sequential", "sort")[number % 2],
        "size": 2 + number // 2 % 5,
        "level": 1 + number // 10 % 3,
        "prompt": f"Problem {number}",
        "truth": "{}",
        "environments": ["run_lengths"],
        "path_id": "",
    }


ROWS = [training_row(problem(number), number) for number in range(90)]
EXTRAS = [row["extra_info"] for row in ROWS]


def score(extra: dict[str, Any], rng: Random) -> float:
    """Of one response of a learner that solves small sizes."""
    return float(rng.random() < 1 / (1 + math.exp(extra["size"] + extra["level"] / 2 - 4)))


def steps(sampler: CurriculumSampler, count: int, rng: Random, batch: int = BATCH) -> list[str]:
    """The ids that a plain loop poses; the scores of a batch are known after it."""
    ids = []
    for _ in range(count):
        rows = [EXTRAS[sampler.take()] for _ in range(batch)]
        sampler.update((row, sum(score(row, rng) for _ in range(GROUP)) / GROUP) for row in rows)
        ids += [row["id"] for row in rows]
    return ids
