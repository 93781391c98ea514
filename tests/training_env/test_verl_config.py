"""The configuration of verl: the presets compose, and what cannot work is refused before anything starts."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from races.resources.training.config import TrainingConfig, TrainingError
from races.resources.training.verl.config import PRESETS, VerlSettings, overrides
from races.resources.training.verl.trainer import VerlTrainer
from races.resources.training.verl.worker import UnsuitableRun, compose, faults, model_faults, prompts_of, reward_faults
from tests.support.training_places import problems, tiny_model, write_rows

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("verl") is None, reason="needs the packages of verl"),
    pytest.mark.filterwarnings("default"),  # those of verl's many packages are not ours to mend
]

SIZES: dict[str, Any] = {"prompts": 4, "mini_batch": 2, "rollouts": 2, "prompt_length": 512, "response_length": 64}
SMALL = TrainingConfig(model="tiny", steps=7, **SIZES)
ONE = VerlSettings(gpus_per_node=1)


def composed(
    config: TrainingConfig = SMALL, settings: VerlSettings = ONE, rows: int = 8, folder: Path = Path("/runs/one")
) -> Any:
    return compose(overrides(config, settings, [folder / "train.parquet"], rows, folder))


def changed(
    config: dict[str, Any] | None = None, settings: dict[str, Any] | None = None
) -> tuple[TrainingConfig, VerlSettings]:
    return SMALL.model_copy(update=config or {}), ONE.model_copy(update=settings or {})


# The paper's set-ups


@pytest.mark.parametrize(("name", "rows", "epochs"), [("paper_14b", 12_800, 3), ("analysis_4b", 6_400, 2)])
def test_a_preset_is_taken_by_verl_and_by_every_check(name: str, rows: int, epochs: int) -> None:
    preset = PRESETS[name]
    config = composed(preset.config, preset.settings, rows)
    assert faults(config, rows, cpus=256) == []
    assert reward_faults(config) == []
    assert config.trainer.total_epochs == epochs
    assert preset.published
    assert preset.assumed


def test_the_presets_are_the_papers() -> None:
    """The table of the paper's settings, by the names of verl."""
    seen = {}
    for name, preset in PRESETS.items():
        config = composed(preset.config, preset.settings, 12_800)
        actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
        seen[name] = (
            config.actor_rollout_ref.model.path,
            config.data.train_batch_size,
            rollout.max_model_len,
            config.trainer.total_training_steps,
            config.trainer.nnodes * config.trainer.n_gpus_per_node,
        )
        assert (rollout.n, actor.optim.lr, actor.clip_ratio_low, actor.clip_ratio_high) == (8, 2e-6, 0.2, 0.28)
        assert (actor.use_kl_loss, config.algorithm.use_kl_in_reward, actor.entropy_coeff) == (False, False, 0)
    assert seen == {
        "paper_14b": ("Qwen/Qwen3-14B", 128, 32_768, 300, 32),
        "analysis_4b": ("Qwen/Qwen3-4B-Instruct-2507", 64, 16_384, 200, 8),
    }


def test_folders_and_files_of_any_name_reach_verl(tmp_path: Path) -> None:
    folder = tmp_path / "a run, {its} [folder]: $x = 'y'"
    config = composed(folder=folder)
    assert config.trainer.default_local_dir == str(folder / "checkpoints")
    assert list(config.data.train_files) == [str(folder / "train.parquet")]


def test_what_a_config_says_is_what_verl_is_told() -> None:
    config, settings = changed(
        {"temperature": 0.7, "weight_decay": 0.03, "grad_clip": 0.5, "seed": 5, "keep": 3, "save_every": 4},
        {"offload": True, "reward_workers": 3, "storage_units": 5, "tokens_per_gpu": 999, "cpus": 12},
    )
    told = composed(config, settings)
    actor = told.actor_rollout_ref.actor
    assert (told.actor_rollout_ref.rollout.temperature, actor.optim.weight_decay) == (0.7, 0.03)
    assert (actor.optim.clip_grad, told.data.seed) == (0.5, 5)
    assert (told.trainer.max_actor_ckpt_to_keep, told.trainer.save_freq) == (3, 4)
    assert actor.fsdp_config.param_offload
    assert actor.fsdp_config.optimizer_offload
    assert (told.reward.num_workers, actor.ppo_max_token_len_per_gpu) == (3, 999)
    assert told.transfer_queue.backend.SimpleStorage.num_data_storage_units == 5
    assert told.ray_kwargs.ray_init.num_cpus == 12


