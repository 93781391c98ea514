"""Sets of whole numbers: changed, grouped, paired and drawn on a chart."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import CellList, IntervalList, IntSet, Ragged


@environment()
def distances_from_largest(members: IntSet) -> IntSet:
    """Subtract each member of the set, the largest included, from the largest member, and give the set of the
    differences.
    """
    return tuple([members[-1] - each for each in reversed(members)])


@environment()
def members_plus_digit_sums(members: IntSet) -> IntSet:
    """Add to each member of the set the sum of its own decimal digits, and give the set of the results, in which equal
    ones count once.
    """
    results = sorted({each + sum(map(int, str(each))) for each in members})
    if results and results[-1] > 9999:
        raise OutOfDomain("a result is greater than 9999")
    return tuple(results)


def set_with_common_stems(rng: Random, level: int) -> tuple[int, ...]:
    """Members that share their stems, because rows with one leaf are dull."""
    return tuple(sorted(rng.sample(range(5, (40, 60, 80, 130, 180)[level - 1]), (5, 6, 8, 10, 12)[level - 1])))


@environment(sample=set_with_common_stems)
def stem_and_leaf_rows(members: IntSet) -> Ragged:
    """Group the members of the set by what is left of them without their last digit; this stem is 0 for members below
    10. For each group, by increasing stem, make a list of the stem followed by the last digits of its members in
    increasing order.
    """
    rows: dict[int, list[int]] = {}
    for each in members:
        rows.setdefault(each // 10, [each // 10]).append(each % 10)
    return tuple([tuple(row) for row in rows.values()])


@environment()
def nested_intervals(members: IntSet) -> IntervalList:
    """Give the interval from the smallest to the largest member of the set, then the one from the second smallest to
    the second largest, and so on inwards. A single member in the middle gives the interval from itself to itself.
    """
    return tuple([(members[place], members[-1 - place]) for place in range((len(members) + 1) // 2)])


def members_on_the_chart(rng: Random, level: int) -> tuple[int, ...]:
    """Members that stand on the chart."""
    return tuple(sorted(rng.sample(range((20, 40, 80, 120, 160)[level - 1]), (4, 5, 7, 9, 11)[level - 1])))


@environment(sample=members_on_the_chart)
def cells_of_number_chart(members: IntSet) -> CellList:
    """On a chart with ten columns, row 0 holds the numbers 0 to 9 from left to right, row 1 the numbers 10 to 19, and
    so on. For each member of the set, beginning with the smallest, give its row and its column, both counted from 0.
    """
    if members and members[-1] > 159:
        raise OutOfDomain("a member is greater than 159, which stands last in row 15")
    return tuple([(each // 10, each % 10) for each in members])
