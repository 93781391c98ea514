-- Why extensions of paths were not kept: how many by search and reason, and their share of all rejections.
select search, reason, sum(extensions) as extensions, round(sum(extensions) / sum(sum(extensions)) over (partition by search), 4) as share
from rejected_extensions
group by search, reason
order by search, extensions desc
