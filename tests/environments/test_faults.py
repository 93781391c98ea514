"""The faults that users of other libraries report, each as a rule that rows of every operator keep."""

import ast
import io
import json
import math
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path as File
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from races import environments
from races.environments import get, pool
from races.environments.composition.frontier import CompatibleBricks, Found
from races.environments.composition.path import find
from races.environments.operators import (
    AnswerStyle,
    Problem,
    Rejected,
    ScoreStatus,
    parallel,
    score,
    select,
    sequential,
    single,
    sort,
)
from races.environments.operators.problem import wrapped
from races.environments.responses.answers import find_answer, read_labels
from races.environments.reward import LONGEST_RESPONSE, graded
from races.environments.seeding import generator
from races.environments.types import LEVELS, VOCABULARY

ROOT = File(environments.__file__).parent
OPERATORS = ("single", "sequential", "parallel", "sort", "select")


def gold(row: dict[str, Any] | Problem) -> float:
    columns = row.as_dict() if isinstance(row, Problem) else row
    return score(columns["truth"], columns["answer"]).value


def test_the_rows_under_test_are_of_every_operator_brick_and_style(rows: list[Problem]) -> None:
    counts = Counter(row.operator for row in rows)
    assert all(counts[operator] >= 30 for operator in OPERATORS), counts
    assert {row.environments[0] for row in rows if row.operator == "single"} == set(pool())
    assert {row.answer.startswith("<answer>") for row in rows} == {True, False}
    assert {row.level for row in rows} == set(LEVELS)


# a: the gold answer scores 1


def test_the_right_answer_scores_exactly_one(rows: list[Problem]) -> None:
    for row in rows:
        result = score(row.truth, row.answer)
        assert (result.value, result.status) == (1.0, ScoreStatus.SCORED), (row.operator, row.environments, result)


def test_the_right_answer_scores_one_after_a_round_trip_through_json(rows: list[Problem]) -> None:
    for row in rows:
        again = json.loads(json.dumps(row.as_dict()))
        assert again == row.as_dict()
        assert gold(again) == 1.0


def test_the_right_answer_scores_one_after_a_round_trip_through_parquet(rows: list[Problem]) -> None:
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist([row.as_dict() for row in rows]), file)
    again = parquet.read_table(io.BytesIO(file.getvalue())).to_pylist()
    assert again == [row.as_dict() for row in rows]
    assert {gold(row) for row in again} == {1.0}


def test_the_right_answer_scores_one_after_a_round_trip_through_duckdb(rows: list[Problem], tmp_path: File) -> None:
    target = str(tmp_path / "rows.parquet")
    parquet.write_table(pa.Table.from_pylist([row.as_dict() for row in rows]), target)
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as connection:
        connection.execute("CREATE TABLE problems AS SELECT * FROM read_parquet(?)", [target])
        found = connection.execute("SELECT * FROM problems")
        names = [each[0] for each in found.description]
        again = [dict(zip(names, values, strict=True)) for values in found.fetchall()]
    assert again == [row.as_dict() for row in rows]
    assert {gold(row) for row in again} == {1.0}


# b: nothing else does


def targets(row: Problem) -> list[str]:
    """The true results of a row, as canonical JSON."""
    content = json.loads(row.truth)
    return list(content["answers"] if "answers" in content else [content["target"]])


def is_right(row: Problem, text: str) -> bool:
    """Whether a text answers the row fully, worked out without the scorers."""
    content = json.loads(row.truth)
    if row.operator in ("sort", "select"):
        letters = read_labels(find_answer(text), "".join(map(chr, range(65, 65 + len(content["environments"])))))
        value, kind = VOCABULARY[content["type"]].loads(content["start"]), VOCABULARY[content["type"]]
        for letter in letters:
            brick = find(content["environments"][ord(letter) - 65])
            if value not in brick.domain:
                return False
            try:
                value, kind = brick(value), brick.codomain
            except environments.OutOfDomain:
                return False
        whole = row.operator == "select" or len(letters) == row.size
        return whole and kind.dumps(value) == content["target"]
    kinds = [VOCABULARY[name] for name in content["types"]]
    if row.operator == "single":
        return bool(kinds[0].parse(find_answer(text)) == kinds[0].loads(content["answers"][0]))
    items = json.loads(find_answer(text))
    truths = [kind.loads(answer) for kind, answer in zip(kinds, content["answers"], strict=True)]
    return len(items) == len(truths) and all(k.decode(i) == t for k, i, t in zip(kinds, items, truths, strict=True))


