select grade, count(*) as bricks, count(distinct theme) as themes, sum(solved_blind) as solved_blind,
    sum(solved_blind_of) as solved_blind_of
from environments
group by all
order by all
