import json
import os
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from races.environments.errors import SettingError
from races.resources.evaluation.suites import datasets, enigmata, enigmata_judge, ifeval, private_tests, prompts, score
from races.resources.evaluation.suites.score import GraderError, Question

NAMES = sorted(datasets.BENCHMARKS)
# A checkout of the verifiers' repository, for those who have one.
CHECKOUT = os.environ.get("RACES_ENIGMATA", "")
HOSTILE = {
    "empty": "",
    "space": " \n\t",
    "open brackets": "[" * 100_000,
    "open boxes": r"\boxed{" * 100_000,
    "closing braces": "}" * 100_000,
    "nested boxes": r"\boxed{" * 50_000 + "}" * 50_000,
    "long number": r"\boxed{" + "9" * 100_000 + "}",
    "deep JSON": '{"a":' * 50_000,
    "fences": "```\n" * 50_000,
    "thinking": "<think>" * 50_000,
    "stars": "*" * 100_000,
    "zero bytes": "\0" * 1_000,
    "a lone surrogate": "\ud800 The correct answer is (\ud800",
    "wide digits": "\\boxed{\uff12\uff15}",
    "almost an answer": "The correct answer is (" * 20_000,
    "code": "```\n__import__('os')._exit(3)\n```",
}


def question(name="aime_2025", **record):
    return Question(name, "q", record, "q")


def aime(text, answer=25):
    return score.aime(question(answer=answer), text)


# Thinking


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n", "plain\n"),
        ("<think>a</think>\n\nb", "b"),
        ("no opening tag</think>b", "b"),
        ("<think>a</think>b<think>c</think> d", "d"),
        ("<think>never ended", ""),
        ("a</think>b<think>again", ""),
    ],
)
def test_thinking_is_cut_at_its_last_end_and_unended_thinking_leaves_nothing(text, shown):
    assert score.shown(text) == shown


@pytest.mark.parametrize("name", ["aime_2024", "aime_2025", "longbench_v2"])
def test_an_answer_inside_the_thinking_alone_earns_nothing(name):
    scorer = score.longbench_v2 if name == "longbench_v2" else score.aime
    for each in datasets.load_mini(name).questions:
        gold = datasets.mini_golds(name)[each.id]
        assert scorer(each, gold).value == scorer(each, score.gold(each)).value == 1
        assert score.gold(replace(each, benchmark="enigmata")) is None
        assert scorer(each, f"<think>hm</think>{gold}").value == 1
        assert scorer(each, f"<think>{gold}").value == 0
        assert scorer(each, f"{gold}</think>").value == 0


DRAFTS = [
    "<think>{}",
    "[THINK]{}",
    "◁think▷{}",
    "<seed:think>{}",
    "<Think>{}",
    "<|channel|>analysis<|message|>{}",
    "{}</think>",
]


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_draft_in_thinking_of_any_style_is_not_read(draft):
    words = "```\nprint(1)\n``` The correct answer is (A) \\boxed{25}"
    assert score.shown(draft.format(words)) == ""
    assert score.program(draft.format(words)) == ""
    assert aime(draft.format(words)).value == 0
    with_answer = draft.format(words) + "</think>" * (not draft.endswith("</think>")) + f"\n{words}\n"
    assert score.shown(with_answer) == words
    assert aime(with_answer).value == 1
    assert score.longbench_v2(question("longbench_v2", answer="A"), draft.format(words)).value == 0


# AIME


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\boxed{25}", 1),
        (r"\boxed{025}", 1),
        (r"$\boxed{ $25$ }$", 1),
        (r"\boxed {25}", 1),
        (r"\boxed{24} no, \boxed{25}", 1),
        (r"\boxed{25} or rather \boxed{24}", 0),
        (r"\boxed{25} and \boxed{", 1),
        (r"\boxed{\boxed{25}}", 1),
        (r"\boxed{25.0}", 0),
        (r"\boxed{2,5}", 0),
        (r"\boxed{2 5}", 0),
        (r"\boxed{-25}", 0),
        (r"\boxed{\frac{50}{2}}", 0),
        (r"\boxed{x = 25}", 0),
        (r"\boxed{}", 0),
        ("25", 0),
        ("The answer is 25.", 0),
    ],
)
def test_aime_reads_the_last_balanced_box_as_an_integer(text, value):
    assert aime(text).value == value


