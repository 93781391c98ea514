"""Measure a model behind an OpenAI-compatible server: python evaluate_endpoint.py BASE_URL MODEL [ROWS]

Needs the package openai; the key of the server is read from OPENAI_API_KEY.
"""

import os
import sys
from statistics import mean

from openai import OpenAI

import races

base_url, model = sys.argv[1:3]
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 20
client = OpenAI(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY", "none"))

for operator in ("single", "sequential", "parallel", "sort", "select"):
    data = races.dataset("training", operator=operator, size=1 if operator == "single" else 3, level=2, rows=rows)
    scores = []
    for problem in data:
        messages = [{"role": "user", "content": problem.prompt}]
        choice = client.chat.completions.create(model=model, messages=messages, max_tokens=4096).choices[0]
        score = problem.score(choice.message.content or "")
        if score.status == "grader_failed":  # a failure of ours says nothing about the model
            raise SystemExit(score.reason)
        scores.append(score.value)
    print(f"{operator}: {mean(scores):.3f} over {rows} problems")
