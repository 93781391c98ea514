"""A card for each brick: what it is, what running it measured, and how many of its problems were solved blind.

`python -m races.environments.audit.cards` writes the gallery; `--speed` first times bricks that are new
or have changed. Records that no run can reproduce are data in records/: who solved what blind (blind.csv), and speeds
on one machine (speed.csv; remove it to measure all bricks anew).
"""

import csv
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from races.environments.audit.contract import other_outputs, refused_outputs
from races.environments.core import Environment
from races.environments.operators import score, single
from races.environments.profile import profile
from races.environments.registry import pool
from races.environments.seeding import generator
from races.environments.subpools import HELD_OUT, explicit_subpools

RECORDS = Path(__file__).with_name("records")
GALLERY = Path(__file__).parents[3] / "docs" / "gallery.md"
SHOWN = (1, 3, 5)  # levels of the examples


@dataclass(frozen=True)
class Solved:
    """Problems of a brick that were solved from the prompt alone.

    solved, of: how many, of how many.
    date: when, as YYYY-MM-DD.
    solver: what kind of solver.
    fingerprint: of the brick that was solved; where the brick has changed since, the record no longer holds.
    """

    solved: int
    of: int
    date: str
    solver: str
    fingerprint: str


@dataclass(frozen=True)
class Speed:
    """Speed of SINGLE on the machine that wrote the record.

    generated: problems in a CPU second.
    scored: answers in a CPU second.
    fingerprint: of the brick that was measured.
    """

    generated: float
    scored: float
    fingerprint: str


@cache
def blind_records() -> dict[str, Solved]:
    """The records of blind solving, by brick."""
    return {
        row["brick"]: Solved(int(row["solved"]), int(row["of"]), row["date"], row["solver"], row["fingerprint"])
        for row in _records("blind.csv")
    }


@cache
def speed_records() -> dict[str, Speed]:
    """The records of speed, by brick."""
    return {
        row["brick"]: Speed(float(row["generated_per_second"]), float(row["scored_per_second"]), row["fingerprint"])
        for row in _records("speed.csv")
    }


def _records(name: str) -> list[dict[str, str]]:
    file = RECORDS / name
    if not file.is_file():
        return []
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def gallery(bricks: Iterable[Environment]) -> str:
    """The gallery page: every brick under its theme, in Markdown."""
    ordered = sorted(bricks, key=lambda brick: (brick.theme, brick.name))
    others = other_outputs(pool())
    themes = [(theme, list(some)) for theme, some in groupby(ordered, key=lambda brick: brick.theme)]
    index = " · ".join(f"[{theme}](#{theme}) ({len(some)})" for theme, some in themes)
    made = (
        f"{len(ordered)} bricks in {len(themes)} themes. Made by `make gallery`; figures are of 40 inputs a level, "
        "speeds of SINGLE at level 3 in CPU time of one core."
    )
    sections = ["# Gallery of bricks", made, index]
    for theme, some in themes:
        sections.append(f"## {theme}")
        sections += [card(brick, others) for brick in some]
    return "\n\n".join(sections) + "\n"


def card(brick: Environment, others: Mapping[str, list[Any]]) -> str:
    """One brick of the gallery: what a run measures, and what is on record."""
    measured = profile(brick)
    refused, tried = refused_outputs(brick, others.get(brick.domain.name, []))
    record = blind_records().get(brick.name)
    held = "held out from training" if brick.name in explicit_subpools().get(HELD_OUT, ()) else ""
    tags = ", ".join(filter(None, [brick.grade, *measured["tags"], held]))
    solved = (
        f"solved blind {record.solved} of {record.of} ({record.date}, {record.solver})"
        if record
        else "not solved blind"
    )
    steps = " / ".join(f"{measured[f'steps_{level}']:.0f}" for level in range(1, 6))
    numbers = (
        f"steps {steps} at level 1 to 5; "
        f"answer {measured['answer_length']:.0f} characters; duplicates {measured['duplicates']:.0%}, "
        f"identity {measured['identity']:.0%}, best constant {measured['top_share']:.0%}, "
        f"entropy {measured['entropy']:.1f} bits; refuses {measured['refused']:.0%} of its own inputs and "
        f"{refused:.0%} of {tried} outputs of other bricks; {solved}{_speed(brick)}"
    )
    rows = [f"| {level} | `{x}` | `{y}` |" for level, x, y in _examples(brick)]
    table = "\n".join(["| level | input | answer |", "| --- | --- | --- |", *rows])
    head = f"### {brick.name}\n\n`{brick.domain} -> {brick.codomain}` · {tags} · `{brick.fingerprint}`"
    return f"{head}\n\n{brick.statement}\n\n{table}\n\n{numbers}."


def _speed(brick: Environment) -> str:
    record = speed_records().get(brick.name)
    if record is None or record.fingerprint != brick.fingerprint:
        return ""
    return f"; {record.generated:,.0f} generated and {record.scored:,.0f} scored per second"


def _examples(brick: Environment) -> list[tuple[int, str, str]]:
    shown = []
    for level in SHOWN:
        problem = single.pose(brick, generator("card", brick.name, level), level)
        answer = problem.outputs[0]
        shown.append((level, problem.start.replace("|", "\\|"), answer.replace("|", "\\|")))
    return shown


def measure_speed(brick: Environment, seconds: float = 0.03) -> Speed:
    """The speed of SINGLE at level 3 and of scoring its gold answers, in this process."""
    rng = generator("speed", brick.name)
    problem = single.pose(brick, rng, 3)
    generated = _rate(lambda: single.pose(brick, rng, 3), seconds)
    return Speed(generated, _rate(lambda: score(problem.truth, problem.answer), seconds), brick.fingerprint)


def _rate(work: Callable[[], object], seconds: float) -> float:
    """Calls in a CPU second: the best of three measurements, since whatever else runs only slows them down."""
    rates = []
    for _ in range(3):
        count, began = 0, time.process_time()
        while (spent := time.process_time() - began) < seconds:
            work()
            count += 1
        rates.append(count / spent)
    return max(rates)


def write_speeds() -> None:
    """Write speed.csv, in two digits: a brick that is as it was keeps its record, the others are measured."""
    known = speed_records()
    kept = {
        name: known[name]
        for name, brick in pool().items()
        if name in known and known[name].fingerprint == brick.fingerprint
    }
    speeds = {name: kept.get(name) or measure_speed(brick) for name, brick in pool().items()}
    with (RECORDS / "speed.csv").open("w", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(("brick", "generated_per_second", "scored_per_second", "fingerprint"))
        for name, speed in speeds.items():
            rates = (f"{float(f'{rate:.2g}'):.0f}" for rate in (speed.generated, speed.scored))
            writer.writerow((name, *rates, speed.fingerprint))
    speed_records.cache_clear()


if __name__ == "__main__":
    if "--speed" in sys.argv[1:]:
        write_speeds()
    GALLERY.parent.mkdir(exist_ok=True)
    GALLERY.write_text(gallery(pool().values()))
