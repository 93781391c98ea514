-- Who made each table, or each partition of it, as it is now: the last row of materializations.
-- Gives:
-- dataset varchar: table
-- part varchar: partition of it, as in its path; empty where it was made as a whole
-- run_id varchar: run of Dagster
-- code_version varchar: version of the asset's code
-- data_version varchar: hash of the rows
-- rows bigint: how many
-- changed boolean: whether the run changed a byte
-- made timestamp: when, in UTC
select distinct on (dataset, part) dataset, part, run_id, code_version, data_version, rows, changed, made
from materializations
order by dataset, part, made desc, run_id
