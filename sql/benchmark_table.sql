-- Scores and other measures of checkpoints on benchmarks with their intervals; lines of other data or questions do not compare.
-- Takes:
-- $data varchar = null: the one kind of data: official size, partial or mini (invented)
-- $benchmark varchar = null: the one benchmark
-- $measure varchar = null: the one measure, such as score
-- $subset varchar = all: the one subset of questions, such as difficulty: hard
-- Gives:
-- data varchar: official size, partial or mini (invented), whose scores mean nothing
-- benchmark varchar: benchmark
-- measure varchar: what is measured
-- subset varchar: on which of the questions
-- question_set varchar: hash of the questions
-- checkpoint varchar: base model, run or endpoint
-- value double: mean over questions of the mean over samples
-- low double: lower end of the 95 % interval over questions; empty where there is none
-- high double: upper end of it
-- questions bigint: questions, or instructions of IFEval
-- samples bigint: values in the mean
-- grader_errors bigint: samples left out, as the grader failed
-- dataset_sha256 varchar: hash of the benchmark's files
-- settings_hash varchar: hash of the settings
select kept.data, kept.benchmark, kept.measure, kept.subset, kept.question_set, kept.checkpoint,
    round(kept.value, 4) as value, round(kept.low, 4) as low, round(kept.high, 4) as high, kept.questions,
    kept.samples, kept.grader_errors, kept.dataset_sha256, kept.settings_hash
from benchmark_scores as kept
where ($data is null or kept.data = $data) and ($benchmark is null or kept.benchmark = $benchmark)
    and ($measure is null or kept.measure = $measure) and ($subset is null or kept.subset = $subset)
order by kept.data, kept.benchmark, kept.measure, kept.subset, kept.dataset_sha256, kept.question_set, kept.checkpoint
