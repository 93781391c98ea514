-- How often the limit of tokens ended an answer, or the prompt was cut to fit, and what such answers earn.
-- Takes:
-- $checkpoint varchar = null: the one base model, run or endpoint
-- Gives:
-- data varchar: official size, partial or mini (invented), whose scores mean nothing
-- benchmark varchar: benchmark
-- model varchar: base model, run or endpoint
-- samples bigint: answers
-- truncated double: share of them that the limit ended
-- truncated_score double: mean score of those; empty where there are none
-- ended_score double: mean score of the others
-- prompt_cut double: share of the prompts whose middle was left out
-- tokens double: mean length of an answer; empty where the server does not say
-- most_tokens bigint: length of the longest
-- dataset_sha256 varchar: hash of the benchmark's files
-- settings_hash varchar: hash of the settings
select given.data, given.benchmark, given.checkpoint as model, count(*) as samples,
    round(avg(given.truncated::int), 4) as truncated,
    round(avg(given.score) filter (given.truncated), 4) as truncated_score,
    round(avg(given.score) filter (not given.truncated), 4) as ended_score,
    round(avg(given.prompt_cut::int), 4) as prompt_cut,
    round(avg(given.completion_tokens) filter (given.completion_tokens >= 0), 1) as tokens,
    max(given.completion_tokens) filter (given.completion_tokens >= 0) as most_tokens,
    given.dataset_sha256, given.settings_hash
from benchmark_samples as given
where $checkpoint is null or given.checkpoint = $checkpoint
group by given.data, given.benchmark, given.checkpoint, given.dataset_sha256, given.settings_hash
order by given.data, given.benchmark, given.checkpoint, given.dataset_sha256, given.settings_hash
