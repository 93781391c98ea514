select data, first, second, benchmark, difference, low, high, p, p_holm, questions, same_settings
from benchmark_differences
order by all
