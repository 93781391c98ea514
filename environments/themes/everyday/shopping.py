"""Coins, price tags, receipts and machines that sell."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, Nat, NatList, PairList, Partition, SmallNat, Str


def small_amount(rng: Random, level: int) -> int:
    """Stay below fifty-five, because larger amounts are mostly tens."""
    return rng.randint((3, 3, 3, 4, 6)[level - 1], (19, 36, 42, 48, 54)[level - 1])


@environment(sample=small_amount)
def fewest_coins(cents: SmallNat) -> Partition:
    """The number is an amount in cents. Pay it exactly with as few coins as possible, where there are coins of 10, 5, 2
    and 1 cents. List the values of the coins from the largest to the smallest, repeated ones as often as they are used.
    """
    coins: list[int] = []
    for value in (10, 5, 2, 1):
        coins += [value] * (cents // value)
        cents %= value
    return tuple(coins)


@environment()
def price_tag(cents: Nat) -> Str:
    """The number is a price in cents. Write it as a dollar sign, the number of whole dollars without commas, a point,
    and the remaining cents with two digits, all without spaces. Where there are no whole dollars, write 0 for them.
    """
    return f"${cents // 100}.{cents % 100:02d}"


@environment()
def receipt_lines(lines: PairList) -> IntList:
    """Each pair of the list is a line of a receipt: a quantity and the price of one piece. List for each line, in
    order, the quantity times the price, and after all these the sum of them.
    """
    amounts = [quantity * price for quantity, price in lines]
    if any([abs(amount) > 1_000_000 for amount in (*amounts, sum(amounts))]):
        raise OutOfDomain("an amount is above a million")
    return (*amounts, sum(amounts))


def coins(rng: Random, level: int) -> tuple[int, ...]:
    """Coins that reach the price of an item now and then; the entries of a small list never would."""
    values = (20, 35, 50, 60, 80, 100) if level < 3 else (15, 25, 40, 65, 90, 100, 120, 200)
    return tuple([rng.choice(values) for _ in range((4, 6, 8, 10, 13)[level - 1])])


@environment(sample=coins)
def vending_machine_credit(coin_values: NatList) -> NatList:
    """The entries of the list are coins put one after another into a machine whose credit is 0 at first. After each
    coin, as long as the credit is at least 150, the machine sells an item, which lowers the credit by 150. List the
    credit left after each coin.
    """
    credit, credits_left = 0, []
    for value in coin_values:
        credit = (credit + value) % 150
        credits_left.append(credit)
    return tuple(credits_left)
