select run, backend, base, recipe, parameters, last_step, reward_first, reward_last, reward_gain_error
from checkpoints
order by run
