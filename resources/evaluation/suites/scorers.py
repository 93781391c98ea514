"""The scorer of each benchmark, with the jails and processes that it needs."""

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

VERDICT = 2**16  # bytes of what a verifier says, many times what it needs
JAILED = ("livecodebench", "enigmata")  # benchmarks that run programs of the model, or on its text


def jail_fault() -> str:
    """Why programs cannot be run here; "" where they can."""
    try:
        with Sandbox():
            return ""
    except SandboxError as error:
        return str(error)


class LiveCode:
    """Whether the program in the text passes all tests of the problem."""

    def __init__(self, jail: Sandbox) -> None:
        self.jail = jail

    def __call__(self, question: Question, text: str) -> Score:
        code = score.program(text)
        try:
            found = livecode.grade(cast(livecode.Task, task_of(question.record)), code, self.jail)
        except InvalidValue as error:
            raise GraderError(f"LiveCodeBench, problem {question.id}: {error}") from error
        if found.solved is None:
            raise GraderError(f"LiveCodeBench, problem {question.id}: {found.reason}")
        parts = {"passed": found.passed, "tests": found.tests, "status": found.status.value}
        return Score(float(found.solved), parts, code or None, found.reason or "right")


class Shared:
    """Several scorers of one kind behind one that threads may share: each call has one of them for itself."""

    def __init__(self, scorers: list[Scorer]) -> None:
        self._idle: SimpleQueue[Scorer] = SimpleQueue()
        for each in scorers:
            self._idle.put(each)

    def __call__(self, question: Question, text: str) -> Score:
        taken = self._idle.get()
        try:
            return taken(question, text)
        finally:
            self._idle.put(taken)


@contextmanager
def scorer(
    benchmark: str, mini: bool = False, checkout: Path | None = None, commit: str = enigmata.COMMIT, graders: int = 1
) -> Iterator[Scorer]:
    """The scorer of a benchmark, for threads to share, as long as the block lasts.

    mini: that of the invented set. checkout, commit: of Enigmata, for its own puzzles. graders: programs run at once.
    Raises SandboxError where there is no jail for a benchmark that needs one, SettingError where a setting is missing.
    """
    datasets.benchmark(benchmark)
    with ExitStack() as stack:
        if benchmark == "ifeval":
            yield stack.enter_context(IFEval())
        elif benchmark == "livecodebench":
            yield Shared([LiveCode(stack.enter_context(livecode.sandbox())) for _ in range(graders)])
        elif benchmark == "enigmata":
            folder, module = _verifiers(stack, mini, checkout, commit)
            limits = Limits(output=VERDICT)
            jails = [stack.enter_context(Sandbox(limits, packages=[folder])) for _ in range(graders)]
            # Its protocols are read-only views of what a sandbox gives.
            yield Shared([Enigmata(cast(enigmata.Jail, jail), module) for jail in jails])
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


def misjudged(dataset: datasets.Dataset, grade: Scorer) -> tuple[int, list[str]]:
    """How many right answers are known, and what a scorer gets wrong: a right answer not 1, or an empty one not 0."""
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
    """JSON in one form, whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