def test_the_curriculum_is_off_unless_it_is_asked_for() -> None:
    assert composed().data.custom_cls.path is None
    config = composed(*changed({"curriculum": True, "target_accuracy": 0.3}))
    for hook in (config.data.custom_cls, config.trainer.v1.sampler.custom_sampler):
        assert hook.path == "pkg://races.resources.training.verl.curriculum"
    assert config.data.curriculum == {"target": 0.3, "half_life": 32}
    assert config.data.dataloader_num_workers == 0
    assert set(config.data.val_files).isdisjoint(config.data.train_files)
    assert faults(config, rows=8, cpus=7) == []


# What verl refuses, and what it does not


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("actor_rollout_ref.actor.clip_ratio_hi=0.28", "Key 'clip_ratio_hi' is not in struct"),
        ("actor_rollout_ref.actor.use_dynamic_bsz=false", "verl rejects the configuration"),
        ("data.seed=[", "verl rejects the configuration"),
        ("actor_rollout_ref.actor.loss_agg_mode=mean", "verl rejects the configuration"),
    ],
)
def test_a_configuration_that_verl_refuses_is_refused_in_its_words(extra: str, message: str) -> None:
    with pytest.raises(UnsuitableRun, match=message):
        composed(*changed(settings={"extra": [extra]}))


@pytest.mark.parametrize(
    ("config", "settings", "message"),
    [
        ({"mini_batch": 8}, {}, "expected a mini-batch that divides the 4 prompts of a step, got 8"),
        ({"mini_batch": 3}, {}, "expected a mini-batch that divides the 4 prompts of a step, got 3"),
        (
            {},
            {"gpus_per_node": 3},
            "mini-batch x rollouts = 2 x 2 to be divisible by the 3 data-parallel ranks (3 GPUs",
        ),
        (
            {},
            {"gpus_per_node": 8, "sequence_parallel": 3},
            "expected a sequence-parallel size that divides the 8 GPUs, got 3",
        ),
        (
            {"mini_batch": 4},
            {"gpus_per_node": 4, "tensor_parallel": 8},
            "expected a tensor-parallel size that divides the 4 GPUs of a node, got 8",
        ),
        (
            {"mini_batch": 4},
            {"gpus_per_node": 2, "sequence_parallel": 2, "tokens_per_gpu": 280},
            "prompt and response, 576 tokens together, to fit into tokens_per_gpu x sequence_parallel = 280 x 2",
        ),
        ({"prompts": 16}, {}, "expected at least as many rows as a step has prompts, 16, got 8"),
        ({}, {"extra": ["trainer.total_epochs=3"]}, "expected epochs that reach step 7, got 3 of 2 steps"),
        ({}, {"extra": ["trainer.total_training_steps=null"]}, "expected epochs that reach step None"),
        ({}, {"extra": ["trainer.save_freq=-1"]}, "expected checkpoints every so many steps, got trainer.save_freq=-1"),
        ({}, {"extra": ["algorithm.adv_estimator=grop"]}, "expected algorithm.adv_estimator to be one of gae, "),
        ({}, {"extra": ["actor_rollout_ref.rollout.name=hf"]}, "to be one of sglang, trtllm, vllm, got hf"),
        ({}, {"extra": ["reward.reward_manager.name=prime"]}, "expected reward.reward_manager.name to be one of "),
        (
            {},
            {"extra": ["actor_rollout_ref.rollout.max_model_len=500"]},
            "expected a rollout.max_model_len of at least 576, got 500",
        ),
        (
            {},
            {"storage_units": 8},
            "expected at least 13 CPUs in Ray (3 for each of 1 GPUs, 8 storage units, 2 controllers), got 7",
        ),
    ],
)
def test_what_verl_lets_pass_is_refused(config: dict[str, Any], settings: dict[str, Any], message: str) -> None:
    found = faults(composed(*changed(config, settings)), rows=8, cpus=7 if "storage_units" in settings else None)
    assert len(found) == 1
    assert message in found[0]