def test_the_answer_of_another_row_never_scores_one_unless_it_is_right(rows: list[Problem]) -> None:
    for number, row in enumerate(rows):
        rng = Random(f"another {number}")
        near = [other for other in rows if other.operator == row.operator and other.size == row.size]
        for other in [*rng.sample(near, min(6, len(near))), *rng.sample(rows, 4)]:
            result = score(row.truth, other.answer)
            if other is not row and result.value == 1.0:
                assert is_right(row, other.answer), (row.operator, row.environments, other.answer)


EMPTY = ("", " ", "\n", ".", "null", "None", "NaN", "inf", "-Infinity", "1e999", "[]", "{}", "[[]]", '""', "()", "?")
HUGE = (
    "9" * 19_000,
    "9" * 300_000,
    "[" * 9_000 + "]" * 9_000,
    "[" * 500 + "]" * 500,
    "x" * 500_000,
    "[" + "0," * 9_000,
)
TALK = ("I do not know.", "true or false", "7 or 8", "any", "all of them", "1", "0", "__import__('os')", "9**9**9**9")


def test_empty_huge_and_idle_answers_never_score_one(rows: list[Problem]) -> None:
    for number, row in enumerate(rows):
        bare = {json.loads(text) if text.startswith('"') else text for text in targets(row)}
        bare |= {text.removesuffix("/1") for text in bare}  # a whole fraction needs no denominator
        for text in (*EMPTY, *TALK, *(() if number % 7 else HUGE)):
            if row.operator != "single" or text.strip() not in (*bare, *targets(row)):
                for response in (text, f"<answer>{text}</answer>", f"\\boxed{{{text}}}"):
                    assert score(row.truth, response).value < 1.0, (row.operator, row.environments, text[:40])


def test_the_prompt_itself_never_scores(rows: list[Problem]) -> None:
    for row in rows:
        for text in (row.prompt, f"<answer>{row.prompt}</answer>", f"<answer>{row.start}</answer>"):
            if text.count(row.start) and text.endswith("</answer>") and row.start in targets(row):
                continue
            assert score(row.truth, text).value == 0.0, (row.operator, row.environments, text[-200:])


def inner(row: Problem) -> str:
    """The right answer without its marks."""
    return find_answer(row.answer)


def test_a_hedge_or_several_candidates_never_score_one(rows: list[Problem]) -> None:
    for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
        a, b = inner(row), inner(other)
        for text in (
            f"{a} or {b}",
            f"[{a}, {b}]",
            f"[{a}]",
            f"{a} {a}",
            f"{b}; {a}",
            f"not {a}",
            f"{a}?",
            f"{a}\n\n{b}",
        ):
            assert score(row.truth, f"<answer>{text}</answer>").value < 1.0, (row.operator, text)
        both = f"<answer>{a}</answer><answer>{b}</answer>"
        assert score(row.truth, both).value < 1.0 or is_right(row, other.answer)


def test_padding_never_raises_a_score(rows: list[Problem]) -> None:
    for row in rows:
        if row.operator in ("sequential", "parallel"):
            a = inner(row)
            more = [
                f"{a[:-1]}, 0]",
                f"{a[:-1]}, {a[1:]}",
                f"{a[:-1]}, null]",
                f"[{a}]",
                f'{{"answers": {a}}}',
                f"{a}{a}",
            ]
            assert {score(row.truth, f"<answer>{text}</answer>").value for text in more} == {0.0}


def test_one_wrong_character_in_the_answer_costs_the_point(rows: list[Problem]) -> None:
    for number, row in enumerate(rows):
        rng, text = Random(f"wrong {number}"), inner(row)
        places = [place for place, character in enumerate(text) if character.isdigit()]
        if places and row.operator in ("single", "sequential", "parallel"):
            place = rng.choice(places)
            damaged = text[:place] + str((int(text[place]) + rng.randint(1, 9)) % 10) + text[place + 1 :]
            result = score(row.truth, f"<answer>{damaged}</answer>")
            assert result.value < 1.0 or is_right(row, f"<answer>{damaged}</answer>"), (text, damaged)


# c and d: no text raises, and every score is finite, in [0, 1], and has a status

