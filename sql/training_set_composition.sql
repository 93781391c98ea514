-- What a training set is made of: rows, mean prompt length and mean level by recipe, operator and size.
select recipe, operator, size, count(*) as rows, round(avg(prompt_characters)) as prompt_characters, round(avg(level), 2) as level
from training_sets
group by recipe, operator, size
order by recipe, operator, size
