-- Where each row of a training set comes from: row, problem, path, bricks with fingerprints, and the runs and code versions
-- that made them. A run is the last one that made the table, or the partition of it; empty for what was made before there were
-- records.
-- Takes:
-- $recipe varchar = null: the one training set
-- $problem varchar = null: the one problem, by its id
-- Gives:
-- recipe varchar: training set
-- id varchar: problem
-- operator varchar: operator of the problem
-- size bigint: number of bricks to apply
-- set_run varchar: run that made the training set
-- set_code varchar: code version of training_sets then
-- dataset varchar: table of the problem; empty where it is stored no longer
-- problems_run varchar: run that generated the problem
-- problems_code varchar: code version of that table then
-- path_id varchar: path that the problem was made from, if any
-- search varchar: strategy that found the path; empty where filtered_paths does not have it
-- paths_run varchar: run that kept the path
-- paths_code varchar: code version of filtered_paths then
-- environments varchar[]: bricks in the order of the path
-- fingerprints varchar[]: their fingerprints when the problem was generated
-- outdated varchar[]: those bricks that have changed since, or are gone
with bricks as (
    select generated_problems.id, unnest(generated_problems.environments) as name,
        unnest(generated_problems.fingerprints) as fingerprint
    from generated_problems
), outdated as (
    select bricks.id, list(distinct bricks.name order by bricks.name) as names
    from bricks anti join environments using (name, fingerprint)
    group by bricks.id
)
select rows.recipe, rows.id, rows.operator, rows.size, sets.run_id as set_run, sets.code_version as set_code,
    generated_problems.dataset, problems.run_id as problems_run, problems.code_version as problems_code,
    generated_problems.path_id, filtered_paths.search,
    case when filtered_paths.search is not null then paths.run_id end as paths_run,
    case when filtered_paths.search is not null then paths.code_version end as paths_code,
    rows.environments, generated_problems.fingerprints, coalesce(outdated.names, []) as outdated
from training_sets as rows
    left join generated_problems on generated_problems.id = rows.id
    left join filtered_paths on filtered_paths.path_id = generated_problems.path_id
    left join outdated on outdated.id = rows.id
    left join latest_materializations as sets
        on sets.dataset = 'training_sets' and sets.part = 'recipe=' || rows.recipe
    left join latest_materializations as problems
        on problems.dataset = generated_problems.dataset and problems.part = generated_problems.part
    left join latest_materializations as paths on paths.dataset = 'filtered_paths'
where ($recipe is null or rows.recipe = $recipe) and ($problem is null or rows.id = $problem)
order by rows.recipe, rows.id
