-- Why extensions by each brick were not kept: how many by reason, and their share of the rejections of the brick.
-- Takes:
-- $brick varchar = null: the one brick
-- Gives:
-- environment varchar: brick that was tried
-- reason varchar: why the extension was not kept
-- extensions bigint: how many
-- share double: of all rejections of the brick
select environment, reason, sum(extensions)::bigint as extensions,
    round(sum(extensions) / sum(sum(extensions)) over (partition by environment), 4) as share
from rejected_extensions
where $brick is null or environment = $brick
group by environment, reason
order by environment, extensions desc, reason
