-- What two checkpoints answered to a benchmark, side by side by question and sample, where their scores differ first.
-- Takes:
-- $first varchar: base model, run or endpoint
-- $second varchar: another one
-- $benchmark varchar: benchmark
-- $question varchar = null: the one question
-- Gives:
-- data varchar: official size, partial or mini (invented): the same for both
-- question varchar: question of the benchmark
-- sample bigint: number of the sample
-- first_score double: what the first one's answer earns; empty where the grader failed
-- second_score double: what the second one's earns
-- first_extracted varchar: answer that was read from the text
-- second_extracted varchar: the same of the second
-- first_response varchar: what the first wrote
-- second_response varchar: what the second wrote
-- prompt varchar: messages that the first was sent, as JSON; long texts are shortened
-- same_prompt boolean: whether the second was sent the same
select one.data, one.question, one.sample, one.score as first_score, other.score as second_score,
    one.extracted as first_extracted, other.extracted as second_extracted, one.response as first_response,
    other.response as second_response, one.prompt, one.prompt_hash = other.prompt_hash as same_prompt
from benchmark_samples as one join benchmark_samples as other
    on one.benchmark = other.benchmark and one.data = other.data and one.dataset_sha256 = other.dataset_sha256
        and one.question = other.question and one.sample = other.sample
where one.checkpoint = $first and other.checkpoint = $second and one.benchmark = $benchmark
    and ($question is null or one.question = $question)
order by one.score is not distinct from other.score, one.data, one.question, one.sample