def test_aime_says_what_it_read():
    assert (aime(r"\boxed{007}", 8).extracted, aime(r"\boxed{007}", 8).reason) == ("7", "wrong answer")
    assert aime(r"\boxed{1000}").extracted is None


@pytest.mark.filterwarnings("ignore")  # another library's
def test_aime_agrees_with_math_verify_on_every_boxed_integer():
    verify = pytest.importorskip("math_verify")
    rng = random.Random(1)
    for _ in range(60):
        answer, said = rng.randrange(1000), rng.randrange(1000)
        said = rng.choice([answer, said])
        text = (
            rng.choice(["So $\\boxed{%03d}$.", "It is $\\boxed{%d}$", "First $\\boxed{1}$, then\n\\[\\boxed{%d}\\]"])
            % said
        )
        assert aime(text, answer).value == verify.verify(verify.parse(str(answer)), verify.parse(text))


# LongBench-v2


def official_letter(response):
    """What the benchmark's README and pred.py say, in other words: stars go, brackets first, then bare."""
    response = "".join(character for character in response if character != "*")
    for opening, closing in (("(", ")"), ("", "")):
        for place in (m.start() for m in re.finditer("The correct answer is ", response)):
            rest = response[place + len("The correct answer is ") :]
            letter, after = rest[len(opening) : len(opening) + 1], rest[len(opening) + 1 :]
            if rest.startswith(opening) and letter in set("ABCD") and after.startswith(closing):
                return letter
    return None


def test_longbench_reads_the_letter_as_its_own_evaluation_does():
    rng = random.Random(2)
    pieces = ["The correct answer is ", "(", ")", "A", "B", "D", "E", "*", " ", "the correct answer is (C)", "\n"]
    seen = set()
    for _ in range(4_000):
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(8)))
        found = score.longbench_v2(question("longbench_v2", answer="B"), text)
        assert found.extracted == official_letter(text)
        assert found.value == (found.extracted == "B")
        seen.add(found.extracted)
    assert seen == {None, "A", "B", "D"}


class Words:
    """A tokenizer of which every token is a word; 0 begins a text, as some tokenizers' first token does."""

    def __init__(self):
        self.words = ["<s>"]

    def encode(self, text):
        self.words += text.split(" ")
        return [0, *range(len(self.words) - len(text.split(" ")), len(self.words))]

    def decode(self, ids, *, skip_special_tokens):
        return " ".join(self.words[each] for each in ids if each or not skip_special_tokens)


