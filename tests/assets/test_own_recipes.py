"""Recipes, runs and all that they need from a file of the user's, and what is said where an entry is wrong."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from races.assets.catalog.recipes import RECIPES, version_with
from races.assets.defs.pool.source_versions import files_version
from races.environments.user_config import entries

ROOT = Path(__file__).parents[2]
GOOD = """
[sub_pools.digits]
bricks = ["digit_list", "last_digits", "number_from_digits"]

[problem_sets.digits_train]
description = "To train on."
sub_pool = "digits"
sizes = {single = [1], sequential = [2, 3]}
per_cell = 7
levels = [1, 2]
held_out = false

[problem_sets.digits_held_out]
description = "To measure on."
sub_pool = "digits"
sizes = {single = [1]}
per_cell = 5
held_out = true
distractors_from = "all"

[recipes.digits]
description = "Chains."
total = 10
sizes = {sequential = [2, 3]}
source = "digits_train"
seed = "mine"

[models.digits_start]
description = "Knows the format."
warm_up_on = "digits_train"

[runs.digits]
description = "A few steps."
based_on = "micro"
recipe = "digits"
model = "digits_start"
measured_on = ["digits_held_out"]
settings = {steps = 20}
"""
# Each file is read by modules that are imported anew; what stands below them stays.
TELL = """
import json, os, sys
from races.environments.errors import RacesError
from races.environments import pool
told = []
for file in sys.argv[1:]:
    os.environ["RACES_RECIPES"] = file
    for name in [each for each in sys.modules if each.startswith("races.assets") or each.endswith(".subpools")]:
        del sys.modules[name]
    try:
        from races.assets.catalog import partitions, recipes, runs
        from races.environments.subpools import subpool, subpool_names
        recipe, run = recipes.RECIPES["digits"], runs.RUNS["digits"]
        told.append({
            "sub_pool": list(subpool("digits")),
            "cells": {f"{o} {s}": n for (o, s), n in recipes.PROBLEM_SETS["digits_train"].cells.items()},
            "levels": list(recipes.PROBLEM_SETS["digits_train"].levels),
            "distractors": recipes.PROBLEM_SETS["digits_held_out"].distractors_from,
            "all_levels": list(recipes.PROBLEM_SETS["digits_held_out"].levels),
            "recipe": [recipe.total, recipe.seed, recipe.source, {k: list(v) for k, v in recipe.sizes.items()}],
            "steps": run.training("here").steps, "prompts": run.training("here").prompts,
            "sets": [list(runs.sets_of("digits")), list(runs.sets_of("digits_start")), list(runs.sets_of("tiny"))],
            "keys": [
                name in keys.get_partition_keys()
                for name, keys in (
                    ("digits", partitions.SETS),
                    ("digits", partitions.TRAINED),
                    ("digits_start", partitions.MODELS),
                    ("digits_held_out", partitions.PROBLEM_SET_PARTITIONS),
                )
            ],
        })
    except RacesError as error:
        told.append(str(error))
