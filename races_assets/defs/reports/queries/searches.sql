select pool, matching, search, size, found, healthy, bricks_used, bricks, type_pairs_used, evenness
from search_comparison
order by all
