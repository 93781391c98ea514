select matching, size, paths
from path_counts
order by all
