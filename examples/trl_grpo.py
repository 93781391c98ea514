"""Train with TRL's GRPOTrainer on a data set made here: python trl_grpo.py MODEL FOLDER

Needs the packages trl and datasets.
"""

import sys

import torch
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

import races
from races.environments.reward import trl_reward_for

model, folder = sys.argv[1:3]
data = races.dataset("core_50", operator="sequential", size=(2, 3), level=(1, 2), seed="train", rows=200)

gpu = torch.cuda.is_available()
args = GRPOConfig(folder, max_steps=2, per_device_train_batch_size=4, num_generations=4, use_cpu=not gpu, bf16=gpu)
reward = trl_reward_for(AutoTokenizer.from_pretrained(model))
trainer = GRPOTrainer(model=model, reward_funcs=reward, train_dataset=data.to_huggingface(), args=args)
trainer.train()