ANSWERS = st.text(max_size=80) | st.text(alphabet='0123456789[]{}",:.-/ntrueABCDEF()\\$*`', max_size=40)
RESPONSES = st.one_of(
    ANSWERS,
    ANSWERS.map("<answer>{}</answer>".format),
    ANSWERS.map("\\boxed{{{}}}".format),
    st.lists(ANSWERS | st.sampled_from(["<answer>", "</answer>", "\\boxed{", "}", "</think>", "<think>"])).map("".join),
)


def checked(truth: str, response: str) -> None:
    result = score(truth, response)
    assert math.isfinite(result.value)
    assert 0.0 <= result.value <= 1.0
    assert isinstance(result.value, float)
    assert result.status in (ScoreStatus.SCORED, ScoreStatus.UNPARSEABLE)
    assert result.status is ScoreStatus.SCORED or (result.value == 0.0 and result.reason)
    assert 0 <= result.correct <= result.total


def test_no_text_makes_a_scorer_raise_or_leave_the_range(rows: list[Problem]) -> None:
    chosen = [row for name in OPERATORS for row in [r for r in rows if r.operator == name][::8]]

    @given(response=RESPONSES)
    @settings(max_examples=150)
    def holds(response: str) -> None:
        for row in chosen:
            checked(row.truth, response)

    holds()


def test_json_of_any_shape_is_scored(rows: list[Problem]) -> None:
    chosen = [row for row in rows if row.operator in ("sequential", "parallel")][::6]
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    data = st.lists(
        st.recursive(leaf, lambda each: st.lists(each) | st.dictionaries(st.text(max_size=3), each)), max_size=6
    )

    @given(data=data)
    @settings(max_examples=100)
    def holds(data: Any) -> None:
        for row in chosen:
            checked(row.truth, f"<answer>{json.dumps(data)}</answer>")

    holds()


def test_texts_made_to_be_slow_are_scored_quickly(rows: list[Problem]) -> None:
    chosen = [next(row for row in rows if row.operator == name) for name in OPERATORS]
    units = (
        "<answer>",
        "\\boxed{",
        "[",
        "{",
        "`",
        "*",
        "$",
        "A,",
        "A ",
        '["A",',
        '"',
        "\\text{",
        "</think>",
        "<think>",
    )
    for row in chosen:
        for unit in units:
            body = unit * (1_000_000 // len(unit))
            begin = time.perf_counter()
            for text in (
                body,
                f"<answer>{body}</answer>",
                f"<answer>{body[:19_000]}</answer>",
                f"\\boxed{{{body[:19_000]}}}",
            ):
                assert graded(row.truth, text).value == 0.0
            assert time.perf_counter() - begin < 2, (row.operator, unit)


# e and f: the seed decides, and neighbouring seeds have nothing in common

SCRIPT = """
import hashlib, json, sys
from random import Random
from races.environments import pool
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, Shard, explore
from races.environments.seeding import generator
from races.environments.operators import Problem, parallel, select, sequential, single, sort
bricks = list(pool().values())
chosen = [bricks[i] for i in range(0, len(bricks), 3)]
offers = CompatibleBricks(pool(), "subtype")
rows = {}
for brick in sorted(chosen, key=lambda each: each.name, reverse=sys.argv[1] == "backwards"):
    rng = generator("row", brick.name)
    rows[brick.name] = [single.pose(brick, rng, 3), parallel.pose([brick, bricks[0], bricks[9]], rng, 2)]
for name in ("sorted_values", "digit_sum", "reverse_words", bricks[5].name):
    if name not in pool():
        continue
    shard = explore(Shard(name, 2), offers, SearchSettings(longest=4, probes=4))
    rows[name + " paths"] = [
        each
        for found in shard.found[:12]
        for each in (
            sequential.pose(found.path, found.level, found.steps),
            sort.pose(found.path, generator("sort", found.path.id), found.level, found.steps),
            select.pose(found.path, offers, generator("select", found.path.id), found.level, found.steps),
        )
        if isinstance(each, Problem)
    ]
said = json.dumps({name: [each.as_dict() for each in rows[name]] for name in sorted(rows)})
sys.stdout.write(f"{len(said)} {hashlib.sha256(said.encode()).hexdigest()}")
"""


def test_rows_are_byte_equal_in_fresh_processes_under_three_hash_seeds_and_in_any_order() -> None:
    said = set()
    for seed, order in (("0", "forwards"), ("1", "backwards"), ("2", "forwards")):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, order],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT.parents[1]), "TZ": f"UTC+{seed}"},
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(done.stdout)
    assert len(said) == 1, said
    assert int(said.pop().split()[0]) > 100_000


