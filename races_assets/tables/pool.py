"""The columns of the tables of the group `pool`: bricks, audits and changes."""

from typing import ClassVar

import pandera.polars as pandera

from races.assets.tables.columns import column, share, texts


class Environments(pandera.DataFrameModel):
    """One row per environment of the pool."""

    name: str = column("Name of the brick.", unique=True)
    theme: str = column("Theme, which is the module that declares it.")
    statement: str = column("What is to be done, as the model reads it.")
    domain: str = column("Type of the input.")
    codomain: str = column("Type of the answer.")
    signature: str = column("Domain and codomain in one.")
    grade: str = column("What a solver must know.", isin=["everyday", "course", "advanced"])
    terminal: bool = column("Whether only the last step of a path may use it.")
    fingerprint: str = column("Hash of all that the brick is; rows and caches go by it.", str_length=16)
    words: int = column("Words of the statement.", ge=1)
    measured_by: str = column("Version of the measurements in the columns that follow.")
    steps: float = column("Median of metered steps at level 3.", ge=1)
    steps_1: float = column("Median of metered steps at level 1.", ge=0)
    steps_2: float = column("Median of metered steps at level 2.", ge=0)
    steps_3: float = column("Median of metered steps at level 3.", ge=0)
    steps_4: float = column("Median of metered steps at level 4.", ge=0)
    steps_5: float = column("Median of metered steps at level 5.", ge=0)
    question_length: float = column("Median length of the input's JSON at level 3, in characters.")
    answer_length: float = column("Median length of the answer's JSON at level 3, in characters.")
    refused: float = share("Share of its own inputs that it refuses.")
    duplicates: float = share("Share of its own inputs that were drawn before.")
    identity: float = share("Share of answers that repeat their question.")
    top_share: float = share("Largest share of one answer at a level from 2 to 5: what always giving it would earn.")
    entropy: float = column("Entropy of the answers over all levels, in bits.", ge=0)
    idempotent: bool = column("Whether applying it twice always gives what once gives.")
    involution: bool = column("Whether applying it twice always gives back the question.")
    tags: list[str] = texts("bridge, idempotent, involution, terminal: as measured.")
    example_question: str = column("JSON of an input at level 3.")
    example_answer: str = column("JSON of its answer.")
    solved_blind: int = column("Problems that solvers answered rightly from the prompt alone.", ge=0)
    solved_blind_of: int = column("Problems that they were given; 0 where the brick in this form was not solved.", ge=0)
    generated_per_second: float = column(
        "Problems of SINGLE generated a second of CPU time, as recorded once; 0 if not.", ge=0
    )
    scored_per_second: float = column("Answers scored a second of CPU time, as recorded once; 0 if not.", ge=0)


class Audits(pandera.DataFrameModel):
    """One row per environment and rule of the contract: whether it is kept, and what was found."""

    name: str = column("Name of the brick.")
    rule: str = column("Rule of the contract, as races.environments.audit.contract names it.")
    kept: bool = column("Whether nothing was found.")
    faults: int = column("Number of findings.", ge=0)
    findings: list[str] = texts("The first of them.")
    fingerprint: str = column("Fingerprint of the brick.", str_length=16)
    oracle: bool = column("Whether the brick has an oracle that its answers were compared with.")
    draws: int = column("Inputs of its own that were drawn at each level.", ge=1)
    other_outputs: int = column("Values of other bricks that were tried, at most.", ge=0)
    seed: str = column("What the draws were seeded by.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["name", "rule"]


class Changes(pandera.DataFrameModel):
    """One row per environment that a rebuild found added, changed, renamed or removed."""

    rebuild: int = column("Number of the rebuild, from 1.", ge=1)
    change: str = column("What happened to the brick.", isin=["added", "changed", "renamed", "removed"])
    name: str = column("Name of the brick, after a renaming the new one.")
    old_name: str = column("Its name before; empty where it was added.")
    old_fingerprint: str = column("Its fingerprint before; empty where it was added.")
    fingerprint: str = column("Its fingerprint now; empty where it was removed.")
    meaning: str = column("Hash of statement and signature, by which a renamed brick is known again.")
    run_id: str = column("Run of Dagster that found it; its time is in materializations.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["rebuild", "name"]
