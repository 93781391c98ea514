-- How the score of kept rollouts grows over training, by run, operator and size, in stretches of steps.
-- Takes:
-- $run varchar = null: the one training run
-- $stretch bigint = 20: steps that are taken together
-- Gives:
-- name varchar: training run
-- operator varchar: operator of the problems; empty where the set no longer has them
-- size bigint: number of bricks; 0 where it is not known
-- first_step bigint: first step of the stretch
-- last_step bigint: last step of it that has rollouts
-- responses bigint: answers that were kept
-- score double: their mean score
-- right_share double: share of them that score 1
-- unparseable double: share of them without an answer that can be read
select rollouts.run as name, operator, size, (step - 1) // $stretch * $stretch + 1 as first_step,
    max(step) as last_step, count(*) as responses, round(avg(score), 4) as score,
    round(avg((score = 1)::int), 4) as right_share, round(avg((status = 'unparseable')::int), 4) as unparseable
from rollouts
where $run is null or rollouts.run = $run
group by all
order by name, operator, size, first_step
