"""The columns of the tables of benchmarks."""

import pandera.polars as pandera

from races_assets.columns import column, share


class BenchmarkSamples(pandera.DataFrameModel):
    """One row per model, benchmark, question and sample: the answer, and what it earns."""

    checkpoint: str = column("Base model, run or endpoint that answered.")
    benchmark: str = column("Benchmark.")
    data: str = column("Which data: official size, partial (a subset), or mini (invented), whose scores mean nothing.")
    question: str = column("Id of the question in its benchmark.")
    sample: int = column("Number of the sample, from 1.", ge=1)
    cluster: str = column("What the question shares with others whose scores depend on the same source.")
    groups: str = column("JSON object of what scores are shown by, such as difficulty.")
    score: float = share("What the sample earns; nothing where the grader failed.", nullable=True)
    parts: str = column("JSON object of what else was measured.")
    extracted: str = column("The answer that was read from the text.", nullable=True)
    reason: str = column("Why the score is what it is.")
    grader_error: str = column("Failure of the grader, which is no score of 0; empty where there was none.")
    response: str = column("What the model wrote, thinking included.")
    finish_reason: str = column("Why it ended, in the words of the engine: stop, max_tokens, ...")
    truncated: bool = column("Whether the limit of tokens ended it, or it never ended its thinking.")
    prompt: str = column(
        "JSON list of the messages that were sent, of which texts over 2,000 characters are shortened."
    )
    prompt_cut: bool = column("Whether the middle of the prompt was left out to fit the model.")
    prompt_hash: str = column("Hash of the messages that were sent.", str_length=24)
    prompt_tokens: int = column("Tokens of the prompt; -1 where the server does not say.", ge=-1)
    completion_tokens: int = column("Tokens of the answer; -1 where the server does not say.", ge=-1)
    seconds: float = column("Wall time of the request and the grading.", ge=0)
    engine_score: float = share("Score of the whole benchmark as the engine reduced it.", nullable=True)
    model: str = column("Name of the model in requests.")
    weights: str = column("Hash of the model's folder; empty for an endpoint.")
    server: str = column("What served it.")
    dataset_sha256: str = column("Hash of the benchmark's files.", str_length=64)
    settings: str = column("JSON object of everything that the scores depend on.")
    settings_hash: str = column("Hash of the settings.", str_length=24)
