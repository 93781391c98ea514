"""What a type of values is: five answers that each type gives, and everything that follows from them."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Generic, TypeGuard, TypeVar, get_args

from races.environments import source
from races.environments.errors import DeclarationError, InvalidValue, Unparseable
from races.environments.types import reading
from races.environments.types.literals import strict_json

V = TypeVar("V")
LEVELS = (1, 2, 3, 4, 5)
LONGEST_ANSWER = 20_000  # characters of an array of results
LONGEST_VALUE = 8_000  # of one value; the longest of any type, spread over lines with four spaces, has fewer than 7,000


class Type(ABC, Generic[V]):
    """A set of immutable, hashable values with a canonical JSON form.

    A subclass says which values belong (hard bounds: a composite that explodes stops being valid by itself), how to
    sample one at a level from 1 to 5, which values make good problems (healthy) and, where JSON needs it, how
    to encode.

    name: how rows and the type graph call it.
    noun: how a statement calls it ("a list of integers").
    notation: how an answer is to be written.
    examples: two different values, to show the notation's shape.
    wider: the types that contain this one, with the same JSON.
    bounds: attributes of the subclass, which count for the fingerprint.
    sink: whether only the last step of a path may give it.

    Examples:
        >>> from races.environments.types import VOCABULARY
        >>> digits = VOCABULARY["DigitList"]
        >>> (7, 4, 3) in digits, (7, 43) in digits
        (True, False)
        >>> digits.parse("[7, 4, 3]")
        (7, 4, 3)
    """

    sink: ClassVar[bool] = False

    def __init__(
        self,
        name: str,
        noun: str,
        notation: str,
        examples: tuple[V, V],
        wider: tuple[Any, ...] = (),
        **bounds: Any,
    ) -> None:
        self.name, self.noun, self.notation, self.examples = name, noun, notation, examples
        self.wider: tuple[Type[Any], ...] = tuple(type_of(each) for each in wider)
        self.bounds = bounds
        for key, bound in bounds.items():
            setattr(self, key, bound)

    @abstractmethod
    def belongs(self, value: object) -> bool:
        """Whether the value is in canonical form and within the hard bounds of this type."""

    @abstractmethod
    def sample(self, rng: Random, level: int) -> V:
        """A healthy value; a higher level (1 to 5) makes it larger."""

    @abstractmethod
    def healthy(self, value: V) -> bool:
        """Whether a value that belongs makes a good problem or intermediate result."""

    def encode(self, value: V) -> Any:
        """The value as JSON data."""
        return value

    def decode(self, data: Any) -> V:
        """The value that JSON data stands for; raises ValueError or TypeError where it stands for none."""
        value = freeze(data)
        if not self.belongs(value):
            raise ValueError(f"expected {self.noun}")
        return value  # type: ignore[no-any-return]  # belongs has just established it

    def bare(self, text: str) -> V:
        """The value that a text without JSON quotes or brackets stands for, where this type allows such texts."""
        raise ValueError(f"expected {self.notation}")

    # Everything below follows from the answers above.

    def __contains__(self, value: object) -> bool:
        return self.belongs(value)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        """A type is pickled by name, so that there is one object of each in a process."""
        return _named, (self.name,)

    def check(self, value: object, of: str = "") -> V:
        """The value itself if it belongs, else InvalidValue: "expected a list of integers, got ..."."""
        if not self.belongs(value):
            raise InvalidValue(f"{of}{': ' if of else ''}expected {self.noun} ({self.name}), got {shorten(value)}")
        return value  # type: ignore[return-value]  # belongs has just established it

    def dumps(self, value: V) -> str:
        """The canonical JSON text of a value."""
        return to_json(self.encode(value))

    @cached_property
    def example_texts(self) -> tuple[str, ...]:
        """The canonical JSON of the examples."""
        return tuple(map(self.dumps, self.examples))

    def loads(self, text: str) -> V:
        """The value of a canonical JSON text; InvalidValue where there is none."""
        try:
            return self.decode(strict_json(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise InvalidValue(f"expected {self.notation} ({self.name}), got {shorten(text)}") from error

    def parse(self, text: str) -> V:
        """The value that an answer means, the likeliest where a string has several readings; Unparseable where none."""
        return self.readings(text)[0]

    def readings(self, text: str) -> tuple[V, ...]:
        """The values that an answer may mean, lenient in spelling and strict in value; Unparseable where there is none.

        There are several for bare strings alone, see races.environments.types.reading. The text is never evaluated.
        """
        if len(text) > LONGEST_VALUE:
            raise Unparseable(f"expected at most {LONGEST_VALUE} characters, got {len(text)}")
        found = reading.readings(self, text)
        if not found:
            raise Unparseable(f"expected {self.notation}, got {shorten(text)}")
        return found

    def same(self, first: V, second: V) -> bool:
        """Whether two values of this type are the same value."""
        return first == second

    def fits(self, domain: "Type[Any]") -> bool:
        """Whether every value of this type is, unchanged, a value of the domain."""
        return domain in self._containing

    @cached_property
    def _containing(self) -> "frozenset[Type[Any]]":
        return frozenset(self.supertypes())

    def supertypes(self) -> "Iterator[Type[Any]]":
        """This type and every type that contains it."""
        seen: list[Type[Any]] = [self]
        for each in seen:
            yield each
            seen.extend(wide for wide in each.wider if wide not in seen)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the bounds and of the code of this type: bricks over it change when it does."""
        code = [source.class_digest(part) for part in type(self).__mro__ if issubclass(part, Type) and part is not Type]
        wider = [wide.name for wide in self.wider]
        content = repr((self.name, self.noun, self.notation, sorted(self.bounds.items()), wider, code))
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def type_of(annotation: Any) -> Type[Any]:
    """The type that an annotation such as Nat or Annotated[int, Integer(...)] carries.

    Examples:
        >>> from races.environments.types import DigitList, type_of
        >>> type_of(DigitList).noun
        'a list of digits from 0 to 9'
    """
    if isinstance(annotation, Type):
        return annotation
    for note in get_args(annotation)[1:]:
        if isinstance(note, Type):
            return note
    raise DeclarationError(f"expected a type of the vocabulary such as Nat or IntList, got {annotation!r}")


