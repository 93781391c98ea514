"""Training runs, each a partition of the training assets. A run is data.

To add one, add an entry to RUNS, or name a file of your own in RACES_RECIPES (races.environments.user_config).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import ValidationError

from races.assets.catalog.models import BASE_MODELS, QUICK, TINY
from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES
from races.environments.errors import SettingError
from races.environments.user_config import Entry, entries
from races.resources.training.config import TrainingConfig
from races.resources.training.verl.config import PRESETS, VerlSettings

Backend = Literal["torch", "verl"]
SEEDS = (1, 2, 3)  # of the experiment
ARMS = {"individual": "micro_individual", "composites": "micro_races"}


@dataclass(frozen=True)
class Run:
    """A training set, the model that is trained on it, and how.

    name: the partition.
    recipe: one of RECIPES.
    model: one of BASE_MODELS, or a Hugging Face folder or hub name.
    config: fields of TrainingConfig, the model excepted.
    measured_on: the problem sets that the run's checkpoint and its base model are measured on.
    verl: where and how verl runs.
    """

    name: str
    description: str
    recipe: str
    model: str
    backend: Backend
    config: Mapping[str, Any]
    measured_on: tuple[str, ...]
    verl: VerlSettings = field(default_factory=VerlSettings)

    def __post_init__(self) -> None:
        if self.recipe not in RECIPES:
            raise SettingError(f"run {self.name}: expected a recipe of {', '.join(RECIPES)}, got {self.recipe}")
        for name in self.measured_on:
            if name not in PROBLEM_SETS:
                raise SettingError(f"run {self.name}: expected problem sets of {', '.join(PROBLEM_SETS)}, got {name}")

    def training(self, model: str) -> TrainingConfig:
        """The settings of the run for a model: a folder, or a name on the hub."""
        return TrainingConfig(model=model, **self.config)


# For the tiny model, found by trial: the paper's learning rate is for models a thousand times as large.
MICRO: dict[str, Any] = {
    "prompts": 16,
    "mini_batch": 8,
    "rollouts": 8,
    "prompt_length": 320,
    "response_length": 64,
    "learning_rate": 1e-4,
    "weight_decay": 0.0,
    "save_every": 25,
    "stall_seconds": 600,
}
# Found by trial for the model quick_start.
QUICK_CONFIG: dict[str, Any] = {
    "steps": 30,
    "prompts": 32,
    "mini_batch": 16,
    "rollouts": 8,
    "prompt_length": 160,
    "response_length": 32,
    "learning_rate": 3e-4,
    "weight_decay": 0.0,
    "save_every": 30,
    "stall_seconds": 600,
    "seed": 1,
}
QUICK_SETS, MICRO_SETS = ("quick_held_out",), ("micro_depths", "micro_bricks")
LARGE_SETS = ("unseen_bricks", "seen_bricks")
TOKENS = 1_000_000  # of each run of the experiment, prompts included


def _of_paper(name: str, preset: str, recipe: str, what: str) -> Run:
    found = PRESETS[preset]
    config = found.config.model_dump(exclude={"model"})
    return Run(name, what, recipe, found.config.model, "verl", config, LARGE_SETS, found.settings)


_BUILT_IN = {
    run.name: run
    for run in (
        Run(
            "quick",
            "The whole pipeline in a minute on a CPU: chains of two bricks, the smallest model, the torch back end.",
            "quick",
            QUICK,
            "torch",
            QUICK_CONFIG,
            QUICK_SETS,
        ),
        Run(
            "micro",
            "The whole pipeline in minutes on a CPU: composites of few bricks, the tiny model, the torch back end.",
            "micro_races",
            TINY,
            "torch",
            {**MICRO, "steps": 80, "seed": 1},
            MICRO_SETS,
        ),
        *(
            Run(
                f"micro_{arm}_{seed}",
                f"The experiment at CPU size: {arm}, seed {seed}, as many tokens as the other arm.",
                recipe,
                TINY,
                "torch",
                {**MICRO, "steps": 10_000, "tokens": TOKENS, "seed": seed},
                MICRO_SETS,
            )
            for arm, recipe in ARMS.items()
            for seed in SEEDS
        ),
        _of_paper("paper_14b", "paper_14b", "races_300", "The paper's main run, on composites."),
        _of_paper("paper_14b_individual", "paper_14b", "individual_300", "Its baseline, on individual bricks."),
        _of_paper("analysis_4b", "analysis_4b", "races_analysis", "The paper's analysis, on composites."),
        _of_paper("analysis_4b_individual", "analysis_4b", "individual_analysis", "Its baseline."),
    )
}


def _user_run(entry: Entry) -> Run:
    """The run of an entry [runs.NAME]; SettingError where the entry is wrong."""
    required = {"description": str, "based_on": str, "recipe": str, "measured_on": list}
    given = entry.checked(required, {"model": str, "settings": dict})
    base = _BUILT_IN.get(given.pop("based_on"))
    if base is None:
        raise entry.error(f"based_on: expected a run of {', '.join(_BUILT_IN)}, got {entry.values['based_on']!r}")
    given |= {"name": entry.name, "measured_on": entry.listed("measured_on", str)}
    given["config"] = {**base.config, **given.pop("settings", {})}
    try:
        run = replace(base, **given)
        run.training(run.model)
    except (SettingError, ValidationError) as error:
        raise entry.error(error) from error
    trained_on = [name for name in run.measured_on if not PROBLEM_SETS[name].held_out]
    if trained_on:
        raise entry.error(f"measured_on: expected problem sets that are held out, got {', '.join(trained_on)}")
    return run


def _runs() -> dict[str, Run]:
    """The runs here and those of the user, by name. A name means one checkpoint: no model and run may share one."""
    entries("models", taken=_BUILT_IN)
    found = entries("runs", taken={*BASE_MODELS, *_BUILT_IN})
    return _BUILT_IN | {name: _user_run(entry) for name, entry in found.items()}


RUNS = _runs()


def sets_of(checkpoint: str) -> tuple[str, ...]:
    """The problem sets that a run's checkpoint, or a base model, is measured on."""
    if checkpoint in RUNS:
        return RUNS[checkpoint].measured_on
    if checkpoint in (QUICK, TINY):
        return QUICK_SETS if checkpoint == QUICK else MICRO_SETS
    if checkpoint in BASE_MODELS and BASE_MODELS[checkpoint].warm_up_on is not None:
        used_by = (run for run in RUNS.values() if run.model == checkpoint)
        return tuple(dict.fromkeys(name for run in used_by for name in run.measured_on))
    return LARGE_SETS


def checkpoints_measured_on(problem_set: str) -> list[str]:
    """The base models, and the runs whose checkpoints, that a problem set measures."""
    return [each for each in (*BASE_MODELS, *RUNS) if problem_set in sets_of(each)]
