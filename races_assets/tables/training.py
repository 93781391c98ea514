"""The columns of the tables of the group `training`: models, runs and checkpoints."""

import pandera.polars as pandera

from races.assets.tables.columns import column, share


class BaseModels(pandera.DataFrameModel):
    """One row per model that runs may start from."""

    model: str = column("Its name.", unique=True)
    folder: str = column("Hugging Face folder of its weights.")
    parameters: int = column("Number of its weights.", ge=1)
    vocabulary: int = column("Tokens that its tokenizer has.", ge=1)
    warm_up_steps: int = column("Supervised steps of its warm-up; 0 where it came trained.", ge=0)
    greedy_score: float = share(
        "Mean score of its greedy answers to validation problems of the warm-up; 0 where it came trained."
    )
    weights: str = column("Hash of its weights.")


class TrainingRuns(pandera.DataFrameModel):
    """One row per step of a training run: reward, loss, lengths, times. What the back end does not report is empty."""

    run: str = column("Name of the run.")
    step: int = column("Step, from 1: a batch of rollouts and the updates on it.", ge=1)
    reward: float = column("Mean score of the responses.")
    reward_std: float = column("Standard deviation of scores in a group, mean over groups.", nullable=True)
    mixed_groups: float = column("Share of groups whose responses do not all score the same.", nullable=True)
    clip_fraction: float = column("Share of tokens whose probability ratio was clipped.", nullable=True)
    response_length: float = column("Mean length of responses, in tokens.", nullable=True)
    truncated: float = column("Share of responses that were cut at the limit.", nullable=True)
    entropy: float = column("Mean entropy of the next token, in nats.", nullable=True)
    grad_norm: float = column("Norm of the gradient before it was clipped.", nullable=True)
    loss: float = column("Policy loss.", nullable=True)
    tokens: float = column("Tokens so far, of prompts and responses.", nullable=True)
    seconds: float = column("Wall time of the step.", nullable=True)


class Rollouts(pandera.DataFrameModel):
    """One row per kept response of a run: a sample of prompts every so many steps, with all responses to each."""

    run: str = column("Name of the run.")
    step: int = column("Step at which it was given.", ge=1)
    operator: str = column("Operator of the problem; empty where the set no longer has its prompt.")
    size: int = column("Number of bricks; 0 where it is not known.", ge=0)
    prompt: str = column("What the model was shown.")
    response: str = column("What it answered, behind the mark of thinking that its prompt ended with, if any.")
    truth: str = column("JSON: all that the score needs; `races score` reads it.")
    score: float = share("Score that it was trained on.")
    status: str = column("scored, unparseable or grader_failed, when the row was written.")
    reason: str = column("What was wrong, in a few words.")


class Checkpoints(pandera.DataFrameModel):
    """One row per trained model: where it lies, and its mean reward over its first and its last steps."""

    run: str = column("Name of the run.", unique=True)
    backend: str = column("torch, which is one process of a small machine, or verl.", isin=["torch", "verl"])
    recipe: str = column("Training set that it learnt from.")
    base: str = column("Model that it started from.")
    folder: str = column("Hugging Face folder of its weights.")
    parameters: int = column("Number of its weights.", ge=1)
    last_step: int = column("Step that was reached.", ge=1)
    reward_first: float = column("Mean reward of the first 20 steps, or of the first third of a shorter run.")
    reward_last: float = column("Mean reward of the last 20 steps, or of the last third of a shorter run.")
    reward_gain_error: float = column("Standard error of the difference of the two, steps taken as independent.")
    config: str = column("JSON of the settings.")
    rows: str = column("Hash of the training set's rows.")
    greedy_prompt: str = column("A prompt of the training set.")
    greedy_answer: str = column("What the saved model, loaded anew, answers to it.")
