-- How open SORT and SELECT are: right answers, allowed answers and the chance of a guess, by size.
-- Gives:
-- operator varchar: sort or select
-- size bigint: number of bricks to order
-- problems bigint: how many there are
-- valid_answers double: mean number of right answers
-- feasible_answers double: mean number of answers that types or execution allow
-- chance double: mean chance of a guesser who respects types
select operator, size, count(*) as problems, round(avg(valid_answers), 2) as valid_answers,
    round(avg(feasible_answers), 1) as feasible_answers, round(avg(chance), 3) as chance
from problems
where operator in ('sort', 'select')
group by operator, size
order by operator, size
