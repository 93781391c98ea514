"""Problems for cells of an operator and a size, generated in chunks by worker processes."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Protocol

import dagster as dg
import pyarrow as pa

from races.assets.catalog.recipes import Cell, ProblemSet
from races.assets.defs.datasets.problem_cache import Candidate, ProblemCache, candidate
from races.assets.tables.columns import arrow_schema
from races.assets.tables.datasets import Problems
from races.environments.composition.path import PathRecord
from races.environments.generation.attempts import Attempt, ChunkResult, generate_chunk_in_worker
from races.environments.generation.chunks import Chunk, attempt_key, chunks
from races.environments.operators.problem import AnswerStyle
from races.environments.seeding import uniform
from races.resources.processes.worker_pool import WorkerDied, Workers
from races.resources.store.markdown import text

MAX_ROUNDS = 12  # a cell that is not full after so many rounds of candidates stays short
CHUNK_SIZE = 50  # candidates that a worker tries at a time
HELD_OUT_SHARE = 0.1  # of the problems that can be generated
MIN_RATE = 0.05  # problems a candidate, below which a round is not made any longer


class GenerationConfig(Protocol):
    """How problems are generated."""

    answer_style: AnswerStyle
    seed: str
    workers: int


def one_by_one(chunk: Chunk) -> ChunkResult:
    """Try the candidates of a chunk whose worker has died one by one: a slow one costs a worker and itself alone."""
    found = ChunkResult()
    with Workers(1) as workers:
        for index, draw_index in enumerate(chunk.draw_indices):
            one = replace(chunk, draw_indices=(draw_index,), records=chunk.records[index : index + 1])
            try:
                (result,) = workers.map(generate_chunk_in_worker, [one])
            except WorkerDied:
                found.attempts.append(Attempt(attempt_key(one, 0), (), None, "a brick takes too long"))
                continue
            found.attempts += result.attempts
    return found


class ProblemGeneration:
    """Fills cells with problems, chunk by chunk, each problem once.

    cache: the candidates of the last time and of this one; without it every candidate is tried.
    """

    def __init__(
        self,
        want: dict[Cell, int],
        config: GenerationConfig,
        records: dict[str, dict[int, list[PathRecord]]],
        purpose: ProblemSet | None = None,
        cache: ProblemCache | None = None,
    ) -> None:
        self.want, self.workers, self.purpose, self.cache = want, config.workers or None, purpose, cache
        self.supply = {cell: self._supply(cell, config, records.get(cell[0], {}).get(cell[1], [])) for cell in want}
        self.offered: Counter[Cell] = Counter()
        self.have: Counter[Cell] = Counter()
        self.rejected: Counter[str] = Counter()
        self.seen: set[str] = set()
        self.schema = arrow_schema(Problems, "" if purpose else "operator")

    def _supply(self, cell: Cell, config: GenerationConfig, records: list[PathRecord]) -> Iterator[Chunk]:
        operator, size = cell
        if self.purpose is None:
            return chunks(operator, size, config.seed, records, config.answer_style, CHUNK_SIZE)
        sub_pool, levels = self.purpose.sub_pool, self.purpose.levels
        return chunks(
            operator,
            size,
            config.seed,
            records,
            config.answer_style,
            CHUNK_SIZE,
            sub_pool,
            levels,
            True,
            self.purpose.distractors_from,
        )

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The problems, cell after cell within each round; a round offers each cell what it lacks and a little more."""
        with Workers(self.workers) as workers:
            for _ in range(MAX_ROUNDS):
                offered = [chunk for cell in self.want for chunk in self._offered(cell)]
                known_before = [
                    self.cache.lookup(chunk) if self.cache else [None] * len(chunk.draw_indices) for chunk in offered
                ]
                unknown = [_without(chunk, known) for chunk, known in zip(offered, known_before, strict=True)]
                tasks = [chunk for chunk in unknown if chunk.draw_indices]
                results = workers.map(
                    generate_chunk_in_worker,
                    tasks,
                    f"generate {tasks[0].operator}" if tasks else "",
                    fallback=one_by_one,
                )
                for chunk, known, missing in zip(offered, known_before, unknown, strict=True):
                    tried = next(results).attempts if missing.draw_indices else []
                    rows = self._fresh(chunk, self._together(chunk, known, tried), workers)
                    if rows:
                        yield pa.RecordBatch.from_pylist(rows, schema=self.schema)
        if self.cache:
            self.cache.store()

    def _together(self, chunk: Chunk, known: Sequence[Candidate | None], tried: Sequence[Attempt]) -> list[Candidate]:
        """The candidates of a chunk in their order: those that are known, and those that have been tried again."""
        left = iter(tried)
        found = [each or self._candidate(chunk, index, next(left)) for index, each in enumerate(known)]
        if self.cache:
            self.cache.note(found, anew=len(tried))
        return found

    def _candidate(self, chunk: Chunk, index: int, tried: Attempt) -> Candidate:
        row = tried.problem.as_dict() if tried.problem else None
        if row and not self.purpose:
            del row["operator"]  # which its partition says
        if self.cache is None:
            return Candidate(
                tried.key, tried.uses, "", tried.problem.id if tried.problem else "", tried.reason, "", row
            )
        return candidate(chunk, index, tried, row)

    def _offered(self, cell: Cell) -> list[Chunk]:
        """The next chunks of a cell: enough for what it lacks at the rate at which candidates made problems so far."""
        lacking = self.want[cell] - self.have[cell]
        if lacking <= 0:
            return []
        share = HELD_OUT_SHARE if self.purpose and self.purpose.held_out else 1.0
        rate = max(MIN_RATE * share, self.have[cell] / self.offered[cell]) if self.offered[cell] else share
        found = list(islice(self.supply[cell], math.ceil(1.1 * lacking / rate / CHUNK_SIZE)))
        self.offered[cell] += sum(len(chunk.draw_indices) for chunk in found)
        return found

    def _fresh(self, chunk: Chunk, candidates: Sequence[Candidate], workers: Workers) -> list[dict[str, Any]]:
        """The rows of the candidates that have a problem which the cell lacks."""
        cell, rows = (chunk.operator, chunk.size), []
        self.rejected.update(each.reason for each in candidates if each.reason)
        for index, each in enumerate(candidates):
            if each.reason:
                continue
            if self.have[cell] == self.want[cell]:
                break
            if each.id in self.seen:
                self.rejected["generated before"] += 1
                continue
            if self.purpose and self.purpose.held_out != (uniform("held out", each.id) < HELD_OUT_SHARE):
                self.rejected["of the other side of the split"] += 1
                continue
            self.seen.add(each.id)
            self.have[cell] += 1
            rows.append(each.row or self._alone(chunk, index, workers))
        return rows

    def _alone(self, chunk: Chunk, index: int, workers: Workers) -> dict[str, Any]:
        """The row of a candidate that is known to give a problem, which was not needed the last time."""
        (result,) = workers.map(generate_chunk_in_worker, [_only(chunk, [index])])
        row = self._candidate(chunk, index, result.attempts[0]).row
        if row is None:
            raise WorkerDied(f"candidate {attempt_key(chunk, index)}: expected a problem as the last time, got none")
        return row

    def report(self) -> dict[str, Any]:
        """What was generated and what was rejected, for the asset's page."""
        lines = [f"| {text(reason)} | {count} |" for reason, count in self.rejected.most_common()]
        short = {cell: self.want[cell] - self.have[cell] for cell in self.want if self.have[cell] < self.want[cell]}
        return {
            "rejected_candidates": dg.MetadataValue.md("\n".join(["| reason | candidates |", "| --- | --- |", *lines])),
            "short_of": sum(short.values()),
            **({"generated": self.cache.generated, "kept": self.cache.kept} if self.cache else {}),
        }


def _without(chunk: Chunk, known: Sequence[Candidate | None]) -> Chunk:
    """The candidates of a chunk that are not known."""
    return _only(chunk, [index for index, each in enumerate(known) if each is None])


def _only(chunk: Chunk, indices: Sequence[int]) -> Chunk:
    draw_indices = tuple(chunk.draw_indices[index] for index in indices)
    return replace(
        chunk, draw_indices=draw_indices, records=tuple(chunk.records[index] for index in indices if chunk.records)
    )