@pytest.mark.parametrize("limit", [1, 2, 7, 8, 99])
def test_truncation_keeps_the_two_ends_of_the_prompt(limit):
    words = [f"w{n}" for n in range(99)]
    text, cut = prompts.truncated(" ".join(words), limit, Words())
    kept = ["<s>", *words]
    expected = kept[: limit // 2] + kept[-(limit - limit // 2) :]
    assert cut
    assert text.split() == [word for word in expected if word != "<s>"]


def test_a_prompt_that_fits_is_not_touched():
    assert prompts.truncated("a  b", 4, Words()) == ("a  b", False)


def test_truncation_of_longbench_loses_the_middle_and_never_the_question():
    by_id = {each.id: each for each in datasets.load_mini("longbench_v2").questions}
    whole, cut = prompts.messages(by_id["mini-3"], Words(), 100_000)
    assert not cut
    assert "wooden gate to keep the light" in whole[0]["content"]
    (message,), cut = prompts.messages(by_id["mini-3"], Words(), 400)
    assert cut
    assert message["content"].startswith("Please read the following text")
    assert message["content"].endswith('Format your response as follows: "The correct answer is (insert answer here)".')
    assert "wooden gate to keep the light" not in message["content"]
    assert not prompts.messages(by_id["mini-3"])[1]


def test_a_context_that_looks_like_the_template_is_left_alone():
    record = dict.fromkeys(("question", "choice_A", "choice_B", "choice_C", "choice_D"), "x") | {"context": "$Q$ $C_A$"}
    assert "$Q$ $C_A$" in prompts.longbench_v2(record)[0]["content"]


def test_a_tokenizer_file_is_enough_for_truncation(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    made = tokenizers.Tokenizer(WordLevel({word: n for n, word in enumerate("[UNK] a b c d e".split())}, "[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.enable_truncation(3)  # as a trainer may have left it
    made.save(str(tmp_path / "tokenizer.json"))
    assert prompts.truncated("a b c d e", 2, prompts.FileTokenizer(tmp_path / "tokenizer.json")) == ("a e", True)


# Prompts


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_shows_its_question_and_never_the_answer_alone(name):
    for each in datasets.load_mini(name).questions:
        *system, asked = prompts.messages(each)[0]
        assert asked["role"] == "user"
        assert [message["role"] for message in system] == (["system"] if name == "livecodebench" else [])
        shown = each.record.get("question_content") or each.record.get("prompt") or each.record.get("problem")
        assert (shown or each.record["question"]) in asked["content"]


def test_the_prompt_of_a_program_says_where_its_input_comes_from():
    asked = {each.id: prompts.messages(each)[0][1]["content"] for each in datasets.load_mini("livecodebench").questions}
    assert "### Format: Read the inputs from stdin" in asked["mini-a"]
    assert "```python\n# YOUR CODE HERE\n```\n\n### Answer:" in asked["mini-a"]
    assert "```python\nclass Solution:\n    def runLengths" in asked["mini-d"]


# LiveCodeBench


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\na\n```", "a"),
        ("```\na\n```\ntext\n```py\nb\nc\n```\nend", "b\nc"),
        ("```python\na", ""),
        ("no code", ""),
        ("<think>```\na\n```</think>```\nb\n```", "b"),
        ("```\na\n```\n```", ""),
    ],
)
def test_the_program_is_between_the_last_two_fences(text, code):
    assert score.program(text) == code


def test_the_golden_programs_of_the_invented_problems_pass_their_tests():
    """Ours and so safe to run here; the jail has tests of its own."""
    for each in datasets.load_mini("livecodebench").questions:
        code = score.program(datasets.mini_golds("livecodebench")[each.id])
        task = private_tests.task_of(each.record)
        for test in task["public_test_cases"] + task["private_test_cases"]:
            head, tail = "import itertools, json, sys\nfrom typing import *\n", ""
            if task["fn_name"]:
                arguments = "*map(json.loads, sys.stdin.read().split(chr(10)))"
                tail = f"\nprint(json.dumps(Solution().{task['fn_name']}({arguments})))"
            ran = subprocess.run(
                [sys.executable, "-I", "-c", head + code + tail],
                input=test["input"],
                capture_output=True,
                text=True,
                check=True,
            )
            if task["fn_name"]:
                assert json.loads(ran.stdout) == json.loads(test["output"])
            else:
                assert [float(x) for x in ran.stdout.split()] == [float(x) for x in test["output"].split()]


# IFEval


@pytest.fixture(scope="module")
def checkers():
    pytest.importorskip("lm_eval")
    with ifeval.IFEval(seconds=2) as scorer:
        yield scorer


def test_ifeval_names_the_extra_that_is_missing(monkeypatch):
    monkeypatch.setattr(ifeval, "find_spec", lambda name: None)
    with pytest.raises(SettingError, match="extra `eval`"):
        ifeval.IFEval()


def test_the_invented_prompts_have_every_kind_of_instruction_and_both_layouts():
    found = datasets.load_mini("ifeval").questions
    assert {name for each in found for name in each.record["instruction_id_list"]} == set(ifeval.ARGUMENTS)
    assert len(ifeval.ARGUMENTS) == 25
    assert {None in given.values() for each in found for given in each.record["kwargs"] if given} == {True, False}


def test_golden_responses_follow_all_and_others_are_told_apart(checkers):
    golds = datasets.mini_golds("ifeval")
    for each in datasets.load_mini("ifeval").questions:
        right = checkers(each, f"<think>hm</think>\n{golds[each.id]}")
        assert (right.value, right.parts["prompt_strict"], right.parts["prompt_loose"], right.reason) == (
            1,
            True,
            True,
            "right",
        )
        assert right.parts["instructions"] == len(right.parts["strict"]) == len(each.record["instruction_id_list"])
        empty = checkers(each, "<think>" + golds[each.id])
        assert (empty.value, empty.parts["loose"], empty.reason) == (0, [False] * empty.parts["instructions"], "empty")


def test_a_preamble_costs_strictness_but_not_looseness(checkers):
    each = question("ifeval", instruction_id_list=["detectable_format:json_format"], kwargs=[{}])
    found = checkers(each, 'Here it is:\n{"a": 1}')
    assert (found.value, found.parts["strict"], found.parts["loose"]) == (0, [False], [True])
    assert found.reason == "not followed: detectable_format:json_format"


def test_an_argument_of_zero_is_not_taken_for_a_missing_one(checkers):
    given = {"keyword": "cat", "frequency": 0, "relation": "at least", "language": None}
    each = question("ifeval", instruction_id_list=["keywords:frequency"], kwargs=[given])
    assert {checkers(each, "no such word").value for _ in range(5)} == {1.0}


@pytest.mark.filterwarnings("ignore")  # another library's
def test_ifeval_agrees_with_lm_eval_on_golds_and_their_mutants(tmp_path):
    pytest.importorskip("lm_eval")
    ifeval.prepare(tmp_path)
    from lm_eval.tasks.ifeval.utils import process_results

    golds = list(datasets.mini_golds("ifeval").values())
    questions = datasets.load_mini("ifeval").questions
    rng, verdicts = random.Random(4), []
    for each in questions:
        for gold in (datasets.mini_golds("ifeval")[each.id], *rng.sample(golds, 2)):
            words = gold.split(" ")
            at = rng.randrange(len(words))
            for text in (gold, "Sure!\n" + gold, gold.upper(), " ".join(words[:at]), f"*{gold}*\nBye, then.", ""):
                theirs = process_results(dict(each.record), [text])
                strict, loose = ifeval.follows(each.record["instruction_id_list"], each.record["kwargs"], text)
                assert strict == theirs["inst_level_strict_acc"]
                assert loose == theirs["inst_level_loose_acc"]
                verdicts += [*strict, *loose]
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.9


def test_a_response_that_takes_minutes_to_check_scores_nothing_in_seconds(checkers):
    each = question(
        "ifeval", instruction_id_list=["detectable_content:number_placeholders"], kwargs=[{"num_placeholders": 1}]
    )
    begun = time.monotonic()
    assert checkers(each, "[" * 200_000).reason == "more than 2 s"
    assert time.monotonic() - begun < 30
    assert checkers(each, "[name]").value == 1


# Enigmata


@dataclass
class Open:
    """No jail at all: calls the code in a process of its own. For texts of ours."""

    folders: list[Path]

    def call(self, code, function, arguments):
        head = "import json, os, sys\nsys.stdout = open(os.devnull, 'w')\n"
        tail = f"\nprint(json.dumps({function}(*json.load(sys.stdin))), file=sys.__stdout__)"
        ran = subprocess.run(
            [sys.executable, "-S", "-c", head + code + tail],
            check=False,
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            env={"PYTHONPATH": os.pathsep.join(map(str, self.folders))},
        )
        return SimpleNamespace(
            status="failed" if ran.returncode else "done", output=ran.stdout, reason=ran.stderr[-200:]
        )


def test_golden_answers_of_the_invented_puzzles_are_accepted_and_others_not():
    scorer = enigmata.Enigmata(Open([datasets.MINI_FOLDER]), enigmata.MINI)
    golds = datasets.mini_golds("enigmata")
    found = datasets.load_mini("enigmata").questions
    for each, other in zip(found, [*found[1:], found[0]], strict=True):
        assert scorer(each, golds[each.id]).value == 1
        assert scorer(each, golds[other.id]).reason == "wrong answer"
        assert scorer(each, "<think>" + golds[each.id]).reason == "empty"


@pytest.mark.skipif(not CHECKOUT, reason="RACES_ENIGMATA names no checkout")
def test_the_authors_verifiers_accept_the_golden_answers_of_the_invented_puzzles():
    pytest.importorskip("numpy")
    golds = datasets.mini_golds("enigmata")
    with enigmata.verifiers(Path(CHECKOUT)) as folder:
        assert len(enigmata.tasks(folder)) == 37
        scorer = enigmata.Enigmata(Open([folder]))
        for each in datasets.load_mini("enigmata").questions:
            assert each.record["task_name"] in enigmata.tasks(folder)
            assert scorer(each, golds[each.id]).value == 1, each.id
            assert scorer(each, "```\n[0, 0]\n```").value == 0, each.id
        for task in enigmata.tasks(folder):
            each = Question("enigmata", task, {"task_name": task, "answer": "[7]", "meta": "{}"}, task)
            assert scorer(each, "nothing to see").value == 0, task


VERIFIER = """
def verify(output, answer, meta):
    print("said by a verifier")
    if output == "raise":
        raise KeyError("meta")
    return eval(output) == answer
"""


def git(folder, *command):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *command], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    place = tmp_path / "checkout"
    verifier = place / enigmata.TASKS / "sums" / "verifier.py"
    verifier.parent.mkdir(parents=True)
    verifier.write_text(VERIFIER)
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "verifiers")
    return place, git(place, "rev-parse", "HEAD")


