"""Supervised warm-up of a small, randomly initialised model on solved problems.

`python -m races.resources.training.torch.warm_up REQUEST.json` runs it.

Reinforcement needs a model that sometimes succeeds: one that never does, and one that always does, has nothing to learn
from. So the supervised steps end as soon as greedy answers reach a target on problems that are not among them.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import torch

from races.environments.responses.thinking import opened_in_prompt
from races.environments.reward import compute_score
from races.environments.seeding import generator, uniform
from races.resources.atomic import new_folder
from races.resources.processes.json_lines import append
from races.resources.processes.json_worker import run
from races.resources.training.metrics import StepMetrics, TrainingError
from races.resources.training.models.folders import new_model, new_tokenizer
from races.resources.training.models.generation import answers

IGNORED = -100  # the label of a token that is not trained on, in transformers
JOIN = 0.4  # mean score on single bricks at which composites join them
RAMP = 60  # steps over which the learning rate grows to its height


@dataclass(frozen=True)
class Request:
    """What is taught, how long, and where the model goes.

    file: Parquet with columns id, operator, size, prompt, answer and truth.
    """

    file: str
    folder: str
    metrics: str
    seed: int = 0
    steps: int = 1500
    batch: int = 32
    learning_rate: float = 3e-3
    target: float = 0.45
    every: int = 50
    measured_on: int = 160
    response_length: int = 64
    threads: int = 1


Row = dict[str, Any]
Example = tuple[list[int], list[int]]
Cell = tuple[str, int]  # operator and size


def split(rows: Sequence[Row], held: int) -> tuple[list[Row], list[Row]]:
    """Rows to teach and rows to measure on, by the ids of the problems."""
    order = sorted(rows, key=lambda row: uniform("warm start", row["id"]))
    return order[held:], order[:held]


def encoded(tokenizer: Any, row: Row) -> Example:
    """The tokens of prompt and answer, and their labels, which leave the prompt out."""
    asked = [{"role": "user", "content": row["prompt"]}]
    prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=True, return_dict=False)
    answer = [*tokenizer(row["answer"], add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    return [*prompt, *answer], [IGNORED] * len(prompt) + answer


def padded(examples: Sequence[Example], pad: int) -> dict[str, torch.Tensor]:
    """A batch padded on the right: input_ids, attention_mask and labels, each (rows, longest)."""
    longest = max(len(ids) for ids, _ in examples)
    return {
        "input_ids": torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in examples]),
        "attention_mask": torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in examples]),
        "labels": torch.tensor([labels + [IGNORED] * (longest - len(labels)) for _, labels in examples]),
    }


def batches(examples: Mapping[Cell, Sequence[Example]], rng: Random, size: int) -> Iterator[list[Example]]:
    """Endless batches, each of problems of one operator and size, which leaves little to padding."""
    cells = sorted(examples)
    while True:
        cell = rng.choice(cells)
        yield rng.sample(list(examples[cell]), min(size, len(examples[cell])))


def mean_score(model: Any, tokenizer: Any, rows: Sequence[Row], longest: int) -> float:
    """What greedy answers earn on average; RewardUnavailable where the grader fails."""
    asked = [[{"role": "user", "content": row["prompt"]}] for row in rows]
    found = answers(model, tokenizer, asked, longest)
    mark = opened_in_prompt(tokenizer)
    scores = [
        compute_score("", text, row["truth"], thinking=mark)["score"]
        for row, (text, _) in zip(rows, found, strict=True)
    ]
    return sum(scores) / len(scores)


class Lessons:
    """What is taught, and on what it is measured: single bricks first, and composites too once those go well.

    What a brick does is learnt several times as fast from problems that hold nothing else.
    """

    def __init__(self, rows: Sequence[Row], request: Request, tokenizer: Any) -> None:
        self.taught, self.measured = split(rows, request.measured_on)
        examples: dict[Cell, list[Example]] = {}
        for row in self.taught:
            examples.setdefault((row["operator"], row["size"]), []).append(encoded(tokenizer, row))
        single = {cell: found for cell, found in examples.items() if cell[0] == "single"}
        self._rng = generator("warm start", request.seed)
        self._all, self._size = examples, request.batch
        self.only_single = bool(single) and len(single) < len(examples)
        self._batches = batches(single if self.only_single else examples, self._rng, request.batch)

    def batch(self) -> list[Example]:
        """The next batch."""
        return next(self._batches)

    def score(self, model: Any, tokenizer: Any, longest: int) -> float:
        """What greedy answers to all kinds of problems earn; while single bricks do not go well, nothing."""
        if self.only_single:
            rows = [row for row in self.measured if row["operator"] == "single"]
            if mean_score(model, tokenizer, rows, longest) < JOIN:
                return 0.0
            self.only_single = False
            self._batches = batches(self._all, self._rng, self._size)
        return mean_score(model, tokenizer, self.measured, longest)


def teach(request: Request) -> None:
    """Make the model; TrainingError where it does not reach the target within its steps."""
    torch.set_num_threads(request.threads)
    rows = pq.read_table(request.file, columns=["id", "operator", "size", "prompt", "answer", "truth"]).to_pylist()
    taught, _ = split(rows, request.measured_on)
    tokenizer = new_tokenizer(text for row in taught for text in (row["prompt"], row["answer"]))
    lessons = Lessons(rows, request, tokenizer)
    model = new_model(tokenizer, request.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=request.learning_rate, weight_decay=0.0)
    score, began = 0.0, time.monotonic()
    for step in range(1, request.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = request.learning_rate * min(1, step / RAMP) * (1 - 0.9 * step / request.steps)
        model.train()
        loss = model(**padded(lessons.batch(), tokenizer.pad_token_id)).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % request.every == 0:
            score = lessons.score(model, tokenizer, request.response_length)
            line = StepMetrics(step=step, reward=score, loss=float(loss.detach()), seconds=time.monotonic() - began)
            append(Path(request.metrics), [asdict(line)])
            if score >= request.target:
                break
    else:
        raise TrainingError(
            f"expected greedy answers to earn {request.target} after at most {request.steps} steps, got {score:.3f}: "
            "a model of this size learns a few bricks on a few digits; take fewer bricks, shorter inputs or more steps"
        )
    with new_folder(Path(request.folder)) as staged:
        model.save_pretrained(staged)
        tokenizer.save_pretrained(staged)


if __name__ == "__main__":
    run(lambda asked: teach(Request(**asked)))