print(json.dumps(told))
"""
WRONG = [
    ("total = 10", "total = 10\ncolour = 'red'", "[recipes.digits]: expected description, total, sizes and maybe"),
    ("total = 10", "total = 'ten'", "[recipes.digits]: total: expected int, got 'ten'"),
    ("total = 10", "total = 0", "[recipes.digits]: total: expected at least 1, got 0"),
    (
        "sequential = [2, 3]}\nsource",
        "sequential = [13]}\nsource",
        "[recipes.digits]: recipe digits: expected operators",
    ),
    (
        "sequential = [2, 3]}\nsource",
        "sequential = 2}\nsource",
        "[recipes.digits]: sizes: expected a list of numbers for",
    ),
    ('source = "digits_train"', 'source = "digits"', "source: expected one of problems, "),
    ("[recipes.digits]", "[recipes.races_300]", "[recipes.races_300]: expected a new name of small letters"),
    (
        "[recipes.digits]",
        "[recipe.digits]",
        "expected tables named [KIND.NAME], KIND of sub_pools, problem_sets, recipes,",
    ),
    (
        '"last_digits"',
        '"last_digit"',
        "[sub_pools.digits]: the pool has no brick 'last_digit': did you mean last_digits",
    ),
    (
        'sub_pool = "digits"\nsizes = {single = [1]}',
        'sub_pool = "digit"\nsizes = {single = [1]}',
        "sub_pool: expected one of all, ",
    ),
    ("levels = [1, 2]", "levels = [0]", "[problem_sets.digits_train]: levels: expected some of [1, 2, 3, 4, 5], got"),
    ("single = [1], s", "singel = [1], s", "[problem_sets.digits_train]: sizes: expected operators and sizes of"),
    ("per_cell = 7", "per_cell = 0", "[problem_sets.digits_train]: per_cell: expected at least 1, got 0"),
    (
        'warm_up_on = "digits_train"',
        'warm_up_on = "nothing"',
        "[models.digits_start]: warm_up_on: expected one of quick",
    ),
    ('based_on = "micro"', 'based_on = "mikro"', "[runs.digits]: based_on: expected a run of quick, "),
    ('recipe = "digits"', 'recipe = "digit"', "[runs.digits]: run digits: expected a recipe of races_300"),
    (
        "settings = {steps = 20}",
        "settings = {stepz = 20}",
        "[runs.digits]: 1 validation error for TrainingConfig\nstepz",
    ),
    ('on = ["digits_held_out"]', 'on = ["digits_train"]', "measured_on: expected problem sets that are held out, got"),
    ('on = ["digits_held_out"]', "on = [1]", "[runs.digits]: measured_on: expected a list of str, got [1]"),
    ("[sub_pools.digits]", "[sub_pools.digits", "RACES_RECIPES: expected a TOML file of recipes at"),
    ('distractors_from = "all"', 'distractors_from = "digit"', "distractors_from: expected one of all, "),
    ("[models.digits_start]", "[models.micro]", "[models.micro]: expected a new name of small letters"),
    # What older files say.
    ("[sub_pools.digits]", "[parts.digits]", "expected [sub_pools.NAME], got its old name [parts.NAME]"),
    (
        'sub_pool = "digits"\nsizes = {single = [1]}',
        'part = "digits"\nsizes = {single = [1]}',
        "expected the field sub_pool, got its old name part",
    ),
    (
        "distractors_from =",
        "offers =",
        "expected the field distractors_from, got its old name offers",
    ),
    ("source =", "taken_from =", "[recipes.digits]: expected the field source, got its old name taken_from"),
    ("warm_up_on =", "taught_by =", "[models.digits_start]: expected the field warm_up_on, got its old name taught_by"),
    ("based_on =", "like =", "[runs.digits]: expected the field based_on, got its old name like"),
]


def told(files: list[Path]) -> list[Any]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", TELL, *map(str, files)]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def test_entries_of_a_file_become_sub_pools_sets_recipes_models_and_runs(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    (found,) = told([file])
    assert found == {
        "sub_pool": ["digit_list", "last_digits", "number_from_digits"],
        "cells": {"single 1": 7, "sequential 2": 7, "sequential 3": 7},
        "levels": [1, 2],
        "distractors": "all",
        "all_levels": [1, 2, 3, 4, 5],
        "recipe": [10, "mine", "digits_train", {"sequential": [2, 3]}],
        "steps": 20,
        "prompts": 16,  # as in micro
        "sets": [["digits_held_out"], ["digits_held_out"], ["micro_depths", "micro_bricks"]],
        "keys": [True] * 4,
    }


def test_a_wrong_entry_is_named_with_its_file_and_what_was_expected(tmp_path: Path) -> None:
    files = []
    for number, (old, new, _) in enumerate(WRONG):
        assert GOOD.count(old) == 1, old
        files.append(tmp_path / f"wrong_{number}.toml")
        files[-1].write_text(GOOD.replace(old, new))
    files.append(tmp_path / "nowhere.toml")
    expected = [*(said for _, _, said in WRONG), "RACES_RECIPES: expected a TOML file of recipes at"]
    for file, said, message in zip(files, expected, told(files), strict=True):
        assert isinstance(message, str), f"{file} was taken"
        assert said in message
        assert str(file) in message


def test_without_a_file_there_are_no_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACES_RECIPES", raising=False)
    assert entries("recipes") == {}


def test_an_edited_entry_changes_the_version_of_the_code_that_works_on_it() -> None:
    recipe = RECIPES["micro_races"]
    version = version_with({"a": recipe, "b": RECIPES["races_300"]}, "1")
    assert version == version_with({"b": RECIPES["races_300"], "a": replace(recipe)}, "1")
    assert version != version_with({"a": replace(recipe, total=recipe.total + 8), "b": RECIPES["races_300"]}, "1")


def test_the_file_is_one_of_those_whose_edits_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.toml"
    monkeypatch.setenv("RACES_RECIPES", str(file))
    seen = [files_version()]
    for text in ("", "# another", ""):
        file.write_text(text)
        seen.append(files_version())
    assert len(set(seen)) == 3
    assert seen[1] == seen[3]
