-- Which themes a training set has: problems with a brick of the theme, and how often its bricks are applied.
-- Gives:
-- recipe varchar: training set
-- theme varchar: theme of bricks
-- rows bigint: problems in which a brick of the theme stands
-- share double: of all problems of the set
-- bricks bigint: different bricks of the theme in the set
-- steps bigint: times that a brick of the theme is applied
with steps as (select recipe, id, unnest(environments) as name from training_sets),
    totals as (select recipe, count(*) as total from training_sets group by recipe)
select recipe, theme, count(distinct id) as rows, round(count(distinct id) / any_value(total), 4) as share,
    count(distinct name) as bricks, count(*) as steps
from steps join environments using (name) join totals using (recipe)
group by recipe, theme
order by recipe, rows desc, theme
