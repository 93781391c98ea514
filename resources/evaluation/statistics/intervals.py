"""Scores with their uncertainty. The unit of analysis is the question, not the sample.

Samples are the values of each question's samples, by question id. Treating n questions with k samples each as n * k
independent values would be wrong: more samples are not more questions. After E. Miller, "Adding Error Bars to Evals"
(arXiv 2411.00640). Every draw is seeded by its purpose, and results do not depend on the order of the questions.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from races.environments.errors import InvalidValue, SettingError
from races.environments.seeding import key_of
from races.resources.extras import LazyPackage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyPackage("numpy", "report")

Samples: TypeAlias = Mapping[str, Sequence[float]]
Clusters: TypeAlias = Mapping[str, str]  # by question; one that is missing is its own cluster
Floats: TypeAlias = "NDArray[np.float64]"

LEVEL = 0.95
RESAMPLES = 10_000
RESAMPLES_PER_BATCH = 250  # in memory at once
MIN_EXPECTED_COUNT = 5  # of successes and of failures; with fewer, Wilson's interval replaces Student's t

# The paper's columns: each is the mean of its benchmarks, and their mean is the headline average.
COLUMNS = {
    "LiveCodeBench": ("livecodebench",),
    "Enigmata": ("enigmata",),
    "LongBench-v2": ("longbench_v2",),
    "IFEval": ("ifeval",),
    "AIME": ("aime_2024", "aime_2025"),
}


@dataclass(frozen=True)
class Estimate:
    """A mean over questions with its standard error and an interval.

    None stands for what cannot be estimated: with one cluster there is no error, and no interval but Wilson's.
    """

    value: float
    error: float | None  # standard error, cluster-robust
    low: float | None
    high: float | None
    method: str  # of the interval: t or wilson
    bootstrap_low: float | None  # percentiles of the cluster bootstrap
    bootstrap_high: float | None
    within: float | None  # variance of the mean that more samples would reduce
    between: float | None  # variance of the mean that more questions would reduce
    questions: int
    clusters: int
    samples: int


@dataclass(frozen=True)
class Difference:
    """Second minus first, paired by question: mean, standard error, t interval, two-sided sign-flip p value."""

    value: float
    error: float | None
    low: float | None
    high: float | None
    p: float
    questions: int
    clusters: int


@dataclass(frozen=True)
class Average:
    """A mean of columns with its standard error and a percentile bootstrap interval."""

    value: float
    error: float
    low: float
    high: float
    columns: Mapping[str, float]


def question_means(samples: Samples) -> dict[str, float]:
    """The mean over the samples of each question, in order of the ids."""
    if not samples or not all(samples.values()):
        raise InvalidValue("expected questions with at least one sample each, got a question or a set without any")
    return {question: math.fsum(samples[question]) / len(samples[question]) for question in sorted(samples)}


def estimate(samples: Samples, clusters: Clusters | None = None, *purpose: Any, level: float = LEVEL) -> Estimate:
    """The mean over questions of the mean over samples, of values in [0, 1]; also for rates, from 1s and 0s.

    purpose: seeds the bootstrap.
    """
    means = question_means(samples)
    sums, sizes = _by_cluster(means, clusters or {})
    value, error = _mean(sums, sizes)
    low, high, method = *_interval(value, error, len(sums), level), "t"
    if len(sums) * min(value, 1 - value) < MIN_EXPECTED_COUNT:
        low, high, method = *wilson(value, len(sums), level), "wilson"
    resampled = _bootstrap_means(sums, sizes, "estimate", *purpose) if len(sums) > 1 else None
    within, between = _variances(samples, means)
    return Estimate(
        value=value,
        error=error,
        low=low,
        high=high,
        method=method,
        bootstrap_low=None if resampled is None else _quantile(resampled, (1 - level) / 2),
        bootstrap_high=None if resampled is None else _quantile(resampled, (1 + level) / 2),
        within=within,
        between=between,
        questions=len(means),
        clusters=len(sums),
        samples=sum(map(len, samples.values())),
    )


def wilson(value: float, count: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a proportion of `count` trials; the number of successes need not be an integer."""
    from scipy import stats  # here and below: it takes a second, and the asset graph loads without it

    z = float(stats.norm.ppf((1 + level) / 2))
    centre = value + z * z / (2 * count)
    spread = z * math.sqrt(value * (1 - value) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # At 0 and 1 the two terms are equal up to rounding.
    low = 0.0 if value == 0 else (centre - spread) / scale
    return low, 1.0 if value == 1 else (centre + spread) / scale


def pass_at_k(total: int, right: int, k: int) -> float:
    """The probability that k of `total` samples, `right` of them right, contain a right one: the unbiased estimator."""
    if not 0 <= right <= total or not 1 <= k <= total:
        raise InvalidValue(f"expected 0 <= right <= total and 1 <= k <= total, got {right=}, {total=}, {k=}")
    return 1 - math.comb(total - right, k) / math.comb(total, k)


def pass_rates(samples: Samples, k: int) -> dict[str, tuple[float]]:
    """pass@k of each question, as samples for `estimate`; a sample passes if its value is 1."""
    return {question: (pass_at_k(len(each), sum(v == 1 for v in each), k),) for question, each in samples.items()}


def majority(answers: Sequence[str | None], values: Sequence[float]) -> float:
    """maj@k of a question: the value of the most frequent answer; ties are averaged, as if broken at random.

    A missing answer (None) is no vote. Equal answers have equal values.
    """
    votes = Counter(answer for answer in answers if answer is not None)
    if not votes:
        return 0.0
    worth = dict(zip(answers, values, strict=True))
    leaders = [worth[answer] for answer, count in votes.items() if count == max(votes.values())]
    return math.fsum(leaders) / len(leaders)


def difference(
    first: Samples, second: Samples, clusters: Clusters | None = None, *purpose: Any, level: float = LEVEL
) -> Difference:
    """The paired difference of two checkpoints; raises InvalidValue where their questions differ.

    p: under the hypothesis that the sign of each cluster's difference is random; exact for few clusters.
    """
    sums, sizes = _by_cluster(_paired_differences(first, second), clusters or {})
    value, error = _mean(sums, sizes)
    low, high = _interval(value, error, len(sums), level)
    return Difference(value, error, low, high, _sign_flip(sums, *purpose), round(sizes.sum()), len(sums))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p values, which control the family-wise error rate."""
    adjusted, highest = {}, 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def column_means(scores: Mapping[str, float]) -> dict[str, float]:
    """The five columns of the paper from the scores of the six benchmarks; SettingError where one is missing."""
    missing = [name for names in COLUMNS.values() for name in names if name not in scores]
    if missing:
        raise SettingError(f"expected the scores of all six benchmarks, got none of {', '.join(missing)}")
    return {column: math.fsum(scores[name] for name in names) / len(names) for column, names in COLUMNS.items()}


def headline(scores: Mapping[str, float]) -> float:
    """The paper's average: the mean of its five columns, the two AIMEs making one."""
    return math.fsum(column_means(scores).values()) / len(COLUMNS)


def average(
    samples: Mapping[str, Samples],
    clusters: Mapping[str, Clusters] | None = None,
    *purpose: Any,
    level: float = LEVEL,
) -> Average:
    """The headline average; the questions (or clusters) of each benchmark are resampled independently."""
    return _average({name: question_means(each) for name, each in samples.items()}, clusters or {}, level, *purpose)


def average_difference(
    first: Mapping[str, Samples],
    second: Mapping[str, Samples],
    clusters: Mapping[str, Clusters] | None = None,
    *purpose: Any,
    level: float = LEVEL,
) -> Average:
    """The difference of two headline averages, paired by question."""
    if first.keys() != second.keys():
        raise InvalidValue(f"expected the same benchmarks, got {sorted(first)} and {sorted(second)}")
    return _average(
        {name: _paired_differences(first[name], second[name]) for name in first}, clusters or {}, level, *purpose
    )


def _average(
    values: Mapping[str, Mapping[str, float]], clusters: Mapping[str, Clusters], level: float, *purpose: Any
) -> Average:
    columns = column_means({name: math.fsum(each.values()) / len(each) for name, each in values.items()})
    drawn = np.zeros(RESAMPLES)
    variance = 0.0
    for names in COLUMNS.values():
        for name in names:
            sums, sizes = _by_cluster(values[name], clusters.get(name, {}))
            weight = 1 / (len(COLUMNS) * len(names))
            drawn += weight * _bootstrap_means(sums, sizes, "average", name, *purpose)
            variance += (weight * (_mean(sums, sizes)[1] or 0.0)) ** 2
    low, high = _quantile(drawn, (1 - level) / 2), _quantile(drawn, (1 + level) / 2)
    return Average(math.fsum(columns.values()) / len(columns), math.sqrt(variance), low, high, columns)


def _paired_differences(first: Samples, second: Samples) -> dict[str, float]:
    if first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise InvalidValue(f"expected the same questions of both, got {len(odd)} of only one, such as {odd[0]!r}")
    before, after = question_means(first), question_means(second)
    return {question: after[question] - before[question] for question in before}


def _by_cluster(values: Mapping[str, float], clusters: Clusters) -> tuple[Floats, Floats]:
    """Sum of the values and number of the questions of each cluster."""
    members: dict[tuple[bool, str], list[float]] = defaultdict(list)
    for question in sorted(values):
        members[question in clusters, clusters.get(question, question)].append(values[question])
    return np.array([math.fsum(each) for each in members.values()]), np.array([float(len(m)) for m in members.values()])


def _mean(sums: Floats, sizes: Floats) -> tuple[float, float | None]:
    """The mean over questions and its cluster-robust standard error; sd / sqrt(n) if each question is a cluster."""
    count, value = len(sums), math.fsum(sums) / math.fsum(sizes)
    if count < 2:
        return value, None
    deviations = sums - value * sizes
    return value, math.sqrt(count / (count - 1) * math.fsum(deviations**2)) / math.fsum(sizes)


def mean_interval(
    values: Sequence[float], level: float = LEVEL
) -> tuple[float, float | None, float | None, float | None]:
    """Mean, standard error, and the two ends of the interval by Student's t; of one value, the mean alone."""
    value, error = _mean(np.array(values), np.ones(len(values)))
    return value, error, *_interval(value, error, len(values), level)


def _interval(value: float, error: float | None, count: int, level: float) -> tuple[float | None, float | None]:
    if error is None:
        return None, None
    from scipy import stats

    half = float(stats.t.ppf((1 + level) / 2, count - 1)) * error
    return value - half, value + half


def _variances(samples: Samples, means: Mapping[str, float]) -> tuple[float | None, float | None]:
    if len(means) < 2 or any(len(each) < 2 for each in samples.values()):
        return None, None
    total = float(np.var(list(means.values()), ddof=1)) / len(means)
    noise = math.fsum(float(np.var(samples[each], ddof=1)) / len(samples[each]) for each in means)
    within = noise / len(means) ** 2
    return within, max(0.0, total - within)


def _bootstrap_means(sums: Floats, sizes: Floats, *purpose: Any) -> Floats:
    """Means over clusters that are resampled with replacement."""
    from scipy import stats

    if len(sums) == 1:
        return np.full(RESAMPLES, sums[0] / sizes[0])
    result = stats.bootstrap(
        (sums, sizes),
        lambda some, of, axis: some.sum(axis) / of.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=RESAMPLES_PER_BATCH,
        method="percentile",
        rng=_generator("bootstrap", *purpose),
    )
    drawn: Floats = result.bootstrap_distribution
    return drawn


def _sign_flip(sums: Floats, *purpose: Any) -> float:
    """The share of sign flips that are as extreme: of all flips, or of RESAMPLES random ones and the identity.

    scipy's permutation_test is many times slower.
    """
    changed = sums[sums != 0]  # zeros stay zeros under every flip
    if len(sums) < 2 or not len(changed):
        return 1.0  # both signs are equally extreme
    least = abs(math.fsum(changed)) - 1e-12 * float(np.abs(changed).sum())
    if 2 ** len(changed) <= RESAMPLES:
        flips = np.arange(2 ** len(changed))[:, None] >> np.arange(len(changed)) & 1
        return float(np.mean(np.abs((1.0 - 2 * flips) @ changed) >= least))
    rng, extreme = _generator("sign flip", *purpose), 1  # the identity counts
    for _ in range(RESAMPLES // RESAMPLES_PER_BATCH):
        flips = rng.integers(0, 2, (RESAMPLES_PER_BATCH, len(changed)), np.int8)
        extreme += int(np.count_nonzero(np.abs((1.0 - 2 * flips) @ changed) >= least))
    return extreme / (RESAMPLES + 1)


def _quantile(values: Floats, share: float) -> float:
    return float(np.quantile(values, share))


def _generator(*purpose: Any) -> "np.random.Generator":
    return np.random.default_rng(int(key_of("benchmark statistics", *purpose), 16))
