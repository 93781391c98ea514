"""The columns of the tables of benchmarks."""

from typing import ClassVar

import pandera.polars as pandera

from races.assets.tables.columns import column, share


class BenchmarkModels(pandera.DataFrameModel):
    """One row per model that benchmarks measure: what serves it, and how it is asked."""

    checkpoint: str = column("Base model, run or endpoint.")
    model: str = column("Its name where it is served, or the model that a folder holds.")
    server: str = column("What serves it.", isin=["transformers", "vllm", "remote"])
    folder: str = column("Folder of its weights; empty where others serve it.")
    weights: str = column("Hash of its weights, tokenizer, template and settings; empty where others serve it.")
    base_url: str = column("Address of the server of others; empty where it is served here.")
    key_variable: str = column("Environment variable with that server's key; empty where there is none.")
    tokenizer: str = column("The tokenizer.json by which long prompts are cut; empty where none is known.")
    family: str = column("Family whose authors' advice is followed.")
    source: str = column("Where that advice stands.")
    sampling: str = column("JSON object of temperature, top_p, top_k, max_tokens, context, thinking, ...")


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
    retries: int = column("Requests before the one that was answered; a long answer may have run out of time.", ge=0)
    answered_at: str = column("When the answer was there, as ISO 8601.")
    engine_score: float = share("Score of the whole benchmark as the engine reduced it.", nullable=True)
    model: str = column("Name of the model in requests.")
    weights: str = column("Hash of the model's folder; empty for an endpoint.")
    server: str = column("What served it.")
    dataset_sha256: str = column("Hash of the benchmark's files.", str_length=64)
    settings: str = column("JSON object of everything that the scores depend on.")
    settings_hash: str = column("Hash of the settings.", str_length=24)


