"""The time of one score over texts that were made to be slow to read: no answer may hold a training run up."""

import time
from collections.abc import Iterator

from perf.known_paths import records
from perf.measure import Effort, Measurement
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import Chunk
from races.environments.operators import Problem, parallel, score, single
from races.environments.registry import pool
from races.environments.seeding import generator
from races.environments.types.base import LONGEST_ANSWER, LONGEST_VALUE

NAME = "latency"
TARGET, MOST = 1.0, 2.0  # milliseconds, of the 99th percentile and of every score
SLOWEST = 10
# Unless the text is in an answer's marks, there is no answer to read; the longest that is read, and beyond.
LENGTHS = (LONGEST_VALUE - 10, LONGEST_ANSWER - 10, 100_000)
PIECES = (
    *("<answer>", "</answer>", "<answer></answer>", "\\boxed{", "\\boxed{}", "<think>", "</think>", "{", "}", "{}"),
    *("[", "]", "[[], ", "[1, ", '{"a": ', "(", "1", "-", "0.", "1,234", "1e5, ", "9/", "\\frac{1}{2}", "NaN, "),
    *("`", "```", "```\n", "*", "**", "$", "$$", "\\(", "\\[", "\\text{", "_", ".", ",", ";", "->", ">", "A, ", "A"),
    *('"', "'", '"a", ', "\\", "\\u0041", " ", "\n", "\t", "\x00", "\u2212", "\u201c", "\u00a0", "\U0001f600", "ab "),
    *("Answer: ", "the answer is ", "< answer >", "< / answer >", "</", "<", "\\fbox{", "\\boxed", "\\boxed {", "{},"),
    *("'", "'a',", "('a',)", "(1,),", "()", "True,", "None", "{'a':1},", "[[1,2],[3,4]],", "```json ", "**a**", "`a`,"),
    *(
        "\\{",
        "\\}",
        "\\,",
        "\\\\",
        "\\left[",
        "\\frac12",
        "1\\,234",
        "{,}",
        "234{,}567",
        "\\text{a}",
        "\\to",
        "\\begin{",
    ),
    *("\\'", '\\"', "1\u2009", "\u2019", "\u2192", "((a", "a&", "x+", "~a", " then ", "A->", "</answer> and <answer>"),
)


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Median, 99th percentile and maximum over every kind of text, its length, and rows of every operator."""
    rows = _rows(effort)
    times = [(_milliseconds(row.truth, text, effort.repeats), name) for row in rows for name, text in texts(effort)]
    times.sort()
    note = f"{len(times):,} scores of texts of up to {LENGTHS[-1]:,} characters"
    for name, share, target in (("median", 0.5, None), ("99th percentile", 0.99, TARGET), ("maximum", 1.0, MOST)):
        value, _ = times[min(len(times) - 1, int(share * len(times)))]
        yield Measurement(NAME, name, value, "ms", target, ceiling=True, note=note)
    worst: dict[str, float] = {}
    for value, name in reversed(times):
        worst.setdefault(name, value)
    for name, value in list(worst.items())[: effort.of(1, SLOWEST)]:
        yield Measurement(NAME, f"slow: {name}", value, "ms", note="the slowest row for it")


def texts(effort: Effort) -> Iterator[tuple[str, str]]:
    """Texts of one repeated piece, bare, in the marks of an answer and within a JSON string, each with its name."""
    for piece in PIECES[:: effort.of(7, 1)]:
        for length in LENGTHS:
            body = piece * (length // len(piece))
            name = f"{len(body):,} characters of {piece!r}"
            yield name, body
            yield f"an answer of {name}", f"<answer>{body}</answer>"
            yield f"a box of {name}", f"\\boxed{{{body}}}"
            yield f"a string of {name}", f'<answer>"{body[:-2]}"</answer>'
            yield f"an array of a string of {name}", f'<answer>["{body[:-4]}"]</answer>'
            yield f"a tuple of {name}", f"<answer>({body[:-2]})</answer>"
            yield f"single quotes around {name}", f"<answer>'{body[:-2]}'</answer>"


def _rows(effort: Effort) -> list[Problem]:
    """A SINGLE row of each answer type, and a row of each operator."""
    bricks = list(pool().values())
    by_type = {brick.codomain.name: brick for brick in bricks}
    chosen = list(by_type.values())[:: effort.of(12, 1)]
    rows = [single.pose(brick, generator(NAME, brick.name), 3) for brick in chosen]
    rows += [parallel.pose(bricks[:size], generator(NAME, size), 3) for size in (5, 12)]
    for operator in ("sequential", "sort", "select"):
        known = records("balanced" if operator == "sequential" else "orders", 4, effort.of(8, 60))
        rows += generate_chunk(Chunk(operator, 4, "benchmarks", (0,) * len(known), known)).problems[:1]
    return rows


def _milliseconds(truth: str, text: str, repeats: int) -> float:
    """CPU time of one score; where it is not short, the best of several, since other processes disturb it."""
    best = float("inf")
    for _ in range(repeats):
        if 1000 * best < TARGET / 5:
            break
        began = time.process_time()
        score(truth, text)
        best = min(best, time.process_time() - began)
    return 1000 * best
