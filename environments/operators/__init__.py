"""The operators, which make problems of environments and paths, and the one function that scores any of their rows."""

import json
from collections.abc import Callable
from typing import Any

from races.environments.operators import parallel, select, sequential, single, sort
from races.environments.operators.problem import AnswerStyle, Problem, Rejected, Score, ScoreStatus
from races.environments.operators.truths import check

SCORERS: dict[str, Callable[[dict[str, Any], str], Score]] = {
    "single": single.score,
    "sequential": sequential.score,
    "parallel": parallel.score,
    "sort": sort.score,
    "select": select.score,
}

# The numbers of bricks that each operator takes.
SIZES = {
    "single": (1,),
    "sequential": tuple(range(2, 13)),
    "parallel": tuple(range(2, 13)),
    "sort": tuple(range(2, 7)),
    "select": tuple(range(2, 7)),
}
FROM_PATHS = ("sequential", "sort", "select")  # operators that need a path
FROM_POOL = ("single", "parallel")  # operators that take any bricks


def score(truth: str, text: str) -> Score:
    """The score of a model's text against the truth column of a row.

    It never raises: a truth that no operator here has written, a brick that is gone and a verifier that fails give the
    status grader_failed, which says nothing about the text.
    """
    try:
        content = json.loads(truth)
        check(content)
        return SCORERS[content["operator"]](content, text)
    except Exception as error:  # noqa: BLE001  # whatever fails here is the grader's failure and must not become a reward
        return Score(0.0, ScoreStatus.GRADER_FAILED, f"the row cannot be scored: {type(error).__name__}: {error}"[:300])


__all__ = [
    "FROM_PATHS",
    "FROM_POOL",
    "SCORERS",
    "SIZES",
    "AnswerStyle",
    "Problem",
    "Rejected",
    "Score",
    "ScoreStatus",
    "score",
]