def sums(answer):
    return question("enigmata", task_name="sums", answer=answer, meta="{}")


def test_verifiers_are_those_of_the_commit_whatever_lies_in_the_folder(checkout):
    place, commit = checkout
    (place / enigmata.TASKS / "sums" / "verifier.py").write_text("def verify(*_):\n    return 1\n")
    with enigmata.verifiers(place, commit) as folder:
        assert enigmata.tasks(folder) == ["sums"]
        assert (folder / enigmata.TASKS / "sums" / "verifier.py").read_text() == VERIFIER
    assert not folder.exists()


@pytest.mark.parametrize("commit", ["0" * 40, "--output=/tmp/x"])
def test_a_checkout_without_the_commit_is_refused(checkout, commit):
    with pytest.raises(SettingError, match="expected a checkout of Enigmata"), enigmata.verifiers(checkout[0], commit):
        pass


def test_a_folder_that_is_no_checkout_is_refused(tmp_path):
    with pytest.raises(SettingError, match="expected a checkout"), enigmata.verifiers(tmp_path):
        pass


def test_verifiers_evaluate_arithmetic_and_nothing_else(checkout, tmp_path):
    place, commit = checkout
    trace = tmp_path / "trace"
    with enigmata.verifiers(place, commit) as folder:
        scorer = enigmata.Enigmata(Open([folder]))
        assert scorer(sums(24), "(9 - 5) * 6").value == 1
        assert scorer(sums([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]").value == 1
        assert scorer(sums(24), "25").reason == "wrong answer"
        assert scorer(sums(24), "raise").reason == "the verifier raised KeyError: 'meta'"
        for text in (
            f"open({str(trace)!r}, 'w')",
            "__import__('os')._exit(0)",
            "(lambda: 24)()",
            "x",
            "9**9**9",
            "[1][0]",
        ):
            found = scorer(sums(24), text)
            assert (found.value, found.reason[:19]) == (0, "the verifier raised"), text
    assert not trace.exists()


def test_what_is_not_the_doing_of_the_text_is_no_score(checkout):
    place, commit = checkout
    with enigmata.verifiers(place, commit) as folder:
        scorer = enigmata.Enigmata(Open([folder]))
        with pytest.raises(GraderError, match="ModuleNotFoundError"):
            scorer(Question("enigmata", "q", {"task_name": "unknown", "answer": 1, "meta": "{}"}, "q"), "1")
        for status, output in (("broken", ""), ("failed", ""), ("done", "no JSON")):
            scorer.jail = SimpleNamespace(call=lambda *_: SimpleNamespace(status=status, output=output, reason="lost"))  # noqa: B023
            with pytest.raises(GraderError):
                scorer(sums(1), "1")
        scorer.jail = SimpleNamespace(
            call=lambda *_: SimpleNamespace(status="timeout", output="", reason="more than 6 s")
        )
        assert scorer(sums(1), "1").reason == "timeout: more than 6 s"


@pytest.mark.parametrize(
    "source",
    [
        "1 + 2 * 3",
        "(8 / 2) * (8 - 2)",
        " 7 // 2 % 2",
        "-3 + +2",
        "2 ** 3",
        "[(0, 1), (2, 3)]",
        "{'a': [1, None, True]}",
        "{1, 2}",
        "'x'",
        "()",
        "1e3",
    ],
)
def test_the_judge_evaluates_what_python_does(source):
    assert enigmata_judge.evaluate(source) == eval(source)


@pytest.mark.parametrize(
    "source",
    [
        "f(1)",
        "a",
        "a.b",
        "[1][0]",
        "lambda: 1",
        "[x for x in ()]",
        "f'{1}'",
        "{**{}}",
        "1 if 1 else 2",
        "1 < 2",
        "'a' * 9",
        "[1] * 9",
        "9 ** 99",
        "1, *a",
        "not 1",
        "(x := 1)",
        "\0",
        "",
        "1 +",
        "1 / 0",
        "(" * 300,
    ],
)
def test_the_judge_refuses_everything_else(source):
    with pytest.raises((ValueError, TypeError, SyntaxError, ArithmeticError, MemoryError)):
        enigmata_judge.evaluate(source)


# All scorers


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_no_text_makes_a_scorer_raise_or_earns_anything_or_takes_long(case):
    begun = time.monotonic()
    text = HOSTILE[case]
    for name, scorer in (("aime_2024", score.aime), ("aime_2025", score.aime), ("longbench_v2", score.longbench_v2)):
        assert scorer(datasets.load_mini(name).questions[0], text).value == 0
    score.program(text)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_no_text_makes_the_checkers_of_ifeval_raise(case, checkers):
    names = list(ifeval.ARGUMENTS)
    given = {
        name: arguments
        for each in datasets.load_mini("ifeval").questions
        for name, arguments in zip(each.record["instruction_id_list"], each.record["kwargs"], strict=True)
    }
    each = question("ifeval", instruction_id_list=names, kwargs=[given[name] for name in names])
    assert checkers(each, HOSTILE[case][:3_000]).value == 0


def test_benchmarks_know_no_engine():
    code = (
        "import sys; from races.resources.evaluation.suites import datasets, prompts, enigmata;"
        "print({'inspect_ai', 'dagster', 'lm_eval', 'nltk', 'torch', 'datasets'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert ran.stdout.strip() == "set()"


def test_a_score_says_where_it_comes_from():
    each = datasets.load_mini("aime_2025").questions[0]
    assert replace(each, id="x").benchmark == "aime_2025"
    assert score.aime(each, r"\boxed{125}").extracted == "125"
