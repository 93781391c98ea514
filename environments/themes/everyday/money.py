"""Bills, prices and coins."""

from functools import reduce
from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntPair, IntSet, Nat, NatList, Tally


@environment()
def bulk_price_total(pieces: Tally) -> Nat:
    """The tally says how many pieces of each article someone buys. Of each article, the first five pieces cost 4
    dollars each, and all further pieces cost 3 dollars each. Find the total price in dollars.
    """
    total = sum([3 * count + min(count, 5) for _, count in pieces])
    if total > 1_000_000:
        raise OutOfDomain("the bill is above a million dollars")
    return total


@environment()
def recipe_for_six(amounts: Tally) -> Tally:
    """The tally lists the amounts of a recipe for four people. Find the amounts for six people, rounding each amount up
    to a whole number.
    """
    scaled = tuple([(key, (3 * amount + 1) // 2) for key, amount in amounts])
    if any([amount > 99_999 for _, amount in scaled]):
        raise OutOfDomain("an amount for six people is above 99999")
    return scaled


def prices(rng: Random, level: int) -> tuple[int, ...]:
    """Draw prices on both sides of a hundred, because rounding leaves the smallest ones unchanged."""
    count, top = (3, 4, 5, 7, 9)[level - 1], (160, 200, 250, 400, 900)[level - 1]
    return tuple([rng.randint(20, rng.choice((100, top))) for _ in range(count)])


@environment(sample=prices)
def sale_prices(price_list: NatList) -> NatList:
    """Each entry of the list is a price. Reduce every price of 100 or more by 25 percent and every lower price by 10
    percent, then round it to the nearest whole number, halves upwards. List the new prices in the same order.
    """
    return tuple([(3 * price + 2) // 4 if price >= 100 else (9 * price + 5) // 10 for price in price_list])


def bill_that_leaves_cents(rng: Random, level: int) -> tuple[int, int]:
    """Avoid bills that divide evenly, because then all people pay the same."""
    people = (3, 4, 6, 8, 11)[level - 1] - rng.randint(0, min(1, level - 1))
    each = rng.randint(20, (60, 200, 600, 2000, 9000)[level - 1])
    return people * each + rng.randint(1, people - 1), people


@environment(sample=bill_that_leaves_cents)
def split_bill(bill_and_people: IntPair) -> NatList:
    """As many people as the second number says share a bill of the first number of cents. All pay whole cents, as
    equally as possible, and those first in line pay one cent more where it does not divide evenly. List what each
    person in line pays.
    """
    bill, people = bill_and_people
    if bill < 0 or not 1 <= people <= 40:
        raise OutOfDomain("a bill is not negative, and a line has from 1 to 40 people")
    share, left = divmod(bill, people)
    return (share + 1,) * left + (share,) * (people - left)


def unpayable(coins: tuple[int, ...]) -> list[int]:
    """The amounts from 1 to 20 that these coins cannot make up."""
    payable = 1  # bit n says whether n can be paid
    for coin in coins:
        # Adding a coin up to 20 // coin times; bit i says whether the amount i can be paid.
        payable = reduce(lambda so_far, _: so_far | so_far << coin, range(20 // coin), payable)
    return [amount for amount in range(1, 21) if not payable >> amount & 1]


def coins_with_gaps(rng: Random, level: int) -> tuple[int, ...]:
    """Draw coins until neither everything nor almost nothing can be paid."""
    low, high = (2, 3, 3, 4, 5)[level - 1], (7, 9, 12, 15, 19)[level - 1]
    while True:
        coins = tuple(sorted(rng.sample(range(low, high + 1), (2, 3, 3, 4, 5)[level - 1])))
        if 2 <= len(unpayable(coins)) <= 14:
            return coins


@environment(sample=coins_with_gaps)
def unpayable_amounts(coins: IntSet) -> IntSet:
    """The set gives the values of coins, each of which may be used as often as one likes. Find all amounts from 1 to 20
    that cannot be paid exactly with such coins.
    """
    if 0 in coins:
        raise OutOfDomain("no coin is worth nothing")
    return tuple(unpayable(coins))
