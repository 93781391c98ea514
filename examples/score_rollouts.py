"""Score stored rollouts: python score_rollouts.py FILE, a line of JSON each with the key of a problem and a response.

A rollout of a training set has its truth in place of a key: {"truth": ..., "response": ...}.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean

import races
from races.environments.reward import graded

scores = defaultdict(list)
for line in Path(sys.argv[1]).read_text().splitlines():
    rollout = json.loads(line)
    truth = rollout["truth"] if "truth" in rollout else races.find_problem(rollout["key"]).truth
    score = graded(truth, rollout["response"])
    scores[json.loads(truth)["operator"], score.status].append(score.value)

for (operator, status), values in sorted(scores.items()):
    print(f"{operator}, {status}: {len(values)} rollouts, mean score {mean(values):.3f}")
