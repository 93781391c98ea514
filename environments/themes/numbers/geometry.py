"""Points in the plane: moving, turning and sorting them, and measuring how far apart they are."""

from itertools import pairwise
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, IntPair, NatList, PointList


@environment()
def moved_into_corner(points: PointList) -> PointList:
    """Shift all points of the list together, without turning them, so that the smallest x and the smallest y that occur
    both become 0. Keep the order of the points.
    """
    if not points:
        raise OutOfDomain("the list is empty")
    left, bottom = min([x for x, _ in points]), min([y for _, y in points])
    moved = tuple([(x - left, y - bottom) for x, y in points])
    if max(map(max, moved)) > 99:
        raise OutOfDomain("a coordinate becomes larger than 99")
    return moved


def unsorted_points(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Points on both sides of the y-axis, some equally far from it, that are not yet sorted by that distance."""
    count, reach = ((4, 4), (5, 5), (6, 7), (8, 9), (10, 12))[level - 1]
    square = [(x, y) for x in range(-reach, reach + 1) for y in range(-reach, reach + 1)]
    while True:
        points = tuple(rng.sample(square, count))
        distances = [abs(x) for x, _ in points]
        if distances != sorted(distances):
            return points


@environment(sample=unsorted_points)
def points_by_distance_from_axis(points: PointList) -> PointList:
    """Sort the points of the list by their distance from the y-axis, that is, by the absolute value of x, the smallest
    first. Points with equal distances keep the order in which they stand in the list.
    """
    return tuple(sorted(points, key=lambda point: abs(point[0])))


@environment()
def quarter_turn_of_points(points: PointList) -> PointList:
    """Turn every point of the list counterclockwise by a quarter turn about the origin, where x points to the right and
    y upwards. Keep the order of the points.
    """
    return tuple([(-y, x) for x, y in points])


@environment()
def bounding_box_size(points: PointList) -> IntPair:
    """Find the width and the height of the space that the points of the list take up: give the largest x minus the
    smallest x, and then the largest y minus the smallest y.
    """
    if not points:
        raise OutOfDomain("the list is empty")
    across, up = [x for x, _ in points], [y for _, y in points]
    return max(across) - min(across), max(up) - min(up)


@environment()
def consecutive_walking_distances(points: PointList) -> NatList:
    """For every point of the list but the last, give its walking distance to the next point: the difference of their x
    plus the difference of their y, both counted as positive. Keep the order of the list.
    """
    return tuple([abs(x - u) + abs(y - v) for (x, y), (u, v) in pairwise(points)])


def list_to_rank(rng: Random, level: int) -> tuple[int, ...]:
    """A list with some equal entries, because ties are what a rank has to settle."""
    length, top = ((4, 9), (5, 15), (7, 20), (9, 50), (11, 99))[level - 1]
    values = rng.sample(range(-top, top + 1), length - 1)
    values.append(rng.choice(values))
    rng.shuffle(values)
    return tuple(values)


@environment(sample=list_to_rank)
def rank_plot(values: IntList) -> PointList:
    """For each entry of the list from left to right give a point: its x is the number of entries that stand before the
    entry, its y is the number of entries anywhere in the list that are smaller than the entry.
    """
    if len(values) > 24:
        raise OutOfDomain("the list has more than 24 entries")
    ranking = sorted(values)
    return tuple([(x, ranking.index(value)) for x, value in enumerate(values)])
