"""A training run in verl's terms, and presets for the paper's two set-ups: what is published, what is assumed.

One node runs `python -m verl.trainer.main_ppo OVERRIDE...`, which starts a Ray of its own. For several nodes, on the
first

    ray start --head --dashboard-host=0.0.0.0

on the others `ray start --address=HEAD:6379`; launcher="ray" with ray_address="http://HEAD:8265" then submits the same
command as a job. This project must be importable on every node, and the folder of a run must lie on a disk that
all nodes share. Ray 2.60 asks for a token by default: `ray get-auth-token` prints that of the first node, which every
other node and the submitting process need as RAY_AUTH_TOKEN, or all of them RAY_AUTH_MODE=disabled.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from races.resources.training.config import REWARD_NAME, REWARD_PATH, TrainingConfig
from races.resources.training.settings import Settings

MODULE = "verl.trainer.main_ppo"
CURRICULUM = "pkg://races.resources.training.verl.curriculum"
VALIDATION = "validation.parquet"
# The reward's argument for the tag with which prompts open the thinking; set once the tokenizer is known.
THINKING = "reward.custom_reward_function.reward_kwargs.thinking"


class VerlSettings(Settings):
    """Where and how verl runs; results do not depend on it, except for rounding."""

    nodes: int = Field(default=1, ge=1, description="Machines.")
    gpus_per_node: int = Field(default=8, ge=1, description="GPUs of each machine.")
    tensor_parallel: int = Field(default=1, ge=1, description="GPUs that an engine of the rollout spreads over.")
    sequence_parallel: int = Field(default=1, ge=1, description="GPUs that share a sequence in the update (Ulysses).")
    offload: bool = Field(default=False, description="Keep parameters and optimizer state in main memory.")
    tokens_per_gpu: int = Field(default=32768, ge=1, description="Tokens of a micro-batch on each GPU.")
    gpu_memory_utilization: float = Field(
        default=0.8, gt=0, lt=1, description="Share of a GPU's memory for the rollout."
    )
    storage_units: int = Field(
        default=0, ge=0, description="Storage units of TransferQueue, a CPU each; 0 for two per node."
    )
    reward_workers: int = Field(default=8, ge=1, description="Ray actors that compute rewards.")
    cpus: int = Field(
        default=0, ge=0, description="CPUs of Ray; 0 for those of this machine on one node, else not checked."
    )
    python: str = Field(default="", description="Interpreter of verl's environment; empty for the one of make setup.")
    launcher: Literal["local", "ray"] = Field(
        default="local", description="On this machine, or as a job of a Ray cluster."
    )
    ray_address: str = Field(default="", description="Of the head's dashboard, such as http://HEAD:8265.")
    sampler: Literal["vllm", "transformers"] = Field(
        default="vllm", description="What samples from a model outside of training."
    )
    engine: dict[str, Any] = Field(
        default={},
        description="Arguments of vLLM's engine outside of training, by name: dtype, enforce_eager, seed, "
        "max_model_len, kv_cache_memory_bytes, ...; gpu_memory_utilization is that of the rollout unless named here.",
    )
    preflight_prompts: int = Field(
        default=32, ge=0, description="Rows that the base model answers before training; 0 to skip."
    )
    extra: list[str] = Field(
        default=[], description="Further Hydra overrides, applied last and validated like the others."
    )


def overrides(
    config: TrainingConfig, settings: VerlSettings, train_files: Sequence[Path], rows: int, folder: Path
) -> list[str]:
    """The Hydra overrides of a run that writes to `folder`. rows: of the training files, for the number of epochs."""
    return [
        *_algorithm(config),
        *_data(config, train_files, folder),
        *_machines(config, settings),
        *_trainer(config, rows, folder),
        *settings.extra,
    ]


def _algorithm(config: TrainingConfig) -> list[str]:
    """GRPO without a KL term, with asymmetric clipping and the mean over the tokens of a mini-batch."""
    actor = "actor_rollout_ref.actor"
    return [
        "algorithm.adv_estimator=grpo",
        "algorithm.norm_adv_by_std_in_grpo=true",
        "algorithm.use_kl_in_reward=false",
        f"{actor}.use_kl_loss=false",
        f"{actor}.entropy_coeff=0",
        f"{actor}.calculate_entropy=true",  # logged only
        f"{actor}.policy_loss.loss_mode=vanilla",
        f"{actor}.loss_agg_mode=token-mean",
        # verl uses low and high; clip_ratio alone has no effect.
        f"{actor}.clip_ratio={config.clip_low}",
        f"{actor}.clip_ratio_low={config.clip_low}",
        f"{actor}.clip_ratio_high={config.clip_high}",
        f"{actor}.ppo_epochs=1",
        f"{actor}.ppo_mini_batch_size={config.mini_batch}",
        f"{actor}.optim.lr={config.learning_rate}",
        f"{actor}.optim.lr_scheduler_type=constant",
        f"{actor}.optim.lr_warmup_steps=0",
        f"{actor}.optim.weight_decay={config.weight_decay}",
        f"{actor}.optim.clip_grad={config.grad_clip}",
        f"{actor}.grad_clip={config.grad_clip}",
        f"actor_rollout_ref.rollout.n={config.rollouts}",
        f"actor_rollout_ref.rollout.temperature={config.temperature}",
        "actor_rollout_ref.rollout.top_p=1.0",
        "actor_rollout_ref.rollout.top_k=-1",
    ]


def _data(config: TrainingConfig, train_files: Sequence[Path], folder: Path) -> list[str]:
    return [
        f"actor_rollout_ref.model.path={json.dumps(config.model)}",
        f"data.train_files={json.dumps([str(file) for file in train_files])}",
        # verl loads a validation set even if it never validates.
        f"data.val_files={json.dumps([str(folder / VALIDATION)])}",
        f"data.train_batch_size={config.prompts}",
        f"data.max_prompt_length={config.prompt_length}",
        f"data.max_response_length={config.response_length}",
        # Prompts that are too long are rejected before the start; the filter would silently drop them.
        "data.filter_overlong_prompts=false",
        "data.truncation=error",
        "data.shuffle=true",
        f"data.seed={config.seed}",
        "reward.reward_manager.name=naive",
        f"reward.custom_reward_function.path={REWARD_PATH}",
        f"reward.custom_reward_function.name={REWARD_NAME}",
        *(_curriculum(config) if config.curriculum else []),
    ]


def _curriculum(config: TrainingConfig) -> list[str]:
    """Verl has no hook for a sampler: the data set chooses the rows, and the replay buffer receives the scores."""
    settings = config.curriculum_settings()
    return [
        f"data.custom_cls.path={CURRICULUM}",
        "data.custom_cls.name=CurriculumDataset",
        f"trainer.v1.sampler.custom_sampler.path={CURRICULUM}",
        "trainer.v1.sampler.custom_sampler.name=CurriculumBuffer",
        "data.dataloader_num_workers=0",
        f"+data.curriculum.target={settings.target}",
        f"+data.curriculum.half_life={settings.half_life}",
    ]


def _machines(config: TrainingConfig, settings: VerlSettings) -> list[str]:
    actor, rollout = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
    longest = config.prompt_length + config.response_length
    return [
        f"{actor}.strategy=fsdp2",
        f"{actor}.use_dynamic_bsz=true",
        f"{actor}.ppo_max_token_len_per_gpu={settings.tokens_per_gpu}",
        f"{actor}.ulysses_sequence_parallel_size={settings.sequence_parallel}",
        f"{actor}.fsdp_config.param_offload={settings.offload}",
        f"{actor}.fsdp_config.optimizer_offload={settings.offload}",
        "actor_rollout_ref.model.use_remove_padding=true",
        "actor_rollout_ref.model.enable_gradient_checkpointing=true",
        f"{rollout}.name=vllm",
        f"{rollout}.gpu_memory_utilization={settings.gpu_memory_utilization}",
        f"{rollout}.tensor_model_parallel_size={settings.tensor_parallel}",
        f"{rollout}.max_model_len={longest}",
        f"{rollout}.max_num_batched_tokens={max(8192, longest)}",
        f"reward.num_workers={settings.reward_workers}",
        f"transfer_queue.backend.SimpleStorage.num_data_storage_units={settings.storage_units or 2 * settings.nodes}",
        # The number of CPUs must not be given when joining a cluster.
        f"ray_kwargs.ray_init.num_cpus={(settings.launcher == 'local' and settings.cpus) or 'null'}",
        f"trainer.nnodes={settings.nodes}",
        f"trainer.n_gpus_per_node={settings.gpus_per_node}",
    ]


def _trainer(config: TrainingConfig, rows: int, folder: Path) -> list[str]:
    epochs = -(-config.steps // max(1, rows // config.prompts))
    return [
        f"trainer.total_training_steps={config.steps}",
        f"trainer.total_epochs={epochs}",
        f"trainer.save_freq={config.save_every}",
        f"trainer.max_actor_ckpt_to_keep={config.keep}",
        "trainer.test_freq=-1",
        "trainer.val_before_train=false",
        "trainer.critic_warmup=0",
        'trainer.logger=["console","file"]',
        "trainer.project_name=races",
        f"trainer.experiment_name={json.dumps(folder.name)}",
        "trainer.resume_mode=auto",
        f"trainer.default_local_dir={json.dumps(str(folder / 'checkpoints'))}",
        f"trainer.rollout_data_dir={json.dumps(str(folder / 'rollouts'))}",
    ]


@dataclass(frozen=True)
class Preset:
    """A set-up of the paper (arXiv 2606.12373)."""

    config: TrainingConfig
    settings: VerlSettings
    published: tuple[str, ...]  # what the paper states
    assumed: tuple[str, ...]  # our choices where the paper is silent


ASSUMED = (
    "prompt and response share the published length as 4,096 tokens and the rest",
    "mini-batches are half a batch: with one update a step the ratio is 1 and the clip bounds have no effect",
    "0.28 is the upper bound of an asymmetric clip, whose lower one is 0.2",
    "temperature 1, the whole distribution",
    "constant learning rate, no warm-up; weight decay 0.01 and gradient norm 1, verl's defaults",
    "no entropy bonus, token-mean aggregation, advantages divided by the deviation of their group",
    "no validation during training: held-out problems are scored afterwards",
    "tensor and sequence parallelism, offloading and memory share: untested proposals",
)

GRPO: dict[str, Any] = {"rollouts": 8, "learning_rate": 2e-6, "clip_low": 0.2, "clip_high": 0.28}
# Or deepseek-ai/DeepSeek-R1-Distill-Qwen-14B.
PAPER: dict[str, Any] = {"model": "Qwen/Qwen3-14B", "steps": 300, "prompts": 128, "mini_batch": 64}
PAPER |= {"prompt_length": 4096, "response_length": 28672}
CLUSTER: dict[str, Any] = {"nodes": 4, "tensor_parallel": 2, "sequence_parallel": 4, "offload": True}
ANALYSIS: dict[str, Any] = {"model": "Qwen/Qwen3-4B-Instruct-2507", "steps": 200, "prompts": 64, "mini_batch": 32}
ANALYSIS |= {"prompt_length": 4096, "response_length": 12288}

PRESETS = {
    "paper_14b": Preset(
        TrainingConfig(**GRPO, **PAPER),
        VerlSettings(**CLUSTER),
        (
            "Qwen3-14B and DeepSeek-R1-Distill-Qwen-14B, 300 steps of 128 prompts with 8 rollouts each",
            "learning rate 2e-6, clip ratio 0.28, no KL term, 32K tokens in all, 32 A100",
            "12,800 rows: 3 epochs of 100 steps, which agrees with steps being batches of rollouts",
        ),
        (*ASSUMED, "the A100 have 80 GB, eight to a node"),
    ),
    "analysis_4b": Preset(
        TrainingConfig(**GRPO, **ANALYSIS),
        VerlSettings(),
        (
            "Qwen3-4B-Instruct-2507, 200 steps of 64 prompts with 8 rollouts each",
            "learning rate 2e-6, clip ratio 0.28, no KL term, 16K tokens in all",
            "6,400 rows: 2 epochs of 100 steps",
        ),
        (*ASSUMED, "8 GPUs of one node: the paper does not say how many it took"),
    ),
}
