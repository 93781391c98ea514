"""Small processes that follow a rule until they end: circles, queues, stacks, robots and shuffles."""

from random import Random

from races.environments import OutOfDomain, environment
from races.environments.types import CardList, DigitList, IntList, NatList, SmallNat

BIG = 1_000_000


def circle_size(rng: Random, level: int) -> int:
    """Circles that can still be followed by hand: there are no more than about fifteen of them."""
    return rng.randint((3, 4, 4, 4, 7)[level - 1], (9, 11, 14, 17, 20)[level - 1])


@environment(sample=circle_size)
def josephus_order(number: SmallNat) -> NatList:
    """As many people as the number says stand in a circle, numbered from 0. Count one, two, three round the circle,
    starting with person 0. Whoever is counted three leaves, and the next person is counted one, until nobody is left.
    List the people in order of leaving.
    """
    if not 1 <= number <= 40:
        raise OutOfDomain(f"a circle of {number} people has no order of leaving, or one that is too long to list")
    circle, order, place = list(range(number)), [], 0
    while circle:
        place = (place + 2) % len(circle)
        order.append(circle.pop(place))
    return tuple(order)


def ticket_wishes(rng: Random, level: int) -> tuple[int, ...]:
    """Few enough tickets to follow the queue by hand, and now and then someone who wants none."""
    count, most = (3, 4, 5, 6, 8)[level - 1], (3, 4, 4, 5, 6)[level - 1]
    return tuple([rng.randint(rng.random() > 0.2, most) for _ in range(count)])


@environment(sample=ticket_wishes)
def ticket_queue_times(wishes: DigitList) -> NatList:
    """The list says how many tickets the people in a queue want, front first; 0 is nobody. Each minute, counted from 1,
    the front person buys one ticket and leaves or, wanting more, goes to the back. For each entry give the minute of
    the last purchase, 0 for nobody.
    """
    if sum(wishes) > 60:
        raise OutOfDomain("more than 60 tickets take longer than anyone would follow the queue")
    # When someone's last turn comes, those in front have had as many turns as it, those behind one fewer.
    return tuple(
        [
            sum([min(other, wanted - (place > at)) for place, other in enumerate(wishes)]) if wanted else 0
            for at, wanted in enumerate(wishes)
        ]
    )


def digits_with_zeros(rng: Random, level: int) -> tuple[int, ...]:
    """Enough zeros to undo something, few enough to leave something."""
    count = (6, 8, 10, 13, 16)[level - 1]
    while True:
        digits = tuple([rng.randint(1, 9) if rng.random() < 0.78 else 0 for _ in range(count)])
        if 0 in digits:
            return digits


@environment(sample=digits_with_zeros)
def stack_with_undo(digits: DigitList) -> DigitList:
    """Go through the list from left to right with an initially empty stack. Put each digit from 1 to 9 on top of the
    stack; each 0 instead removes the top digit, or does nothing if the stack is empty. List the final stack from bottom
    to top.
    """
    stack: list[int] = []
    for digit in digits:
        if digit:
            stack.append(digit)
        elif stack:
            stack.pop()
    return tuple(stack)


@environment()
def robot_positions(moves: NatList) -> IntList:
    """A robot stands at position 0 of a straight track and faces the positive direction. For each entry of the list it
    first moves that many positions forward and then, if the entry is odd, turns round. List its position after each
    entry.
    """
    position, direction, positions = 0, 1, []
    for move in moves:
        position += direction * move
        positions.append(position)
        direction = -direction if move % 2 else direction
    if max(map(abs, positions), default=0) > BIG:
        raise OutOfDomain(f"the robot goes farther than {BIG} from its start")
    return tuple(positions)


@environment()
def riffle_cards(cards: CardList) -> CardList:
    """Cut the list of cards into a first and a second half; if their number is odd, the second gets one more. Take
    cards alternately from the front of the second half and the front of the first half, starting with the second. List
    them in the order taken.
    """
    half = len(cards) // 2
    first, second = cards[:half], cards[half:]
    return tuple([second[place // 2] if place % 2 == 0 else first[place // 2] for place in range(len(cards))])
