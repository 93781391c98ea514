"""Accounts and stocks: balances, transfers and refills."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import IntList, PairList, Tally

BIG = 1_000_000
OPENING, LIMIT = 100, -50  # the first balance of an account, and the lowest that a withdrawal may lead to


def some_payments(rng: Random, level: int) -> tuple[int, ...]:
    """About as much in as out, so that withdrawals are now and then refused."""
    count, top = (4, 5, 7, 9, 12)[level - 1], (90, 110, 130, 170, 250)[level - 1]
    return tuple([rng.randint(-top, top // 2) for _ in range(count)])


@environment(sample=some_payments)
def account_balances(payments: IntList) -> IntList:
    """An account starts with a balance of 100. Add the entries of the list to it one after the other, but skip a
    negative entry if adding it would bring the balance below -50. List the balance after each entry, skipped entries
    included.
    """
    balance, balances = OPENING, []
    for payment in payments:
        if payment >= 0 or balance + payment >= LIMIT:
            balance += payment
        balances.append(balance)
    if any([each > BIG for each in balances]):
        raise OutOfDomain(f"the balance exceeds {BIG}")
    return tuple(balances)


def transfers_among_few(rng: Random, level: int) -> tuple[tuple[int, int], ...]:
    """Few accounts and many transfers, so that they add up."""
    accounts = rng.sample(range(1, 10), (3, 4, 4, 5, 6)[level - 1])
    return tuple([tuple(rng.sample(accounts, 2)) for _ in range((4, 5, 7, 9, 12)[level - 1])])  # type: ignore[misc]


@environment(sample=transfers_among_few)
def net_transfers(transfers: PairList) -> PairList:
    """Each pair of the list means that the account with its first number pays one coin to the account with its second
    number. For every account that occurs, by increasing number, give the pair of its number and the coins received
    minus the coins paid.
    """
    net: dict[int, int] = {}
    for payer, receiver in transfers:
        net[payer] = net.get(payer, 0) - 1
        net[receiver] = net.get(receiver, 0) + 1
    if len(net) > 32:
        raise OutOfDomain("more than 32 accounts are too many for a list of pairs")
    return tuple(sorted(net.items()))


def stock_of_a_shop(rng: Random, level: int) -> tuple[tuple[str, int], ...]:
    """Items that are plentiful beside items that run out."""
    items = "apples bread butter cheese eggs flour honey jam milk nuts oil pears rice salt soap sugar tea".split()
    chosen = sorted(rng.sample(items, (3, 4, 6, 8, 10)[level - 1]))
    return tuple([(item, rng.randint(1, (18, 20, 25, 30, 40)[level - 1])) for item in chosen])


@environment(sample=stock_of_a_shop)
def restocked_inventory(stock: Tally) -> Tally:
    """The tally is the stock of a shop. First one unit of every item is sold. Then the shop buys ten more units of
    every item of which fewer than five units, possibly none, are left. Give the new stock.
    """
    left = [(item, count - 1) for item, count in stock]
    return tuple([(item, count if count >= 5 else count + 10) for item, count in left])