def test_a_run_that_fits_has_no_fault() -> None:
    assert faults(composed(), rows=8, cpus=7) == []


@pytest.mark.parametrize(
    "extra",
    [
        ["reward.custom_reward_function.path=null", "+custom_reward_function.path=pkg://races.environments.reward"],
        ["reward.custom_reward_function.name=graded"],
        ["reward.custom_reward_function.name=nothing"],
        ["reward.custom_reward_function.path=pkg://races.environments.none"],
        ["reward.custom_reward_function.path=/nowhere/reward.py"],
        ["+reward.custom_reward_function.reward_kwargs.data_source=x"],
    ],
)
def test_a_reward_that_is_not_ours_is_refused(extra: list[str]) -> None:
    (found,) = reward_faults(composed(*changed(settings={"extra": extra})))
    assert "expected" in found


# Models and prompts


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    posed = problems(8)
    write_rows(folder / "train.parquet", posed)
    tiny_model(folder / "model", [each.prompt for each in posed])
    return folder


def of_model(place: Path, config: dict[str, Any], settings: dict[str, Any] | None = None) -> list[str]:
    said = composed(*changed({"model": str(place / "model")} | config, settings))
    return model_faults(said, [row["prompt"] for row in prompts_of([str(place / "train.parquet")])])


def longest(place: Path) -> int:
    """Tokens of the longest prompt: its own, and those that the template puts around it."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(place / "model")
    rows = prompts_of([str(place / "train.parquet")])
    texts = [f"<|user|>{row['prompt'][0]['content']}<|im_end|><|assistant|>" for row in rows]
    return max(len(tokenizer(text)["input_ids"]) for text in texts)


def test_prompts_are_measured_with_the_models_tokenizer_and_template(place: Path) -> None:
    most = longest(place)
    assert of_model(place, {"prompt_length": most}) == []
    (found,) = of_model(place, {"prompt_length": most - 1})
    assert f"expected prompts of at most {most - 1} tokens, template included, got " in found
    assert f" of 8 that are longer; the longest has {most}" in found


def test_a_model_that_is_not_there_or_too_small_is_refused(place: Path) -> None:
    (found,) = of_model(place, {"model": str(place / "nothing")})
    assert f"expected a model that transformers can load, got {place}/nothing" in found
    (found,) = of_model(place, {"response_length": 2000})
    assert f"expected at most 2048 tokens, the context length of {place}/model, got 2512" in found
    (found,) = of_model(place, {"mini_batch": 4}, {"gpus_per_node": 4, "tensor_parallel": 4})
    assert "expected a tensor_parallel that divides the 2 attention heads, got 4" in found


def test_a_tokenizer_that_verl_would_not_take_for_the_family_is_refused(place: Path, tmp_path: Path) -> None:
    """As the tiny model's once was, which ended each turn with a token of its own: every rollout ended in an error."""
    for file in (place / "model").iterdir():
        text = file.read_bytes()
        own = text.replace(b"<|im_end|>", b"<|end|>") if file.suffix in (".json", ".jinja") else text
        (tmp_path / file.name).write_bytes(own)
    assert of_model(place, {}) == []
    (found,) = of_model(place, {"model": str(tmp_path)})
    assert "expected a tokenizer that verl accepts for qwen3, got: Tokenizer does not define required token" in found
    assert "<|im_end|>" in found


def test_a_check_tells_all_by_verls_interpreter(place: Path) -> None:
    trainer = VerlTrainer(ONE.model_copy(update={"cpus": 7}), poll_seconds=0.1)
    wrong = SMALL.model_copy(update={"model": str(place / "nothing"), "mini_batch": 3})
    with pytest.raises(TrainingError) as error:
        trainer.check(wrong, [place / "train.parquet"])
    assert "check: expected a mini-batch that divides the 4 prompts" in str(error.value)
    assert "expected a model that transformers can load" in str(error.value)
