"""Paths of bricks, and composites: environments again, which make problems and compose like any brick."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal

from races.environments.core import Environment
from races.environments.errors import DeclarationError, InvalidValue, OutOfDomain, UnknownName
from races.environments.execution import Outcome, Status, run
from races.environments.registry import get
from races.environments.seeding import key_of
from races.environments.types import Type

Matching = Literal["exact", "subtype"]
MAX_NAME_LENGTH = 4000  # characters; the name of a composite of a hundred bricks is shorter
MAX_DRAWS = 50  # of a composite's sampler, before it gives an input that the composite may refuse


def fits(codomain: Type[Any], domain: Type[Any], matching: Matching = "subtype") -> bool:
    """Whether values of the codomain may go into the domain: the same type, or under `subtype` one that contains it."""
    return codomain is domain if matching == "exact" else codomain.fits(domain)


@dataclass(frozen=True)
class Path:
    """A run of environments one after another.

    start: the start value x0.
    environments: e_1, ..., e_t.
    outputs: y_1, ..., y_t.
    """

    start: Any
    environments: tuple[Environment, ...]
    outputs: tuple[Any, ...]

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The canonical JSON of x0, y_1, ..., y_t."""
        first = self.environments[0].domain.dumps(self.start)
        return first, *[e.codomain.dumps(y) for e, y in zip(self.environments, self.outputs, strict=True)]

    @property
    def id(self) -> str:
        """A stable name: a hash of the start value and the environments' names."""
        return key_of("path", self.states[0], [e.name for e in self.environments])


@dataclass(frozen=True)
class PathRecord:
    """A path that a search found as plain data, to be sent to a worker or read from a table.

    path_id: the id of the path.
    level: of its start value, 1 to 5.
    environments: their names.
    start, outputs: JSON of x0 and of y_1, ..., y_t.
    """

    path_id: str
    level: int
    environments: tuple[str, ...]
    start: str
    outputs: tuple[str, ...]


def trace(environments: Sequence[Environment], x: Any, healthy: bool = False) -> tuple[Path | None, Outcome]:
    """The path from x through the environments, or None, with an outcome: steps are those of all runs.

    healthy: whether an output that is not healthy ends the path as well.

    Examples:
        >>> import races
        >>> from races.environments.composition.path import trace
        >>> path, outcome = trace([races.get("digit_list"), races.get("running_totals")], 743)
        >>> path.outputs
        ((7, 4, 3), (7, 11, 14))
        >>> outcome.steps
        7
    """
    outputs, steps, value = [], 0, x
    for each in environments:
        outcome = run(each, value)
        steps += outcome.steps
        if not outcome.done:
            return None, Outcome(outcome.status, None, steps, f"{each.name}: {outcome.reason}")
        value = outcome.value
        if healthy and not each.codomain.healthy(value):
            return None, Outcome(Status.OUTSIDE, None, steps, f"{each.name}: not healthy")
        outputs.append(value)
    return Path(x, tuple(environments), tuple(outputs)), Outcome(Status.DONE, value, steps)


class Composite(Environment):
    """An environment that is made of others."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A composite is pickled as its steps."""
        return compose, self.composed_of


