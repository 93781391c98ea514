"""How many orders of some environments a prompt leaves open, and how many of them reach the output that it shows.

A prompt names the types of its input and of its output, and its statements tell what they take and give. So a guesser
can leave out every order that does not begin with the type of the input, does not fit from step to step or does not end
with the type of the output. Knowing what each operation refuses and what its outputs look like, he can also leave out
those that stop on the way and those whose last operation never gives such an output. What is left are the feasible
orders: whoever leaves out fewer, and draws uniformly, is right less often. He may also prefer the orders in which every
operation takes exactly the type that the one before it gives, where there are such.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from races.environments.composition.forms import could_give
from races.environments.composition.path import Matching, Path, fits
from races.environments.core import Environment
from races.environments.execution import run
from races.environments.types import Type


@dataclass(frozen=True)
class Ends:
    """What a prompt shows of a path: the input and its type, the output (canonical JSON) and its type."""

    domain: Type[Any]
    start: Any
    codomain: Type[Any]
    target: str

    @classmethod
    def of(cls, path: Path) -> "Ends":
        """Both ends of a path."""
        return cls(path.environments[0].domain, path.start, path.environments[-1].codomain, path.states[-1])


def feasible_orders(
    environments: Sequence[Environment],
    domain: Type[Any],
    codomain: Type[Any],
    matching: Matching = "subtype",
    length: int | None = None,
) -> int:
    """The number of orders of so many of the environments, by default all, that types allow between a prompt's types.

    The first takes exactly the domain, since the prompt calls the input by it, and the last gives exactly the codomain.
    """
    size, wanted = len(environments), len(environments) if length is None else length
    may_follow = [[not a.terminal and fits(a.codomain, b.domain, matching) for b in environments] for a in environments]

    @cache
    def completions(used: int, last: int) -> int:
        if used.bit_count() == wanted:
            return int(environments[last].codomain is codomain)
        rest = [i for i in range(size) if may_follow[last][i] and not used >> i & 1]
        return sum([completions(used | 1 << i, i) for i in rest])

    return sum(completions(1 << i, i) for i in range(size) if environments[i].domain is domain)


@dataclass(frozen=True)
class Solutions:
    """The sequences of distinct environments, by their length, that lead from a start value to a target.

    right: how many give the target, where a value may go into any domain that it belongs to, as a scorer runs them.
    feasible: how many run, are left open by the types of a prompt, and have a last step that may give such an output.
        Both hold every length that was searched.
    complete: whether all lengths were searched.
    exact: of the feasible ones in which every environment takes exactly the type that the one before it gives, how many
        are right, and how many there are.
    """

    right: dict[int, int]
    feasible: dict[int, int]
    complete: bool
    exact: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many sequences are right."""
        return sum(self.right.values())

    @property
    def feasible_count(self) -> int:
        """How many sequences are feasible."""
        return sum(self.feasible.values())

    @property
    def shortest(self) -> int:
        """The length of the shortest right one, 0 if there is none."""
        return min([length for length, right in self.right.items() if right], default=0)

    @property
    def chance(self) -> float:
        """The most that a guess among feasible sequences earns, whatever lengths it prefers: that of the best length.

        A guess at any length is a mixture of guesses at one each. Right ones that are not feasible count as well, so
        that a guesser who leaves out less can earn no more. One who leaves out all but the exact ones may earn more.
        """
        shares = [right / max(self.feasible[length], right) for length, right in self.right.items() if right]
        shares += [right / among for right, among in self.exact.values() if right]
        return max(shares, default=0.0)


Node = tuple[Type[Any], Any]  # a value that was reached, and the type that it came with
# How many sequences, by the environments used (a bit each) and how well types match so far.
Counts = dict[tuple[int, int], int]
MISMATCH, SUBTYPE, EXACT = 0, 1, 2  # how well the types of a sequence match at its worst place


def count_orders(environments: Sequence[Environment], ends: Ends) -> Solutions:
    """How many orders of all environments are right and feasible; every order is tried."""
    return count_sequences(environments, ends, shortest=len(environments), bound=None)


