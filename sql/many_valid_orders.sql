-- The problems of SORT and SELECT that have more than one right answer, those with most first.
-- Takes:
-- $operator varchar = null: sort or select
-- $least bigint = 2: right answers that a problem must have
-- Gives:
-- id varchar: problem
-- operator varchar: sort or select
-- size bigint: number of bricks to order
-- level bigint: level of the inputs
-- valid_answers bigint: right answers that were counted
-- feasible_answers bigint: answers that types or execution allow
-- chance double: what a guesser who respects types earns
-- environments varchar[]: bricks in the order of the path
select id, problems.operator, size, level, valid_answers, feasible_answers, chance, environments
from problems
where problems.operator in ('sort', 'select') and valid_answers >= $least
    and ($operator is null or problems.operator = $operator)
order by valid_answers desc, id
