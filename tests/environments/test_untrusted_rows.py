"""Rows of unknown origin: they may name bricks of the pool alone, and a malformed one is never a wrong answer."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from races.environments import get
from races.environments.composition.path import find
from races.environments.errors import UnknownName
from races.environments.operators import ScoreStatus, score
from races.environments.registry import Pool

RACES = Path(sys.executable).with_name("races")


def truth(**changes: object) -> str:
    content: dict[str, object] = {
        "operator": "select",
        "environments": ["digit_sum", "next_prime"],
        "fingerprints": ["", ""],
        "type": "Nat",
        "start": "472",
        "target": "13",
        "size": 1,
    }
    return json.dumps(content | changes)


def test_a_row_names_bricks_of_the_pool_alone(shadowed: Path) -> None:
    library = shadowed / "library"
    library.mkdir()
    for place in (shadowed, library):
        (place / "evil.py").write_text("open('was_here', 'w').close()\nx = 1\n")
    rows = [truth()]
    for name in (
        "evil:x",
        "evil",
        "evil.x",
        "(evil:x > digit_sum)",
        "os:system",
        f"{get('digit_sum').function.__module__}:digit_sum",
    ):
        rows.append(truth(environments=[name, "digit_sum"]))
        terminals = {"0": {"environment": name, "start": "3"}}
        rows.append(json.dumps({"operator": "single", "types": ["Nat"], "answers": ["5"], "terminals": terminals}))
    lines = [json.dumps({"truth": row, "response": '<answer>["A"]</answer>'}) for row in rows]
    lines = [line.replace('[\\"A\\"]', "5") if "single" in line else line for line in lines]
    (shadowed / "rows.jsonl").write_text("\n".join(lines))
    command = [RACES, "score", "rows.jsonl", "--out", "scored.jsonl"]
    env = os.environ | {"PYTHONPATH": str(library)}
    subprocess.run(command, cwd=shadowed, env=env, check=True, capture_output=True, timeout=300)
    scored = [json.loads(line) for line in (shadowed / "scored.jsonl").read_text().splitlines()]
    assert [each["status"] for each in scored] == ["scored", *["grader_failed"] * (len(rows) - 1)]
    assert scored[0]["score"] == 1.0
    assert not (shadowed / "was_here").exists()


MISSHAPEN: list[dict[str, object]] = [
    {"environments": "ab"},
    {"environments": {"0": "digit_sum"}},
    {"environments": [["tests.support.bricks_for_tests", "plus_two"], "digit_sum"]},
    {"environments": [5, "digit_sum"]},
    {"environments": []},
    {"environments": [None]},
    {"environments": ["(" * 100_000, "digit_sum"]},
    {"environments": ["(" * 1_900 + "digit_sum" + ")" * 1_900, "digit_sum"]},
    {"environments": ["digit_sum > " * 100_000 + "digit_sum", "digit_sum"]},
    {"environments": ["x" * 1_000_000, "digit_sum"]},
    {"fingerprints": []},
    {"fingerprints": None},
    {"fingerprints": [5, 5]},
    {"type": "NoSuchType"},
    {"type": ["Nat"]},
    {"start": "[" * 100_000},
    {"start": "9" * 10_000},
    {"start": 472},
    {"start": "-1"},
    {"target": 13},
    {"target": None},
    {"operator": "sequential", "types": ["Nat"], "answers": []},
    {"operator": "sequential", "types": ["Nat"], "answers": ["1", "2"]},
    {"operator": "parallel", "types": ["Nat", "Nat"], "answers": "12"},
    {"operator": "single", "types": ["Nat"], "answers": ["5"], "terminals": {"0": None}},
    {"operator": "single", "types": ["Nat"], "answers": ["5"], "terminals": []},
]


@pytest.mark.parametrize("changes", MISSHAPEN, ids=lambda changes: str(changes)[:40])
def test_a_misshapen_row_is_a_failure_of_the_grader_at_once(changes: dict[str, object]) -> None:
    begin = time.perf_counter()
    text = "5" if changes.get("operator") == "single" else '["A"]'
    result = score(truth(**changes), f"<answer>{text}</answer>")
    assert result.status is ScoreStatus.GRADER_FAILED
    assert result.reason
    assert time.perf_counter() - begin < 5


def test_the_name_of_a_composite_is_bounded(wider_pool: Pool) -> None:
    assert find(f"({' > '.join(['plus_two'] * 100)})").composed_of
    with pytest.raises(UnknownName, match="at most 4000 characters"):
        find(f"({' > '.join(['plus_two'] * 1000)})")
