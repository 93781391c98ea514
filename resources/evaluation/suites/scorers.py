"""The scorer of each benchmark, with the sandboxes and processes that it needs."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import cast

from races.environments.errors import InvalidValue, SettingError
from races.resources.evaluation.suites import datasets, enigmata, livecode, score
from races.resources.evaluation.suites.enigmata import Enigmata
from races.resources.evaluation.suites.ifeval import IFEval
from races.resources.evaluation.suites.private_tests import task_of
from races.resources.evaluation.suites.score import GraderError, Question, Score, Scorer
from races.resources.sandbox.sandbox import Limits, Sandbox, SandboxError

MAX_VERDICT_BYTES = 2**16  # of a verifier's output, many times what it needs
SANDBOXED = ("livecodebench", "enigmata")  # benchmarks that run the model's programs, or programs on its text


def sandbox_fault() -> str:
    """Why the sandbox does not work here; "" where it does."""
    try:
        with Sandbox():
            return ""
    except SandboxError as error:
        return str(error)


class LiveCode:
    """Whether the program in the text passes all tests of the problem."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def __call__(self, question: Question, text: str) -> Score:
        code = score.program(text)
        try:
            found = livecode.grade(cast(livecode.Task, task_of(question.record)), code, self.sandbox)
        except InvalidValue as error:
            raise GraderError(f"LiveCodeBench, problem {question.id}: {error}") from error
        if found.solved is None:
            raise GraderError(f"LiveCodeBench, problem {question.id}: {found.reason}")
        parts = {"passed": found.passed, "tests": found.tests, "status": found.status.value}
        return Score(float(found.solved), parts, code or None, found.reason or "right")


class ScorerPool:
    """Several scorers of one kind as one thread-safe scorer: each call has one of them to itself."""

    def __init__(self, scorers: list[Scorer]) -> None:
        self._idle: SimpleQueue[Scorer] = SimpleQueue()
        for each in scorers:
            self._idle.put(each)

    def __call__(self, question: Question, text: str) -> Score:
        scorer = self._idle.get()
        try:
            return scorer(question, text)
        finally:
            self._idle.put(scorer)


@contextmanager
def scorer(
    benchmark: str, mini: bool = False, checkout: Path | None = None, commit: str = enigmata.COMMIT, graders: int = 1
) -> Iterator[Scorer]:
    """The thread-safe scorer of a benchmark, for the duration of the block.

    mini: for the invented set. checkout, commit: of Enigmata, for its own puzzles. graders: sandboxes in parallel.
    Raises SandboxError where a benchmark needs a sandbox and none works, SettingError where a setting is missing.
    """
    datasets.benchmark(benchmark)
    with ExitStack() as stack:
        if benchmark == "ifeval":
            yield stack.enter_context(IFEval())
        elif benchmark == "livecodebench":
            yield ScorerPool([LiveCode(stack.enter_context(livecode.sandbox())) for _ in range(graders)])
        elif benchmark == "enigmata":
            folder, module = _verifiers(stack, mini, checkout, commit)
            limits = Limits(output=MAX_VERDICT_BYTES)
            sandboxes = [stack.enter_context(Sandbox(limits, packages=[folder])) for _ in range(graders)]
            # The protocol's members are read-only, those of Sandbox are not.
            yield ScorerPool([Enigmata(cast(enigmata.VerifierSandbox, each), module) for each in sandboxes])
        else:
            yield score.longbench_v2 if benchmark == "longbench_v2" else score.aime


def _verifiers(stack: ExitStack, mini: bool, checkout: Path | None, commit: str) -> tuple[Path, str]:
    if mini:
        return datasets.MINI_FOLDER, enigmata.MINI
    if checkout is None:
        raise SettingError(
            "Enigmata-Eval: expected a checkout of github.com/BytedTsinghua-SIA/Enigmata for its verifiers, got none"
        )
    return stack.enter_context(enigmata.verifiers(checkout, commit)), enigmata.OFFICIAL


def self_test(dataset: datasets.Dataset, grade: Scorer) -> tuple[int, list[str]]:
    """Score known answers: right ones must score 1, empty ones 0.

    Returns the number of right answers that are known, and a description of every wrong score.
    """
    golds = datasets.mini_golds(dataset.benchmark) if dataset.label == datasets.MINI else {}
    known, wrong = 0, []
    for question in dataset.questions:
        gold = golds.get(question.id, score.gold(question))
        known += gold is not None
        for what, text, expected in (("an empty answer", "", 0), ("a right answer", gold, 1)):
            if text is None:
                continue
            try:
                found = grade(question, text)
            except GraderError as error:
                wrong.append(f"{question.id}: {what} cannot be graded: {error}")
                continue
            if found.value != expected:
                wrong.append(f"{question.id}: {what} scores {found.value:g} ({found.reason})")
    return known, wrong


def as_json(value: object) -> str:
    """Canonical JSON: keys are sorted."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
