-- What the last rebuild that found a brick changed did: the bricks, then each table or partition that was made since, with
-- how many rows that replaced.
-- Gives:
-- what varchar: brick or table
-- name varchar: brick, or table with its partition
-- change varchar: added, changed, renamed or removed; of a table whether it changed or is the same
-- old_name varchar: name of the brick before; empty for tables
-- old_fingerprint varchar: of the brick before
-- fingerprint varchar: of the brick now
-- rows_kept bigint: rows of the table that are as they were
-- rows_new bigint: rows that were not there
-- rows_gone bigint: rows that are there no longer; an edited row is a new one and a gone one
-- run_id varchar: run of Dagster
-- made timestamp: when, in UTC
with last as (
    select changes.*, materializations.made
    from changes left join materializations on materializations.dataset = 'changes' and materializations.run_id = changes.run_id
    where rebuild = (select max(rebuild) from changes)
), since as (
    select max(made) as made from materializations
    where dataset = 'environments' and changed and made <= (select max(made) from last)
)
select 'brick' as what, name, change, old_name, old_fingerprint, fingerprint,
    null::bigint as rows_kept, null::bigint as rows_new, null::bigint as rows_gone, run_id, made
from last
union all
select 'table', trim(dataset || ' ' || part), case when changed then 'changed' else 'the same' end, null, null, null,
    rows - rows_new, rows_new, rows_gone, run_id, made
from materializations
where made >= (select made from since)
order by what, made, name, run_id
