"""Hand-worked examples and independent oracles for environments/themes/logic/simulation.py."""

import re
from collections import deque

_RING_OF_40 = (
    "[2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38, 1, 6, 10, 15, "
    "19, 24, 28, 33, 37, 3, 9, 16, 22, 30, 36, 4, 13, 25, 34, 7, 21, 39, 18, 0, 31, 12, 27]"
)
EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "josephus_order": [
        ("5", "[2, 0, 4, 1, 3]"),
        ("2", "[0, 1]"),
        ("1", "[0]"),
        ("7", "[2, 5, 1, 6, 4, 0, 3]"),
        ("0", None),
        ("41", None),
        (
            "40",
            _RING_OF_40,
        ),
    ],
    "ticket_queue_times": [
        ("[2, 1, 3]", "[4, 2, 6]"),
        ("[0, 2, 0, 1]", "[0, 3, 0, 2]"),
        ("[0]", "[0]"),
        ("[]", "[]"),
        (str([9] * 12), None),
        (str([2] * 18), str(list(range(19, 37)))),
        (str([2] * 30 + [1]), None),
    ],
    "stack_with_undo": [
        ("[4, 7, 0, 2, 2, 0, 9]", "[4, 2, 9]"),
        ("[0, 0, 5, 0, 0, 8]", "[8]"),
        ("[1, 2, 0, 0]", "[]"),
        ("[]", "[]"),
    ],
    "robot_positions": [
        ("[4, 3, 2, 5, 1]", "[4, 7, 5, 0, 1]"),
        ("[0, 1, 0, 9]", "[0, 1, 1, -8]"),
        ("[]", "[]"),
        ("[1000000, 2]", None),
    ],
    "riffle_cards": [
        ('["2C", "3C", "4C", "5C"]', '["4C", "2C", "5C", "3C"]'),
        ('["2C", "3C", "4C", "5C", "6C"]', '["4C", "2C", "5C", "3C", "6C"]'),
        ('["AS"]', '["AS"]'),
        ("[]", "[]"),
    ],
}
Ints = tuple[int, ...]


def josephus_order(x: int, y: Ints) -> bool:
    """The last one to leave obeys J(n) = J(n - 1) + 3, and a ring that is turned shows all of them."""
    ring, left = deque(range(x)), []
    while ring:
        ring.rotate(-2)
        left.append(ring.popleft())
    last = 0
    for n in range(2, x + 1):
        last = (last + 3) % n
    return list(y) == left and y[-1] == last


def ticket_queue_times(x: Ints, y: Ints) -> bool:
    """Until person i is done, those in front buy at most as many tickets as i, those behind at most one fewer."""
    return list(y) == [
        sum(min(a, want) for a in x[: i + 1]) + sum(min(a, want - 1) for a in x[i + 1 :]) if want else 0
        for i, want in enumerate(x)
    ]


def stack_with_undo(x: Ints, y: Ints) -> bool:
    """Cancel a digit with the zero after it, and a zero at the front with nothing, in any order."""
    text, before = "".join(map(str, x)), None
    while text != before:
        before, text = text, re.sub(r"^0|[1-9]0", "", text, count=1)
    return text == "".join(map(str, y))


def robot_positions(x: Ints, y: Ints) -> bool:
    signs = [(-1) ** sum(earlier % 2 for earlier in x[:i]) for i in range(len(x))]
    return list(y) == [sum(s * m for s, m in zip(signs[: i + 1], x, strict=False)) for i in range(len(x))]


def riffle_cards(x: tuple[str, ...], y: tuple[str, ...]) -> bool:
    """The cards from the second half lie at the even places, those from the first half at the odd places."""
    return y[1::2] + y[0::2] == x and len(y[0::2]) - len(y[1::2]) in (0, 1)


ORACLES = {
    "josephus_order": josephus_order,
    "ticket_queue_times": ticket_queue_times,
    "stack_with_undo": stack_with_undo,
    "robot_positions": robot_positions,
    "riffle_cards": riffle_cards,
}