def count_sequences(
    environments: Sequence[Environment], ends: Ends, shortest: int = 1, bound: int | None = 1000
) -> Solutions:
    """How many sequences of distinct environments, of any length from `shortest`, are right and feasible.

    Searched length by length with equal states merged; it stops before a length that would exceed `bound` steps in all,
    so that what is counted is exact for the lengths that were searched.
    """
    right: dict[int, int] = {}
    last_steps: dict[int, Counter[tuple[int, int]]] = {}
    layer: dict[Node, Counts] = {(ends.domain, ends.start): {(0, EXACT): 1}}
    counter = _Counter(environments, ends)
    steps, complete = 0, True
    for length in range(1, len(environments) + 1):
        steps += sum(map(len, layer.values())) * (len(environments) - length + 1)
        complete = bound is None or steps <= bound
        if not complete:
            break
        layer, last = counter.extended(layer, first=length == 1)
        if length >= shortest:
            reached = [node for node in layer if node[0].dumps(node[1]) == ends.target]
            right[length] = sum(sum(layer[node].values()) for node in reached)
            last_steps[length] = last
    return counter.solutions(right, last_steps, complete)


class _Counter:
    """Extends all sequences by one environment at a time; what an environment makes of a value is found out once."""

    def __init__(self, environments: Sequence[Environment], ends: Ends) -> None:
        self.environments, self.ends = environments, ends
        self._moves: dict[Node, dict[int, Node | None]] = {}
        self._right: Counter[int] = Counter()  # exact sequences that give the output with its type, by length

    def extended(self, layer: dict[Node, Counts], first: bool) -> tuple[dict[Node, Counts], Counter[tuple[int, int]]]:
        """The sequences that are one longer, and how many there are of each last one and each match of types."""
        following: dict[Node, Counts] = {}
        last: Counter[tuple[int, int]] = Counter()
        for node, counts in layer.items():
            for index, brick in enumerate(self.environments):
                bit = 1 << index
                free = [(used, match, count) for (used, match), count in counts.items() if not used & bit]
                after = self._after(node, index) if free else None
                if after is None:
                    continue
                here = _match(node[0], brick, first)
                there = following.setdefault(after, {})
                for used, match, count in free:
                    so_far = min(match, here)
                    last[index, so_far] += count
                    key = used | bit, MISMATCH if brick.terminal else so_far
                    there[key] = there.get(key, 0) + count
                    if so_far == EXACT and after[0] is self.ends.codomain and self._is_target(after):
                        self._right[key[0].bit_count()] += count
        return following, last

    def _after(self, node: Node, index: int) -> Node | None:
        """What an environment makes of a value; None where it does not run."""
        moves = self._moves.setdefault(node, {})
        if index not in moves:
            brick = self.environments[index]
            outcome = run(brick, node[1])
            moves[index] = (brick.codomain, outcome.value) if outcome.done else None
        return moves[index]

    def _is_target(self, node: Node) -> bool:
        return node[0].dumps(node[1]) == self.ends.target

    def solutions(
        self, right: dict[int, int], last_steps: dict[int, Counter[tuple[int, int]]], complete: bool
    ) -> Solutions:
        """What has been counted; a sequence is feasible where types match and its last environment may come last."""
        may_end = self.may_end()
        subtype, exact = (
            {length: sum(last[index, match] for index in may_end) for length, last in last_steps.items()}
            for match in (SUBTYPE, EXACT)
        )
        feasible = {length: count + exact[length] for length, count in subtype.items()}
        return Solutions(right, feasible, complete, {n: (self._right[n], count) for n, count in exact.items()})

    def may_end(self) -> list[int]:
        """The places of the environments that may come last: they gave the output, or give such outputs."""
        kind, target = self.ends.codomain, self.ends.target
        reached = {node for moves in self._moves.values() for node in moves.values() if node and node[0] is kind}
        outputs = {node for node in reached if self._is_target(node)}
        gave = {index for moves in self._moves.values() for index, node in moves.items() if node in outputs}
        return [
            index
            for index, each in enumerate(self.environments)
            if each.codomain is kind and (index in gave or could_give(each, target))
        ]


def _match(given: Type[Any], brick: Environment, first: bool) -> int:
    """How well a type matches an environment's domain; the first one takes exactly what the prompt calls the input."""
    if brick.domain is given:
        return EXACT
    return SUBTYPE if not first and given.fits(brick.domain) else MISMATCH
