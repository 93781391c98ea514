"""Guessers of SORT and SELECT, who draw uniformly among the orders that a prompt leaves open, and what they earn.

They see the prompt and know of each operation what it takes and gives. Sequences are counted backwards, from what can
still follow: on purpose otherwise than where problems are generated, and with nothing of its code.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from races.environments.core import Environment
from races.environments.execution import run
from races.environments.registry import pool
from races.environments.types import VOCABULARY, Type


class Shown(NamedTuple):
    """What a prompt of SORT or SELECT shows; the target is canonical JSON."""

    domain: Type[Any]
    start: Any
    codomain: Type[Any]
    target: str
    offered: frozenset[Environment]


class Kind(NamedTuple):
    """What guessers ask about a sequence of operations.

    typed: whether each may take all that the one before it gives, the first one what the prompt calls the input.
    exact: whether each takes exactly the type that the one before it gives.
    begins: whether the first takes exactly this type. ends: whether the last gives exactly the printed type of the
    output, fits: whether it gives this type or a part of it.
    """

    length: int
    typed: bool
    exact: bool
    begins: bool
    ends: bool
    fits: bool


@dataclass(frozen=True)
class Guesser:
    """Draws among the sequences whose kind it takes, and where `runs` among those alone in which nothing refuses."""

    takes: Callable[[Kind], bool]
    runs: bool = False


GUESSERS = {
    "types, a fitting output": Guesser(lambda kind: kind.typed and kind.fits),
    "types, the printed output": Guesser(lambda kind: kind.typed and kind.ends),
    "types, the printed input and output": Guesser(lambda kind: kind.typed and kind.begins and kind.ends),
    "types, exactly": Guesser(lambda kind: kind.typed and kind.exact and kind.ends),
    "what runs": Guesser(lambda kind: True, runs=True),
    "what runs, types, a fitting output": Guesser(lambda kind: kind.typed and kind.fits, runs=True),
    "what runs, types, the printed output": Guesser(lambda kind: kind.typed and kind.ends, runs=True),
    "what runs, types, the printed input and output": Guesser(
        lambda kind: kind.typed and kind.begins and kind.ends, runs=True
    ),
    "what runs, types, exactly": Guesser(lambda kind: kind.typed and kind.exact and kind.ends, runs=True),
}


def read(prompt: str) -> Shown:
    """The ends and the operations of a prompt, from its text."""
    nouns = {kind.noun: kind for kind in VOCABULARY.values()}
    statements = {brick.statement: brick for brick in pool().values()}
    domain, _, rest = prompt.partition("\n\nThe input is ")[2].partition(":\n")
    start, _, rest = rest.partition("\n\nThe output is ")
    codomain, _, rest = rest.partition(":\n")
    target, _, rest = rest.partition("\n\nThe operations:\n")
    legend = rest.partition("\n\n")[0].split("\n")
    offered = frozenset(statements[line.partition(". ")[2]] for line in legend)
    return Shown(nouns[domain], nouns[domain].loads(start), nouns[codomain], target, offered)


def typed_sequences(shown: Shown) -> Counter[Kind]:
    """How many sequences of different operations types allow from the input on, by kind."""

    @cache
    def following(left: frozenset[Environment], kind: Type[Any]) -> Counter[Kind]:
        found: Counter[Kind] = Counter()
        for brick in left:
            if kind.fits(brick.domain):
                found[_last(brick, shown, True, kind is brick.domain)] += 1
                if not brick.terminal:
                    for rest, count in following(left - {brick}, brick.codomain).items():
                        found[_longer(brick, shown, rest, True, kind is brick.domain)] += count
        return found

    return following(shown.offered, shown.domain)


def run_sequences(shown: Shown) -> Counter[tuple[Kind, bool]]:
    """How many sequences of different operations run from the input on, by kind and by whether the output comes out."""

    @cache
    def following(left: frozenset[Environment], kind: Type[Any], value: Any) -> Counter[tuple[Kind, bool]]:
        found: Counter[tuple[Kind, bool]] = Counter()
        for brick in left:
            outcome = run(brick, value)
            if outcome.done:
                typed, exact, given = kind.fits(brick.domain), kind is brick.domain, brick.codomain
                found[_last(brick, shown, typed, exact), given.dumps(outcome.value) == shown.target] += 1
                for (rest, right), count in following(left - {brick}, given, outcome.value).items():
                    found[_longer(brick, shown, rest, typed and not brick.terminal, exact), right] += count
        return found

    return following(shown.offered, shown.domain, shown.start)


def _last(brick: Environment, shown: Shown, typed: bool, exact: bool) -> Kind:
    ends, fits = brick.codomain is shown.codomain, brick.codomain.fits(shown.codomain)
    return Kind(1, typed, exact, brick.domain is shown.domain, ends, fits)


def _longer(brick: Environment, shown: Shown, rest: Kind, typed: bool, exact: bool) -> Kind:
    return Kind(
        rest.length + 1, typed and rest.typed, exact and rest.exact, brick.domain is shown.domain, rest.ends, rest.fits
    )


class Guesses:
    """What the guessers earn on one prompt of SORT or SELECT."""

    def __init__(self, prompt: str, operator: str) -> None:
        shown = read(prompt)
        self.lengths = range(len(shown.offered) if operator == "sort" else 1, len(shown.offered) + 1)
        self.typed, self.run = typed_sequences(shown), run_sequences(shown)

    def right(self) -> int:
        """How many answers score 1."""
        return sum(count for (kind, right), count in self.run.items() if right and kind.length in self.lengths)

    def earned(self, name: str, *lengths: int) -> float:
        """What a guesser earns at some lengths, by default at all that may be answered; 0 where nothing is left."""
        guesser = GUESSERS[name]
        among = Counter[Kind]()
        right = 0
        for (kind, is_right), count in self.run.items():
            if guesser.takes(kind) and kind.length in (lengths or self.lengths):
                right += count if is_right else 0
                among[kind] += count
        if not guesser.runs:
            among = Counter({k: n for k, n in self.typed.items() if guesser.takes(k)})
        total = sum(count for kind, count in among.items() if kind.length in (lengths or self.lengths))
        return right / total if total else 0.0

    def best(self, name: str) -> float:
        """What a guesser earns that knows the best length."""
        return max(self.earned(name, length) for length in self.lengths)
