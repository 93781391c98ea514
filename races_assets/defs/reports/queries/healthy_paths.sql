select search, size, count(*) as paths, count(distinct environments[1]) as first_bricks
from filtered_paths
group by all
order by all
