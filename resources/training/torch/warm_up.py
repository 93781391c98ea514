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
from races.resources.atomic import new_file, new_folder
from races.resources.processes import json_worker
from races.resources.processes.json_lines import append, lines, replace
from races.resources.training.metrics import StepMetrics, TrainingError
from races.resources.training.models.folders import new_model, new_tokenizer
from races.resources.training.models.generation import greedy_answers

IGNORED_LABEL = -100  # in transformers, of tokens without a loss
COMPOSITES_FROM_SCORE = 0.4  # mean score on single bricks from which composites are trained on, too
CHECKPOINT = "warm_up.pt"  # beside the folder of the model
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
            self._add_composites()
        return mean_score(model, tokenizer, self.validation_rows, longest)

    def state(self) -> tuple[bool, Any]:
        """What `restore` needs to go on with the same batches."""
        return self.only_single, self._rng.getstate()

    def restore(self, state: tuple[bool, Any]) -> None:
        """Go on where another one with the same rows and settings was."""
        only_single, drawn = state
        if self.only_single and not only_single:
            self._add_composites()
        self._rng.setstate(drawn)

    def _add_composites(self) -> None:
        self.only_single = False
        self._batches = batches(self._all, self._rng, self._size)


class WarmUp:
    """A warm-up under way. What an interrupted one has saved is resumed, and makes the same model."""

    def __init__(self, spec: WarmUpSpec) -> None:
        rows = pq.read_table(spec.file, columns=["id", "operator", "size", "prompt", "answer", "truth"]).to_pylist()
        training_rows, _ = split(rows, spec.validation_size)
        self.spec = spec
        self.tokenizer = new_tokenizer(text for row in training_rows for text in (row["prompt"], row["answer"]))
        self.data = WarmUpData(rows, spec, self.tokenizer)
        self.model = new_model(self.tokenizer, spec.seed, spec.hidden, spec.layers)
        self.optimizers = optimizers(self.model, spec)
        self.step, self.score, self.seconds = 0, 0.0, 0.0
        self._checkpoint, self._metrics = Path(spec.folder).with_name(CHECKPOINT), Path(spec.metrics)
        if self._checkpoint.exists():
            self._restore()
        replace(self._metrics, [row for row in lines(self._metrics) if row["step"] <= self.step])

    def train(self) -> None:
        """Train until the target is reached; TrainingError where it is not within the steps."""
        spec, began = self.spec, time.monotonic() - self.seconds
        while self.score < spec.target and self.step < spec.steps:
            self.step += 1
            for optimizer, learning_rate in self.optimizers:
                rate = min(1, self.step / LR_WARM_UP_STEPS) * (1 - 0.9 * self.step / spec.steps)
                for group in optimizer.param_groups:
                    group["lr"] = learning_rate * rate
            batch = padded(self.data.batch(), self.tokenizer.pad_token_id)
            loss = update(self.model, [each for each, _ in self.optimizers], batch)
            if self.step % spec.validate_every == 0:
                self.score = self.data.score(self.model, self.tokenizer, spec.response_length)
                self.seconds = time.monotonic() - began
                metrics = StepMetrics(step=self.step, reward=self.score, loss=loss, seconds=self.seconds)
                append(self._metrics, [asdict(metrics)])
                self._save()
        if self.score < spec.target:
            raise TrainingError(
                f"expected greedy answers to score {spec.target} after at most {spec.steps} steps, got "
                f"{self.score:.3f}: a model of this size learns a few bricks on a few digits; use fewer bricks, "
                "shorter inputs or more steps"
            )

    def write_model(self) -> None:
        """Write the model, after which there is nothing to resume."""
        with new_folder(Path(self.spec.folder)) as staged:
            self.model.save_pretrained(staged)
            self.tokenizer.save_pretrained(staged)
        self._checkpoint.unlink(missing_ok=True)

    def _save(self) -> None:
        state = {
            "step": self.step,
            "score": self.score,
            "seconds": self.seconds,
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer, _ in self.optimizers],
            "data": self.data.state(),
        }
        with new_file(self._checkpoint) as staged:
            torch.save(state, staged)

    def _restore(self) -> None:
        # The state of a random.Random is a Python object; the file is trusted.
        state = torch.load(self._checkpoint, weights_only=False)
        self.step, self.score, self.seconds = state["step"], state["score"], state["seconds"]
        self.model.load_state_dict(state["model"])
        for (optimizer, _), saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.data.restore(state["data"])


def warm_up(spec: WarmUpSpec) -> None:
    """Train the model, or resume where an earlier call was interrupted; TrainingError where it misses the target."""
    torch.set_num_threads(spec.threads)
    run = WarmUp(spec)
    run.train()
    run.write_model()


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
    json_worker.run(lambda content: warm_up(WarmUpSpec(**content)))
