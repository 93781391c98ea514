-- How open SORT and SELECT are: right answers, answers left open and the chance of a guess, by size.
-- Gives:
-- operator varchar: sort or select
-- size bigint: number of bricks to order
-- problems bigint: how many there are
-- valid_answers double: mean number of right answers
-- feasible_answers double: mean number of answers that the printed types, execution and the form of the output leave open
-- chance double: mean of the most that a guess among those earns, in SELECT at its best length
select operator, size, count(*) as problems, round(avg(valid_answers), 2) as valid_answers,
    round(avg(feasible_answers), 1) as feasible_answers, round(avg(chance), 3) as chance
from problems
where operator in ('sort', 'select')
group by operator, size
order by operator, size