class BenchmarkScores(pandera.DataFrameModel):
    """One row per checkpoint, benchmark, measure and subset of the questions: the value and how uncertain it is."""

    checkpoint: str = column("Base model, run or endpoint that answered.")
    benchmark: str = column("Benchmark.")
    data: str = column("Which data: official size, partial (a subset), or mini (invented), whose scores mean nothing.")
    measure: str = column("score, truncated, prompt_cut, pass@k, maj@k, or one of IFEval's: prompt_loose, ...")
    subset: str = column("all, or those questions of which this holds, such as difficulty: hard.")
    value: float = share("Mean over questions of the mean over samples.")
    error: float = column("Standard error over clusters of questions; nothing where there is one.", ge=0, nullable=True)
    low: float = column("Lower end of the 95 % interval.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)
    method: str = column("What the interval is: Student's t, or Wilson's near 0 and 1.", isin=["t", "wilson"])
    bootstrap_low: float = column("Lower end by redrawing clusters of questions.", nullable=True)
    bootstrap_high: float = column("Upper end of it.", nullable=True)
    within: float = column("Part of the variance that more samples would lessen.", ge=0, nullable=True)
    between: float = column("Part of it that more questions would lessen.", ge=0, nullable=True)
    questions: int = column("Questions; of IFEval's instruction measures instructions.", ge=1)
    clusters: int = column("Independent clusters of them.", ge=1)
    samples: int = column("Values that went into the means.", ge=1)
    grader_errors: int = column("Samples left out because the grader failed.", ge=0)
    model: str = column("Name of the model in requests.")
    dataset_sha256: str = column("Hash of the benchmark's files.", str_length=64)
    question_set: str = column("Hash of the ids of the questions: only scores on the same compare.", str_length=24)
    settings_hash: str = column("Hash of the settings.", str_length=24)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["checkpoint", "benchmark", "measure", "subset"]


class BenchmarkDifferences(pandera.DataFrameModel):
    """One row per benchmark and pair of checkpoints on the same questions: the second minus the first, paired."""

    first: str = column("Checkpoint; of a run and the model that it started from the model.")
    second: str = column("Checkpoint that is compared with it.")
    benchmark: str = column("Benchmark.")
    data: str = column("Which data: official size, partial (a subset), or mini (invented), whose scores mean nothing.")
    first_score: float = share("Score of the first.")
    second_score: float = share("Score of the second.")
    difference: float = column("Mean over questions of the second's score minus the first's.", ge=-1, le=1)
    error: float = column("Its standard error; nothing where there is one cluster.", ge=0, nullable=True)
    low: float = column("Lower end of its 95 % interval, by Student's t.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)
    p: float = share("Two-sided p of the paired sign-flip test.")
    p_holm: float = share("The same after Holm, over the benchmarks of the pair with the same kind of data.")
    questions: int = column("Questions.", ge=1)
    clusters: int = column("Independent clusters of them.", ge=1)
    dataset_sha256: str = column("Hash of the benchmark's files.", str_length=64)
    question_set: str = column("Hash of the ids of the questions.", str_length=24)
    first_settings: str = column("Hash of the settings of the first.", str_length=24)
    second_settings: str = column("Hash of the settings of the second.", str_length=24)
    same_settings: bool = column("Whether they are the same; else the difference is not of the checkpoints alone.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["first", "second", "benchmark"]


class BenchmarkAverages(pandera.DataFrameModel):
    """One row per checkpoint with all six benchmarks of one kind of data, and per pair of such: the paper's average."""

    checkpoint: str = column("Base model, run or endpoint.")
    baseline: str = column("Checkpoint whose average is taken off, paired by question; empty where none is.")
    data: str = column("Which data: official size, partial (a subset), or mini (invented), whose scores mean nothing.")
    average: float = column("Mean of the five columns, or of their differences.", ge=-1, le=1)
    error: float = column("Its standard error.", ge=0)
    low: float = column("Lower end of its 95 % interval, by redrawing the questions of each benchmark.")
    high: float = column("Upper end of it.")
    livecodebench: float = column("LiveCodeBench.", ge=-1, le=1)
    enigmata: float = column("Enigmata.", ge=-1, le=1)
    longbench_v2: float = column("LongBench-v2.", ge=-1, le=1)
    ifeval: float = column("IFEval, prompt-level strict.", ge=-1, le=1)
    aime: float = column("Mean of AIME 2024 and AIME 2025.", ge=-1, le=1)
    mean_of_six: float = column("Plain mean of the six benchmarks, which is not the paper's average.", ge=-1, le=1)
    question_set: str = column("Hash of the data and questions: only averages on the same compare.", str_length=24)
    same_settings: bool = column("Whether a pair answered with the same settings in each benchmark.", nullable=True)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["checkpoint", "baseline"]


class PaperResults(pandera.DataFrameModel):
    """One row per figure that the paper's tables report, of models and benchmarks. None of them was measured here."""

    model: str = column("Model that training started from.")
    training: str = column("What it was trained on.", isin=["base", "individual", "RACES"])
    environments: int = column("Number of environments; 0 for the base model.", ge=0)
    operators: str = column("Operators, where not those of the main set-up.")
    size: int = column("The one number of environments that are composed, where there is one.", ge=2, nullable=True)
    note: str = column("What else is said.")
    benchmark: str = column("Column of the paper; average is the mean of the other five.")
    points: float = column("Score in percent, without an error as none is reported.", ge=0, le=100)
    source: str = column("Where it stands.")

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["model", "training", "environments", "size", "note", "benchmark"]


class BenchmarkReport(pandera.DataFrameModel):
    """One row per figure of the paper, and of ours that may stand beside: its models, data of official size."""

    source: str = column("Whose figure it is: the paper's or ours.", isin=["paper (arXiv 2606.12373)", "ours"])
    data: str = column("Which data; ours of another kind than official size are never here.", isin=["official size"])
    model: str = column("Model that training started from.")
    training: str = column("What it was trained on: base, individual or RACES.")
    environments: int = column("Number of environments; 0 for the base model.", ge=0)
    size: int = column("The one number of environments that are composed, where there is one.", ge=2, nullable=True)
    note: str = column("What else is said: of the paper's figure, or which checkpoint ours is.")
    benchmark: str = column("Column of the paper.")
    points: float = column("Score in percent.", ge=0, le=100)
    low: float = column("Lower end of the 95 % interval; the paper has none.", nullable=True)
    high: float = column("Upper end of it.", nullable=True)
    questions: str = column("Hash of the data and questions of ours; the paper's are not known.")


class BenchmarkOverlap(pandera.DataFrameModel):
    """One row per recipe and benchmark: how many of the benchmark's questions share text with the training set."""

    recipe: str = column("Training set.")
    benchmark: str = column("Benchmark.")
    data: str = column("Which data: official size, partial (a subset), or mini (invented).")
    training_rows: int = column("Problems of the training set.", ge=1)
    questions: int = column("Questions of the benchmark.", ge=1)
    words: int = column("How many words in a row count as shared.", ge=1)
    exact_matches: int = column("Questions whose words are those of a training prompt.", ge=0)
    ngram_matches: int = column("Questions that share so many words in a row with a training prompt.", ge=0)
    boilerplate: int = column("Questions that share only what stands in more than a few of them.", ge=0)
    shared: str = column("What the first such question shares; empty where nothing is shared.")
    example_question: str = column("Question that has it.")
    example_problem: str = column("Problem of the training set that has it.")
    dataset_sha256: str = column("Hash of the benchmark's files.", str_length=64)

    class Config:
        """Rows are told apart by these columns."""

        unique: ClassVar = ["recipe", "benchmark"]