def _named(name: str) -> Type[Any]:
    from races.environments.types import VOCABULARY  # the vocabulary stands above this module

    return VOCABULARY[name]


def freeze(data: Any) -> Any:
    """JSON data with its arrays as tuples, and with whole numbers as integers however they were spelled (5.0 is 5)."""
    if isinstance(data, list):
        return tuple([freeze(item) for item in data])
    if isinstance(data, float) and data.is_integer() and abs(data) < 2**53:
        return int(data)
    return data


def is_int(value: object, low: int, high: int) -> bool:
    """Whether the value is an integer (a bool is none) from low to high."""
    return type(value) is int and low <= value <= high


def are_ints(values: object, low: int, high: int) -> TypeGuard[tuple[int, ...]]:
    """Whether the value is a tuple of integers from low to high."""
    if type(values) is not tuple:
        return False
    return all([type(value) is int and low <= value <= high for value in values])


def shorten(value: object, limit: int = 80) -> str:
    """A value for an error message, cut where it is long."""
    try:
        text = repr(value[: limit + 1] if isinstance(value, str) else value)
    except (ValueError, RecursionError, MemoryError):  # an integer of too many digits, or nesting without end
        return f"a {type(value).__name__} that cannot be printed"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _encoder() -> Callable[[Any], str]:
    """json.dumps(..., ensure_ascii=False) by an encoder in C that is made once, and not for every value."""
    plain = json.JSONEncoder(ensure_ascii=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # where the standard library has no C code
        return plain.encode
    chunks = make(None, plain.default, json.encoder.encode_basestring, None, ": ", ", ", False, False, True)
    return lambda data: "".join(chunks(data, 0))


to_json = _encoder()
