-- Pairs of different problems, one of each set, with the same bricks in whatever order and nearly the same input. How near:
-- 1 minus the characters of JSON to insert, delete or replace from one input to the other, by the length of the longer. Give
-- one set twice for pairs within it. Problems that are stored no longer have no known input and are left out.
-- Takes:
-- $first varchar: recipe, or problem set
-- $second varchar: another one, or the same
-- $similarity double = 0.8: least similarity, from 0 to 1
-- Gives:
-- id varchar: problem of the first set
-- other_id varchar: problem of the second set
-- operator varchar: operator of the one
-- other_operator varchar: operator of the other
-- bricks varchar[]: bricks of both, in the order of the alphabet
-- similarity_found double: 1 where the inputs are the same
-- start varchar: JSON of the input of the one
-- other_start varchar: JSON of the input of the other
with inputs as (
    select distinct set_name, id, operator, list_sort(list_distinct(environments)) as bricks, start
    from set_rows
    where set_name in ($first, $second) and start is not null
), pairs as (
    select one.id, other.id as other_id, one.operator, other.operator as other_operator, one.bricks,
        -- Lengths alone rule out most pairs, at no cost.
        case when 1 - abs(length(one.start) - length(other.start)) / greatest(length(one.start), length(other.start), 1)
                >= $similarity
            then 1 - levenshtein(one.start, other.start) / greatest(length(one.start), length(other.start), 1)
            else 0.0 end as similarity_found,
        one.start, other.start as other_start
    from inputs as one join inputs as other on one.bricks = other.bricks
    where one.set_name = $first and other.set_name = $second
        and case when $first = $second then one.id < other.id else one.id <> other.id end
)
select id, other_id, operator, other_operator, bricks, similarity_found, start, other_start
from pairs
where similarity_found >= $similarity
order by similarity_found desc, id, other_id
