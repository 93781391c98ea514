-- What a training set is made of: rows, mean prompt length and mean level by recipe, operator and size.
-- Gives:
-- recipe varchar: training set
-- operator varchar: operator of the problems
-- size bigint: number of bricks to apply
-- rows bigint: how many problems
-- prompt_characters double: mean length of a prompt
-- level double: mean level of the inputs
select recipe, operator, size, count(*) as rows, round(avg(prompt_characters)) as prompt_characters,
    round(avg(level), 2) as level
from training_sets
group by recipe, operator, size
order by recipe, operator, size
