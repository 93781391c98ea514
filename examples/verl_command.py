"""Write a data set as Parquet, print the command that trains on it: python verl_command.py FOLDER MODEL [ROWS]"""

import shlex
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import races

folder, model = Path(sys.argv[1]), sys.argv[2]
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
data = races.dataset("training", operator="sequential", size=range(2, 7), seed="train", rows=rows + 100)
folder.mkdir(parents=True, exist_ok=True)
for name, part in (("train", data[:rows]), ("validation", data[rows:])):
    pq.write_table(pa.Table.from_pylist(part.rows()), folder / f"{name}.parquet")

command = [
    *("python", "-m", "verl.trainer.main_ppo"),
    "algorithm.adv_estimator=grpo",
    f"data.train_files={folder / 'train.parquet'}",
    f"data.val_files={folder / 'validation.parquet'}",
    "data.train_batch_size=128",
    "data.max_prompt_length=2048",
    "data.max_response_length=4096",
    f"actor_rollout_ref.model.path={model}",
    "actor_rollout_ref.actor.ppo_mini_batch_size=64",
    "actor_rollout_ref.actor.use_dynamic_bsz=true",
    "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.rollout.n=8",
    "reward.custom_reward_function.path=pkg://races.environments.reward",
    "reward.custom_reward_function.name=compute_score",
]
print(shlex.join(command))
