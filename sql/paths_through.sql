-- The healthy paths that have a certain step: of a brick, from a type, to a type, or all of these together.
-- Takes:
-- $brick varchar = null: brick of the step
-- $given varchar = null: type of the value that goes into the step
-- $gives varchar = null: type of the value that comes out of it
-- Gives:
-- path_id varchar: path
-- search varchar: strategy that found it
-- size bigint: number of bricks
-- level bigint: level of the start value
-- places bigint[]: which steps fit, the first being 1
-- environments varchar[]: bricks in order
-- types varchar[]: types of the start value and of every output
-- start varchar: JSON of the start value
-- top_share double: share of the commonest final answer on fresh inputs
with steps as (
    select filtered_paths.path_id as path, unnest(range(1, size + 1)) as place, unnest(environments) as name,
        unnest(types[:-2]) as domain, unnest(types[2:]) as codomain
    from filtered_paths
), found as (
    select path, list(place order by place) as places
    from steps
    where ($brick is null or name = $brick) and ($given is null or domain = $given)
        and ($gives is null or codomain = $gives)
    group by path
)
select path_id, search, size, level, places, environments, types, start, top_share
from filtered_paths join found on path = path_id
order by size desc, path_id
