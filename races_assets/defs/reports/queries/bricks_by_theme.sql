select theme, count(*) as bricks, avg(steps) as median_steps, avg(top_share) as best_constant
from environments
group by all
order by all
