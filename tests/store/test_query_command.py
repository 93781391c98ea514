"""`races query`: parameters by name, what is wrong with them, and lengths in tokens."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from races.assets.cli import main
from races.assets.cli.query import token_lengths
from races.environments.errors import RacesError, SettingError
from races.resources.store.saved_queries import parse_query, saved_queries
from tests.support.invented_tables import Invented, invented
from tests.support.query_oracles import (
    grouped,
    paths_through,
)

NAMED = saved_queries()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Invented:
    return invented(tmp_path_factory.mktemp("invented"))


def races(*arguments: str | Path) -> Any:
    return CliRunner().invoke(main, ["query", *map(str, arguments)], env={"COLUMNS": "200"})


def printed(*arguments: str | Path) -> str:
    result = races(*arguments)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def refused(*arguments: str | Path) -> str:
    result = races(*arguments)
    assert result.exit_code == 1, result.output
    return str(result.stderr)


def test_parameters_are_given_by_name(store: Invented) -> None:
    text = printed("paths_through", "--param", "brick=reverse", "--csv", "--warehouse", store.warehouse.folder)
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == [row[0] for row in paths_through(store, "reverse")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["paths_through", "--param", "brik=x"],
            "no parameter 'brik': did you mean brick? it takes brick varchar = null",
        ),
        (["generated_problems", "--param", "brick=x"], "generated_problems has no parameter 'brick': it takes none"),
        (["many_valid_orders", "--param", "least=two"], "expected a bigint as least, got 'two'"),
        (["many_valid_orders", "--param", "least=2", "--param", "least=3"], "expected least once, got '2' and '3'"),
        (["many_valid_orders", "--param", "least"], "expected a parameter as name=value, got 'least'"),
        (["recipes_difference", "--param", "first=x"], "expected a value of second, got none: it takes first varchar,"),
        (["select 1", "--param", "x=1"], "expected --param with the name of a query"),
        (["brik_use", "--describe"], "there is no query 'brik_use': did you mean brick_use"),
    ],
)
def test_what_is_wrong_with_a_parameter_is_reported(store: Invented, arguments: list[str], said: str) -> None:
    assert said in refused(*arguments, "--warehouse", store.warehouse.folder)


def test_a_saved_query_describes_itself() -> None:
    text = printed("near_duplicates", "--describe")
    assert text.startswith("near_duplicates: Pairs of different problems")
    assert ["similarity", "double", "0.8", "least", "similarity,", "from", "0", "to", "1"] in map(
        str.split, text.splitlines()
    )
    assert ["first", "varchar", "required", "recipe,", "or", "problem", "set"] in map(str.split, text.splitlines())
    assert "other_id" in text
    listed = printed("--list")
    assert all(name in listed for name in NAMED)


def test_tables_that_are_not_there_are_named_beside_an_empty_answer(tmp_path: Path) -> None:
    said = races("reward_over_training", "--csv", "--warehouse", tmp_path)
    assert (said.exit_code, len(said.stdout.splitlines())) == (0, 1)
    assert said.stderr.startswith(
        "rollouts is not there yet and counts as empty; to make it: python -m races.assets.run rollouts"
    )
    # Through the views that a saved query reads.
    lines = races("select * from set_rows", "--warehouse", tmp_path).stderr.splitlines()
    assert [line.split()[0] for line in lines] == ["problem_sets", "problems", "training_sets"]


HEADER = "-- What.\n-- Takes:\n-- $least bigint = 2: so many\n-- Gives:\n-- n bigint: number\n"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("-- What.\nselect $least as n", r"expected parameters \['least'\] after Takes:, got \[\]"),
        (HEADER + "select 1 as n", r"expected parameters \[\] after Takes:, got \['least'\]"),
        (HEADER.replace("= 2", "= two") + "select $least as n", "expected a bigint as least, got 'two'"),
        (
            HEADER.replace("bigint = 2", "date") + "select $least as n",
            "expected least as varchar, bigint, double, got date",
        ),
        (HEADER.replace(": so many", "") + "select $least as n", "expected a line '\\$name type = default: meaning'"),
    ],
)
def test_a_header_that_is_wrong_is_refused(sql: str, said: str) -> None:
    with pytest.raises(RacesError, match=said):
        parse_query("mine", sql)


# Lengths in tokens


def test_prompts_can_be_measured_in_tokens(store: Invented, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106 (no password)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save(str(tmp_path / "tokenizer.json"))
    measured_in_words(store, tmp_path)


def test_a_tokenizer_counts_whole_batches(store: Invented, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The same with a stand-in for the package, which need not be installed.
    class Words:
        @staticmethod
        def from_file(path: str) -> "Words":
            if not Path(path).read_text():
                raise Exception("EOF")  # noqa: TRY002 (the package does just that)
            return Words()

        def encode_batch(self, given: list[str], add_special_tokens: bool) -> list[SimpleNamespace]:
            assert not add_special_tokens
            return [SimpleNamespace(ids=each.split()) for each in given]

    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Words))  # type: ignore[arg-type]
    (tmp_path / "tokenizer.json").write_text("{}")
    measured_in_words(store, tmp_path)
    (tmp_path / "tokenizer.json").write_text("")
    with pytest.raises(SettingError, match=r"expected a Hugging Face tokenizer in .*tokenizer.json, .*: EOF"):
        token_lengths(tmp_path)
    with pytest.raises(SettingError, match=r"expected a folder with tokenizer\.json as --tokenizer, got "):
        token_lengths(tmp_path / "none")


def measured_in_words(store: Invented, folder: Path) -> None:
    asked = ["prompt_lengths", "--csv", "--warehouse", store.warehouse.folder]
    lines = [line.split(",") for line in printed(*asked, "--tokenizer", folder).splitlines()[1:]]
    groups = grouped(store.rows["training_sets"], "recipe", "operator", "size").values()
    longest = [max(len(row["prompt"][0]["content"].split()) for row in rows) for rows in groups]
    assert [(line[4], int(line[8])) for line in lines] == [("tokens", each) for each in longest]


def test_a_missing_tokenizer_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(SettingError, match=r"expected the package tokenizers .*: pip install tokenizers"):
        token_lengths(tmp_path)
