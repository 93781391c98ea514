select model, training, environments, size, note, benchmark, points
from paper_results
order by all
