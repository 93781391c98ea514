"""Tasks for verl's own interpreter: validation of a run, sampling from models, training inside Dagster Pipes.

    python -m races.resources.training.verl.worker check|preflight|convert REQUEST.json REPLY.json
    python -m races.resources.training.verl.worker train METRICS MODULE OVERRIDE...

verl pins packages that conflict with Dagster's (Hydra 1.3 needs antlr 4.9, Dagster's asset selections 4.13), so nothing
here imports Dagster; verl, torch and transformers are imported where they are used. A reply {"error": ...} rejects the
run; any other failure is a bug and ends with a traceback.
"""

import json
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from races.environments.errors import RacesError, SettingError
from races.environments.responses.thinking import marks_lost, opened_in_prompt, opening
from races.environments.reward import compute_score
from races.resources.atomic import write_text
from races.resources.training.models.sampling import Message, Sampler, sampler
from races.resources.training.verl import internals
from races.resources.training.verl.config import THINKING

CPUS_PER_GPU = 3  # in each bundle of verl's placement groups: ResourcePoolManager.max_colocate_count


class UnsuitableRun(RacesError):
    """A run that cannot work; the message has every reason found."""


# Checks


def compose(overrides: Sequence[str]) -> Any:
    """Verl's configuration (an omegaconf DictConfig) with overrides, validated by verl.

    Raises UnsuitableRun with verl's message.
    """
    from hydra import compose, initialize_config_module
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    try:
        with initialize_config_module("verl.trainer.config", version_base=None):
            config = compose("ppo_trainer", overrides=list(overrides))
        OmegaConf.to_container(config, resolve=True, throw_on_missing=False)
        validate_config(config, need_reference_policy(config), need_critic(config))
    except (HydraException, OmegaConfBaseException, AssertionError, ValueError) as error:
        cause = f": {error.__cause__}" if error.__cause__ else ""
        raise UnsuitableRun(f"verl rejects the configuration: {error}{cause}") from error
    return config


def faults(config: Any, rows: int, cpus: int | None = None) -> list[str]:
    """Problems that verl's own validation misses: the run would fail, or differ from what was meant.

    rows: of the training files. cpus: of Ray; None where unknown.
    """
    return [*_batch_faults(config), *_length_faults(config), *_step_faults(config, rows), *_name_faults(config)] + (
        [] if cpus is None else _cpu_faults(config, cpus)
    )


