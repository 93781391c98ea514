"""Scores with their uncertainty. The unit is the question, not the sample.

Samples are given as the values of each question's samples, by the question's id. Treating n questions with k samples as
n * k independent values would be wrong: more samples do not make more questions. After E. Miller, "Adding Error Bars to
Evals" (arXiv 2411.00640). Every draw is seeded from what it is for, and the order of the questions changes nothing.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from races.environments.errors import InvalidValue, SettingError
from races.environments.seeding import key_of

Samples: TypeAlias = Mapping[str, Sequence[float]]
Clusters: TypeAlias = Mapping[str, str]  # what each question shares with others; a question that is missing is alone
Floats: TypeAlias = NDArray[np.float64]

LEVEL = 0.95
DRAWS = 10_000
BATCH = 250  # draws in memory at once
FEW = 5  # Wilson's interval below so many expected successes or failures, where Student's t goes wrong

# The paper's columns: the mean of each of these makes one, and the mean of the five is its average.
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

    method: of the interval, t or wilson. bootstrap_low, bootstrap_high: percentiles over redrawn clusters.
    within, between: the parts of the variance of the mean that more samples, and more questions, would lessen.
    With one cluster there is no error, and no interval but Wilson's; None stands for what cannot be known.
    """

    value: float
    error: float | None
    low: float | None
    high: float | None
    method: str
    bootstrap_low: float | None
    bootstrap_high: float | None
    within: float | None
    between: float | None
    questions: int
    clusters: int
    samples: int


@dataclass(frozen=True)
class Difference:
    """The second less the first, paired by question: mean, standard error, interval by t, sign-flip p (two-sided)."""

    value: float
    error: float | None
    low: float | None
    high: float | None
    p: float
    questions: int
    clusters: int


@dataclass(frozen=True)
class Average:
    """A mean of columns with its standard error and a percentile interval over redrawn questions."""

    value: float
    error: float
    low: float
    high: float
    columns: Mapping[str, float]


def question_means(samples: Samples) -> dict[str, float]:
    """The mean over the samples of each question, in the order of the ids."""
    if not samples or not all(samples.values()):
        raise InvalidValue("expected questions with at least one sample each, got a question or a set without any")
    return {question: math.fsum(samples[question]) / len(samples[question]) for question in sorted(samples)}


def estimate(samples: Samples, clusters: Clusters | None = None, *purpose: Any, level: float = LEVEL) -> Estimate:
    """The mean over questions of the mean over samples; so too a truncation rate, from 1s and 0s.

    Values lie in [0, 1]. purpose: what the bootstrap's draws are for.
    """
    means = question_means(samples)
    sums, sizes = _by_cluster(means, clusters or {})
    value, error = _mean(sums, sizes)
    low, high, method = *_interval(value, error, len(sums), level), "t"
    if len(sums) * min(value, 1 - value) < FEW:
        low, high, method = *wilson(value, len(sums), level), "wilson"
    redrawn = _redrawn(sums, sizes, "estimate", *purpose) if len(sums) > 1 else None
    within, between = _variances(samples, means)
    return Estimate(
        value=value,
        error=error,
        low=low,
        high=high,
        method=method,
        bootstrap_low=None if redrawn is None else _quantile(redrawn, (1 - level) / 2),
        bootstrap_high=None if redrawn is None else _quantile(redrawn, (1 + level) / 2),
        within=within,
        between=between,
        questions=len(means),
        clusters=len(sums),
        samples=sum(map(len, samples.values())),
    )


