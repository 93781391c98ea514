"""In how many orders a set of environments may run by their types, and how many of them reach a given result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from environments.composition.path import Matching, fits
from environments.core import Environment
from environments.execution import run
from environments.types import Type


def feasible_orders(environments: Sequence[Environment], start: Type[Any], matching: Matching = "subtype") -> int:
    """The number of orders of all environments that are type-correct from a value of the start type."""
    size = len(environments)
    may_follow = [[not a.terminal and fits(a.codomain, b.domain, matching) for b in environments] for a in environments]

    @cache
    def completions(used: int, last: int) -> int:
        if used == (1 << size) - 1:
            return 1
        rest = [i for i in range(size) if not used >> i & 1]
        return sum(completions(used | 1 << i, i) for i in rest if may_follow[last][i])

    return sum(completions(1 << i, i) for i in range(size) if fits(start, environments[i].domain, matching))


@dataclass(frozen=True)
class Solutions:
    """The sequences of distinct environments that lead from a start value to a target.

    count: how many were found. tried: how many sequences ran through or failed at their last step, of the lengths that
    were searched whole. shortest: the length of the shortest found, 0 if none. complete: whether all lengths were
    searched.
    """

    count: int
    tried: int
    shortest: int
    complete: bool

    @property
    def chance(self) -> float:
        """The share of the sequences of runnable steps that are right: what a guesser who only executes would get."""
        return self.count / self.tried if self.tried else 0.0


@dataclass(frozen=True, slots=True)
class _State:
    used: int
    kind: Type[Any] | None
    value: Any


def successors(environments: Sequence[Environment], state: _State) -> Iterator[_State]:
    """The states that one more environment leads to; a value may go into any domain that it belongs to."""
    for index, each in enumerate(environments):
        if not state.used >> index & 1:
            outcome = run(each, state.value)
            if outcome.done:
                yield _State(state.used | 1 << index, each.codomain, outcome.value)


def count_orders(environments: Sequence[Environment], start: Any, target: str) -> Solutions:
    """How many orders of all environments turn the start into the target (canonical JSON); every order is tried."""
    return count_sequences(environments, start, target, shortest=len(environments), bound=None)


def count_sequences(
    environments: Sequence[Environment], start: Any, target: str, shortest: int = 1, bound: int | None = 1000
) -> Solutions:
    """How many sequences of distinct environments, of any length from `shortest`, turn the start into the target.

    Searched length by length with equal states merged; it stops before a length that would exceed `bound` executions in
    all, so that what is counted is exact for the lengths that were searched.
    """
    layer = {_State(0, None, start): 1}
    count = tried = first = executions = 0
    for length in range(1, len(environments) + 1):
        executions += len(layer) * (len(environments) - length + 1)
        if bound is not None and executions > bound:
            return Solutions(count, tried, first, complete=False)
        following: dict[_State, int] = {}
        for state, ways in layer.items():
            for after in successors(environments, state):
                following[after] = following.get(after, 0) + ways
        if length >= shortest:
            reached = sum(n for s, n in following.items() if s.kind is not None and s.kind.dumps(s.value) == target)
            tried += sum(following.values())
            count += reached
            first = first or (length if reached else 0)
        layer = following
    return Solutions(count, tried, first, complete=True)
