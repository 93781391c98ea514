-- What answers in training earned on problems with each brick, the hardest bricks first: all kept rollouts whose problem is
-- in a training set, and those to problems of that brick alone. With whom a brick is composed shapes the first score.
-- Takes:
-- $run varchar = null: the one training run
-- $from_step bigint = 1: first step that counts
-- Gives:
-- name varchar: brick
-- theme varchar: its theme
-- responses bigint: answers to problems in which it stands
-- score double: their mean score
-- unparseable double: share of them without an answer that can be read
-- alone bigint: answers to problems of this brick alone
-- alone_score double: their mean score
-- solved_blind double: share that solvers answered rightly who saw only prompts; empty where none were asked
with known as (
    select reward_model.ground_truth as truth, min(environments) as bricks from training_sets group by 1
), answers as (
    select unnest(list_distinct(bricks)) as name, len(bricks) = 1 as alone, score, status = 'unparseable' as unread
    from rollouts join known on known.truth = rollouts.truth
    where ($run is null or rollouts.run = $run) and step >= $from_step
)
select name, theme, count(*) as responses, round(avg(score), 4) as score, round(avg(unread::int), 4) as unparseable,
    count(*) filter (answers.alone) as alone, round(avg(score) filter (answers.alone), 4) as alone_score,
    round(any_value(environments.solved_blind / nullif(solved_blind_of, 0)), 3) as solved_blind
from answers join environments using (name)
group by name, theme
order by score, name