def wilson(value: float, count: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a proportion of `count` trials, which need not be a whole number of successes."""
    z = float(stats.norm.ppf((1 + level) / 2))
    centre = value + z * z / (2 * count)
    spread = z * math.sqrt(value * (1 - value) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    # At the ends the two terms are equal but for rounding.
    low = 0.0 if value == 0 else (centre - spread) / scale
    return low, 1.0 if value == 1 else (centre + spread) / scale


def pass_at_k(total: int, right: int, k: int) -> float:
    """The chance that k samples out of `total`, of which `right` are right, hold a right one: exact and unbiased."""
    if not 0 <= right <= total or not 1 <= k <= total:
        raise InvalidValue(f"expected 0 <= right <= total and 1 <= k <= total, got {right=}, {total=}, {k=}")
    return 1 - math.comb(total - right, k) / math.comb(total, k)


def pass_rates(samples: Samples, k: int) -> dict[str, tuple[float]]:
    """pass@k of each question, as samples for `estimate`; a sample passes if its value is 1."""
    return {question: (pass_at_k(len(each), sum(v == 1 for v in each), k),) for question, each in samples.items()}


def majority(answers: Sequence[str | None], values: Sequence[float]) -> float:
    """maj@k of a question: the value of the answer most often given; of several such the mean, as a fair draw earns.

    No answer (None) is no vote. Equal answers have equal values.
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
    """The paired difference of two checkpoints on the same questions; raises InvalidValue where they differ.

    p: of the hypothesis that the sign of each cluster's difference is chance; exact where there are few clusters.
    """
    sums, sizes = _by_cluster(_changes(first, second), clusters or {})
    value, error = _mean(sums, sizes)
    low, high = _interval(value, error, len(sums), level)
    return Difference(value, error, low, high, _sign_flip(sums, *purpose), round(sizes.sum()), len(sums))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p values, which control the chance of any false finding among all of them."""
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
    """The headline average, each benchmark's questions (or their clusters) redrawn independently of the others'."""
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
    return _average({name: _changes(first[name], second[name]) for name in first}, clusters or {}, level, *purpose)


def _average(
    values: Mapping[str, Mapping[str, float]], clusters: Mapping[str, Clusters], level: float, *purpose: Any
) -> Average:
    columns = column_means({name: math.fsum(each.values()) / len(each) for name, each in values.items()})
    drawn = np.zeros(DRAWS)
    variance = 0.0
    for names in COLUMNS.values():
        for name in names:
            sums, sizes = _by_cluster(values[name], clusters.get(name, {}))
            weight = 1 / (len(COLUMNS) * len(names))
            drawn += weight * _redrawn(sums, sizes, "average", name, *purpose)
            variance += (weight * (_mean(sums, sizes)[1] or 0.0)) ** 2
    low, high = _quantile(drawn, (1 - level) / 2), _quantile(drawn, (1 + level) / 2)
    return Average(math.fsum(columns.values()) / len(columns), math.sqrt(variance), low, high, columns)


def _changes(first: Samples, second: Samples) -> dict[str, float]:
    if first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise InvalidValue(f"expected the same questions of both, got {len(odd)} of one alone, such as {odd[0]!r}")
    before, after = question_means(first), question_means(second)
    return {question: after[question] - before[question] for question in before}


def _by_cluster(values: Mapping[str, float], clusters: Clusters) -> tuple[Floats, Floats]:
    """Sum of the values and number of the questions of each cluster."""
    members: dict[tuple[bool, str], list[float]] = defaultdict(list)
    for question in sorted(values):
        members[question in clusters, clusters.get(question, question)].append(values[question])
    return np.array([math.fsum(each) for each in members.values()]), np.array([float(len(m)) for m in members.values()])


def _mean(sums: Floats, sizes: Floats) -> tuple[float, float | None]:
    """The mean over questions and its cluster-robust standard error: sd / sqrt(n) where each cluster is a question."""
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
    half = float(stats.t.ppf((1 + level) / 2, count - 1)) * error
    return value - half, value + half


def _variances(samples: Samples, means: Mapping[str, float]) -> tuple[float | None, float | None]:
    if len(means) < 2 or any(len(each) < 2 for each in samples.values()):
        return None, None
    total = float(np.var(list(means.values()), ddof=1)) / len(means)
    noise = math.fsum(float(np.var(samples[each], ddof=1)) / len(samples[each]) for each in means)
    within = noise / len(means) ** 2
    return within, max(0.0, total - within)


def _redrawn(sums: Floats, sizes: Floats, *purpose: Any) -> Floats:
    """Means over clusters that are drawn with replacement."""
    if len(sums) == 1:
        return np.full(DRAWS, sums[0] / sizes[0])
    result = stats.bootstrap(
        (sums, sizes),
        lambda some, of, axis: some.sum(axis) / of.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=DRAWS,
        batch=BATCH,
        method="percentile",
        rng=_generator("bootstrap", *purpose),
    )
    drawn: Floats = result.bootstrap_distribution
    return drawn


def _sign_flip(sums: Floats, *purpose: Any) -> float:
    """The share of flips, all or DRAWS and none, that are as extreme. scipy's permutation_test is many times slower."""
    changed = sums[sums != 0]  # the others are what they are under every flip
    if len(sums) < 2 or not len(changed):
        return 1.0  # either sign is as extreme
    least = abs(math.fsum(changed)) - 1e-12 * float(np.abs(changed).sum())
    if 2 ** len(changed) <= DRAWS:
        flips = np.arange(2 ** len(changed))[:, None] >> np.arange(len(changed)) & 1
        return float(np.mean(np.abs((1.0 - 2 * flips) @ changed) >= least))
    rng, extreme = _generator("sign flip", *purpose), 1  # that of no flip
    for _ in range(DRAWS // BATCH):
        flips = rng.integers(0, 2, (BATCH, len(changed)), np.int8)
        extreme += int(np.count_nonzero(np.abs((1.0 - 2 * flips) @ changed) >= least))
    return extreme / (DRAWS + 1)


def _quantile(values: Floats, share: float) -> float:
    return float(np.quantile(values, share))


def _generator(*purpose: Any) -> np.random.Generator:
    return np.random.default_rng(int(key_of("benchmark statistics", *purpose), 16))
