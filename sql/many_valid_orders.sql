-- The problems of SORT and SELECT that have more than one right answer, those with most first.
-- Takes:
-- $operator varchar = null: sort or select
-- $least bigint = 2: right answers that a problem must have
-- Gives:
-- id varchar: problem
-- operator varchar: sort or select
-- size bigint: number of bricks to order
-- level bigint: level of the inputs
-- valid_answers bigint: right answers
-- feasible_answers bigint: answers that the printed types, execution and the form of the output leave open
-- chance double: the most that a guess among those earns, in SELECT at its best length
-- environments varchar[]: bricks in the order of the path
select id, problems.operator, size, level, valid_answers, feasible_answers, chance, environments
from problems
where problems.operator in ('sort', 'select') and valid_answers >= $least
    and ($operator is null or problems.operator = $operator)
order by valid_answers desc, id
