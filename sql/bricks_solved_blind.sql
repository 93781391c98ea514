-- How solvers fared who saw only the prompts: the hardest bricks first. Bricks that were not given to any are left out.
-- Gives:
-- name varchar: brick
-- theme varchar: its theme
-- grade varchar: what a solver must know
-- solved bigint: problems that were answered rightly
-- given bigint: problems that were given
-- share double: solved by given
select name, theme, grade, solved_blind as solved, solved_blind_of as given,
    round(solved_blind / solved_blind_of, 3) as share
from environments
where solved_blind_of > 0
order by share, given desc, name
