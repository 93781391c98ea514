-- How often each brick stands in a kept path, beside how often it was rejected.
-- Gives:
-- name varchar: brick
-- signature varchar: what it takes and gives
-- paths bigint: kept paths in which it stands, once for each time
-- rejections bigint: extensions by it that the search rejected
with used as (
    select unnest(environments) as name, count(*) as paths from filtered_paths group by 1
), rejected as (
    select environment as name, sum(extensions)::bigint as rejections from rejected_extensions group by 1
)
select environments.name, signature, coalesce(paths, 0) as paths, coalesce(rejections, 0) as rejections
from environments left join used using (name) left join rejected using (name)
order by paths desc, environments.name
