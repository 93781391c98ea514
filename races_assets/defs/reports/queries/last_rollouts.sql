select run, step, score, status, prompt, response
from rollouts
qualify row_number() over (partition by run order by step desc, score desc, prompt, response) <= 2
    or row_number() over (partition by run order by step desc, score, prompt, response) <= 2
order by run, score desc, prompt, response
