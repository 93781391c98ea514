"""The columns of the tables of the group `datasets`: problems and training sets."""

import pandera.polars as pandera

from races.assets.tables.columns import column, share, texts


class Problems(pandera.DataFrameModel):
    """One row per problem of one operator."""

    id: str = column("Hash of operator, prompt and truth.", unique=True)
    operator: str = column("Operator that made it.")
    size: int = column("Number of bricks to apply.", ge=1)
    level: int = column("Level of the inputs.", ge=1, le=5)
    prompt: str = column("What the model is shown.")
    truth: str = column("JSON: all that the score needs.")
    answer: str = column("One right answer, as the model should write it.")
    environments: list[str] = texts("Bricks in the order of the path.")
    themes: list[str] = texts("Their themes.")
    types: list[str] = texts("Types of the start value and of every output; for PARALLEL of every answer.")
    start: str = column("JSON of the input; for PARALLEL a list of inputs.")
    outputs: list[str] = texts("JSON of every result.")
    fingerprints: list[str] = texts("Fingerprints of the bricks.")
    steps: int = column("Metered steps of the solution.", ge=1)
    path_id: str = column("Discovered path that it was made from, if any.")
    chance: float = share(
        "For SORT and SELECT the most that a guess among the answers left open earns; in SELECT at its best length."
    )
    valid_answers: int = column("For SORT and SELECT the number of right answers.", ge=0)
    feasible_answers: int = column(
        "For SORT and SELECT the answers that the printed types, execution and the output's form leave open.", ge=0
    )
    shortest: int = column("For SORT and SELECT the length of the shortest right answer.", ge=0)
    distractors: list[str] = texts("For SELECT the bricks on offer that are not on the path.")
    key: str = column("What its randomness was drawn for.")


class ProblemSets(Problems):
    """One row per problem that was generated to train a small model on, or to measure any model on."""


class TrainingSets(pandera.DataFrameModel):
    """One row per problem of a recipe, in the columns that verl reads, shuffled."""

    id: str = column("Id of the problem.", unique=True)
    data_source: str = column("races/ and the operator; metrics are grouped by it.")
    ability: str = column("The operator.")
    operator: str = column("The operator.")
    size: int = column("Number of bricks to apply.", ge=1)
    level: int = column("Level of the inputs.", ge=1, le=5)
    environments: list[str] = texts("Bricks in the order of the path.")
    prompt_characters: int = column("Length of the prompt.", ge=1)
