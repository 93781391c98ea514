select measure, problems, base, individual, composites, difference, low, high, seed_low, seed_high
from micro_experiment
order by measure
