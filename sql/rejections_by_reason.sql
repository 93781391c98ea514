-- Why extensions of paths were not kept: how many by search and reason, and their share of all rejections.
-- Gives:
-- search varchar: strategy of the search
-- reason varchar: why the extension was not kept
-- extensions bigint: how many
-- share double: of all rejections of the search
select search, reason, sum(extensions)::bigint as extensions,
    round(sum(extensions) / sum(sum(extensions)) over (partition by search), 4) as share
from rejected_extensions
group by search, reason
order by search, extensions desc, reason
