select domain, codomain
from environments
order by name
