"""IFEval's scorer is a pure function: what a checker would draw at random is refused, and nothing else is."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from races.environments.errors import InvalidValue
from races.resources.evaluation.suites import datasets, ifeval
from races.resources.evaluation.suites.ifeval_arguments import ARGUMENTS, checked
from races.resources.evaluation.suites.score import GraderError, Question

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "de", "kn")
MINI = {
    name: given
    for each in datasets.load_mini("ifeval").questions
    for name, given in zip(each.record["instruction_id_list"], each.record["kwargs"], strict=True)
}
GOLDS = sorted(datasets.mini_golds("ifeval").values())
# One good value and bad ones of every argument that there is.
COUNT = (3, [-1, 1.5, "3", True, float("nan"), [3], 10**400 * -1])
RELATION = ("at least", ["at most", "", "AT LEAST", 1, ["at least"]])
WORD = ("cat", ["", " ", 3, "(", "[", "*", ["cat"]])
WORDS = (["cat", "dog"], [[], "cat", ["cat", ""], ["("], [1], {"cat": 1}])
VALUES: dict[str, tuple[Any, list[Any]]] = {
    "capital_frequency": COUNT,
    "capital_relation": RELATION,
    "end_phrase": ("Bye.", ["", " \n", 1]),
    "first_word": ("cat", ["", " ", 1]),
    "forbidden_words": WORDS,
    "frequency": COUNT,
    "keyword": WORD,
    "keywords": WORDS,
    "language": ("de", ["", "xx", "German", "zh-cn", 1, ["de"]]),
    "let_frequency": COUNT,
    "let_relation": RELATION,
    "letter": ("k", ["#", "!", "", "ab", "1", " ", "\u00e9", "\u0130", 1, ["k"]]),
    "nth_paragraph": (2, [0, -1, 4, "1", 1.5, True]),
    "num_bullets": COUNT,
    "num_highlights": COUNT,
    "num_paragraphs": COUNT,
    "num_placeholders": COUNT,
    "num_sections": COUNT,
    "num_sentences": COUNT,
    "num_words": COUNT,
    "postscript_marker": ("P.S.", ["", " ", "(", 1]),
    "prompt_to_repeat": ("Say it.", ["", " ", 1]),
    "relation": RELATION,
    "section_spliter": ("Section", ["", " ", "(", 1]),
}


def good(name: str) -> dict[str, Any]:
    return {argument: VALUES[argument][0] for argument in ARGUMENTS[name]}


def asked(name: str, given: Any) -> Question:
    return Question("ifeval", "q", {"instruction_id_list": [name], "kwargs": [given]}, "q")


@pytest.fixture(scope="module")
def scorer() -> Iterator[ifeval.IFEval]:
    pytest.importorskip("lm_eval")
    with ifeval.IFEval() as made:
        yield made


def test_every_argument_has_its_values() -> None:
    assert len(ARGUMENTS) == 25
    assert {argument for each in ARGUMENTS.values() for argument in each} == set(VALUES)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_arguments_in_range_are_taken_and_others_refused(name: str) -> None:
    assert checked(name, good(name), LANGUAGES) == good(name)
    assert checked(name, dict.fromkeys(VALUES) | good(name), LANGUAGES) == good(name)
    for argument in ARGUMENTS[name]:
        for value in (*VALUES[argument][1], None):
            with pytest.raises(InvalidValue, match="expected"):
                checked(name, good(name) | {argument: value}, LANGUAGES)
        with pytest.raises(InvalidValue, match="expected the arguments"):
            checked(name, {key: value for key, value in good(name).items() if key != argument}, LANGUAGES)
    with pytest.raises(InvalidValue, match="expected the arguments"):
        checked(name, good(name) | {"another": 1}, LANGUAGES)


def test_counts_may_be_floats_of_a_table_and_zero() -> None:
    assert checked("keywords:frequency", good("keywords:frequency") | {"frequency": 2.0}, ())["frequency"] == 2
    assert checked("keywords:frequency", good("keywords:frequency") | {"frequency": 0}, ())["frequency"] == 0
    with pytest.raises(InvalidValue, match="kinds of instructions"):
        checked("keywords:none", {}, ())


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_what_cannot_be_checked_is_a_failure_of_the_grader(name: str, scorer: ifeval.IFEval) -> None:
    text = GOLDS[0]
    assert scorer(asked(name, good(name)), text).value in {0, 1}
    bad = [good(name) | {argument: VALUES[argument][1][0]} for argument in ARGUMENTS[name]]
    for given in (*bad, {"another": 1}, None):
        with pytest.raises(GraderError, match="IFEval, question q: "):
            scorer(asked(name, given), text)
        assert scorer(asked(name, given), " ").value == 0  # an empty response follows nothing
    for record in ({"instruction_id_list": [name], "kwargs": []}, {"instruction_id_list": ["x"], "kwargs": [{}]}):
        with pytest.raises(GraderError):
            scorer(Question("ifeval", "q", record, "q"), text)


def test_no_checker_draws_whatever_the_table_says(scorer: ifeval.IFEval, tmp_path: Path) -> None:
    """What a later version of the checkers takes for missing would be drawn: their `random` refuses."""
    ifeval.prepare(tmp_path)
    registry, _ = ifeval._registry()
    for name, arguments in ARGUMENTS.items():
        if arguments and name != "combination:repeat_prompt":  # which raises ValueError by itself
            with pytest.raises(InvalidValue, match="replaces by random"):
                registry[name](name).build_description()


GRADE = """
import json, random, sys
from pathlib import Path
from races.resources.evaluation.suites import ifeval
ifeval.prepare(Path(sys.argv[1]))
names, given, texts, rounds = json.load(sys.stdin)
seen = set()
for number in range(rounds):
    random.seed(number)
    seen.add(json.dumps([ifeval.follows(names, given, text) for text in texts]))
