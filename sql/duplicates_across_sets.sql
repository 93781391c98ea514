-- How many prompts each two sets share, training sets and problem sets alike; a training set and a set to measure on should
-- share none. Pairs without a shared prompt are left out.
-- Gives:
-- first_set varchar: recipe, or problem set
-- second_set varchar: another one, later in the alphabet
-- first_prompts bigint: different prompts of the first
-- second_prompts bigint: different prompts of the second
-- shared bigint: prompts that both have
-- share double: shared, of the prompts of the smaller set
with prompts as (select distinct set_name, prompt from set_rows),
    sizes as (select set_name, count(*) as prompts from prompts group by set_name),
    pairs as (
        select one.set_name as first_set, other.set_name as second_set, count(*) as shared
        from prompts as one join prompts as other using (prompt)
        where one.set_name < other.set_name
        group by all
    )
select first_set, second_set, one.prompts as first_prompts, other.prompts as second_prompts, shared,
    round(shared / least(one.prompts, other.prompts), 4) as share
from pairs join sizes as one on one.set_name = first_set join sizes as other on other.set_name = second_set
order by shared desc, first_set, second_set
