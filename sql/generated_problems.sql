-- Every generated problem, for training or to measure on, once: where the other saved queries look problems up.
-- Gives:
-- id varchar: problem
-- operator varchar: operator that generated it
-- size bigint: number of bricks to apply
-- level bigint: level of the inputs
-- environments varchar[]: bricks in the order of the path
-- fingerprints varchar[]: their fingerprints when it was generated
-- start varchar: JSON of the input
-- path_id varchar: path that it was made from, if any
-- dataset varchar: table that has it
-- part varchar: partition of the table
with both_tables as (
    select id, operator, size, level, environments, fingerprints, start, path_id, 'problems' as dataset,
        'operator=' || operator as part
    from problems
    union all
    select id, operator, size, level, environments, fingerprints, start, path_id, 'problem_sets' as dataset,
        'problem_set=' || problem_set as part
    from problem_sets
)
select distinct on (id) *
from both_tables
order by id, dataset desc, part
