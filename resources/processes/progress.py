"""How a process reports its progress to the one that started it."""

from dataclasses import dataclass
from typing import Protocol

from races.environments.errors import RacesError


class ProcessError(RacesError):
    """A process could not be started, failed, stalled or could not be ended; the message has the end of its log."""


class Report(Protocol):
    """One line of a progress file, read."""

    @property
    def done(self) -> int:
        """Units of work done so far: optimiser steps, graded samples, answered prompts."""


@dataclass(frozen=True)
class Progress:
    """A report of work that has no other figures.

    done: units of work done so far.
    seconds: wall time of the last unit, or of the last batch of units; None where it is not measured.
    """

    done: int
    seconds: float | None = None
