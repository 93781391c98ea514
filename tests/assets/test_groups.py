"""Groups of the graph: a folder each, whose modules hold assets and their settings or helpers, not both."""

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType

import dagster as dg
import pytest

from races.assets import defs as groups
from races.assets.automation import Due
from races.assets.definitions import definitions
from races.assets.run import evaluation, everything
from races.assets.steps import Step
from races.assets.tags import AUTO_REBUILD, IN_RUN

# Dagster warns of itself where it takes in an observable source.
pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

MODULES = [
    importlib.import_module(each.name)
    for each in pkgutil.walk_packages(groups.__path__, f"{groups.__name__}.")
    if not each.ispkg
]


def assets_of(module: ModuleType) -> list[dg.AssetKey]:
    made = [each for each in vars(module).values() if isinstance(each, dg.AssetsDefinition | dg.SourceAsset)]
    return [key for each in made for key in (each.keys if isinstance(each, dg.AssetsDefinition) else [each.key])]


def test_the_group_of_an_asset_is_the_folder_of_its_module() -> None:
    graph = definitions("nowhere").resolve_asset_graph()
    found = {key.to_user_string(): module.__name__.split(".")[-2] for module in MODULES for key in assets_of(module)}
    assert found == {key.to_user_string(): graph.get(key).group_name for key in graph.get_all_asset_keys()}


@pytest.mark.parametrize("module", [each for each in MODULES if assets_of(each)], ids=lambda each: each.__name__)
def test_a_module_of_assets_defines_no_other_public_function_or_class(module: ModuleType) -> None:
    own = {name: each for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
    functions = [name for name, each in own.items() if inspect.isfunction(each) and not name.startswith("_")]
    classes = [name for name, each in own.items() if inspect.isclass(each) and not issubclass(each, dg.Config)]
    assert (functions, classes) == ([], [])


def test_a_new_module_in_the_folder_of_a_group_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "extra_asset.py").write_text(
        "import dagster as dg\n\n\n@dg.asset\ndef extra_asset() -> None:\n    '''One row per nothing.'''\n"
    )
    pool = importlib.import_module(f"{groups.__name__}.pool")
    monkeypatch.setattr(pool, "__path__", [*pool.__path__, str(tmp_path)])
    graph = definitions("nowhere").resolve_asset_graph()
    assert graph.get(dg.AssetKey("extra_asset")).group_name == "pool"


def test_tags_say_what_is_rebuilt_and_what_make_run_makes() -> None:
    made = definitions("nowhere")
    graph = made.resolve_asset_graph()
    nodes = {key.to_user_string(): graph.get(key) for key in graph.materializable_asset_keys}
    rebuilt = {name for name, node in nodes.items() if node.tags.items() >= AUTO_REBUILD.items()}
    in_run = {name for name, node in nodes.items() if node.tags.items() >= IN_RUN.items()}
    assert {name for name, node in nodes.items() if isinstance(node.automation_condition, Due)} == rebuilt
    assert not rebuilt & in_run
    # Nothing from training on is rebuilt by itself, and everything that people look at is there after `make run`.
    groups_of = {name: node.group_name for name, node in nodes.items()}
    assert {groups_of[name] for name in rebuilt} == {"pool", "composition", "paths", "datasets"}
    assert {groups_of[name] for name in in_run} == {"training", "evaluation", "reports"}
    names = {name for step, _ in everything(made) for name in step}
    assert names == rebuilt | in_run | {"environment_sources"}
    assert names.isdisjoint({"audits", "search_comparison", "micro_experiment"})


def test_every_step_comes_after_those_that_make_what_it_needs() -> None:
    made = definitions("nowhere")
    graph = made.resolve_asset_graph()
    for steps in (everything(made), evaluation(made)):
        place: dict[str, list[int]] = {}
        for number, (names, _) in enumerate(steps):
            for name in names:
                place.setdefault(name, []).append(number)
        for name, numbers in place.items():
            for parent in graph.get(dg.AssetKey(name)).parent_keys:
                before: list[int] = place.get(parent.to_user_string(), [])
                assert not before or max(before) <= min(numbers), (name, parent)


def test_what_is_observed_is_a_step_of_its_own_and_one_op_is_one_step() -> None:
    steps: list[Step] = everything(definitions("nowhere"))
    assert steps[0] == (("environment_sources",), None)
    trained = [names for names, _ in steps if "checkpoints" in names]
    assert trained == [("checkpoints", "rollouts", "training_runs")]
    assert steps[-1] == (("report",), None)
