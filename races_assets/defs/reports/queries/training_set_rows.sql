select recipe, operator, min(size) as from_size, max(size) as to_size, count(*) as rows, avg(level) as level,
    avg(prompt_characters) as prompt_characters
from training_sets
group by all
order by all
