"""Scorers of AIME and LongBench-v2, the prompts of all benchmarks, and the program in an answer to LiveCodeBench."""

import json
import random
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from races.resources.evaluation.suites import datasets, private_tests, prompts, score
from races.resources.evaluation.suites.score import Question
from tests.support.hostile_texts import HOSTILE

NAMES = sorted(datasets.BENCHMARKS)


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
    assert score.without_thinking(text) == shown


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
    assert score.without_thinking(draft.format(words)) == ""
    assert score.program(draft.format(words)) == ""
    assert aime(draft.format(words)).value == 0
    with_answer = draft.format(words) + "</think>" * (not draft.endswith("</think>")) + f"\n{words}\n"
    assert score.without_thinking(with_answer) == words
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


# All scorers


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_no_text_makes_a_scorer_raise_or_earns_anything_or_takes_long(case):
    begun = time.monotonic()
    text = HOSTILE[case]
    for name, scorer in (("aime_2024", score.aime), ("aime_2025", score.aime), ("longbench_v2", score.longbench_v2)):
        assert scorer(datasets.load_mini(name).questions[0], text).value == 0
    score.program(text)
    assert time.monotonic() - begun < 5


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