def test_no_brick_type_or_operator_knows_the_time_the_machine_or_a_global_generator() -> None:
    for file in [
        ROOT / "core.py",
        ROOT / "seeding.py",
        ROOT / "values.py",
        *parts("themes", "types", "operators", "composition", "generation"),
    ]:
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not {each.name.split(".")[0] for each in node.names} & {
                    "time",
                    "os",
                    "random",
                    "uuid",
                    "secrets",
                    "socket",
                }
            elif isinstance(node, ast.ImportFrom):
                taken = {each.name for each in node.names}
                assert node.module not in ("time", "os", "uuid", "secrets", "socket"), file
                assert node.module != "random" or taken == {"Random"}, file
            elif isinstance(node, ast.Attribute):
                assert node.attr not in ("today", "now", "utcnow"), file


def parts(*packages: str) -> Iterator[File]:
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def test_neighbouring_seeds_share_no_items_beyond_chance() -> None:
    bricks = [
        brick for brick in pool().values() if brick.domain.name in ("IntList", "NatList", "Graph", "Text", "IntMatrix")
    ]
    assert len(bricks) > 20
    first, second = (
        {single.pose(b, generator("seed", seed, b.name, i), 3).prompt for b in bricks for i in range(10)}
        for seed in (42, 43)
    )
    assert len(first) > 9 * len(bricks)
    assert len(first & second) <= 0.01 * len(first)


def test_the_parts_of_a_purpose_never_run_into_one_another() -> None:
    purposes = [
        ("a", "bc"),
        ("ab", "c"),
        ("abc",),
        ("a", "b", "c"),
        ("a", ("b", "c")),
        (1, 2),
        (12,),
        ("1", 2),
        (1, "2"),
    ]
    assert len({generator(*purpose).random() for purpose in purposes}) == len(purposes)


# h: every spelling that the prompt permits is accepted


def spelled(row: Problem) -> Iterator[str]:
    """The right answer as a model might also write it."""
    text = inner(row)
    forms = [text, f" {text} ", f"\n{text}\n", f"{text}.", f"```json\n{text}\n```", f"```\n{text}\n```", f"${text}$"]
    forms += [f"**{text}**", f"\\text{{{text}}}", f"\\boxed{{{text}}}", f"\\boxed{{{text}}}."]
    yield from (f"<answer>{form}</answer>" for form in forms)
    yield from (f"\\boxed{{{form}}}" for form in forms if "boxed" not in form)
    yield f"Let me think. The answer is <answer>{text}</answer>. I am sure."
    yield f"<think>Is it <answer>{row.start}</answer>?</think>\n\nIt is $\\boxed{{{text}}}$."
    forms = [f"Answer: {text}", f"The answer is {text}.", f"```json {text}```", f"**Final answer:** {text}"]
    forms += [repr(json.loads(text)), *([f"{text[:-1]},]"] if text[-1] == "]" and text != "[]" else [])]
    forms += [f"\\mathbf{{{text}}}", f"\\fbox{{{text}}}", f"<ANSWER>{text}</ANSWER>"]
    yield from (f"<{tag}>{form}</{tag}>" for form in forms[:-1] for tag in ("answer", "ANSWER", "Answer "))
    yield from (f"\\{box}{{{form}}}" for form in forms for box in ("boxed", "fbox", "boxed "))
    if row.operator in ("sort", "select"):
        letters = json.loads(text)
        yield f"<answer>({', '.join(map(repr, letters))},)</answer>"
        yield from (f"<answer>{mark.join(letters)}</answer>" for mark in (", ", " ", " -> ", "\u2192", "\n", "; "))
        yield f"\\boxed{{\\text{{{', '.join(letters)}}}}}"


def test_every_spelling_of_the_right_answer_scores_one(rows: list[Problem]) -> None:
    lost: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for text in spelled(row):
            if score(row.truth, text).value != 1.0:
                lost[row.operator, row.types[-1]] += 1
    assert not lost


def test_the_form_that_the_prompt_asked_for_wins_and_the_other_counts_where_it_is_absent(rows: list[Problem]) -> None:
    for row in rows:
        right, wrong = inner(row), "x = 5"
        asked: AnswerStyle = "tags" if "<answer>" in row.prompt else "boxed"
        other: AnswerStyle = "boxed" if asked == "tags" else "tags"
        assert json.loads(row.truth).get("style", "tags") == asked
        for order in (lambda a, b: f"{a} So {b}.", lambda a, b: f"{b} So {a}."):
            assert score(row.truth, order(wrapped(right, asked), wrapped(wrong, other))).value == 1.0
            assert score(row.truth, order(wrapped(wrong, asked), wrapped(right, other))).value == 0.0
        unfinished = "<answer>" if asked == "tags" else "\\boxed{"
        assert score(row.truth, f"{wrapped(right, asked)} or rather {unfinished}x").value == 1.0
        assert score(row.truth, f"{wrapped(right, other)} or rather {unfinished}x").value == 1.0


