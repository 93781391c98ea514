-- Checkpoints against one another on the same questions of benchmarks: the second minus the first, paired by question.
-- Takes:
-- $checkpoint varchar = null: the one of which every pair is wanted
-- $data varchar = null: the one kind of data: official size, partial or mini (invented)
-- Gives:
-- data varchar: official size, partial or mini (invented), whose scores mean nothing
-- first varchar: base model, run or endpoint
-- second varchar: what is compared with it
-- benchmark varchar: benchmark
-- first_score double: score of the first
-- second_score double: score of the second
-- difference double: second minus first
-- low double: lower end of its 95 % interval over questions; empty where there is none
-- high double: upper end of it
-- p double: two-sided, of the paired sign-flip test
-- p_holm double: the same after Holm over the benchmarks of the pair
-- questions bigint: questions
-- same_settings boolean: whether both answered with the same settings
select kept.data, kept.first, kept.second, kept.benchmark, round(kept.first_score, 4) as first_score,
    round(kept.second_score, 4) as second_score, round(kept.difference, 4) as difference, round(kept.low, 4) as low,
    round(kept.high, 4) as high, round(kept.p, 4) as p, round(kept.p_holm, 4) as p_holm, kept.questions,
    kept.same_settings
from benchmark_differences as kept
where ($checkpoint is null or $checkpoint in (kept.first, kept.second)) and ($data is null or kept.data = $data)
order by kept.data, kept.first, kept.second, kept.benchmark
