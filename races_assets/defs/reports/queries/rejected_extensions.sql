select search, reason, sum(extensions)::bigint as extensions
from rejected_extensions
group by all
order by search, extensions desc, reason
