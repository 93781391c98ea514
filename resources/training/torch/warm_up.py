"""Supervised warm-up of a small, randomly initialised model on solved problems.

`python -m races.resources.training.torch.warm_up REQUEST.json` runs it.

Reinforcement learning needs a model that sometimes succeeds: where all rewards of a group are equal there is no
gradient. Supervised training therefore stops as soon as greedy answers to validation problems reach a target score.
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
from races.resources.training.models.generation import greedy_answers

IGNORED_LABEL = -100  # in transformers, of tokens without a loss
COMPOSITES_FROM_SCORE = 0.4  # mean score on single bricks from which composites are trained on, too
LR_WARM_UP_STEPS = 60  # over which the learning rate rises linearly


@dataclass(frozen=True)
class WarmUpSpec:
    """The input of the process."""

    file: str  # Parquet with columns id, operator, size, prompt, answer and truth
    folder: str  # of the model
    metrics: str  # a file of JSON lines
    seed: int = 0
    steps: int = 1500  # at most
    batch: int = 32
    learning_rate: float = 3e-3
    target: float = 0.45  # mean score of greedy answers at which the warm-up ends
    validate_every: int = 50  # steps
    validation_size: int = 160  # problems
    response_length: int = 64  # tokens of a greedy answer
    threads: int = 1
    hidden: int = 128  # width of the model, a multiple of 32
    layers: int = 4
    matrix_learning_rate: float = 0.0  # of Muon for the matrices of the layers; 0 trains all weights by AdamW


Row = dict[str, Any]
Example = tuple[list[int], list[int]]
Cell = tuple[str, int]  # operator and size


def split(rows: Sequence[Row], validation_size: int) -> tuple[list[Row], list[Row]]:
    """Training and validation rows, split by the ids of the problems."""
    order = sorted(rows, key=lambda row: uniform("warm start", row["id"]))
    return order[validation_size:], order[:validation_size]


def encoded(tokenizer: Any, row: Row) -> Example:
    """The tokens of prompt and answer, and their labels, which mask the prompt."""
    messages = [{"role": "user", "content": row["prompt"]}]
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False)
    answer = [*tokenizer(row["answer"], add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    return [*prompt, *answer], [IGNORED_LABEL] * len(prompt) + answer


def padded(examples: Sequence[Example], pad: int) -> dict[str, torch.Tensor]:
    """A batch padded on the right: input_ids, attention_mask and labels, each (rows, longest)."""
    longest = max(len(ids) for ids, _ in examples)
    return {
        "input_ids": torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in examples]),
        "attention_mask": torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in examples]),
        "labels": torch.tensor([labels + [IGNORED_LABEL] * (longest - len(labels)) for _, labels in examples]),
    }


def batches(examples: Mapping[Cell, Sequence[Example]], rng: Random, size: int) -> Iterator[list[Example]]:
    """Endless batches, each of one operator and size, which keeps padding small."""
    cells = sorted(examples)
    while True:
        cell = rng.choice(cells)
        yield rng.sample(list(examples[cell]), min(size, len(examples[cell])))


def mean_score(model: Any, tokenizer: Any, rows: Sequence[Row], longest: int) -> float:
    """The mean score of greedy answers; RewardUnavailable where the grader fails."""
    prompts = [[{"role": "user", "content": row["prompt"]}] for row in rows]
    found = greedy_answers(model, tokenizer, prompts, longest)
    mark = opened_in_prompt(tokenizer)
    scores = [
        compute_score("", text, row["truth"], thinking=mark)["score"]
        for row, (text, _) in zip(rows, found, strict=True)
    ]
    return sum(scores) / len(scores)


class WarmUpData:
    """Training batches and validation problems: single bricks first, composites once those are learnt.

    A brick is learnt several times as fast from problems with that brick alone.
    """

    def __init__(self, rows: Sequence[Row], spec: WarmUpSpec, tokenizer: Any) -> None:
        training_rows, self.validation_rows = split(rows, spec.validation_size)
        if len(training_rows) < spec.batch:
            raise TrainingError(f"expected at least {spec.batch} training problems, got {len(training_rows)}")
        examples: dict[Cell, list[Example]] = {}
        for row in training_rows:
            examples.setdefault((row["operator"], row["size"]), []).append(encoded(tokenizer, row))
        single = {cell: found for cell, found in examples.items() if cell[0] == "single"}
        self._rng = generator("warm start", spec.seed)
        self._all, self._size = examples, spec.batch
        self.only_single = bool(single) and len(single) < len(examples)
        self._batches = batches(single if self.only_single else examples, self._rng, spec.batch)

    def batch(self) -> list[Example]:
        """The next training batch."""
        return next(self._batches)

    def score(self, model: Any, tokenizer: Any, longest: int) -> float:
        """The mean score on validation problems; 0 while only single bricks are trained and not yet learnt."""
        if self.only_single:
            rows = [row for row in self.validation_rows if row["operator"] == "single"]
            if mean_score(model, tokenizer, rows, longest) < COMPOSITES_FROM_SCORE:
                return 0.0
            self.only_single = False
            self._batches = batches(self._all, self._rng, self._size)
        return mean_score(model, tokenizer, self.validation_rows, longest)


def warm_up(spec: WarmUpSpec) -> None:
    """Train the model; TrainingError where it does not reach the target within its steps."""
    torch.set_num_threads(spec.threads)
    rows = pq.read_table(spec.file, columns=["id", "operator", "size", "prompt", "answer", "truth"]).to_pylist()
    training_rows, _ = split(rows, spec.validation_size)
    tokenizer = new_tokenizer(text for row in training_rows for text in (row["prompt"], row["answer"]))
    data = WarmUpData(rows, spec, tokenizer)
    model = new_model(tokenizer, spec.seed, spec.hidden, spec.layers)
    trained_by = optimizers(model, spec)
    score, began = 0.0, time.monotonic()
    for step in range(1, spec.steps + 1):
        for optimizer, learning_rate in trained_by:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * min(1, step / LR_WARM_UP_STEPS) * (1 - 0.9 * step / spec.steps)
        loss = update(model, [each for each, _ in trained_by], padded(data.batch(), tokenizer.pad_token_id))
        if step % spec.validate_every == 0:
            score = data.score(model, tokenizer, spec.response_length)
            metrics = StepMetrics(step=step, reward=score, loss=loss, seconds=time.monotonic() - began)
            append(Path(spec.metrics), [asdict(metrics)])
            if score >= spec.target:
                break
    else:
        raise TrainingError(
            f"expected greedy answers to score {spec.target} after at most {spec.steps} steps, got {score:.3f}: "
            "a model of this size learns a few bricks on a few digits; use fewer bricks, shorter inputs or more steps"
        )
    with new_folder(Path(spec.folder)) as staged:
        model.save_pretrained(staged)
        tokenizer.save_pretrained(staged)


def optimizers(model: Any, spec: WarmUpSpec) -> list[tuple[torch.optim.Optimizer, float]]:
    """The optimizers and the peak learning rate of each.

    AdamW trains all weights, or those that are no matrix of a layer: Muon orthogonalises updates of those matrices, and
    reaches the target of the smallest model in a third of the steps (https://kellerjordan.github.io/posts/muon).
    """
    weights = list(model.parameters())
    if not spec.matrix_learning_rate:
        return [(torch.optim.AdamW(weights, lr=spec.learning_rate, weight_decay=0.0), spec.learning_rate)]
    embedding = model.get_input_embeddings().weight
    matrices = [weight for weight in weights if weight.ndim == 2 and weight is not embedding]
    others = [weight for weight in weights if weight.ndim != 2 or weight is embedding]
    return [
        (torch.optim.AdamW(others, lr=spec.learning_rate, weight_decay=0.0), spec.learning_rate),
        (torch.optim.Muon(matrices, lr=spec.matrix_learning_rate, weight_decay=0.0), spec.matrix_learning_rate),
    ]


def update(model: Any, trained_by: Sequence[torch.optim.Optimizer], batch: Mapping[str, torch.Tensor]) -> float:
    """One step of every optimizer on a batch; the loss of the batch."""
    model.train()
    loss = model(**batch).loss
    for optimizer in trained_by:
        optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in trained_by:
        optimizer.step()
    return float(loss.detach())


if __name__ == "__main__":
    run(lambda content: warm_up(WarmUpSpec(**content)))
