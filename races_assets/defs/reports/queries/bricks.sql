select name, signature, statement, fingerprint
from environments
order by name
