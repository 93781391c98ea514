"""The partitions of the assets, and which partitions of one are made from which of another."""

import dagster as dg

from races.assets.catalog.endpoints import endpoints
from races.assets.catalog.models import BASE_MODELS
from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES
from races.assets.catalog.runs import RUNS, checkpoints_measured_on
from races.environments.operators import SIZES
from races.resources.evaluation.suites.datasets import BENCHMARKS

OPERATORS = dg.StaticPartitionsDefinition(sorted(SIZES))
SETS = dg.StaticPartitionsDefinition(sorted(RECIPES))
# The training sets that draw on `problems` of each operator, and those that draw on each problem set.
SETS_OF_OPERATOR = dg.StaticPartitionMapping(
    {
        operator: [name for name, recipe in RECIPES.items() if operator in recipe.sizes and recipe.source == "problems"]
        for operator in SIZES
    }
)
PROBLEM_SET_PARTITIONS = dg.StaticPartitionsDefinition(sorted(PROBLEM_SETS))
SETS_OF_PROBLEM_SET = dg.StaticPartitionMapping(
    {each: [name for name, recipe in RECIPES.items() if recipe.source == each] for each in PROBLEM_SETS}
)
MODELS = dg.StaticPartitionsDefinition(sorted(BASE_MODELS))
TRAINED = dg.StaticPartitionsDefinition(sorted(RUNS))
MEASURED = dg.StaticPartitionsDefinition(sorted([*BASE_MODELS, *RUNS]))
EVALUATED = dg.StaticPartitionsDefinition(sorted([*BASE_MODELS, *RUNS, *endpoints(frozenset([*BASE_MODELS, *RUNS]))]))
BENCHMARKED = dg.MultiPartitionsDefinition(
    {"checkpoint": EVALUATED, "benchmark": dg.StaticPartitionsDefinition(sorted(BENCHMARKS))}
)
# The runs that start from each base model, the models that are warmed up on each problem set, the runs that train on
# each training set, and the checkpoints that each problem set measures.
RUNS_OF_MODEL = dg.StaticPartitionMapping(
    {model: [run.name for run in RUNS.values() if run.model == model] for model in BASE_MODELS}
)
MODELS_OF_PROBLEM_SET = dg.StaticPartitionMapping(
    {each: [model.name for model in BASE_MODELS.values() if model.warm_up_on == each] for each in PROBLEM_SETS}
)
RUNS_OF_RECIPE = dg.StaticPartitionMapping(
    {recipe: [run.name for run in RUNS.values() if run.recipe == recipe] for recipe in RECIPES}
)
SAME_RUN = dg.StaticPartitionMapping({run: run for run in RUNS})
SAME_MODEL = dg.StaticPartitionMapping({model: model for model in BASE_MODELS})
CHECKPOINTS_OF_PROBLEM_SET = dg.StaticPartitionMapping({each: checkpoints_measured_on(each) for each in PROBLEM_SETS})
