select rule, count(*) filter (kept) as kept, count(*) filter (not kept) as broken
from audits
group by all
order by all
