"""Hand-worked examples and independent oracles for environments/themes/everyday/scheduling.py."""

from datetime import date

import numpy as np

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "third_working_day": [
        ('"2025-01-06"', '"2025-01-09"'),
        ('"2025-01-09"', '"2025-01-14"'),
        ('"2025-01-11"', '"2025-01-15"'),
        ('"2024-12-31"', '"2025-01-03"'),
        ('"2299-12-31"', None),
    ],
    "consecutive_tasks": [
        ("[4, 7, 1]", "[[0, 4], [9, 16], [21, 22]]"),
        ("[0, 0]", "[[0, 0], [5, 5]]"),
        ("[]", "[]"),
        ("[9999]", "[[0, 9999]]"),
        ("[9990, 5]", None),
        (str([1] * 17), None),
    ],
    "jobs_by_deadline": [
        ("[[3, 9], [2, 4], [1, 9], [5, 1]]", "[3, 1, 2, 0]"),
        ("[[2, 7], [2, 7], [1, 7]]", "[2, 0, 1]"),
        ("[[-1, -5]]", "[0]"),
        ("[]", None),
        (str([[1, 1]] * 13), None),
        (str([[1, 1]] * 12), str(list(range(12)))),
    ],
}
Pairs = tuple[tuple[int, int], ...]


def third_working_day(x: date, y: date) -> bool:
    return bool(np.busday_offset(np.datetime64(x), 3, roll="backward") == np.datetime64(y))


def consecutive_tasks(x: tuple[int, ...], y: Pairs) -> bool:
    starts = [sum(x[:i]) + 5 * i for i in range(len(x))]
    return y == tuple(zip(starts, map(sum, zip(starts, x, strict=True)), strict=True))


def jobs_by_deadline(x: Pairs, y: tuple[int, ...]) -> bool:
    """numpy's lexsort is stable and takes its most important key last."""
    return list(y) == np.lexsort(([pair[0] for pair in x], [pair[1] for pair in x])).tolist()


ORACLES = {
    "third_working_day": third_working_day,
    "consecutive_tasks": consecutive_tasks,
    "jobs_by_deadline": jobs_by_deadline,
}