def _batch_faults(config: Any) -> list[str]:
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    prompts, mini, responses = config.data.train_batch_size, actor.ppo_mini_batch_size, rollout.n
    gpus, sequence = config.trainer.nnodes * config.trainer.n_gpus_per_node, actor.ulysses_sequence_parallel_size
    found = []
    if mini > prompts or prompts % mini:
        found.append(f"expected a mini-batch that divides the {prompts} prompts of a step, got {mini}")
    if gpus % sequence:
        found.append(f"expected a sequence-parallel size that divides the {gpus} GPUs, got {sequence}")
    elif mini * responses % (gpus // sequence):
        found.append(
            f"expected mini-batch x rollouts = {mini} x {responses} to be divisible by the {gpus // sequence} "
            f"data-parallel ranks ({gpus} GPUs / {sequence})"
        )
    if config.trainer.n_gpus_per_node % rollout.tensor_model_parallel_size:
        found.append(
            f"expected a tensor-parallel size that divides the {config.trainer.n_gpus_per_node} GPUs of a node, "
            f"got {rollout.tensor_model_parallel_size}"
        )
    return found


def _length_faults(config: Any) -> list[str]:
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    longest = config.data.max_prompt_length + config.data.max_response_length
    room = actor.ppo_max_token_len_per_gpu * actor.ulysses_sequence_parallel_size
    found = []
    if longest > room:
        found.append(
            f"expected prompt and response, {longest} tokens together, to fit into tokens_per_gpu x "
            f"sequence_parallel = {actor.ppo_max_token_len_per_gpu} x {actor.ulysses_sequence_parallel_size}"
        )
    if rollout.max_model_len is not None and longest > rollout.max_model_len:
        found.append(f"expected a rollout.max_model_len of at least {longest}, got {rollout.max_model_len}")
    if not rollout.enable_chunked_prefill and rollout.max_num_batched_tokens < longest:
        found.append(
            f"expected rollout.max_num_batched_tokens of at least {longest}, got {rollout.max_num_batched_tokens}"
        )
    return found


def _step_faults(config: Any, rows: int) -> list[str]:
    prompts, steps = config.data.train_batch_size, config.trainer.total_training_steps
    found = []
    if rows < prompts:
        found.append(f"expected at least as many rows as a step has prompts, {prompts}, got {rows}")
    elif steps is None or rows // prompts * config.trainer.total_epochs < steps:
        found.append(
            f"expected epochs that reach step {steps}, got {config.trainer.total_epochs} of {rows // prompts} steps"
        )
    if config.trainer.save_freq < 1:
        found.append(f"expected checkpoints every so many steps, got trainer.save_freq={config.trainer.save_freq}")
    return found


def _name_faults(config: Any) -> list[str]:
    from verl.experimental.reward_loop.reward_manager.registry import REWARD_MANAGER
    from verl.trainer.ppo.core_algos import ADV_ESTIMATOR_REGISTRY, POLICY_LOSS_REGISTRY

    names = {
        "algorithm.adv_estimator": (config.algorithm.adv_estimator, ADV_ESTIMATOR_REGISTRY),
        "actor.policy_loss.loss_mode": (config.actor_rollout_ref.actor.policy_loss.loss_mode, POLICY_LOSS_REGISTRY),
        "rollout.name": (config.actor_rollout_ref.rollout.name, internals.rollout_names()),
        "reward.reward_manager.name": (config.reward.reward_manager.name, REWARD_MANAGER),
    }
    return [
        f"expected {key} to be one of {', '.join(sorted(map(str, known)))}, got {name}"
        for key, (name, known) in names.items()
        if name not in known
    ]


def _cpu_faults(config: Any, cpus: int) -> list[str]:
    """Problems with the number of CPUs: if Ray cannot place every actor, verl silently waits forever."""
    units = config.transfer_queue.backend.SimpleStorage.num_data_storage_units
    gpus = config.trainer.nnodes * config.trainer.n_gpus_per_node
    needed = CPUS_PER_GPU * gpus + units + 2  # plus the controller of the storage units, and the task runner
    if cpus >= needed:
        return []
    parts = f"{CPUS_PER_GPU} for each of {gpus} GPUs, {units} storage units, 2 controllers"
    return [f"expected at least {needed} CPUs in Ray ({parts}), got {cpus}"]


def reward_faults(config: Any) -> list[str]:
    """Problems with loading the reward, with verl's own loader, which silently ignores unknown keys."""
    from verl.trainer.ppo.reward import get_custom_reward_fn

    try:
        loaded = get_custom_reward_fn(config)
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        return [f"expected verl to load races.environments.reward.compute_score, got: {error}"]
    function, fixed = (loaded.args[0], loaded.args[1]) if loaded is not None else (None, {})
    if function is not compute_score:
        return [f"expected verl to load races.environments.reward.compute_score, got {function}"]
    unknown = set(fixed) - {"on_failure", "thinking"}
    return [f"expected no reward_kwargs but on_failure and thinking, got {sorted(unknown)}"] if unknown else []


def configure_thinking(config: Any, tokenizer: Any) -> str:
    """Configure the reward with the tag with which the chat template opens the thinking; the tag, "" for none.

    Raises UnsuitableRun where the configuration contradicts the chat template, or where the tags are special tokens,
    which verl drops when it decodes responses.
    """
    from omegaconf import OmegaConf

    if lost := marks_lost(tokenizer):
        raise UnsuitableRun(
            f"expected tags of thinking that are not special tokens, got {', '.join(lost)}: verl drops them from "
            "responses, and a draft would count as an answer"
        )
    mark = opened_in_prompt(tokenizer, **(config.data.get("apply_chat_template_kwargs") or {}))
    given = OmegaConf.select(config, THINKING)
    if given is not None and opening(given) != mark:
        raise UnsuitableRun(f"expected {THINKING} to be {mark!r}, as the chat template has it, got {given!r}")
    if mark:
        OmegaConf.update(config, THINKING, mark, force_add=True)
    return mark


def model_faults(config: Any, prompts: Sequence[list[Message]]) -> list[str]:
    """Problems with the model, or with the prompts under its tokenizer and chat template."""
    from transformers import AutoConfig
    from verl.utils.tokenizer import hf_tokenizer

    name = config.actor_rollout_ref.model.path
    try:
        architecture, tokenizer = AutoConfig.from_pretrained(name), hf_tokenizer(name)
    except (OSError, ValueError) as error:
        return [f"expected a model that transformers can load, got {name}: {error}"]
    found = []
    longest = config.data.max_prompt_length + config.data.max_response_length
    positions = getattr(architecture, "max_position_embeddings", None)
    if positions is not None and longest > positions:
        found.append(f"expected at most {positions} tokens, the context length of {name}, got {longest}")
    heads = getattr(architecture, "num_attention_heads", None)
    split = {
        "tensor_parallel": config.actor_rollout_ref.rollout.tensor_model_parallel_size,
        "sequence_parallel": config.actor_rollout_ref.actor.ulysses_sequence_parallel_size,
    }
    found += [
        f"expected a {what} that divides the {heads} attention heads, got {size}"
        for what, size in split.items()
        if heads and heads % size
    ]
    found += _token_faults(architecture, tokenizer)
    return found + _prompt_faults(tokenizer, prompts, config.data.max_prompt_length)


def _token_faults(architecture: Any, tokenizer: Any) -> list[str]:
    """Problems that would fail every rollout: verl joins turns by family-specific rules that need certain tokens."""
    from verl.utils.tokenizer.continuous_token_wiring import create_continuous_token_builder

    try:
        create_continuous_token_builder(tokenizer, hf_model_type=architecture.model_type)
    except ValueError as error:
        return [f"expected a tokenizer that verl accepts for {architecture.model_type}, got: {error}"]
    return []


def _prompt_faults(tokenizer: Any, prompts: Sequence[list[Message]], limit: int) -> list[str]:
    if tokenizer.chat_template is None:
        return ["expected a tokenizer with a chat template, got one without"]
    ids = tokenizer.apply_chat_template(list(prompts), add_generation_prompt=True, tokenize=True, return_dict=False)
    lengths = [len(each) for each in ids]
    long = sum(length > limit for length in lengths)
    if not long:
        return []
    got = f"{long} of {len(lengths)} that are longer; the longest has {max(lengths)}"
    return [f"expected prompts of at most {limit} tokens, template included, got {got}"]


def prompts_of(files: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of Parquet files, with the columns that a prompt and its reward need."""
    import pyarrow.parquet as pq

    return [
        row
        for file in files
        for row in pq.read_table(file, columns=["data_source", "prompt", "reward_model"]).to_pylist()
    ]


def check(request: dict[str, Any]) -> dict[str, Any]:
    """Validate a run: `overrides`, `train_files` and `cpus`.

    The reply: its resolved configuration as YAML, and the tag with which its prompts open the thinking.
    """
    from omegaconf import OmegaConf
    from verl.utils.tokenizer import hf_tokenizer

    config = compose(request["overrides"])
    rows = prompts_of(request["train_files"])
    found = faults(config, len(rows), request["cpus"]) + reward_faults(config)
    found += model_faults(config, [row["prompt"] for row in rows])
    if found:
        raise UnsuitableRun("; ".join(found))
    mark = configure_thinking(config, hf_tokenizer(config.actor_rollout_ref.model.path))
    return {"config": OmegaConf.to_yaml(config, resolve=True), "thinking": mark}


# Sampling from models


def preflight(request: dict[str, Any]) -> dict[str, Any]:
    """Score a model on the first `prompts` rows; UnsuitableRun where no group has different scores: no gradient.

    The reply: the mean score, and the shares of groups that are mixed, all right and all wrong.
    """
    from transformers import AutoTokenizer

    rows = prompts_of(request["train_files"])[: request["prompts"]]
    mark = opened_in_prompt(AutoTokenizer.from_pretrained(request["model"]))
    sample = _sampler(request, request["model"])
    answers = sample(
        [row["prompt"] for row in rows],
        request["rollouts"],
        request["response_length"],
        request["temperature"],
        request["seed"],
    )
    groups = [
        [
            compute_score(row["data_source"], text, row["reward_model"]["ground_truth"], thinking=mark)["score"]
            for text in texts
        ]
        for row, texts in zip(rows, answers, strict=True)
    ]
    right, wrong = sum(min(group) == 1 for group in groups), sum(max(group) == 0 for group in groups)
    mixed = sum(min(group) < max(group) for group in groups)
    if not mixed:
        raise UnsuitableRun(
            f"expected groups whose scores differ, got none among {len(groups)} groups of {request['rollouts']} "
            f"answers of {request['model']}: {right} all right, {wrong} all wrong. There is nothing to learn from "
            f"problems that are too {'easy' if right > wrong else 'hard, or answers that are cut off'}"
        )
    mean = sum(map(sum, groups)) / sum(map(len, groups))
    return {"score": mean, "mixed": mixed / len(groups), "right": right / len(groups), "wrong": wrong / len(groups)}


def _sampler(request: dict[str, Any], model: str) -> Sampler:
    try:
        return sampler(request["sampler"], model, request["length"], request["tensor_parallel"], request["engine"])
    except SettingError as error:
        raise UnsuitableRun(str(error)) from error


def convert(request: dict[str, Any]) -> dict[str, Any]:
    """Merge the shards of `checkpoint` into the Hugging Face folder `target`; its answer to the first row."""
    command = ["merge", "--backend", "fsdp", "--local_dir", request["checkpoint"], "--target_dir", request["target"]]
    subprocess.run([sys.executable, "-m", "verl.model_merger", *command], check=True)
    prompt = prompts_of(request["train_files"])[0]["prompt"]
    sample = _sampler(request, request["target"])
    ((answer,),) = sample([prompt], 1, request["response_length"], 0.0, request["seed"])
    return {"prompt": prompt[-1]["content"], "answer": answer}


# Training inside Dagster Pipes

REPORTED_METRICS = (
    "critic/score/mean",
    "actor/pg_clipfrac",
    "response_length/mean",
    "actor/entropy_loss",
    "timing_s/step",
)


def train(metrics: str, module: str, overrides: Sequence[str]) -> None:
    """Run verl's trainer in this process, and report each step to the Dagster run that started it."""
    from dagster_pipes import open_dagster_pipes

    with open_dagster_pipes() as pipes:
        ended = threading.Event()
        reporter = threading.Thread(target=_report, args=(Path(metrics), pipes.log.info, ended))
        reporter.start()
        sys.argv = [module, *overrides]
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        finally:
            ended.set()
            reporter.join()


def _report(file: Path, log: Callable[[str], None], ended: threading.Event) -> None:
    reported = 0
    while True:
        last = ended.wait(1.0)
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        whole = [json.loads(line) for line in lines if line.endswith("\n")]
        for row in whole[reported:]:
            metrics = (f"{name} {row['data'][name]:.4g}" for name in REPORTED_METRICS if name in row["data"])
            log(f"step {row['step']}: {', '.join(metrics)}")
        reported = len(whole)
        if last:
            return


TASKS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "check": check,
    "preflight": preflight,
    "convert": convert,
}


def main(arguments: Sequence[str]) -> None:
    """Run the task that the arguments name; the reply is written atomically."""
    if arguments[0] == "train":
        train(arguments[1], arguments[2], arguments[3:])
        return
    task, request, reply = arguments
    try:
        content = TASKS[task](json.loads(Path(request).read_text()))
    except UnsuitableRun as error:
        content = {"error": str(error)}
    write_text(Path(reply), json.dumps(content))


if __name__ == "__main__":
    main(sys.argv[1:])
