"""What every brick did when it was last recorded.

`python -m tests.environments.test_golden --write` records it anew.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

from races.environments import Environment, pool
from races.environments.execution import run
from races.environments.types import LEVELS

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden.json"
DRAWS = 3


def digest(brick: Environment) -> str:
    """A hash of the statement, the signature and, for inputs of every level, what f makes of them in how many steps."""
    said = [brick.statement, brick.domain.name, brick.codomain.name]
    for level in LEVELS:
        for index in range(DRAWS):
            x = brick.sample(Random(f"golden {brick.name} {level} {index}"), level)
            outcome = run(brick, x)
            answer = brick.codomain.dumps(outcome.value) if outcome.done else outcome.reason
            said.append(f"{brick.domain.dumps(x)} {outcome.status} {outcome.steps} {answer}")
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def digests() -> dict[str, str]:
    return {name: digest(brick) for name, brick in pool().items()}


def changes(before: dict[str, str], after: dict[str, str]) -> dict[str, list[str]]:
    """The names of bricks that are new, gone or different."""
    return {
        "new": sorted(after.keys() - before.keys()),
        "gone": sorted(before.keys() - after.keys()),
        "different": sorted(name for name in before.keys() & after.keys() if before[name] != after[name]),
    }


NONE: dict[str, list[str]] = {"new": [], "gone": [], "different": []}


def test_no_brick_behaves_otherwise_than_in_the_golden_file() -> None:
    found = changes(json.loads(GOLDEN.read_text()), digests())
    assert found == NONE, "if this is meant: python -m tests.environments.test_golden --write"


def test_behaviour_is_the_same_under_two_hash_seeds() -> None:
    today = digests()
    for seed in ("0", "4711"):
        settings = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-m", "tests.environments.test_golden"]
        done = subprocess.run(command, env=settings, cwd=ROOT, capture_output=True, text=True, check=True)
        assert changes(today, json.loads(done.stdout)) == NONE


def main() -> None:
    """Print today's digests, or write them to the golden file."""
    text = json.dumps(digests(), indent=2) + "\n"
    if "--write" in sys.argv:
        GOLDEN.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
