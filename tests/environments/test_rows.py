"""What a row is made of: seeds, ids, prompts and plain data; and what is accepted as its right answer."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path as File
from random import Random

import pytest

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
from races.environments.responses.answers import find_answer
from races.environments.reward import LONGEST_RESPONSE, graded
from races.environments.seeding import generator
from races.environments.types import LEVELS, VOCABULARY
from tests.support.row_answers import inner, is_right, targets

ROOT = File(environments.__file__).parent

# The seed decides, and neighbouring seeds have nothing in common

SCRIPT = """
import hashlib, json, sys
from random import Random
from races import environments
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


# Every spelling that the prompt permits is accepted


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


def test_a_row_without_a_style_is_scored_as_one_that_asks_for_tags_and_an_unknown_style_is_no_reward(
    rows: list[Problem],
) -> None:
    for row in rows:
        content = json.loads(row.truth)
        content.pop("style", None)
        old = json.dumps(content)
        for style in ("tags", "boxed"):
            assert score(old, wrapped(inner(row), style)).value == 1.0
        assert score(json.dumps(content | {"style": "xml"}), row.answer).status is ScoreStatus.GRADER_FAILED


# Ids


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


# The prompt says how to answer and does not say what


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


# Paths


def test_no_step_of_a_path_changes_nothing_and_every_value_keeps_its_bounds(found: list[Found]) -> None:
    for each in found:
        states = each.path.states
        assert len(set(states)) == len(states)
        for brick, value, before in zip(each.path.environments, each.path.outputs, states, strict=False):
            assert value in brick.codomain
            assert brick.codomain.dumps(value) != before


# Thinking


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


# A row is plain data


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
            once, twice = (problem_of(operator, each, offers) for _ in range(2))
            assert once == twice
            assert isinstance(once, Rejected) or once.id == twice.id  # type: ignore[union-attr]  # equal, so both are rows


def problem_of(operator: str, each: Found, offers: CompatibleBricks) -> Problem | Rejected:
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
