-- What a checkpoint earns on held-out problems with each brick, the hardest bricks first.
-- Takes:
-- $checkpoint varchar = null: the one run or base model
-- Gives:
-- model varchar: run or base model
-- name varchar: brick
-- problems bigint: held-out problems in which it stands, and that could be scored
-- score double: mean score of the answers
with answers as (
    select heldout_scores.checkpoint as model, unnest(list_distinct(generated_problems.environments)) as name, score
    from heldout_scores join generated_problems using (id)
    where score is not null and ($checkpoint is null or heldout_scores.checkpoint = $checkpoint)
)
select model, name, count(*) as problems, round(avg(score), 4) as score
from answers
group by model, name
order by model, score, name
