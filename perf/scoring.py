"""Scores in a second: SINGLE in this process, SORT and SELECT with bricks that run in a guard process."""

import time
from collections import Counter
from collections.abc import Iterator

from perf.known_paths import records
from perf.measure import Effort, Measurement, cpu, rate
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import Chunk
from races.environments.isolation.guard import shared_guard
from races.environments.operators import Problem, ScoreStatus, score, single
from races.environments.registry import pool
from races.environments.seeding import generator
from races.environments.types import LEVELS

NAME = "scoring"
TARGET = 50_000
THOUGHTS = 4_000  # characters of thinking before the answer, as a small model writes them
UNPARSEABLE = ("I do not know.", "<answer>no idea [</answer>", "The result is \\boxed{", "<answer></answer>")
Answers = list[tuple[str, str]]  # truths and texts


def measurements(effort: Effort) -> Iterator[Measurement]:
    """SINGLE over right, wrong and unparseable answers; SORT and SELECT over right and wrong orders."""
    mixed = single_answers(effort)
    yield Measurement(NAME, "SINGLE, mixed answers", _rate(mixed, effort), "scores/s", TARGET, note=_mix(mixed))
    for kind, some in zip(("right", "wrong", "unparseable"), (mixed[::3], mixed[1::3], mixed[2::3]), strict=True):
        yield Measurement(NAME, f"SINGLE, {kind} answers", _rate(some, effort), "scores/s", note=_mix(some))
    thoughts = "<think>" + "so it is, " * (THOUGHTS // 10) + "</think>"
    thought = [(truth, thoughts + text) for truth, text in mixed]
    yield Measurement(NAME, f"SINGLE after {THOUGHTS:,} characters", _rate(thought, effort), "scores/s")
    for operator in ("sort", "select")[: effort.of(1, 2)]:
        answers = order_answers(operator, effort)
        (once, wall), (twice, wall_twice) = _guarded(answers, 1), _guarded(answers, 2)
        note = f"{len(answers) / (wall_twice - wall):,.0f} in a second of wall time; {_mix(answers)}"
        name = f"{operator.upper()} of size 4, both processes"
        yield Measurement(NAME, name, len(answers) / (twice - once), "scores/s", note=note)
    shared_guard().close()


def single_answers(effort: Effort) -> Answers:
    """For each brick and level a right answer, one to another input, and one that cannot be read, in turn."""
    answers: Answers = []
    for brick in list(pool().values())[:: effort.of(20, 1)]:
        for number in range(effort.of(1, 5)):
            rng, level = generator(NAME, brick.name, number), LEVELS[number % len(LEVELS)]
            row, other = single.pose(brick, rng, level), single.pose(brick, rng, level)
            texts = [f"Step by step, I get this. {each.answer}" for each in (row, other)]
            answers += [(row.truth, text) for text in (*texts, UNPARSEABLE[number % len(UNPARSEABLE)])]
    return answers


def order_answers(operator: str, effort: Effort) -> Answers:
    """For each problem of size 4 the right order and the same letters backwards."""
    known, rows = records("orders", 4, effort.of(8, 60)), list[Problem]()
    for index in range(5):
        if len(rows) < effort.of(5, 300):
            rows += generate_chunk(Chunk(operator, 4, "benchmarks", (index,) * len(known), known)).problems
    return [(row.truth, text) for row in rows for text in (row.answer, _backwards(row.answer))]


def _backwards(answer: str) -> str:
    letters = answer.removeprefix("<answer>[").removesuffix("]</answer>").split(", ")
    return f"<answer>[{', '.join(reversed(letters))}]</answer>"


def _rate(answers: Answers, effort: Effort) -> float:
    return rate(lambda: _scored(answers), effort.repeats)


def _scored(answers: Answers) -> int:
    for truth, text in answers:
        score(truth, text)
    return len(answers)


def _mix(answers: Answers) -> str:
    """The shares of right, wrong and unparseable answers, and of failures of the grader if there are any."""
    scores = [score(truth, text) for truth, text in answers]
    counts = Counter(
        ("right" if each.value == 1 else "wrong") if each.status is ScoreStatus.SCORED else str(each.status)
        for each in scores
    )
    return ", ".join(f"{count / len(answers):.0%} {name}" for name, count in counts.most_common())


def _guarded(answers: Answers, passes: int) -> tuple[float, float]:
    """CPU seconds of this process and of a new guard's together, and seconds of wall time, for so many passes.

    The difference of two passes and one is the time of a pass once the guard has started and knows the bricks.
    """
    shared_guard().close()
    before, began = cpu(), time.perf_counter()
    for _ in range(passes):
        _scored(answers)
    wall = time.perf_counter() - began
    shared_guard().close()  # the time of a child counts when it has ended
    return cpu() - before, wall
