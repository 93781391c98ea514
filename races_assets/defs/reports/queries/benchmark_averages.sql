select data, checkpoint, baseline, average, low, high, mean_of_six, same_settings
from benchmark_averages
order by all
