"""The few exceptions that this project raises on purpose."""


class RacesError(Exception):
    """The base of every exception that this project raises on purpose."""


class OutOfDomain(RacesError):
    """A brick cannot treat this value of its domain, and says why; part of a brick's meaning, not a fault."""


class InvalidValue(RacesError):
    """A value does not belong to the type that was asked for."""


class Unparseable(RacesError):
    """A text cannot be read as a value of the type that was asked for."""


class DeclarationError(RacesError):
    """A brick is declared in a way that the pool cannot use."""


class UnknownName(RacesError, KeyError):
    """A name that nothing in the pool, the warehouse or the table of operators carries."""

    # A KeyError would show its message in quotes.
    __str__ = Exception.__str__


class SettingError(RacesError):
    """A setting that cannot work: what it is, what was expected and what came."""


class WrongShape(RacesError):
    """What a trainer or a file hands over has another shape than its interface says: what was expected, what came."""
