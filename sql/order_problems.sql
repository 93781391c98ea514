-- How open SORT and SELECT are: right answers, allowed answers and the chance of a guess, by size.
select operator, size, count(*) as problems, round(avg(valid_answers), 2) as valid_answers, round(avg(feasible_answers), 1) as feasible_answers,
    round(avg(chance), 3) as chance
from problems
where operator in ('sort', 'select')
group by operator, size
order by operator, size
