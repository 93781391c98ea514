"""The process of the torch back end: `python -m races.resources.training.torch.run REQUEST.json`.

GRPO with verl's own dataset, reward manager, advantage and policy loss; a local model and `generate` replace its Ray
workers and vLLM. One process, one device. The folder of the run is consistent at all times: checkpoints and the model
get their names once they are complete.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torchdata.stateful_dataloader import StatefulDataLoader
from verl import DataProto
from verl.trainer.ppo import core_algos
from verl.trainer.ppo.reward import load_reward_manager
from verl.trainer.ppo.utils import create_rl_dataset, create_rl_sampler
from verl.utils.config import omega_conf_to_dataclass
from verl.utils.dataset.rl_dataset import collate_fn

from races.resources.atomic import new_folder, remove_folder
from races.resources.processes import json_worker
from races.resources.processes.json_lines import append, lines, replace
from races.resources.training.config import TrainingConfig
from races.resources.training.curriculum_sampler import CurriculumSampler
from races.resources.training.metrics import StepMetrics, TrainingError
from races.resources.training.models.folders import load
from races.resources.training.models.generation import Batch, generate, greedy_answers, log_probabilities, sub_batch
from races.resources.training.torch.folder import RunFiles
from races.resources.training.verl.worker import UnsuitableRun, compose, configure_thinking, model_faults, reward_faults

STORED_GROUPS = 4  # prompts of a step whose responses are stored as rollouts
COLUMNS = ("data_source", "reward_model", "extra_info")


@dataclass(frozen=True)
class RunSpec:
    """The input of the process."""

    config: dict[str, Any]  # fields of TrainingConfig
    overrides: list[str]  # of verl, for the same run
    train_files: list[str]
    folder: str
    device: str = "cpu"
    threads: int = 1
    micro_batch: int = 32  # responses in a forward and backward pass of an update


class Run:
    """The state of a run: model, optimizer, data and step."""

    def __init__(self, spec: RunSpec) -> None:
        self.config = TrainingConfig(**spec.config)
        self.spec, self.files = spec, RunFiles(Path(spec.folder))
        torch.set_num_threads(spec.threads)
        torch.manual_seed(self.config.seed)
        self.step, self.tokens = 0, 0
        found = self.files.last_checkpoint()
        weights, self.tokenizer = load(str(found / "model") if found else self.config.model)
        self.model = weights.to(spec.device)
        verl = compose(spec.overrides)
        self.verl, self.actor = verl, omega_conf_to_dataclass(verl.actor_rollout_ref.actor)
        self.policy_loss = core_algos.get_policy_loss_fn(self.actor.policy_loss.loss_mode)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=self.config.learning_rate,
            betas=tuple(self.actor.optim.betas),
            weight_decay=self.config.weight_decay,
        )
        self.rows = create_rl_dataset(spec.train_files, verl.data, self.tokenizer, None)
        self._check()
        self.curriculum = self._curriculum() if self.config.curriculum else None
        self.loader = StatefulDataLoader(
            self.rows,
            self.config.prompts,
            sampler=create_rl_sampler(verl.data, self.rows) if self.curriculum is None else self.curriculum,
            num_workers=0,  # a worker would prefetch rows before the curriculum has seen earlier scores
            collate_fn=collate_fn,
            drop_last=True,
            # Its own generator: the loader draws a seed at each start, which would change the sampled answers.
            generator=torch.Generator(),
        )
        self.thinking = self._thinking()
        self.loop = asyncio.new_event_loop()
        self.manager = self.loop.run_until_complete(self._reward_manager())
        self.files.sweep()
        if found:
            self._restore(found)
        replace(self.files.metrics, [line for line in lines(self.files.metrics) if line["step"] <= self.step])

    def _curriculum(self) -> CurriculumSampler:
        return CurriculumSampler(self.rows.dataframe["extra_info"], self.config.curriculum_settings(), self.config.seed)

    def close(self) -> None:
        """End the threads of the reward manager."""
        self.loop.close()

    def _check(self) -> None:
        """Raise TrainingError where verl would run something other than what the settings say."""
        prompts = [list(self.rows[index]["raw_prompt"]) for index in range(len(self.rows))]
        found = [*reward_faults(self.verl), *model_faults(self.verl, prompts)]
        if len(prompts) < self.config.prompts:
            found.append(f"expected at least {self.config.prompts} rows to train on, got {len(prompts)}")
        if found:
            raise TrainingError("; ".join(found))

    def _thinking(self) -> str:
        """The tag with which prompts open the thinking, which is passed to the reward."""
        try:
            return configure_thinking(self.verl, self.tokenizer)
        except UnsuitableRun as error:
            raise TrainingError(str(error)) from error

    async def _reward_manager(self) -> Any:
        """Verl's reward manager, which binds to the running event loop."""
        return load_reward_manager(self.verl, self.tokenizer)

    def train(self) -> None:
        """Train to the last step."""
        for row_batch in self._batches():
            began = time.monotonic()
            metrics = self._step(row_batch)
            append(self.files.metrics, [asdict(metrics) | {"seconds": time.monotonic() - began}])
            if self._ended() or self.step % self.config.save_every == 0:
                self._save()
        with new_folder(self.files.model) as staged:
            self._write_model(staged)
        self._finish()

    def _finish(self) -> None:
        """Reload the saved model, generate one greedy answer, and mark the run as done."""
        model, tokenizer = load(str(self.files.model))
        prompt = list(self.rows[0]["raw_prompt"])
        ((answer, _),) = greedy_answers(model, tokenizer, [prompt], self.config.response_length)
        done = {"last_step": self.step, "tokens": self.tokens, "prompt": prompt[-1]["content"], "answer": answer}
        replace(self.files.done, [done])

    def _ended(self) -> bool:
        return self.step >= self.config.steps or 0 < self.config.tokens <= self.tokens

    def _batches(self) -> Iterator[dict[str, Any]]:
        """Batches of rows, over as many epochs as the run needs."""
        while not self._ended():
            for batch in self.loader:
                yield batch
                if self._ended():
                    return

    def _step(self, rows: dict[str, Any]) -> StepMetrics:
        """Generate, score and update on one batch of prompts."""
        self.step += 1
        n = self.config.rollouts
        prompts = [list(each) for each in rows["raw_prompt"]]
        batch = generate(self.model, self.tokenizer, prompts, self.config.response_length, self.config.temperature, n)
        data = proto(batch, {name: [each for each in rows[name] for _ in range(n)] for name in COLUMNS})
        results = self.loop.run_until_complete(self._scores(data))
        scores = [float(each["reward_score"]) for each in results]
        data.batch["rm_scores"] = type(self.manager).assemble_rm_scores(data, scores)
        advantages = advantage(data.batch["rm_scores"], batch.mask, n)
        update_metrics = self._learn(batch, advantages)
        groups = np.asarray(scores).reshape(-1, n)
        if self.curriculum is not None:
            self.curriculum.update(zip(rows["extra_info"], groups.mean(axis=1).tolist(), strict=True))
        if self.step % self.config.rollouts_every == 0 or self.step == 1:
            self._keep_rollouts(rows, batch, scores)
        self.tokens += int(batch.attention.sum())
        return StepMetrics(
            step=self.step,
            reward=float(groups.mean()),
            reward_std=float(groups.std(axis=1, ddof=1).mean()),
            mixed_groups=float((groups.std(axis=1) > 0).mean()),
            response_length=float(batch.mask.sum(-1).mean()),
            truncated=1 - sum(batch.ended) / len(batch.ended),
            tokens=self.tokens,
            **update_metrics,
        )

    async def _scores(self, data: DataProto) -> list[dict[str, Any]]:
        return list(await asyncio.gather(*[self.manager.run_single(data[i : i + 1]) for i in range(len(data))]))

    def _learn(self, batch: Batch, advantages: torch.Tensor) -> dict[str, float]:
        """The updates of one step, one per mini-batch, in the order of the prompts."""
        rows, size = len(batch.texts), self.config.mini_batch * self.config.rollouts
        old, metrics = None, {}
        # As in verl: with a single update, the policy is still the one that generated the responses.
        if size < rows:
            old, entropy = self._old(batch)
            metrics["entropy"] = float((entropy * batch.mask).sum() / batch.mask.sum())
        self.model.train()
        updates = [self._update(batch, old, advantages, range(rows)[begin:][:size]) for begin in range(0, rows, size)]
        return {name: float(np.mean([each[name] for each in updates])) for name in updates[0]} | metrics

    def _old(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities and entropies of the responses under the model that generated them: two tensors (b, r)."""
        self.model.eval()
        old, entropy = torch.zeros_like(batch.mask), torch.zeros_like(batch.mask)
        for here in self._micro_batches(range(len(batch.texts))):
            piece = sub_batch(batch, here)
            with torch.no_grad():
                found = log_probabilities(self.model, piece, self.config.temperature)
            for whole, some in zip((old, entropy), found, strict=True):
                whole[here, : some.shape[1]] = some
        return old, entropy

    def _micro_batches(self, rows: range) -> list[slice]:
        """The micro-batches of a range of rows."""
        size = self.spec.micro_batch
        return [slice(begin, min(begin + size, rows.stop)) for begin in rows[::size]]

    def _update(
        self, batch: Batch, old: torch.Tensor | None, advantages: torch.Tensor, rows: range
    ) -> dict[str, float]:
        """One optimizer step on a range of rows, in micro-batches; means are over the tokens of the whole range."""
        tokens = batch.mask[rows.start : rows.stop].sum()
        self.actor.global_batch_info.update(batch_num_tokens=tokens, dp_size=1)
        self.optimizer.zero_grad()
        loss = clipped = mean_entropy = 0.0
        for here in self._micro_batches(rows):
            piece = sub_batch(batch, here)
            longest = piece.mask.shape[1]
            new, entropy = log_probabilities(self.model, piece, self.config.temperature)
            found, metrics = self.policy_loss(
                old_log_prob=new.detach() if old is None else old[here, :longest],
                log_prob=new,
                advantages=advantages[here, :longest],
                response_mask=piece.mask,
                loss_agg_mode=self.actor.loss_agg_mode,
                config=self.actor,
            )
            found.backward()
            loss += float(found.detach())
            clipped += metrics["actor/pg_clipfrac"] * float(piece.mask.sum() / tokens)
            mean_entropy += float((entropy * piece.mask).sum() / tokens)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_clip)
        self.optimizer.step()
        return {"loss": loss, "clip_fraction": clipped, "grad_norm": float(norm), "entropy": mean_entropy}

    def _keep_rollouts(self, rows: dict[str, Any], batch: Batch, scores: list[float]) -> None:
        n = self.config.rollouts
        kept = [
            {
                "step": self.step,
                "prompt": rows["raw_prompt"][place // n][-1]["content"],
                "response": self.thinking + batch.texts[place],
                "truth": rows["reward_model"][place // n]["ground_truth"],
                "score": scores[place],
            }
            for place in range(min(len(scores), STORED_GROUPS * n))
        ]
        self.files.rollouts.mkdir(exist_ok=True)
        replace(self.files.rollouts / f"step_{self.step:06d}.jsonl", kept)

    def _write_model(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def _save(self) -> None:
        """Save a checkpoint from which the run resumes exactly, and remove all but the last `keep`."""
        with new_folder(self.files.checkpoints / f"step_{self.step:06d}") as staged:
            self._write_model(staged / "model")
            state = {
                "step": self.step,
                "tokens": self.tokens,
                "optimizer": self.optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "random_cuda": torch.cuda.get_rng_state_all(),
                "loader": self.loader.state_dict(),
            }
            torch.save(state, staged / "state.pt")
        saved = sorted(self.files.checkpoints.glob("step_*"))
        for each in saved[: -self.config.keep]:
            remove_folder(each)

    def _restore(self, checkpoint: Path) -> None:
        # The state of the loader contains Python objects; the file is trusted.
        state = torch.load(checkpoint / "state.pt", map_location="cpu", weights_only=False)
        self.step, self.tokens = state["step"], state["tokens"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.loader.load_state_dict(state["loader"])
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["random_cuda"])


def proto(batch: Batch, columns: dict[str, list[Any]]) -> DataProto:
    """A batch as verl's DataProto. columns: a value per row, copied, since scorers may modify them."""
    plain = {}
    for name, values in columns.items():
        plain[name] = np.empty(len(values), dtype=object)
        plain[name][:] = [dict(value) if isinstance(value, dict) else value for value in values]
    tensors = {"prompts": batch.prompts, "responses": batch.responses, "attention_mask": batch.attention}
    return DataProto.from_dict(tensors=tensors, non_tensors=plain)


def advantage(scores: torch.Tensor, mask: torch.Tensor, group: int) -> torch.Tensor:
    """GRPO's advantages as verl computes them: (b, r); the rows of a group are adjacent."""
    index = np.repeat(np.arange(len(scores) // group), group)
    found, _ = core_algos.compute_grpo_outcome_advantage(
        token_level_rewards=scores, response_mask=mask, index=index, norm_adv_by_std_in_grpo=True
    )
    return torch.as_tensor(found)


def train(content: dict[str, Any]) -> None:
    """Run the training that a JSON object, the fields of RunSpec, describes."""
    with closing(Run(RunSpec(**content))) as run:
        run.train()


if __name__ == "__main__":
    json_worker.run(train)
