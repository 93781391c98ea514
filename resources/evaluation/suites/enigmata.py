"""Enigmata-Eval: puzzles whose answers are verified by the programs of its authors, which run in a jail.

The verifiers come from the user's own checkout of github.com/BytedTsinghua-SIA/Enigmata, by the content of a commit
and not by what lies in its folder. Some of them hand the model's text to `eval`; enigmata_judge.py sees to that.
"""

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from races.environments.errors import SettingError
from races.resources.evaluation.suites.score import GraderError, Question, Score, shown

COMMIT = "b9c6f59f6d3f2ca97dd019bc02ca8f622575cf86"  # of 13 August 2025, the last one
TASKS = "verifiable_tasks/tasks"
OFFICIAL = "verifiable_tasks.tasks.{task}.verifier"
MINI = "exact_verifier"  # in the folder of the invented puzzles
JUDGE = Path(__file__).with_name("enigmata_judge.py")
# The doing of the model's text: a search or an expression that takes too long or too much.
TOO_MUCH = frozenset({"timeout", "memory", "output"})


class Verdict(Protocol):
    """How a run in the jail ended: done, failed, timeout, memory, output or broken; its result as JSON; why."""

    @property
    def status(self) -> str:
        """The one word."""

    @property
    def output(self) -> str:
        """The JSON of the result."""

    @property
    def reason(self) -> str:
        """What went wrong."""


class Jail(Protocol):
    """A sandbox that has the folder of the verifiers to import from."""

    def call(self, code: str, function: str, arguments: Sequence[Any]) -> Verdict:
        """Call a function that the code defines."""


@contextmanager
def verifiers(checkout: Path, commit: str = COMMIT) -> Iterator[Path]:
    """A folder with the verifiers of a commit and the numpy they need, to import from as long as the block lasts.

    Raises SettingError where the folder is no git repository or does not have the commit.
    """
    command = ["git", "-C", str(checkout), "archive", "--format=tar", f"{commit}^{{commit}}", "--", TASKS]
    try:
        packed = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = (
            error.stderr.decode(errors="replace").strip() if isinstance(error, subprocess.CalledProcessError) else error
        )
        raise SettingError(
            f"expected a checkout of Enigmata with commit {commit} in {checkout}, got: {said}"
        ) from error
    with TemporaryDirectory(prefix="races-enigmata-") as folder:
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        _copy_numpy(Path(folder))
        for place in [Path(folder), *Path(folder).rglob("*")]:  # whoever the jail runs as must be able to read it
            place.chmod(0o755 if place.is_dir() else 0o644)
        yield Path(folder)


def _copy_numpy(folder: Path) -> None:
    """Put numpy and its libraries beside the verifiers, so that a jail need not show whatever else is installed."""
    package = Path(str(np.__file__)).parent
    for place in (package, package.with_name("numpy.libs")):
        if place.is_dir():
            shutil.copytree(
                place, folder / place.name, ignore=shutil.ignore_patterns("tests", "include", "__pycache__")
            )


def tasks(folder: Path) -> list[str]:
    """The tasks that have a verifier in a folder of verifiers."""
    return sorted(file.parent.name for file in (folder / TASKS).glob("*/verifier.py"))


class Enigmata:
    """The scorer. module: where the verifier of a task is, with {task} for its name."""

    def __init__(self, jail: Jail, module: str = OFFICIAL) -> None:
        self.jail = jail
        self.module = module
        self._code = JUDGE.read_text(encoding="utf-8")

    def __call__(self, question: Question, text: str) -> Score:
        """1 if the verifier accepts the visible text, else 0; also where it raises, as in the authors' own script."""
        record, response = question.record, shown(text)
        if not response.strip():
            return Score(0.0, reason="empty")
        module = self.module.format(task=record["task_name"])
        verdict = self.jail.call(self._code, "judge", [module, response, record["answer"], record["meta"]])
        if verdict.status in TOO_MUCH:
            return Score(0.0, reason=f"{verdict.status}: {verdict.reason}")
        if verdict.status != "done":
            raise GraderError(f"Enigmata, question {question.id}: {verdict.status}: {verdict.reason}")
        try:
            value, reason = json.loads(verdict.output)
        except ValueError as error:
            raise GraderError(
                f"Enigmata, question {question.id}: expected a verdict, got {verdict.output!r}"
            ) from error
        return Score(float(value), extracted=None, reason=reason)
