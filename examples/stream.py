"""Problems without end, a data set of the first of them, and one found again by its key."""

from itertools import islice

import races

# Chains of three or five of the bricks of core_50, on inputs of level 2 or 3.
problems = races.stream("core_50", operator="sequential", size=(3, 5), level=(2, 3), seed=7)
for problem in islice(problems, 3):
    print(problem)

print(problem.prompt)
print("states:", *problem.states, sep="\n  ")
print("gold answer:", problem.score(f"Let me think. {problem.answer}").value)
print("no answer:", problem.score("I do not know.").status)

# The key of a problem is all that it takes to make it again, on any machine that has the same bricks.
print("found again:", races.find_problem(problem.key) == problem)

data = races.dataset("core_50", operator="sequential", size=(3, 5), level=(2, 3), seed=7, rows=100)
print("third problem of the data set:", data[2] == problem)
print("made again by:", data[10:20].recipe)
