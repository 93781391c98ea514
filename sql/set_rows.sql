-- Every row of the training sets and of the problem sets under one name for either: what the comparisons of sets read.
-- Gives:
-- set_name varchar: recipe, or problem set
-- id varchar: problem
-- operator varchar: operator of the problem
-- size bigint: number of bricks to apply
-- level bigint: level of the inputs
-- environments varchar[]: bricks in the order of the path
-- start varchar: JSON of the input; empty where the problem of a training set is stored no longer
-- prompt varchar: what the model is shown
select recipe as set_name, training_sets.id, training_sets.operator, training_sets.size, training_sets.level,
    training_sets.environments, generated_problems.start, prompt[1].content as prompt
from training_sets left join generated_problems using (id)
union all
select problem_set as set_name, id, operator, size, level, environments, start, prompt
from problem_sets
