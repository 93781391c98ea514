-- In what two training sets differ: rows of each operator and size, those that both have, mean levels and different bricks.
-- Takes:
-- $first varchar: recipe
-- $second varchar: another one
-- Gives:
-- operator varchar: operator of the problems
-- size bigint: number of bricks to apply
-- first_rows bigint: problems of the first
-- second_rows bigint: problems of the second
-- shared bigint: problems that both have
-- first_level double: mean level of the first; empty where it has no such problems
-- second_level double: mean level of the second
-- first_bricks bigint: different bricks of the first
-- second_bricks bigint: different bricks of the second
with rows as (
    select operator, size, id, level, environments, recipe = $first as in_first, recipe = $second as in_second
    from training_sets
    where recipe in ($first, $second)
), cells as (
    select operator, size, count(*) filter (in_first) as first_rows, count(*) filter (in_second) as second_rows,
        round(avg(level) filter (in_first), 2) as first_level, round(avg(level) filter (in_second), 2) as second_level,
        len(list_distinct(flatten(list(environments) filter (in_first)))) as first_bricks,
        len(list_distinct(flatten(list(environments) filter (in_second)))) as second_bricks
    from rows
    group by operator, size
), both_sets as (
    select operator, size, count(*) as shared
    from (select operator, size, id from rows group by all having bool_or(in_first) and bool_or(in_second)) as each_one
    group by operator, size
)
select operator, size, first_rows, second_rows, coalesce(shared, 0) as shared, first_level, second_level,
    coalesce(first_bricks, 0) as first_bricks, coalesce(second_bricks, 0) as second_bricks
from cells left join both_sets using (operator, size)
order by operator, size
