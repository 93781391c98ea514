"""Where thinking ends: an answer in a thought never counts, one after it does, in every style that models have.

The styles are written down here a second time, from the models' chat templates; the reader's own table is not used.
"""

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from races.environments import get
from races.environments.errors import SettingError
from races.environments.operators import ScoreStatus, single
from races.environments.responses.thinking import (
    marks_lost,
    opened_after,
    opened_in_prompt,
    opening,
    shortened,
    unfinished,
    visible,
)
from races.environments.reward import LONGEST_RESPONSE, compute_score, graded
from races.environments.seeding import generator

DRAFT, ANSWER = "perhaps <answer>18</answer>? no wait, recount:", "<answer>19</answer>"
STYLES = [
    ("<think>", "</think>"),
    ("<Think>", "</Think>"),
    ("<THINK>", "</THINK>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reason>", "</reason>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<think >", "</think >"),
    ("<think type='slow'>", "</think>"),
    ("<think_fast>", "</think_fast>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("[unused16]", "[unused17]"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|content_thinking|>", "<|end_message|><|message_model|><|content_text|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "<|end|>"),
]


@pytest.mark.parametrize(("begin", "end"), STYLES)
def test_an_answer_in_a_thought_never_counts_and_one_after_it_does(begin: str, end: str) -> None:
    assert visible(f"{begin}{DRAFT}") == ""
    assert visible(f"Well. {begin}{DRAFT}") == ""
    assert unfinished(f"{begin}{DRAFT}")
    assert visible(f"{begin}{DRAFT}{end}{ANSWER}") == ANSWER
    assert visible(f"{begin}{DRAFT}{end}\n{ANSWER} That is all.") == f"\n{ANSWER} That is all."
    assert visible(f"{begin}{DRAFT}{end}{ANSWER}\n{begin}{DRAFT}") == ""
    assert visible(f"{begin}{DRAFT}{end}{begin}{DRAFT}{end}{ANSWER}") == ANSWER
    assert visible(f"{begin}{begin}{DRAFT}{end}{ANSWER}") == ANSWER


@pytest.mark.parametrize(("begin", "end"), STYLES)
def test_a_thought_that_the_prompt_opened_hides_what_does_not_follow_its_end(begin: str, end: str) -> None:
    assert visible(DRAFT, begin) == ""
    assert visible(f"{DRAFT}{end}{ANSWER}", begin) == ANSWER
    assert visible(f"{begin}{DRAFT}{end}{ANSWER}", begin) == ANSWER  # some models repeat the mark
    if "channel|>" not in end and end != "<|end|>":
        assert visible(f"{DRAFT}{end}{ANSWER}", thinking=True) == ANSWER
        assert visible(f"{DRAFT}{end}{ANSWER}") == ANSWER  # whoever ends it has begun it


def test_styles_may_be_mixed() -> None:
    for begin, _ in STYLES[:-2]:
        for _, end in STYLES[:-2]:
            assert visible(f"{begin}{DRAFT}{end}{ANSWER}") == ANSWER
            assert visible(f"{end}{ANSWER}\n{begin}{DRAFT}") == ""


def test_the_end_of_a_message_is_no_end_of_a_thought_elsewhere() -> None:
    """Phi ends its turns with <|end|> too."""
    assert visible(f"{ANSWER}<|end|>") == f"{ANSWER}<|end|>"
    assert visible(f"<think>{DRAFT}<|end|>{ANSWER}") == ""
    assert visible(f"{STYLES[-2][0]}a{STYLES[-2][1]}{ANSWER}<|return|>") == f"{ANSWER}<|return|>"


MENTIONS = [
    "I will <think> again: {}",
    "The <think> block is over. {}",
    "My <Think> tag is closed, so {}",
    "What I did in <thinking> was to add. {}",
    "In <think> I found it. {}",
    "I put my thoughts between <think> and </think>. {}",
    "{} That was my <think> block.",
    "{} I put my thoughts between <think> and </think> tags.",
    "The `<think>` tag is done. {}",
    "The tag `</think>` ends it. {}",
    "{} I ended it with `</think>` as asked.",
    '{} The mark "<think>" begins it.',
    "{} (<think>) is a mark.",
    "\u201c<think>\u201d is a mark. {}",
    "As I said in [THINK] before, it is {}",
    "{} (see <think> above)",
    "My <think>-block is done: {}",
    "{} I was told not to use <think>",
    "{} (My reasoning is within <think>...</think>.)",
    "The part in <think>…</think> is over. {}",
    "I left <think></think> empty. {}",
    "{} I ended it with </think> as asked.",
    "{} The tag </think> closed my thinking.",
]


@pytest.mark.parametrize("text", MENTIONS)
def test_a_mark_that_is_spoken_of_after_the_thinking_loses_no_answer(text: str) -> None:
    problem = single.pose(get("digit_sum"), generator("thinking"), 2)
    for thought in ("<think>hm</think>\n\n", "<think>hm</think>", "[THINK]hm[/THINK]"):
        score = graded(problem.truth, thought + text.format(problem.answer))
        assert (score.value, score.status) == (1.0, ScoreStatus.SCORED)
    assert graded(problem.truth, "hm</think> " + text.format(problem.answer), thinking=True).value == 1.0


AGAIN = [
    "<think>{}",
    "\n<think>{}",
    "\n  <think> {}",
    " <think> let me recount: {}",
    " So far so good. <think> let me recount: {}",
    " Wait, <think> let me recount: {}",
    " Wait <think> let me recount: {}",
    " Let me <think>{}",
    " Let me<think> see {}",
    " I think: <think> so it is {}",
    " I will <think>\nagain: {}",
    " Let me see <think> {}",
    " {} Hmm.\n<think>no",
    " {} Hmm. <think> no",
    " <answer>1</answer><think>{}",
    ' It is "so"<think>{}',
    " I will <think> about {} and </think> so on.",
    " I will <think> about {} and so </think> so on.",
    " {} Hmm. <think>so it seems </think> and",
    " <think>{} <think></think>",
    "\n<think>... {}",
]


@pytest.mark.parametrize("text", AGAIN)
def test_another_thought_hides_what_it_holds(text: str) -> None:
    problem = single.pose(get("digit_sum"), generator("thinking"), 2)
    score = graded(problem.truth, "<think>hm</think>" + text.format(problem.answer))
    assert (score.value, score.status) == (0.0, ScoreStatus.UNPARSEABLE)


def test_before_a_thought_has_ended_only_backticks_speak_of_a_mark() -> None:
    assert visible(f"The `<think>` tag is not needed. {ANSWER}").endswith(ANSWER)
    for text in (f"I will <think> again: {ANSWER}", f'"<think>" {ANSWER}', f"a<think>{ANSWER}"):
        assert visible(text) == ""
    # In a thought any end mark ends it.
    assert visible(f"<think>I end it with `</think>` {ANSWER}") == f"` {ANSWER}"


def test_a_thought_whose_end_looks_like_no_end() -> None:
    assert visible(f"<|think|>{DRAFT}") == visible(DRAFT, "<|think|>") == ""
    assert (
        visible(f"<|think|>{DRAFT}<|content|>{ANSWER}") == visible(f"{DRAFT}<|content|>{ANSWER}", "<|think|>") == ANSWER
    )


def test_many_mentions_are_no_mentions() -> None:
    assert visible("</think>" + "`<think>` " * 8 + ANSWER).endswith(ANSWER)
    assert visible("</think>" + "`<think>` " * 9 + ANSWER) == ""


WORDS = [
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "<answer>",
    "`",
    '"',
    " ",
    "\n",
    "a",
    "the ",
    ". ",
    "é",
    "\ud800",
]


@given(parts=st.lists(st.sampled_from(WORDS), max_size=16))
@settings(max_examples=600)
def test_what_is_visible_is_the_end_of_the_text_behind_an_end_mark(parts: list[str]) -> None:
    text = "".join(parts)
    found = visible(text)
    assert text.endswith(found)
    cut = text[: len(text) - len(found)]
    assert not found or cut == "" or re.search(r"(</think>|\[/THINK\])$", cut)
    # A mark at the beginning of a line is never a mention, and nothing that is thought shows.
    assert visible(f"{text}\n<think>{text.replace('</think>', '').replace('[/THINK]', '')}") == ""
    assert visible(f"<think>{text}\n</think>{ANSWER}") == ANSWER
    assert visible(text, thinking=True) == visible("<think>" + text)
    assert unfinished(text) == (visible(text + "x") == "")


@given(parts=st.lists(st.sampled_from(WORDS), max_size=16), longest=st.integers(1, 40))
@settings(max_examples=600)
def test_a_text_that_is_cut_keeps_what_it_says_of_thinking(parts: list[str], longest: int) -> None:
    text = "".join(parts)
    for mark in ("", "<think>"):
        short = shortened(text, longest, mark)
        assert len(short) <= longest + len("</think>")
        if not re.search(r"[`\"]|the", text):  # the cut may go through a mention
            assert visible(short) == visible(text, mark)[-longest:]


def test_a_very_long_response_keeps_its_thinking() -> None:
    problem = single.pose(get("digit_sum"), generator("thinking"), 2)
    long = "so it is, " * (LONGEST_RESPONSE // 5)
    assert graded(problem.truth, long + problem.answer, thinking=True).status is ScoreStatus.UNPARSEABLE
    assert graded(problem.truth, f"{long}</think>{long}{problem.answer}", thinking=True).value == 1.0
    assert graded(problem.truth, f"{long}</think>I did <think> so. {problem.answer}", thinking=True).value == 1.0
    assert graded(problem.truth, f"<think>{long}{problem.answer}").value == 0.0


def test_the_reward_takes_what_the_prompt_opened() -> None:
    problem = single.pose(get("digit_sum"), generator("thinking"), 2)
    cut = f"Let me see, perhaps {problem.answer}? no wait, recount:"
    found = compute_score("t", cut, problem.truth, thinking="<think>")
    assert (found["score"], found["unparseable"]) == (0.0, 1.0)
    assert compute_score("t", cut, problem.truth)["score"] == 1.0
    assert compute_score("t", f"{cut}</think>{problem.answer}", problem.truth, thinking="<think>")["score"] == 1.0


@pytest.mark.parametrize("wrong", [None, 1, ["<think>"], "think", "</think>", "<think></think>", "yes"])
def test_a_setting_that_opens_nothing_is_refused(wrong: Any) -> None:
    with pytest.raises(SettingError, match=r"^expected as thinking .+, got "):
        opening(wrong)
    problem = single.pose(get("digit_sum"), generator("thinking"), 2)
    with pytest.raises(SettingError):
        graded(problem.truth, problem.answer, wrong)


UNITS = [
    *("<think", "<think>", "</think>", "</think", "◁", "◁think▷", "[THINK]", "[/THINK]", "<", ">", "</", "<|", "|>"),
    *("`<think>`", "`</think>`", "the <think> is a. ", "a <think> and </think> b. ", "<|channel|>", "<|end|>"),
    *("<|channel|>analysis<|end|>", "think", "think>", "<|thoughtreasonreflectionunused>", "x", "é<>", "\ud800<>"),
]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_no_text_is_read_slowly(unit: str) -> None:
    """About 1 ms for 100,000 characters on a machine that is not busy, and never a time that grows with its square."""
    for size in (100_000, 1_000_000):
        text, best = "</think>" + unit * (size // len(unit)), 9.0
        for _ in range(5):
            begin = time.perf_counter()
            visible(text)
            best = min(best, time.perf_counter() - begin)
        assert best < 0.02 * size / 100_000


# Chat templates, by the public facts of how they end a prompt

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
GENERATE = "{% if add_generation_prompt %}<|im_start|>assistant\nEND{% endif %}"
SILENT = "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}"
HARMONY = "{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}<|start|>assistant"
R1 = "{% for m in messages %}<｜User｜>{{ m.content }}{% endfor %}<｜Assistant｜>"  # noqa: RUF001
MISTRAL = (
    "[SYSTEM_PROMPT]Use [THINK]draft[/THINK].[/SYSTEM_PROMPT]"
    "{% for m in messages %}[INST]{{ m.content }}[/INST]{% endfor %}"
)
COHERE = (
    "{% for m in messages %}<|START_OF_TURN_TOKEN|><|USER_TOKEN|>{{ m.content }}<|END_OF_TURN_TOKEN|>{% endfor %}"
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>{% if reasoning is false %}<|END_THINKING|>{% endif %}"
)
GEMMA = (
    "<|turn>system\n<|think|><turn|>{% for m in messages %}<|turn>user\n{{ m.content }}<turn|>{% endfor %}"
    "<|turn>model\n"
)
TEMPLATES = [
    (R1 + "<think>\n", {}, "<think>"),
    (R1, {}, ""),  # before February 2025
    (CHATML + GENERATE.replace("END", "<think>\n"), {}, "<think>"),  # QwQ, Qwen3-Thinking-2507
    (CHATML + GENERATE.replace("END", SILENT), {}, ""),  # Qwen3
    (CHATML + GENERATE.replace("END", SILENT), {"enable_thinking": True}, ""),
    (CHATML + GENERATE.replace("END", SILENT), {"enable_thinking": False}, ""),
    (CHATML + GENERATE.replace("END", ""), {}, ""),
    (CHATML + GENERATE.replace("END", "<think>\nOkay, "), {}, "<think>"),  # with the first words of the thought
    (HARMONY, {}, ""),
    (HARMONY + "<|channel|>analysis<|message|>", {}, "<|channel|>analysis<|message|>"),
    (HARMONY + "<|channel|>final<|message|>", {}, ""),
    (MISTRAL, {}, ""),
    (MISTRAL + "[THINK]", {}, "[THINK]"),
    (COHERE, {}, "<|START_THINKING|>"),
    (COHERE, {"reasoning": False}, ""),
    (GEMMA, {}, ""),
    (GEMMA + "<|channel>thought\n", {}, "<|channel>"),
    (GEMMA + "<|channel>thought\n<channel|>", {}, ""),
    ("{% for m in messages %}{{ m.content }}{% endfor %}<seed:think>", {}, "<seed:think>"),
    (None, {}, ""),
]


class Tokenizer:
    """What the reader asks a tokenizer for, rendered as transformers does; special: tokens that decoding leaves out."""

    def __init__(self, chat_template: str | None, special: tuple[str, ...] = ()) -> None:
        self.chat_template, self.special = chat_template, special

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        assert options.pop("tokenize") is False
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        return environment.from_string(self.chat_template or "").render(messages=messages, **options)

    def encode(self, text: str, add_special_tokens: bool) -> list[str]:
        assert not add_special_tokens
        return [text]

    def decode(self, ids: list[str], skip_special_tokens: bool) -> str:
        return "".join(each for each in ids if not (skip_special_tokens and each in self.special))


@pytest.mark.parametrize(("template", "options", "mark"), TEMPLATES)
def test_a_chat_template_says_whether_the_prompt_opens_the_thinking(
    template: str | None, options: dict[str, Any], mark: str
) -> None:
    assert opened_in_prompt(Tokenizer(template), **options) == mark
    if mark:
        assert visible(DRAFT, mark) == ""


def test_what_stands_in_the_question_opens_nothing() -> None:
    assert opened_after("<|user|>What is <think>?<|assistant|>", "What is <think>?") == ""
    assert opened_after("<|user|>What is </think>?<|assistant|><think>", "What is </think>?") == "<think>"


def test_marks_that_decoding_leaves_out_are_told() -> None:
    assert marks_lost(Tokenizer(MISTRAL, ("[THINK]", "[/THINK]"))) == ["[THINK]", "[/THINK]"]
    assert marks_lost(Tokenizer(MISTRAL)) == []
    assert marks_lost(Tokenizer(CHATML, ("[THINK]", "[/THINK]"))) == []  # in the vocabulary, and never written
    assert marks_lost(Tokenizer(HARMONY + "<|channel|>", ("<|channel|>",))) == ["<|channel|>"]
    assert marks_lost(Tokenizer(None)) == []


@pytest.mark.parametrize(
    "mark",
    "<scratchpad> <analysis> <rationale> <cot> <inner_thoughts> "
    "[THINKING] [REASONING] <|think_start|> <|thinking|>".split(),
)
def test_drafts_that_prompts_ask_for_are_thoughts_too(mark: str) -> None:
    draft = f"{mark}perhaps <answer>18</answer>"
    end = {"[": f"[/{mark[1:]}", "<|think_start|>": "<|think_end|>", "<|thinking|>": "<|/thinking|>"}
    ended = draft + end.get(mark, end["["] if mark[0] == "[" else f"</{mark[1:]}")
    assert unfinished(draft)
    assert visible(draft) == ""
    assert visible(f"{ended}<answer>19</answer>") == "<answer>19</answer>"
