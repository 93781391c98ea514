select run, step, reward, parameters
from training_runs join checkpoints using (run)
order by run, step
