select d.checkpoint, d.unseen, coalesce(d.operator, d.grain) as operator, d.problems, d.base_score, d.score,
    d.difference, d.low, d.high, parameters
from heldout_differences d
left join checkpoints c on c.run = d.checkpoint
where d.grain <> 'operator and size'
order by d.checkpoint, d.unseen, d.operator nulls first
