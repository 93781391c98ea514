"""SEQUENTIAL problems of size 5 from paths that are known: as they were found, and with fresh inputs."""

from collections.abc import Iterator
from itertools import islice

from perf.known_paths import records
from perf.measure import Effort, Measurement, rate
from races.environments.composition.path import PathRecord
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import Chunk, chunks

NAME = "sequential"
SIZE = 5
TARGET = 3_000
CHUNK = 50


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Problems in a second from records in memory."""
    known = records("balanced", SIZE, effort.of(4, 60))
    count = -(-len(known) // CHUNK)
    first = _some(known, count)
    fresh = _some(known, count * effort.of(2, 4))[count:]
    _generated(first)
    candidates = sum(len(chunk.draw_indices) for chunk in fresh)
    share = _generated(fresh) / candidates
    yield Measurement(
        NAME,
        f"of size {SIZE} with fresh inputs",
        rate(lambda: _generated(fresh), effort.repeats),
        "problems/s",
        TARGET,
        note=f"{len(known)} paths; {share:.0%} of {candidates} candidates made a problem",
    )
    found = rate(lambda: _generated(first), effort.repeats)
    yield Measurement(NAME, f"of size {SIZE} as found", found, "problems/s", TARGET)


def _some(known: tuple[PathRecord, ...], count: int) -> list[Chunk]:
    return list(islice(chunks("sequential", SIZE, "benchmarks", known, length=CHUNK), count))


def _generated(some: list[Chunk]) -> int:
    return sum(len(generate_chunk(chunk).problems) for chunk in some)