print(json.dumps(sorted(seen)))
"""


def verdicts(folder: Path, hash_seeds: range, rounds: int) -> list[list[str]]:
    """The verdicts of all checkers on a few texts, in a fresh process for each hash seed; two processes at a time."""
    texts = [*GOLDS[:4], "Was ist das? This is a short text. \u0939\u0948", "a b", "1 2 3", "Hallo hello hola"]
    # The detector takes the last text for either of these, where nothing fixes what it draws.
    names = [*MINI, "language:response_language", "language:response_language"]
    values = [*MINI.values(), {"language": "fi"}, {"language": "it"}]
    given = json.dumps([names, values, texts, rounds])

    def judged(hash_seed: int) -> list[str]:
        (folder / str(hash_seed)).mkdir()
        command = [sys.executable, "-W", "ignore", "-c", GRADE, str(folder / str(hash_seed))]
        environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
        ran = subprocess.run(
            command, input=given, capture_output=True, text=True, cwd=ROOT, env=environment, check=True
        )
        return list(json.loads(ran.stdout.splitlines()[-1]))

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(judged, hash_seeds))


def test_the_same_text_has_one_verdict(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    assert set(MINI) == set(ARGUMENTS)
    first, second = verdicts(tmp_path, range(2), rounds=3)
    assert len(first) == 1
    assert first == second


@pytest.mark.slow
def test_the_same_text_has_one_verdict_in_eight_processes(tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    assert len({each for found in verdicts(tmp_path, range(8), rounds=1) for each in found}) == 1


def test_a_long_response_is_checked_and_memory_is_bounded(
    scorer: ifeval.IFEval, monkeypatch: pytest.MonkeyPatch
) -> None:
    prose = (ROOT / "docs" / "benchmarks.md").read_text() * 40
    each = Question("ifeval", "q", {"instruction_id_list": list(MINI), "kwargs": list(MINI.values())}, "q")
    assert scorer(each, prose[:400_000]).reason.startswith("not followed: ")
    with ifeval.IFEval() as another:
        monkeypatch.setattr(another, "_started", lambda: Ended(MemoryError()))
        assert another(each, "text").value == 0
        monkeypatch.setattr(another, "_started", lambda: Ended(KeyError("x")))
        with pytest.raises(GraderError, match="KeyError"):
            another(each, "text")


class Ended:
    """A pool whose tasks have ended in one way."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def schedule(self, *_: Any, **__: Any) -> "Ended":
        return self

    def exception(self) -> BaseException:
        return self.error
