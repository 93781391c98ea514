select data, checkpoint, benchmark, value, low, high, questions, samples, grader_errors, dataset_sha256,
    question_set
from benchmark_scores
where measure = 'score' and subset = 'all'
order by data, benchmark, question_set, checkpoint
