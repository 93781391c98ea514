"""The exceptions that this package raises on purpose, and what each says about who is to blame.

Every one is a RacesError, so that a command line may catch them all and show the message alone. A message about a value
reads "expected X, got Y"; a message about an event says what happened.

| exception | to blame | seen by |
| --- | --- | --- |
| OutOfDomain | nobody: the brick has no answer for this value of its domain | a search and a sampler, which go on |
| InvalidValue | who passed the value | the caller |
| Unparseable | the text that was read, mostly a model's | a scorer, which makes it a score of 0 |
| DeclarationError | who wrote the brick or the composite | its author |
| UnknownName | who asked for the name | the caller, with names that are near |
| SettingError | who chose the setting | the user, with the setting's name |
| WrongShape | the trainer or the file that was to follow an interface | its author |
| reward.RewardUnavailable | this project: the grader itself failed | the trainer, which must mask the row |
| isolation.children.ChildFailed | the child process, or the brick in it | a guard, which makes a status of it |

Running a brick never raises: `execution.run` gives an Outcome whose status says how the run ended, and
`operators.score` gives a Score. A failure of the grader is the status `grader_failed`, never a reward of 0; a wrong or
unreadable answer is a reward of 0, never an exception.
"""

from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAME_LENGTH = 100  # characters of a name for which near ones are looked for; the search is slow for long texts


class RacesError(Exception):
    """The base of every exception that this project raises on purpose."""


class OutOfDomain(RacesError):
    """A brick has no answer for this value of its domain, and says why; part of a brick's meaning, not a fault.

    Examples:
        >>> import races
        >>> try:
        ...     races.get("mean_of_list")(())
        ... except races.OutOfDomain as error:
        ...     print(error)
        an empty list has no mean
    """


class InvalidValue(RacesError):
    """A value does not belong to the type that was asked for."""


class Unparseable(RacesError):
    """A text cannot be read as a value of the type that was asked for."""


class DeclarationError(RacesError):
    """A brick is declared in a way that the pool cannot use, or bricks are composed that do not fit."""


class UnknownName(RacesError, KeyError):
    """A name that nothing in the pool, the warehouse or the table of operators has."""

    # A KeyError would show its message in quotes.
    __str__ = Exception.__str__


class SettingError(RacesError):
    """A setting that cannot work: which one, what was expected and what was given."""


class WrongShape(RacesError):
    """Data from a trainer or a file that does not follow its interface: what was expected, what was given."""


def did_you_mean(name: str, known: Iterable[str], most: int = 3, before: str = "", after: str = "") -> str:
    """The question "did you mean a, b?" with the known names nearest to one that is not known; "" where none is near.

    most: names in the question.
    before, after: text around the question, where there is one.
    """
    near = get_close_matches(name, list(known), n=most) if len(name) <= MAX_NAME_LENGTH else []
    return f"{before}did you mean {', '.join(near)}?{after}" if near else ""
