"""A brick: input sampler G, deterministic map f: X -> Y, statement D and verifier V, declared as one function."""

import hashlib
import inspect
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from random import Random
from typing import Any, Literal, Protocol, TypeVar, get_type_hints

from races.environments import clock, source
from races.environments.errors import DeclarationError, InvalidValue, Unparseable
from races.environments.types import Type, type_of

Sampler = Callable[[Random, int], Any]
Accepts = Callable[[Any, Any], bool]
Grade = Literal["everyday", "course", "advanced"]  # what a solver must know: nothing, a first course, or more
F = TypeVar("F", bound=Callable[[Any], Any])


@dataclass(frozen=True, eq=False)
class Environment:
    """A verifiable environment (G, f, D, V); a single brick and a composite of bricks have the same interface.

    name: how the pool calls it.
    theme: the module that declares it, or "composite".
    statement: what is to be done, without any concrete input.
    domain, codomain: its signature X -> Y.
    function: f, which answers or raises OutOfDomain.
    sampler: G, a function of (rng, level) that draws an input.
    accepts: for a terminal brick, whether (input, answer) is right where several answers are; such a brick may only
        stand alone, in PARALLEL and as the last step.
    grade: what a solver must know; it does not count for the fingerprint.
    composed_of: the steps of a composite, which may be composites; empty for a single brick.

    Examples:
        >>> import races
        >>> brick = races.get("digit_sum")
        >>> brick
        <digit_sum: Nat -> SmallNat>
        >>> brick.statement
        'Add up the decimal digits of the number.'
        >>> brick(472)
        13
        >>> brick.verify("13", truth=brick(472)), brick.verify("12", truth=brick(472))
        (True, False)
    """

    name: str
    theme: str
    statement: str
    domain: Type[Any]
    codomain: Type[Any]
    function: Callable[[Any], Any]
    sampler: Sampler
    accepts: Accepts | None = None
    grade: Grade = "everyday"
    composed_of: tuple["Environment", ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"<{self.name}: {self.domain} -> {self.codomain}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A brick is pickled by name: in its module it stands where its function did."""
        return declared, (self.function.__module__, self.name)

    @cached_property
    def parts(self) -> tuple["Environment", ...]:
        """The single bricks that run one after another."""
        return tuple(part for step in self.composed_of for part in step.parts) or (self,)

    @property
    def terminal(self) -> bool:
        """Whether nothing may come after it in a path."""
        return self.codomain.sink or self.accepts is not None

    def sample(self, rng: Random, level: int) -> Any:
        """G: an input of the domain, which f may still refuse. A higher level, from 1 to 5, makes it larger.

        InvalidValue for another level, and for a sampler that leaves the domain.
        """
        if level not in (1, 2, 3, 4, 5):
            raise InvalidValue(f"{self.name}: expected a level from 1 to 5, got {level!r}")
        host = host_of(self) if inspect.isfunction(self.sampler) and not self.composed_of else None
        x = host.draw(self, rng, level, metered=False) if host else self.sampler(rng, level)
        return self.domain.check(x, self.name)

    def __call__(self, x: Any) -> Any:
        """f: the one right answer for x; OutOfDomain where it has none, InvalidValue where x is not of the domain."""
        y = self.function(self.domain.check(x, self.name))
        if not self.codomain.belongs(y):
            self.codomain.check(y, f"{self.name} of {self.domain.dumps(x)[:60]}")
        return y

    def describe(self, x: Any) -> str:
        """D: the task in words together with the input."""
        return f"{self.statement}\n\nInput ({self.domain.noun}): {self.domain.dumps(x)}"

    def verify(self, answer_text: str, truth: Any, x: Any = None) -> bool:
        """V: whether the text means the true value; a terminal brick with several answers needs the input, too."""
        try:
            readings = self.codomain.readings(answer_text)
        except Unparseable:
            return False
        if self.accepts is not None and x is not None:
            return any([self.accepted(x, answer) for answer in readings])
        return any([self.codomain.same(answer, truth) for answer in readings])

    def accepted(self, x: Any, answer: Any) -> bool:
        """Whether a terminal brick's own test takes an answer; a third-party test runs under a time limit."""
        if self.accepts is None:
            raise DeclarationError(
                f"{self.name}: expected an environment that accepts several answers, got one that does not"
            )
        host = host_of(self) if not self.composed_of else None
        return host.accepts(self, x, answer) if host else bool(self.accepts(x, answer))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what the brick is: statement, signature, and the code that f, G and accepts reach."""
        if self.composed_of:
            content = repr([step.fingerprint for step in self.composed_of])
        else:
            own = [f for f in (self.function, self.sampler, self.accepts) if inspect.isfunction(f)]
            signature = [self.domain.fingerprint, self.codomain.fingerprint, inspect.isfunction(self.sampler)]
            content = repr([self.name, self.statement, signature, source.digest(*own)])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def environment(
    *, sample: Sampler | None = None, accepts: Accepts | None = None, grade: Grade = "everyday"
) -> Callable[[F], Environment]:
    """Declare a brick: the function's name, docstring and annotations are its name, statement and signature.

    sample: G as a function of (rng, level); by default the domain's own sampler.
    accepts, grade: see Environment.

    DeclarationError where the function is not a brick: no docstring, not one annotated parameter, unknown types.

    Examples:
        In a file: the source is part of the fingerprint, so a brick that is typed at a prompt is refused.

        >>> import races
        >>> from races.environments.types import DigitList
        >>> @races.environment()
        ... def capped_at_five(digits: DigitList) -> DigitList:
        ...     '''Replace every digit of the list that is greater than 5 by 5, and leave the others as they are.'''
        ...     return tuple(min(digit, 5) for digit in digits)
        >>> capped_at_five
        <capped_at_five: DigitList -> DigitList>
        >>> capped_at_five((7, 0, 5, 6))
        (5, 0, 5, 5)
    """

    def declare(function: F) -> Environment:
        where = f"{source.public_name(function.__module__)}.{function.__qualname__}"
        source.remember(function.__module__)
        hints = get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters)
        statement = " ".join((function.__doc__ or "").split())
        if len(parameters) != 1:
            raise DeclarationError(f"{where}: expected one parameter, got {len(parameters)}: {', '.join(parameters)}")
        if not statement:
            raise DeclarationError(f"{where}: expected a docstring, which is the brick's statement, got none")
        if parameters[0] not in hints or "return" not in hints:
            raise DeclarationError(f"{where}: expected annotations of the parameter and of the result")
        try:
            domain, codomain = type_of(hints[parameters[0]]), type_of(hints["return"])
        except DeclarationError as error:
            raise DeclarationError(f"{where}: {error}") from error
        return Environment(
            name=function.__name__,
            theme=source.public_name(function.__module__).rsplit(".", 1)[-1],
            statement=statement,
            domain=domain,
            codomain=codomain,
            function=function,
            sampler=sample or domain.sample,
            accepts=accepts,
            grade=grade,
        )

    return declare


class Host(Protocol):
    """Runs single third-party bricks outside of this process, where a time limit can end them."""

    def run(self, brick: Environment, x: Any, steps: int) -> Any:
        """What execution.run gives: an Outcome."""

    def draw(self, brick: Environment, rng: Random, level: int, metered: bool) -> Any:
        """An input of its sampler."""

    def accepts(self, brick: Environment, x: Any, answer: Any) -> bool:
        """Whether its own test takes an answer."""


_HOSTS: dict[str, Host] = {}  # who runs the bricks of a module


def assign_host(modules: Collection[str], host: Host | None) -> None:
    """Have a host run the bricks of these modules, and of no others, from now on, except under a time limit."""
    _HOSTS.clear()
    if host is not None:
        _HOSTS.update(dict.fromkeys(modules, host))


def is_third_party(brick: Environment) -> bool:
    """Whether a single brick is of another package or a file of RACES_BRICKS."""
    return brick.function.__module__ in _HOSTS


def host_of(brick: Environment) -> Host | None:
    """Who is to run a brick; None where this process may.

    Bricks of this package are known to end, and under a time limit anything may run.
    """
    if not _HOSTS or clock.under_time_limit():
        return None
    return _HOSTS.get(brick.function.__module__)


def declared(module: str, name: str) -> Environment:
    """The brick that a module declares under a name; DeclarationError where there is none."""
    if source.is_brick_file(module) and module not in sys.modules:
        import_module("races.environments").pool()  # such a module is known by its file, which the pool has loaded
    found = getattr(import_module(module), name, None)
    if not isinstance(found, Environment):
        raise DeclarationError(f"{module}: expected a brick named {name!r}, got {found!r}")
    return found
