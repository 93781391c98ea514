"""How the tables are divided, and which parts of one the parts of another are made from."""

import dagster as dg

from races.assets.catalog.endpoints import endpoints
from races.assets.catalog.recipes import PROBLEM_SETS, RECIPES
from races.assets.catalog.runs import BASE_MODELS, RUNS, TAUGHT_BY, measured_on
from races.environments.operators import SIZES
from races.resources.evaluation.suites.datasets import BENCHMARKS

OPERATORS = dg.StaticPartitionsDefinition(sorted(SIZES))
SETS = dg.StaticPartitionsDefinition(sorted(RECIPES))
# The training sets that take problems of each operator.
POSED_FOR = dg.StaticPartitionMapping(
    {
        operator: [
            name for name, recipe in RECIPES.items() if operator in recipe.sizes and recipe.taken_from == "problems"
        ]
        for operator in SIZES
    }
)
POSED_SETS = dg.StaticPartitionsDefinition(sorted(PROBLEM_SETS))
TAKEN_FROM = dg.StaticPartitionMapping(
    {each: [name for name, recipe in RECIPES.items() if recipe.taken_from == each] for each in PROBLEM_SETS}
)
MODELS = dg.StaticPartitionsDefinition(sorted(BASE_MODELS))
TRAINED = dg.StaticPartitionsDefinition(sorted(RUNS))
MEASURED = dg.StaticPartitionsDefinition(sorted([*BASE_MODELS, *RUNS]))
EVALUATED = dg.StaticPartitionsDefinition(sorted([*BASE_MODELS, *RUNS, *endpoints(frozenset([*BASE_MODELS, *RUNS]))]))
BENCHMARKED = dg.MultiPartitionsDefinition(
    {"checkpoint": EVALUATED, "benchmark": dg.StaticPartitionsDefinition(sorted(BENCHMARKS))}
)
# The runs that start from a model of ours, that take a training set, and the checkpoints that a problem set measures.
STARTS = dg.StaticPartitionMapping(
    {model: [run.name for run in RUNS.values() if run.model == model] for model in BASE_MODELS}
)
TAUGHT = dg.StaticPartitionMapping(
    {each: [model for model, teacher in TAUGHT_BY.items() if teacher == each] for each in PROBLEM_SETS}
)
LEARNS = dg.StaticPartitionMapping(
    {recipe: [run.name for run in RUNS.values() if run.recipe == recipe] for recipe in RECIPES}
)
SAME = dg.StaticPartitionMapping({run: run for run in RUNS})
SAME_MODEL = dg.StaticPartitionMapping({model: model for model in BASE_MODELS})
MEASURES = dg.StaticPartitionMapping({each: measured_on(each) for each in PROBLEM_SETS})
