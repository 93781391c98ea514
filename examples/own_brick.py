"""A brick of your own, alone and in chains with bricks of the pool: see bricks/temperatures.py beside this file."""

import os
from itertools import islice
from pathlib import Path

import races

# The pool loads the Python files of these folders on first use; in a package of yours, name an entry point instead.
os.environ["RACES_BRICKS"] = str(Path(__file__).with_name("bricks"))

brick = races.get("change_from_day_to_day")
print(brick, brick((4, 0, 9)))

(alone,) = islice(races.stream([brick], operator="single", level=1), 1)
print(alone.prompt, alone.answer, sep="\n")

bricks = [brick, "account_balances", "robot_positions", "running_totals", "run_lengths"]
for problem in islice(races.stream(bricks, size=(2, 3)), 5):
    print(problem, problem.score(problem.answer).value)