def compose(*environments: Environment) -> Environment:
    """The environment that applies the given ones in order, each to the result of the one before.

    Its f refuses (OutOfDomain) what one of them refuses and what leaves an intermediate type's bounds. Its G draws
    inputs that all of them answer, where it finds such.

    DeclarationError where fewer than two are given or types do not fit.

    Examples:
        >>> import races
        >>> chain = races.compose(races.get("day_of_year"), races.get("divisors"))
        >>> chain
        <(day_of_year > divisors): Date -> IntSet>
        >>> from datetime import date
        >>> chain(date(2024, 6, 23))
        (1, 5, 7, 25, 35, 175)
    """
    if len(environments) < 2:
        raise DeclarationError(f"expected at least two environments to compose, got {len(environments)}")
    for first, second in itertools.pairwise(environments):
        if first.terminal:
            raise DeclarationError(f"{first.name} may only be the last step, so {second.name} cannot follow it")
        if not fits(first.codomain, second.domain):
            raise DeclarationError(
                f"{first.name} gives {first.codomain}, which does not fit {second.domain}, the domain of {second.name}"
            )
    last = environments[-1]
    return Composite(
        name=f"({' > '.join(each.name for each in environments)})",
        theme="composite",
        statement=_instructions(environments, ""),
        domain=environments[0].domain,
        codomain=last.codomain,
        function=_chain(environments),
        sampler=_sampler(environments),
        accepts=_accepts(environments) if last.accepts else None,
        composed_of=tuple(environments),
    )


def what_it_speaks_of(unit: str) -> str:
    """The sentence that says what "the list" means in a statement that is a part, a step or an operation of a problem.

    A statement speaks of its own domain; under subtyping the value that it meets may be of a narrower type.
    """
    return (
        f"Where {unit} speaks of the number, the list, the graph or the like without saying which, it means whatever "
        "it is applied to; a set counts as the list of its members in increasing order, a matrix as the list of its "
        "rows."
    )


def _instructions(environments: Sequence[Environment], prefix: str) -> str:
    """One paragraph with numbered parts; parts of a part are numbered 2.1, 2.2 and so on."""
    steps = []
    for number, each in enumerate(environments, 1):
        label = f"{prefix}{number}"
        steps.append(
            f"({label}) {_instructions(each.composed_of, label + '.') if each.composed_of else each.statement}"
        )
    head = "Carry out the following parts in order, each on the result of the part before it, and give the last result."
    return " ".join([head, *steps] if prefix else [head, what_it_speaks_of("a part"), *steps])


def _chain(environments: Sequence[Environment]) -> Any:
    def chained(x: Any) -> Any:
        for each in environments:
            x = each.function(x)
            if x not in each.codomain:
                raise OutOfDomain(f"the result of {each.name} leaves the bounds of {each.codomain}")
        return x

    return chained


def _sampler(environments: Sequence[Environment]) -> Any:
    def sampled(rng: Random, level: int) -> Any:
        x = environments[0].sample(rng, level)
        for _ in range(MAX_DRAWS):
            if trace(environments, x)[0] is not None:
                break
            x = environments[0].sample(rng, level)
        return x

    return sampled


def _accepts(environments: Sequence[Environment]) -> Any:
    """The last environment's own test, on the value that the others hand to it."""

    def accepted(x: Any, answer: Any) -> bool:
        path, outcome = trace(environments[:-1], x)
        if path is None:  # the grader's failure, which must not count as a wrong answer
            raise InvalidValue(f"expected a path to the last environment, got {outcome.status}: {outcome.reason}")
        return environments[-1].accepted(path.outputs[-1], answer)

    return accepted


def find(name: str) -> Environment:
    """The environment of a name as rows carry it: a brick's, or a composite's such as "(a > (b > c))"."""
    if len(name) > MAX_NAME_LENGTH:
        raise UnknownName(f"expected a name of at most {MAX_NAME_LENGTH} characters, got {len(name)}")
    if name.isidentifier():
        return get(name)
    parts = _split(name)
    if len(parts) > 1:
        return compose(*map(find, parts))
    return find(parts[0][1:-1]) if parts[0].startswith("(") else get(parts[0])


def _split(name: str) -> list[str]:
    """What stands between the > signs that no parentheses enclose; UnknownName where parentheses do not match."""
    parts, depth = [""], 0
    for character in name:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
        if character == ">" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    parts = [part.strip() for part in parts]
    if depth or not all(parts) or any(part[0] == "(" and part[-1] != ")" for part in parts):
        raise UnknownName(f"expected a brick, or a composite such as (a > b), got {name!r}")
    return parts
