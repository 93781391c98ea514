"""Enigmata-Eval: puzzles whose answers are checked by the authors' verifiers, which run in a sandbox.

The verifiers are read from a commit of the user's own checkout of github.com/BytedTsinghua-SIA/Enigmata, not from its
working tree. Some of them pass the model's text to `eval`, which enigmata_judge.py replaces.
"""

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from races.environments.errors import SettingError
from races.resources.evaluation.suites.score import GraderError, Question, Score, without_thinking
from races.resources.extras import missing_extra

COMMIT = "b9c6f59f6d3f2ca97dd019bc02ca8f622575cf86"  # of 13 August 2025, the last one
TASKS = "verifiable_tasks/tasks"
OFFICIAL = "verifiable_tasks.tasks.{task}.verifier"
MINI = "exact_verifier"  # in the folder of the invented puzzles
JUDGE = Path(__file__).with_name("enigmata_judge.py")
# Statuses that the model's text causes: an expression or a search that exceeds a limit.
OVER_LIMIT = frozenset({"timeout", "memory", "output"})


class Verdict(Protocol):
    """The result of a run in a sandbox."""

    @property
    def status(self) -> str:
        """How the run ended: done, failed, timeout, memory, output or broken."""

    @property
    def output(self) -> str:
        """The result as JSON."""

    @property
    def reason(self) -> str:
        """The reason of a failure."""


class VerifierSandbox(Protocol):
    """A sandbox in which the verifiers can be imported."""

    def call(self, code: str, function: str, arguments: Sequence[Any]) -> Verdict:
        """Call a function that the code defines."""


@contextmanager
def verifiers(checkout: Path, commit: str = COMMIT) -> Iterator[Path]:
    """A temporary folder with the verifiers of a commit and the numpy that they import.

    Raises SettingError where the checkout is not a git repository or lacks the commit.
    """
    command = ["git", "-C", str(checkout), "archive", "--format=tar", f"{commit}^{{commit}}", "--", TASKS]
    try:
        packed = subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        message = str(error)
        if isinstance(error, subprocess.CalledProcessError):
            message = error.stderr.decode(errors="replace").strip()
        raise SettingError(
            f"expected a checkout of Enigmata with commit {commit} in {checkout}, got: {message}"
        ) from error
    with TemporaryDirectory(prefix="races-enigmata-") as folder:
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        _copy_numpy(Path(folder))
        for place in [Path(folder), *Path(folder).rglob("*")]:  # the sandbox may run as another user
            place.chmod(0o755 if place.is_dir() else 0o644)
        yield Path(folder)


def _copy_numpy(folder: Path) -> None:
    """Copy numpy and its libraries beside the verifiers, so that the sandbox need not expose all installed packages."""
    spec = find_spec("numpy")
    if spec is None or spec.origin is None:
        raise missing_extra("numpy", "eval")
    package = Path(spec.origin).parent
    ignored = shutil.ignore_patterns("tests", "include", "__pycache__")
    for source in (package, package.with_name("numpy.libs")):
        if source.is_dir():
            shutil.copytree(source, folder / source.name, ignore=ignored)


def tasks(folder: Path) -> list[str]:
    """The tasks that have a verifier in a folder of verifiers."""
    return sorted(file.parent.name for file in (folder / TASKS).glob("*/verifier.py"))


class Enigmata:
    """The scorer. module: the module of a task's verifier, with {task} for its name."""

    def __init__(self, sandbox: VerifierSandbox, module: str = OFFICIAL) -> None:
        self.sandbox = sandbox
        self.module = module
        self._code = JUDGE.read_text(encoding="utf-8")

    def __call__(self, question: Question, text: str) -> Score:
        """1 if the verifier accepts the text after the thinking; 0 if it rejects it or, as for its authors, raises."""
        record, response = question.record, without_thinking(text)
        if not response.strip():
            return Score(0.0, reason="empty")
        module = self.module.format(task=record["task_name"])
        verdict = self.sandbox.call(self._code, "judge", [module, response, record["answer"], record["meta"]])
        if verdict.status in OVER_LIMIT:
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
