-- The results of the paper (arXiv 2606.12373) in its five columns, in percent. None of them was measured here.
-- Takes:
-- $model varchar = null: the one model
-- Gives:
-- started_from varchar: model that training started from
-- training varchar: base, individual or RACES
-- environments bigint: number of environments; 0 for the base model
-- operators varchar: operators, where not those of the main set-up
-- size bigint: the one number of environments that are composed, where there is one
-- note varchar: further notes
-- livecodebench double: LiveCodeBench; empty, like the other columns, where the paper has no result
-- enigmata double: Enigmata
-- longbench_v2 double: LongBench-v2
-- ifeval double: IFEval
-- aime double: mean of AIME 2024 and 2025
-- average double: mean of the five columns
-- gain double: average minus that of the base model
with lines as (
    select paper_results.model as started_from, training, environments, operators, size, note,
        max(points) filter (benchmark = 'LiveCodeBench') as livecodebench,
        max(points) filter (benchmark = 'Enigmata') as enigmata,
        max(points) filter (benchmark = 'LongBench-v2') as longbench_v2,
        max(points) filter (benchmark = 'IFEval') as ifeval,
        max(points) filter (benchmark = 'AIME') as aime,
        max(points) filter (benchmark = 'average') as average
    from paper_results
    where $model is null or paper_results.model = $model
    group by all
), bases as (
    select started_from, average as base from lines where training = 'base'
)
select lines.*, round(average - base, 1) as gain
from lines left join bases on lines.started_from = bases.started_from
order by lines.started_from, training <> 'base', training, environments, size nulls first, note
