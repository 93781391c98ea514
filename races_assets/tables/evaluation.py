"""The columns of the tables of the group `evaluation`: held-out scores and what they say of training."""

from typing import ClassVar

import pandera.polars as pandera

from races.assets.tables.columns import column, share


class HeldoutScores(pandera.DataFrameModel):
    """One row per checkpoint and held-out problem: its greedy answer and what that earns."""

    checkpoint: str = column("Run or base model.")
    problem_set: str = column("Set that the problem is of.")
    id: str = column("Problem.")
    operator: str = column("Operator of the problem.")
    size: int = column("Number of bricks to apply.", ge=1)
    unseen: str = column("What its run was not trained on: bricks, operator, size, or nothing but the inputs.")
    score: float = share("What the answer earns; of a grader that failed there is none.", nullable=True)
    status: str = column("scored, unparseable or grader_failed.")
    response: str = column("The answer, behind the mark of thinking that its prompt ended with, if any.")
    ended: bool = column("Whether it ended by itself and was not cut.")


class HeldoutDifferences(pandera.DataFrameModel):
    """One row per checkpoint, what is unseen, and operator and size or a mean over them: it against its base model."""

    checkpoint: str = column("Run.")
    base: str = column("Model that it started from.")
    unseen: str = column("What the run was not trained on: bricks, operator, size, or nothing but the inputs.")
    grain: str = column(
        "What the row is the mean over: problems of one operator and size, of one operator, or all problems.",
        isin=["operator and size", "operator", "all problems"],
    )
    operator: str = column("Operator; empty for all problems.", nullable=True)
    size: int = column("Number of bricks; empty but for one operator and size.", ge=1, nullable=True)
    problems: int = column("Problems that both were scored on.", ge=1)
    base_score: float = share("Mean score of the base model.")
    score: float = share("Mean score of the checkpoint.")
    difference: float = column("Their mean difference over problems.")
    standard_error: float = column("Its standard error over problems.", nullable=True)
    low: float = column("Lower end of its 95 % interval, by Student's t.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["checkpoint", "unseen", "operator", "size"]


class MicroExperiment(pandera.DataFrameModel):
    """One row per measure of the experiment: composites against individual bricks at equal tokens, the tiny model."""

    measure: str = column("What is unseen, operator and size.")
    seeds: int = column("Pairs of runs.", ge=1)
    problems: int = column("Problems of each seed.", ge=1)
    base: float = share("Mean score of the base model.")
    individual: float = share("Mean score after individual bricks, over seeds.")
    composites: float = share("Mean score after composites, over seeds.")
    difference: float = column("Composites minus individual, paired by problem and seed.")
    low: float = column("Lower end of its 95 % interval over problems, seeds averaged.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)
    seed_low: float = column("Smallest difference of a seed.")
    seed_high: float = column("Largest difference of a seed.")