def test_a_row_without_a_style_is_scored_as_one_that_asks_for_tags_and_a_foreign_style_is_no_reward(
    rows: list[Problem],
) -> None:
    for row in rows:
        content = json.loads(row.truth)
        content.pop("style", None)
        old = json.dumps(content)
        for style in ("tags", "boxed"):
            assert score(old, wrapped(inner(row), style)).value == 1.0
        assert score(json.dumps(content | {"style": "xml"}), row.answer).status is ScoreStatus.GRADER_FAILED


# i and j: ids


def test_ids_are_unique_and_follow_from_the_row_alone(rows: list[Problem]) -> None:
    assert len({row.id for row in rows}) == len(rows)
    brick = get("digit_sum")
    assert single.pose(brick, Random("id"), 3).id == single.pose(brick, Random("id"), 3).id
    assert single.pose(brick, Random("id"), 3).id != single.pose(brick, Random("id"), 3, "boxed").id


def test_every_level_of_every_operator_gives_other_items() -> None:
    bricks = [get("digit_sum"), *list(pool().values())[::40]]
    alone = [single.pose(bricks[0], Random("j"), level) for level in LEVELS]
    together = [parallel.pose(bricks, Random("j"), level) for level in LEVELS]
    for rows in (alone, together):
        assert len({row.prompt for row in rows}) == len(LEVELS)
        assert [row.level for row in rows] == list(LEVELS)


# k and l: the prompt says how to answer and does not say what


def test_the_prompt_shows_the_input_and_states_the_notation_that_is_read(rows: list[Problem]) -> None:
    for row in rows:
        assert "answer>" in row.prompt or "\\boxed{" in row.prompt
        assert ("<answer>" in row.prompt) == row.answer.startswith("<answer>")
        bricks = [find(name) for name in row.environments]
        for brick in bricks:
            assert brick.statement in row.prompt
        if row.operator in ("single", "sequential", "parallel"):
            assert all(brick.codomain.notation in row.prompt for brick in bricks)
        else:
            assert "a JSON array of the" in row.prompt
            assert row.outputs[-1] in row.prompt
            assert bricks[-1].codomain.noun in row.prompt
        questions = (
            [row.start]
            if row.operator != "parallel"
            else [json.dumps(q, ensure_ascii=False) for q in json.loads(row.start)]
        )
        assert all(question in row.prompt for question in questions)
        assert bricks[0].domain.noun in row.prompt


def test_no_environment_name_stands_in_a_prompt(rows: list[Problem]) -> None:
    for row in rows:
        offered = json.loads(row.truth).get("environments", [])
        for name in {*row.environments, *row.distractors, *offered}:
            if "_" in name:
                assert name not in row.prompt
        assert not re.search(r"\b[a-z]+_[a-z_]+\b", row.prompt.replace(row.start, "")), row.prompt


def test_the_answer_stands_in_no_prompt_beyond_coincidence(rows: list[Problem]) -> None:
    shown = total = 0
    for row in rows:
        if row.operator in ("sort", "select"):
            assert inner(row) not in row.prompt
        else:
            long = [text for text in targets(row) if len(text) >= 6]
            total += len(long)
            shown += sum(text in row.prompt for text in long)
    assert shown <= 0.04 * total, (shown, total)


def test_the_form_that_a_prompt_shows_never_scores(rows: list[Problem]) -> None:
    for row in rows:
        mark = "<answer>" if row.answer.startswith("<answer>") else "\\boxed{"
        example = row.prompt[row.prompt.rindex(mark) :]
        result = score(row.truth, example)
        assert result.value == 0.0, (row.operator, row.environments, example)
        if row.operator in ("sort", "select"):
            assert result.status is ScoreStatus.UNPARSEABLE
        else:
            assert result.status is ScoreStatus.SCORED, result


