"""Texts of others in Markdown show as they are: what a parser makes of the pages is held against them."""

import random

import pytest
from markdown_it import MarkdownIt

from races.assets.pictures import bars, examples
from races.resources.store.markdown import code, fenced, row, text

PARSER = MarkdownIt("gfm-like", {"linkify": False})
ODD = [
    "a|b",
    "a\\|b",
    "a\\\\|b",
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "<!-- hidden -->",
    "![x](http://example.org/x.png)",
    "[x](javascript:alert(1))",
    "[x]: http://example.org",
    "*stars* **bold** _under_ __both__ ~~gone~~",
    "digit_sum",
    "_private",
    "`code` ``more``",
    "`a|b`",
    "# head",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "2) item",
    "0.8",
    "---",
    "===",
    "> said",
    "&amp; &#124; &copy;",
    "end\\",
    "$x$ $$y$$",
    "| --- | --- |",
    "a & b",
    "\u4e2d\u6587 \U0001f389",
]


def cells(table: str) -> list[list[str]]:
    """The texts of the cells of a table, without its head."""
    rows: list[list[str]] = []
    for token, following in zip(PARSER.parse(table), [*PARSER.parse(table)[1:], None], strict=True):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "td_open" and following is not None:
            children = following.children or []
            assert {each.type for each in children} <= {"text", "text_special", "hardbreak"}, children
            rows[-1].append("".join(each.content for each in children))
    return rows[1:]


@pytest.mark.parametrize("odd", ODD)
def test_a_text_stays_a_cell_and_a_paragraph(odd: str) -> None:
    table = "\n".join([row(("a", "b")), "| --- | --- |", row((text(odd), "next"))])
    assert cells(table) == [[odd, "next"]]
    opened, inline, closed = PARSER.parse(f"{text(odd)}\n")
    assert (opened.type, closed.type) == ("paragraph_open", "paragraph_close")
    assert "".join(each.content for each in inline.children or ()) == odd


def test_texts_at_random_stay_what_they_are() -> None:
    rng = random.Random("markdown")
    for _ in range(2_000):
        odd = " ".join("".join(rng.choices("a1_*`|\\<>&[]()!~#-+=.$:;", k=12)).split())
        table = "\n".join([row(("a", "b")), "| --- | --- |", row((text(odd), text(odd)))])
        assert cells(table) == [[odd, odd]], odd


def test_lines_and_controls_do_not_leave_the_cell() -> None:
    assert text("one\n\ntwo\r\n| three") == "one two&#92;r &#124; three"
    assert text("\x1b[31mred\u202e") == "&#92;x1b&#91;31mred&#92;u202e"


@pytest.mark.parametrize("odd", ["a`b", "a|b", "<i>", "\\"])
def test_code_that_would_end_early_is_text(odd: str) -> None:
    assert code("seed 1, a/b") == "`seed 1, a/b`"
    assert code(odd) == text(odd)


@pytest.mark.parametrize("inside", ["plain", "```\n# out\n```", "`````", "~~~"])
def test_a_block_ends_after_what_is_in_it(inside: str) -> None:
    (token,) = PARSER.parse(fenced(inside))
    assert (token.type, token.content, token.info) == ("fence", f"{inside}\n", "text")


def test_names_and_answers_of_others_break_no_table() -> None:
    assert cells(bars("reasons", {"a|<b>": 2.0}))[0][0] == "a|<b>"
    rollout = {"step": 1, "score": 0.5, "status": "graded", "prompt": "a\\|b ![x](http://x)", "response": "</td>|"}
    assert cells(examples([rollout], 1)) == [["0.50", "graded", "a\\|b ![x](http://x)", "</td>|"]]
