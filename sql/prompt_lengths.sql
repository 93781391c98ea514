-- How long prompts are, by recipe, operator and size: in characters or, with `races query prompt_lengths --tokenizer FOLDER`,
-- in tokens, without those that a chat template adds.
-- Takes:
-- $recipe varchar = null: the one training set
-- $most bigint = 2048: length beyond which prompts are counted
-- Gives:
-- set_name varchar: training set
-- operator varchar: operator of the problems
-- size bigint: number of bricks to apply
-- rows bigint: how many problems
-- unit varchar: characters or tokens
-- mean double: mean length
-- median bigint: least length that half of the prompts do not exceed
-- most_of_them bigint: least length that 95 % of the prompts do not exceed
-- longest bigint: greatest length
-- beyond bigint: prompts that are longer than `most`
with lengths as (
    select training_sets.recipe as set_name, operator, size, text_length(prompt[1].content) as units
    from training_sets
    where $recipe is null or training_sets.recipe = $recipe
)
select set_name, operator, size, count(*) as rows, length_unit() as unit, round(avg(units), 1) as mean,
    quantile_disc(units, 0.5) as median, quantile_disc(units, 0.95) as most_of_them, max(units) as longest,
    count(*) filter (units > $most) as beyond
from lengths
group by set_name, operator, size
order by set_name, operator, size
