select recipe, operator, prompt[1].content as prompt
from training_sets
qualify row_number() over (partition by recipe, operator order by size, id) = 1
order by recipe, operator
