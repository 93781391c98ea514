"""Randomness that is seeded by what it is for: never by a counter, the clock, the worker or the order of runs."""

import hashlib
from random import Random
from typing import Any


def key_of(*purpose: Any) -> str:
    """A hash of what something is for, 24 hexadecimal digits; every argument and the borders between them count."""
    return hashlib.blake2b(repr(purpose).encode(), digest_size=12).hexdigest()


def generator(*purpose: Any) -> Random:
    """A random generator for one purpose, such as ("races", recipe, operator, size, index).

    Examples:
        >>> from races.environments.seeding import generator
        >>> generator("my run", 1).randrange(100) == generator("my run", 1).randrange(100)
        True
    """
    return Random(key_of(*purpose))


def uniform(*purpose: Any) -> float:
    """A number in (0, 1) for one purpose, without the cost of a generator."""
    digest = hashlib.blake2b(repr(purpose).encode(), digest_size=7).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**56
