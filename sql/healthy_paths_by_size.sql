-- How many found paths are healthy composites, by search and number of bricks.
-- Gives:
-- search varchar: strategy of the search
-- size bigint: number of bricks
-- found bigint: paths that the search kept
-- kept bigint: those whose composite is healthy
-- share double: kept by found
with found as (select search, size, count(*) as found from discovered_paths group by all),
    kept as (select search, size, count(*) as kept from filtered_paths group by all)
select search, size, found, coalesce(kept, 0) as kept, round(coalesce(kept, 0) / found, 3) as share
from found left join kept using (search, size)
order by search, size