def test_the_form_that_a_prompt_shows_is_of_the_right_types_and_no_element_of_it_is_a_true_result(
    rows: list[Problem],
) -> None:
    for row in rows:
        kinds = [VOCABULARY[name] for name in json.loads(row.truth).get("types", [])]
        mark = "<answer>" if row.answer.startswith("<answer>") else "\\boxed{"
        shown = find_answer(row.prompt[row.prompt.rindex(mark) :])
        items = [shown] if row.operator == "single" else [json.dumps(item) for item in json.loads(shown)]
        if kinds:
            for kind, item, text in zip(kinds, items, targets(row), strict=True):
                assert kind.loads(item) != kind.loads(text)


# m and o: paths


def test_no_step_of_a_path_changes_nothing_and_every_value_keeps_its_bounds(found: list[Found]) -> None:
    for each in found:
        states = each.path.states
        assert len(set(states)) == len(states)
        for brick, value, before in zip(each.path.environments, each.path.outputs, states, strict=False):
            assert value in brick.codomain
            assert brick.codomain.dumps(value) != before


# p: thinking


def test_an_answer_that_is_only_thought_never_scores(rows: list[Problem]) -> None:
    for row in rows[::3]:
        other = wrapped("0", "tags")
        for text in (
            f"<think>{row.answer}",
            f"<think>{row.answer}</think>",
            f"{row.answer}</think>{other}",
            f"a<think>{row.answer}",
        ):
            assert score(row.truth, text).value == 0.0 or is_right(row, other)
        assert score(row.truth, f"<think>{other}</think>{row.answer}").value == 1.0


def test_an_answer_that_is_only_thought_never_scores_however_long_the_thought(rows: list[Problem]) -> None:
    row = rows[0]
    assert graded(row.truth, "<think>" + "x" * LONGEST_RESPONSE + "</think>" + row.answer).value == 1.0
    assert graded(row.truth, "<think>" + "x" * LONGEST_RESPONSE + row.answer).value == 0.0


# r: a row is plain data


def test_a_row_is_plain_data_and_its_truth_is_json_without_code(rows: list[Problem]) -> None:
    for row in rows:
        for name, value in row.as_dict().items():
            assert type(value) in (str, int, float, list), name
            assert not isinstance(value, list) or all(type(item) is str for item in value), name
        bricks = [find(name) for name in row.environments]
        assert row.fingerprints == tuple(brick.fingerprint for brick in bricks)
        assert row.themes == tuple(brick.theme for brick in bricks)
        content = json.loads(row.truth)
        assert content["operator"] == row.operator
        assert json.dumps(content, ensure_ascii=False) == row.truth


def test_nothing_here_unpickles_or_evaluates() -> None:
    for file in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {each.name for each in node.names} | {getattr(node, "module", "") or ""}
                assert not names & {"pickle", "marshal", "shelve", "dill", "cloudpickle", "literal_eval", "yaml"}, file
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                allowed = {"exec", "compile"} if file.name == "source.py" else set()
                assert node.func.id not in {"eval", "exec", "compile", "__import__"} - allowed, file


# Scores of the same text never differ.


def test_a_score_does_not_depend_on_what_was_scored_before(rows: list[Problem]) -> None:
    pairs = [(row, other.answer) for row, other in zip(rows[::2], rows[1::2], strict=False)]
    first = [score(row.truth, text) for row, text in pairs]
    assert [score(row.truth, text) for row, text in reversed(pairs)] == first[::-1]


def test_posing_twice_gives_the_same_row(found: list[Found], offers: CompatibleBricks) -> None:
    for each in found[:40]:
        for operator in ("sequential", "sort", "select"):
            once, twice = (posed(operator, each, offers) for _ in range(2))
            assert once == twice
            assert isinstance(once, Rejected) or once.id == twice.id  # type: ignore[union-attr]  # equal, so both are rows


def posed(operator: str, each: Found, offers: CompatibleBricks) -> Problem | Rejected:
    rng = Random(f"{operator} {each.path.id}")
    if operator == "sequential":
        return sequential.pose(each.path, each.level, each.steps)
    if operator == "sort":
        return sort.pose(each.path, rng, each.level, each.steps)
    return select.pose(each.path, offers, rng, each.level, each.steps)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 3), Fraction(2, 3), Fraction(1)])
def test_a_partial_score_is_the_float_nearest_to_the_fraction(share: Fraction) -> None:
    truth = json.dumps({"operator": "parallel", "types": ["Int"] * 3, "answers": ["5", "6", "7"]})
    items = [5, 6, 7][: int(3 * share)]
    assert score(truth, f"<answer>{items}</answer>").value == float(share)
