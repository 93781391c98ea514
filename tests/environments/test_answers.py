"""Finding the answer in a model's text: the last one counts, thinking never does, and no text is slow or harmful."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from races.environments.errors import Unparseable
from races.environments.operators.problem import wrapped
from races.environments.responses.answers import AnswerStyle, find_answer, read_labels, read_results
from races.environments.responses.thinking import visible
from races.environments.types import VOCABULARY
from tests.support.reading import read


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<answer>7</answer>", "7"),
        ("So it is\n<answer>\n [1, 2] \n</answer>\nand that is all.", "[1, 2]"),
        ("<answer>1</answer> no, <answer>2</answer>", "2"),
        ("<answer>1</answer> or rather <answer>2", "1"),
        ("<answer><answer>3</answer>", "3"),
        ("<answer></answer>", ""),
        (r"\boxed{7}", "7"),
        (r"$\boxed{7}$ or rather $\boxed{8}$.", "8"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r'\boxed{{"n": 3, "edges": []}}', '{"n": 3, "edges": []}'),
        (r"\boxed{\text{lamp}}", r"\text{lamp}"),
        (r"<answer>1</answer> that is \boxed{2}", "1"),
        (r"\boxed{2} that is <answer>1</answer>", "1"),
        (r"<answer>18</answer> So $\boxed{x = 5}$", "18"),
        (r"\fbox{7}", "7"),
        ("\\boxed {7}", "7"),
        ("<ANSWER>7</ANSWER>", "7"),
        ("<Answer>7</aNSWER>", "7"),
        ("< answer >7< / answer >", "7"),
        ("< Answer>7</ answer>", "7"),
        ("<answer>\u0130 7</answer>", "\u0130 7"),
        ("\u0130\u0130 <ANSWER>7</ANSWER> \u0130", "7"),
        ("```\n<answer>7</answer>\n```", "7"),
        ("<answer>7</answer> between <answer> and </answer>.", "7"),
        ("<answer>7</answer> between `<answer>` and `</answer>`, <answer> and </answer>.", "7"),
        ("between <answer> and </answer>.", "and"),
        (r"<answer>\boxed{5}</answer>", r"\boxed{5}"),
        (r"\boxed{5} and some </answer>", "5"),
        ("<think><answer>1</answer></think><answer>2</answer>", "2"),
        ("<answer>1</answer></think><answer>2</answer>", "2"),
        ("<thinking>hm \\boxed{1}</thinking> \\boxed{2}", "2"),
        ("<thought></thought></think>\\boxed{3}", "3"),
        ("<think>a</think><answer>1</answer><think>b</think><answer>2</answer>", "2"),
    ],
)
def test_the_last_answer_outside_the_thinking_counts(text: str, answer: str) -> None:
    assert find_answer(text) == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "7",
        "The answer is 7.",
        "<answer>7",
        "7</answer>",
        "</answer>7<answer>",
        r"\boxed{7",
        r"\boxed 7",
        r"boxed{7}",
        "\\boxed{" + "{" * 50 + "}" * 50,
        "<think><answer>7</answer>",
        "<think>\\boxed{7}",
        "<answer>7</answer></think>",
        "<answer>7</answer></think> so it is.",
        "<think>a</think><think><answer>7</answer>",
        "<answer>7</answer><think>no",
        "<thinking><answer>7</answer></thinking>",
        "<answers>7</answers>",
        "<answer id=1>7</answer>",
        "< / answer>7<answer>",
        r"\box{7}",
    ],
)
def test_a_text_without_an_answer_outside_the_thinking_is_unparseable(text: str) -> None:
    with pytest.raises(Unparseable, match=r"^expected .+, got .+"):
        find_answer(text)


def test_an_answer_that_was_begun_and_not_finished_does_not_hide_the_last_complete_one() -> None:
    assert find_answer(r"\boxed{5} and so \boxed{") == "5"
    assert find_answer(r"<answer>5</answer> and so \boxed{6") == "5"
    for style in STYLES:
        for done in ("<answer>5</answer>", r"\boxed{5}"):
            for begun in ("<answer>6", r"\boxed{6", "<answer>", r"\boxed"):
                assert find_answer(f"{done} or rather {begun}", style) == "5"


def test_the_form_that_was_asked_for_counts_before_the_other_and_the_other_where_it_is_absent() -> None:
    tagged, boxed = "<answer>1</answer>", r"\boxed{2}"
    for text in (f"{tagged} {boxed}", f"{boxed} {tagged}", f"{tagged} {boxed} {tagged} {boxed}"):
        assert find_answer(text, "tags") == "1"
        assert find_answer(text, "boxed") == "2"
    for style in STYLES:
        assert find_answer(tagged, style) == "1"
        assert find_answer(boxed, style) == "2"
    with pytest.raises(Unparseable, match=r"expected an answer in \\boxed\{\}, got none"):
        find_answer("7", "boxed")


@pytest.mark.parametrize("text", [r"<answer>\boxed{5}</answer>", r"\boxed{<answer>5</answer>}", r"\boxed{\fbox{5}}"])
def test_one_form_inside_the_other_is_read(text: str) -> None:
    for style in STYLES:
        assert VOCABULARY["Int"].parse(find_answer(text, style)) == 5
        assert read_labels(find_answer(text.replace("5", "A"), style), "AB") == ["A"]
        assert read_results(find_answer(text.replace("5", "[5]"), style), [VOCABULARY["Int"]]) == [(5,)]


def test_a_closing_tag_that_nothing_opened_does_not_reach_into_the_answer() -> None:
    assert find_answer("<answer>5</answer> as I said between the tags ending in </answer>.") == "5"


def test_a_brace_inside_a_string_does_not_close_or_open_a_box() -> None:
    for name, value in (("Str", "a{b"), ("Str", "}"), ("Str", "}{"), ("Tally", (("a}", 2),)), ("Text", "a } b")):
        kind = VOCABULARY[name]
        assert kind.parse(find_answer(wrapped(kind.dumps(value), "boxed"))) == value


STYLES: tuple[AnswerStyle, ...] = ("tags", "boxed")
MARKS = (
    "<answer>",
    "</answer>",
    "\\boxed{",
    "{",
    "}",
    "<think>",
    "</think>",
    "<thought>",
    "</thinking>",
    "7",
    '"',
    " x ",
)
marked = st.lists(st.sampled_from(MARKS), max_size=14).map("".join)


@given(text=marked | st.text(max_size=80))
@settings(max_examples=400)
def test_whatever_is_found_stands_in_the_text_after_the_thinking(text: str) -> None:
    try:
        answer = find_answer(text)
    except Unparseable:
        return
    assert answer in visible(text)
    assert text.endswith(visible(text))
    assert answer == find_answer(f"</think>{visible(text)}")


@pytest.mark.parametrize("nothing", ["", " ", "...", "\u2026"])
def test_a_pair_with_nothing_in_it_hides_no_answer(nothing: str) -> None:
    for style in STYLES:
        mention, answer = wrapped(nothing, style), wrapped("18", style)
        assert find_answer(f"{answer} as asked in {mention}.", style) == "18"
        assert find_answer(f"{mention}: {answer}", style) == "18"
        assert find_answer(mention, style) == nothing.strip()


@given(before=marked, answer=st.sampled_from(["7", "[1, 2]", '{"a": {"b": 1}}', "\\frac{1}{2}"]))
@settings(max_examples=400)
def test_a_complete_answer_at_the_end_always_counts(before: str, answer: str) -> None:
    for style in STYLES:
        text = before + wrapped(answer, style)
        if visible(before + "x"):
            assert find_answer(text, style) == answer
        assert find_answer(f"{before}</think>{wrapped(answer, style)} That is all.", style) == answer


@given(thought=marked, rest=marked)
@settings(max_examples=200)
def test_what_is_thought_changes_nothing(thought: str, rest: str) -> None:
    if visible(rest) == rest != "":
        assert visible(f"<think>{thought}</think>{rest}") == rest
        assert visible(f"{thought}<think>{rest}") == ""


UNITS = (
    *("<answer>", "</answer>", "<answer></answer>", "</answer><answer>", "\\boxed{", "\\boxed{}", "{", "}", "{}"),
    *("<think>", "</think>", "<think></think>", "[", "]", "[]", "[[1],", '{"a":', "`", "```", "```json\n", "*", "**"),
    *(
        "$",
        "$$",
        "\\text{",
        "\\(",
        "\\[",
        "\n",
        " ",
        "\t",
        '"',
        '\\"',
        "\\",
        "7",
        "9",
        ",",
        "A,",
        "A ",
        ".",
        "-",
        "\u00a0",
    ),
)


@pytest.mark.parametrize("size", [100_000, 1_000_000])
@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_long_text_is_searched_and_read_in_linear_time(unit: str, size: int) -> None:
    body = unit * (size // len(unit))
    short = unit * (19_000 // len(unit))
    begin = time.perf_counter()
    for text in (body, f"<answer>{body}</answer>", f"\\boxed{{{body}}}", f"{body}<answer>{short}</answer>"):
        try:
            answer = find_answer(text)
        except Unparseable:
            continue
        for name in ("Int", "Str", "Text", "IntList", "Graph"):
            read(VOCABULARY[name].parse, answer)
        read(read_results, answer, [VOCABULARY["Int"]] * 5)
        read(read_labels, answer, "ABC")
    assert time.perf_counter() - begin < 2


INT, TEXT = VOCABULARY["Int"], VOCABULARY["Text"]
