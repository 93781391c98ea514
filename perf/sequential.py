"""SEQUENTIAL problems of size 5 from paths that are known: as they were found, and with fresh inputs."""

from collections.abc import Iterator
from itertools import islice

from perf.known_paths import records
from perf.measure import Effort, Figure, rate
from races.environments.composition.path import PathRecord
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import Chunk, chunks

NAME = "sequential"
SIZE = 5
TARGET = 3_000
CHUNK = 50


def figures(effort: Effort) -> Iterator[Figure]:
    """Problems in a second from records in memory."""
    known = records("balanced", SIZE, effort.of(4, 60))
    turns = -(-len(known) // CHUNK)
    first = _some(known, turns)
    fresh = _some(known, turns * effort.of(2, 4))[turns:]
    _posed(first)
    candidates = sum(len(chunk.draw_indices) for chunk in fresh)
    share = _posed(fresh) / candidates
    yield Figure(
        NAME,
        f"of size {SIZE} with fresh inputs",
        rate(lambda: _posed(fresh), effort.repeats),
        "problems/s",
        TARGET,
        note=f"{len(known)} paths; {share:.0%} of {candidates} candidates made a problem",
    )
    found = rate(lambda: _posed(first), effort.repeats)
    yield Figure(NAME, f"of size {SIZE} as found", found, "problems/s", TARGET)


def _some(known: tuple[PathRecord, ...], count: int) -> list[Chunk]:
    return list(islice(chunks("sequential", SIZE, "benchmarks", known, length=CHUNK), count))


def _posed(some: list[Chunk]) -> int:
    return sum(len(generate_chunk(chunk).problems) for chunk in some)
