"""What users add without a change here: a TOML file of theirs, which RACES_RECIPES names, with one table per entry.

    [sub_pools.digits]                  # a sub-pool, by the names of its bricks
    bricks = ["digit_list", "last_digits", "my_brick"]

    [problem_sets.digits_train]        # problems of a sub-pool, to train on or, with held_out, to evaluate on
    description = "Few bricks on short inputs."
    sub_pool = "digits"
    sizes = {single = [1], sequential = [2, 3]}
    per_cell = 500
    levels = [1]
    held_out = false
    distractors_from = "all"            # optional: the sub-pool that SELECT draws distractors from

    [recipes.digits]                    # a training set: the same number of problems of every operator and size
    description = "Chains of few bricks."
    total = 400
    sizes = {sequential = [2, 3]}
    source = "digits_train"            # optional: without it, problems of the sub-pool `training`

    [models.digits_start]               # a small model, randomly initialised and warmed up on solved problems
    description = "Knows the format."
    warm_up_on = "digits_train"

    [runs.digits]                       # a run with the settings of another, except for those given here
    description = "A few steps."
    based_on = "micro"
    recipe = "digits"
    model = "digits_start"
    measured_on = ["digits_held_out"]
    settings = {steps = 20}

The modules that know what an entry means read it from here. Each entry is checked; errors name the file and the entry.
"""

import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from races.environments.errors import SettingError

VARIABLE = "RACES_RECIPES"
KINDS = ("sub_pools", "problem_sets", "recipes", "models", "runs")
# What an older file may still say, and what it is called now.
RENAMED_KINDS = {"parts": "sub_pools"}
RENAMED_FIELDS = {
    "part": "sub_pool",
    "offers": "distractors_from",
    "taken_from": "source",
    "taught_by": "warm_up_on",
    "like": "based_on",
}
NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Entry:
    """An entry of the file.

    name: the last part of its heading.
    place: the file and the heading, for errors.
    values: its fields as TOML gives them.
    """

    name: str
    place: str
    values: Mapping[str, Any]

    def error(self, message: object) -> SettingError:
        """An error that names the file and the entry."""
        return SettingError(f"{self.place}: {message}")

    def checked(self, required: Mapping[str, type], optional: Mapping[str, type] | None = None) -> dict[str, Any]:
        """The values, where the entry has all required fields, no unknown ones, and each has its type."""
        for old, new in RENAMED_FIELDS.items():
            if old in self.values:
                raise self.error(f"expected the field {new}, got its old name {old}")
        known = {**required, **(optional or {})}
        if not required.keys() <= self.values.keys() <= known.keys():
            maybe = f" and maybe {', '.join(optional)}" if optional else ""
            raise self.error(f"expected {', '.join(required)}{maybe}, got {', '.join(self.values) or 'nothing'}")
        for field, value in self.values.items():
            if type(value) is not known[field]:
                raise self.error(f"{field}: expected {known[field].__name__}, got {value!r}")
        return dict(self.values)

    def listed(self, field: str, kind: type) -> tuple[Any, ...]:
        """A field that is a list, as a tuple, where all its entries have one type."""
        values = self.values[field]
        if any(type(each) is not kind for each in values):
            raise self.error(f"{field}: expected a list of {kind.__name__}, got {values!r}")
        return tuple(values)

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """The field `sizes`: for each operator the numbers of bricks."""
        found = self.values["sizes"]
        for operator, some in found.items():
            if type(some) is not list or not some or any(type(each) is not int for each in some):
                raise self.error(f"sizes: expected a list of numbers for {operator}, got {some!r}")
        if not found:
            raise self.error("sizes: expected at least one operator, such as {sequential = [2, 3]}, got none")
        return {operator: tuple(some) for operator, some in found.items()}


def file() -> Path | None:
    """The file that RACES_RECIPES names; None where it names none."""
    named = os.environ.get(VARIABLE, "")
    return Path(named).expanduser() if named else None


def entries(kind: str, taken: Collection[str] = ()) -> dict[str, Entry]:
    """The entries of one of KINDS by name; none where no file is named.

    taken: names that are in use already. Raises SettingError with the file and the entry that is wrong.
    """
    named = file()
    if named is None:
        return {}
    found = {}
    for name, values in _read(named).get(kind, {}).items():
        place = f"{named}: [{kind}.{name}]"
        if not NAME.fullmatch(name) or name in taken:
            raise SettingError(f"{place}: expected a new name of small letters, digits and _, got {name!r}")
        if not isinstance(values, dict):
            raise SettingError(f"{place}: expected a table, got {values!r}")
        found[name] = Entry(name, place, values)
    return found


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingError(f"{VARIABLE}: expected a TOML file of recipes at {file}, got {error}") from error
    for kind, tables in read.items():
        if kind in RENAMED_KINDS:
            raise SettingError(f"{file}: expected [{RENAMED_KINDS[kind]}.NAME], got its old name [{kind}.NAME]")
        if kind not in KINDS or not isinstance(tables, dict):
            raise SettingError(f"{file}: expected tables named [KIND.NAME], KIND of {', '.join(KINDS)}, got {kind!r}")
    return read
