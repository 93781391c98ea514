"""How the tables of problems and training sets are divided."""

import dagster as dg

from environments.operators.factory import SIZES
from races_assets.recipes import RECIPES

OPERATORS = dg.StaticPartitionsDefinition(sorted(SIZES))
SETS = dg.StaticPartitionsDefinition(sorted(RECIPES))
# The training sets that take problems of each operator.
POSED_FOR = dg.StaticPartitionMapping(
    {operator: [name for name, recipe in RECIPES.items() if operator in recipe.sizes] for operator in SIZES}
)
