-- Mean score of each checkpoint on a benchmark: over questions, of the mean over the samples that have a score.
-- Gives:
-- checkpoint varchar: base model, run or endpoint
-- benchmark varchar: benchmark
-- data varchar: official size, partial or mini (invented)
-- dataset_sha256 varchar: hash of the benchmark's files
-- questions bigint: questions with a score
-- samples bigint: samples with a score
-- grader_errors bigint: samples without one, as the grader failed
-- score double: their mean
-- engine_score double: the same as the engine reduced it; empty where it does not say
with questions as (
    select checkpoint, benchmark, data, dataset_sha256, question, avg(score) as score, count(score) as scored,
        count(*) - count(score) as failed, max(engine_score) as engine_score
    from benchmark_samples
    group by all
)
select checkpoint, benchmark, data, dataset_sha256, count(score) as questions, sum(scored)::bigint as samples,
    sum(failed)::bigint as grader_errors, avg(score) as score, max(engine_score) as engine_score
from questions
group by all
order by checkpoint, benchmark, data, dataset_sha256
