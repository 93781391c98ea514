"""Hand-worked examples and independent oracles for environments/themes/numbers/geometry.py."""

import numpy as np
from scipy.spatial.distance import cityblock
from scipy.stats import rankdata

Points = tuple[tuple[int, int], ...]

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "moved_into_corner": [
        ("[[3, -2], [-1, 5], [0, 0]]", "[[4, 0], [0, 7], [1, 2]]"),
        ("[[7, 9]]", "[[0, 0]]"),
        ("[]", None),
        ("[[-50, 0], [50, 0]]", None),
    ],
    "points_by_distance_from_axis": [
        ("[[3, 3], [-1, 7], [-3, 4], [1, 0], [0, 9]]", "[[0, 9], [-1, 7], [1, 0], [3, 3], [-3, 4]]"),
        ("[]", "[]"),
    ],
    "quarter_turn_of_points": [("[[3, 1], [0, -2], [-4, 0]]", "[[-1, 3], [2, 0], [0, -4]]"), ("[[0, 0]]", "[[0, 0]]")],
    "bounding_box_size": [("[[3, -2], [-1, 5], [0, 9]]", "[4, 11]"), ("[[7, 9]]", "[0, 0]"), ("[]", None)],
    "consecutive_walking_distances": [
        ("[[0, 0], [3, -2], [3, 4]]", "[5, 6]"),
        ("[[7, 9]]", "[]"),
        ("[]", "[]"),
    ],
    "rank_plot": [("[5, -3, 5, 8]", "[[0, 1], [1, 0], [2, 1], [3, 3]]"), ("[]", "[]"), (str([1] * 25), None)],
}


def moved_into_corner(x: Points, y: Points) -> bool:
    """All points have moved by the same vector, and each axis is touched from above."""
    vectors = {(a - u, b - v) for (u, v), (a, b) in zip(x, y, strict=True)}
    return len(vectors) == 1 and min(a for a, _ in y) == 0 and min(b for _, b in y) == 0


def points_by_distance_from_axis(x: Points, y: Points) -> bool:
    """Take out the first of the nearest points again and again."""
    rest, expected = list(x), []
    while rest:
        nearest = min(cityblock(point, (0, point[1])) for point in rest)
        expected.append(next(point for point in rest if cityblock(point, (0, point[1])) == nearest))
        rest.remove(expected[-1])
    return tuple(expected) == y


def quarter_turn_of_points(x: Points, y: Points) -> bool:
    return [complex(*point) * 1j for point in x] == [complex(*point) for point in y]


def bounding_box_size(x: Points, y: tuple[int, int]) -> bool:
    return tuple(np.ptp(np.array(x), axis=0)) == y


def consecutive_walking_distances(x: Points, y: tuple[int, ...]) -> bool:
    return len(y) == max(len(x) - 1, 0) and all([cityblock(x[i], x[i + 1]) == y[i] for i in range(len(y))])


def rank_plot(x: tuple[int, ...], y: Points) -> bool:
    return list(y) == [(i, int(rank) - 1) for i, rank in enumerate(rankdata(x, method="min"))]


ORACLES = {
    "moved_into_corner": moved_into_corner,
    "points_by_distance_from_axis": points_by_distance_from_axis,
    "quarter_turn_of_points": quarter_turn_of_points,
    "bounding_box_size": bounding_box_size,
    "consecutive_walking_distances": consecutive_walking_distances,
    "rank_plot": rank_plot,
}
