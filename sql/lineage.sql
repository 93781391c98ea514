-- Where each row of a training set comes from: row, problem, path, bricks and their fingerprints.
select training_sets.recipe, training_sets.id, training_sets.operator, training_sets.size, problems.path_id,
    problems.environments, problems.fingerprints
from training_sets join problems using (id)
order by training_sets.recipe, training_sets.id
