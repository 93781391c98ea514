import itertools
import math
import random

import numpy as np
import pytest
from scipy import stats

from races.environments.errors import InvalidValue, SettingError
from races.resources.evaluation.statistics import intervals
from races.resources.evaluation.statistics.intervals import COLUMNS, wilson

# Base, individual and composed training of two models in the paper's main table: five columns and its average.
PAPER = [
    (47.2, 32.3, 32.5, 70.6, 58.5, 48.2),
    (46.9, 34.2, 33.7, 69.3, 59.8, 48.8),
    (48.8, 35.4, 36.0, 74.6, 61.7, 51.3),
    (55.0, 47.4, 32.5, 84.5, 74.8, 58.8),
    (56.3, 48.2, 34.1, 85.7, 76.0, 60.1),
    (57.0, 49.2, 35.5, 86.7, 77.0, 61.1),
]


def drawn(seed, questions, samples, tilt=0.0):
    rng = random.Random(seed)
    chances = [rng.random() for _ in range(questions)]
    return {
        f"q{n}": [float(rng.random() < min(1, chance + tilt)) for _ in range(samples)]
        for n, chance in enumerate(chances)
    }


def means(samples):
    return np.array([np.mean(each) for each in samples.values()])


# One score


@pytest.mark.parametrize("seed", range(5))
def test_a_score_is_the_mean_over_questions_with_students_interval(seed):
    samples = drawn(seed, 40, 8)
    found, x = intervals.estimate(samples), means(samples)
    assert found.value == pytest.approx(x.mean())
    assert found.error == pytest.approx(stats.sem(x))
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 39, x.mean(), stats.sem(x)))
    assert (found.method, found.questions, found.clusters, found.samples) == ("t", 40, 40, 320)


def test_questions_weigh_alike_however_many_samples_they_have():
    assert intervals.estimate({"a": [1] * 9, "b": [0]}).value == 0.5


def test_more_samples_of_the_same_questions_do_not_make_the_error_vanish():
    few, many = drawn(1, 30, 4), drawn(1, 30, 64)
    assert intervals.estimate(many).error > 0.5 * intervals.estimate(few).error


@pytest.mark.parametrize("seed", range(4))
def test_clustered_errors_are_those_of_statsmodels(seed):
    models = pytest.importorskip("statsmodels.api")
    samples, rng = drawn(seed, 60, 4), random.Random(seed)
    clusters = {question: f"c{rng.randrange(9)}" for question in samples}
    groups = np.array([int(clusters[question][1:]) for question in samples])
    fit = models.OLS(means(samples), np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    found = intervals.estimate(samples, clusters)
    assert found.error == pytest.approx(fit.bse[0])
    assert found.clusters == len(set(clusters.values()))


def test_copies_of_a_question_in_one_cluster_add_no_certainty():
    samples = drawn(2, 20, 4)
    copies = {f"{question}-{n}": each for question, each in samples.items() for n in range(5)}
    clusters = {question: question.partition("-")[0] for question in copies}
    alone, copied = intervals.estimate(samples), intervals.estimate(copies, clusters)
    assert copied.error == pytest.approx(alone.error)
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    assert intervals.estimate(copies).error < 0.6 * alone.error


def test_a_question_without_a_cluster_is_alone_even_if_a_cluster_has_its_name():
    samples = {"a": [1.0], "b": [0.0], "c": [1.0]}
    assert intervals.estimate(samples, {"b": "a", "c": "a"}).clusters == 2


@pytest.mark.parametrize(("right", "total"), [(0, 30), (30, 30), (1, 30), (28, 30), (4, 100)])
def test_near_0_and_1_the_interval_is_wilsons(right, total):
    samples = {f"q{n}": [float(n < right)] for n in range(total)}
    found = intervals.estimate(samples)
    expected = stats.binomtest(right, total).proportion_ci(method="wilson")
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_one_question_has_no_error():
    found = intervals.estimate({"a": [0.0, 1.0]})
    assert (found.value, found.error, found.bootstrap_low, found.within) == (0.5, None, None, None)


def test_intervals_cover_the_truth_as_often_as_they_say():
    covered, boot, rounds = 0, 0, 200
    for seed in range(rounds):
        found = intervals.estimate(drawn(seed + 100, 25, 4), level=0.8)
        covered += found.low <= 0.5 <= found.high
        boot += found.bootstrap_low <= 0.5 <= found.bootstrap_high
    # Four standard deviations of the binomial around 0.8, and the bootstrap's known optimism with 25 questions.
    assert stats.binom.cdf(covered, rounds, 0.8) > 1e-4
    assert stats.binom.sf(covered, rounds, 0.8) > 1e-4
    assert 0.66 < boot / rounds < 0.9


def test_the_bootstrap_is_that_of_numpy_by_hand():
    samples = drawn(3, 50, 4)
    label = [math.isqrt(n) for n in range(50)]  # clusters of 1, 3, 5 ... questions
    clusters = {question: f"c{label[int(question[1:])]}" for question in samples}
    rng, x = np.random.default_rng(7), means(samples)
    members = [np.array([x[n] for n in range(50) if label[n] == c]) for c in range(8)]
    redrawn = [np.concatenate([members[c] for c in rng.integers(0, 8, 8)]).mean() for _ in range(10_000)]
    found = intervals.estimate(samples, clusters)
    assert found.bootstrap_low == pytest.approx(np.quantile(redrawn, 0.025), abs=0.01)
    assert found.bootstrap_high == pytest.approx(np.quantile(redrawn, 0.975), abs=0.01)


def test_the_order_of_questions_changes_nothing_and_the_purpose_changes_the_draws():
    rng = random.Random(4)
    samples = {f"q{n}": [rng.random(), rng.random()] for n in range(30)}
    turned = dict(reversed(samples.items()))
    assert intervals.estimate(samples) == intervals.estimate(turned)
    assert intervals.difference(samples, turned) == intervals.difference(turned, samples)
    one, other = intervals.estimate(samples), intervals.estimate(samples, None, "another")
    assert (one.error, one.low) == (other.error, other.low)
    assert one.bootstrap_low != other.bootstrap_low


def test_the_variance_splits_into_what_samples_and_what_questions_would_lessen():
    samples = drawn(5, 200, 16)
    found, x = intervals.estimate(samples), means(samples)
    # For zeros and ones the variance of a question's mean is p (1 - p) / (k - 1).
    assert found.within == pytest.approx(np.mean(x * (1 - x) / 15) / 200)
    assert found.within + found.between == pytest.approx(found.error**2)
    # Chances are uniform on [0, 1]: variance 1/12 between questions, on average 1/6 within, over 16 samples.
    assert found.between == pytest.approx(1 / 12 / 200, rel=0.2)
    assert found.within == pytest.approx(1 / 6 / 16 / 200, rel=0.2)


def test_no_spread_between_questions_is_no_negative_variance():
    samples = {f"q{n}": [0.0, 1.0] for n in range(9)}
    assert intervals.estimate(samples).between == 0


@pytest.mark.parametrize("samples", [{}, {"a": []}, {"a": [1.0], "b": []}])
def test_a_question_without_samples_is_refused(samples):
    with pytest.raises(InvalidValue, match="at least one sample"):
        intervals.estimate(samples)


# pass@k and maj@k


def test_pass_at_k_is_the_share_of_subsets_with_a_right_sample():
    for total in range(1, 8):
        for right, k in itertools.product(range(total + 1), range(1, total + 1)):
            subsets = list(itertools.combinations([1] * right + [0] * (total - right), k))
            assert intervals.pass_at_k(total, right, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


@pytest.mark.parametrize(("total", "right", "k"), [(4, 2, 5), (4, 5, 1), (4, 2, 0), (4, -1, 1)])
def test_pass_at_k_refuses_what_cannot_be_drawn(total, right, k):
    with pytest.raises(InvalidValue, match="expected 0 <= right <= total"):
        intervals.pass_at_k(total, right, k)


def test_pass_at_k_is_unbiased():
    # Over all outcomes of 5 samples with chance p its mean is 1 - (1 - p)^k.
    for p, k in itertools.product((0.1, 0.5, 0.8), (1, 2, 5)):
        mean = sum(stats.binom.pmf(c, 5, p) * intervals.pass_at_k(5, c, k) for c in range(6))
        assert mean == pytest.approx(1 - (1 - p) ** k)


def test_pass_rates_of_questions_are_samples_of_an_estimate():
    samples = {"a": [1.0, 0.0, 0.0, 0.0], "b": [0.5, 0.0, 0.0, 0.0], "c": [1.0, 1.0, 1.0, 1.0]}
    assert intervals.pass_rates(samples, 2) == {"a": (0.5,), "b": (0.0,), "c": (1.0,)}
    assert intervals.estimate(intervals.pass_rates(samples, 1)).value == pytest.approx((0.25 + 0 + 1) / 3)


@pytest.mark.parametrize(
    ("answers", "values", "worth"),
    [
        (["7", "7", "8"], [1, 1, 0], 1),
        (["7", "8", "8"], [1, 0, 0], 0),
        (["7", "8", None], [1, 0, 0], 0.5),
        (["7", None, None], [1, 0, 0], 1),
        ([None, None], [0, 0], 0),
        (["1", "2", "3", "7"], [0, 0, 0, 1], 0.25),
        ([], [], 0),
    ],
)
def test_the_majority_wins_and_ties_are_drawn_fairly(answers, values, worth):
    assert intervals.majority(answers, values) == worth


# Two checkpoints


@pytest.mark.parametrize("seed", range(4))
def test_a_difference_is_paired_by_question(seed):
    first, second = drawn(seed, 30, 8), drawn(seed, 30, 8, tilt=0.2)
    found, expected = intervals.difference(first, second), stats.ttest_rel(means(second), means(first))
    assert found.value == pytest.approx(means(second).mean() - means(first).mean())
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.value / found.error == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, abs=0.02)


def test_the_sign_flip_p_of_few_questions_is_that_of_all_flips():
    rng = random.Random(6)
    for questions in range(2, 11):
        first = {f"q{n}": [rng.random()] for n in range(questions)}
        second = {f"q{n}": [rng.random()] for n in range(questions)}
        changes = [second[q][0] - first[q][0] for q in first]
        flips = [
            abs(sum(s * d for s, d in zip(signs, changes, strict=True)))
            for signs in itertools.product((1, -1), repeat=questions)
        ]
        expected = sum(flip >= abs(sum(changes)) - 1e-12 for flip in flips) / len(flips)
        assert intervals.difference(first, second).p == pytest.approx(expected)


def test_clusters_flip_as_one():
    first = {f"q{n}": [0.0] for n in range(12)}
    second = {f"q{n}": [1.0] for n in range(12)}
    assert intervals.difference(first, second).p == pytest.approx(2 / 2**12)
    thirds = {question: f"c{int(question[1:]) % 3}" for question in first}
    found = intervals.difference(first, second, thirds)
    assert (found.p, found.clusters, found.questions) == (pytest.approx(2 / 2**3), 3, 12)


def test_a_checkpoint_does_not_differ_from_itself():
    samples = drawn(7, 20, 4)
    found = intervals.difference(samples, samples)
    assert (found.value, found.error, found.low, found.high, found.p) == (0, 0, 0, 0, 1)
    assert intervals.difference({"a": [0.0]}, {"a": [1.0]}).p == 1


def test_p_values_without_a_difference_are_uniform():
    p_values = [intervals.difference(drawn(n, 12, 2), drawn(n, 12, 2, 1e-12)).p for n in range(3)]
    assert p_values == [1, 1, 1]
    rng, found = random.Random(8), []
    for _ in range(150):
        first, second = ({f"q{n}": [rng.gauss(0, 1)] for n in range(9)} for _ in range(2))
        found.append(intervals.difference(first, second).p)
    assert stats.kstest(found, "uniform").pvalue > 1e-3


def test_checkpoints_with_other_questions_are_not_compared():
    with pytest.raises(InvalidValue, match="got 2 of only one, such as 'a'"):
        intervals.difference({"a": [1.0], "b": [1.0]}, {"b": [1.0], "c": [1.0]})


def test_holm_is_that_of_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = random.Random(9)
    for count in range(1, 8):
        p_values = {f"b{n}": rng.choice([rng.random(), rng.random() / 50, 0.01]) for n in range(count)}
        expected = multitest.multipletests(list(p_values.values()), method="holm")[1]
        assert list(intervals.holm(p_values).values()) == pytest.approx(list(expected))


def test_holm_by_hand():
    found = intervals.holm({"a": 0.04, "b": 0.01, "c": 0.03})
    assert found == pytest.approx({"a": 0.06, "b": 0.03, "c": 0.06})


# The headline average


@pytest.mark.parametrize("row", PAPER)
def test_the_headline_average_is_the_papers(row):
    names = [names for names in COLUMNS.values() for names in names]
    lcb, enigmata, longbench, following, aime, average = row
    scores = dict(zip(names, (lcb, enigmata, longbench, following, aime - 3, aime + 3), strict=True))
    assert round(intervals.headline(scores), 1) == average
    assert intervals.column_means(scores)["AIME"] == pytest.approx(aime)


def test_an_average_of_fewer_benchmarks_is_refused():
    scores = dict.fromkeys(("livecodebench", "enigmata", "longbench_v2", "ifeval", "aime_2024"), 0.5)
    with pytest.raises(SettingError, match="got none of aime_2025"):
        intervals.headline(scores)


def six(seed, tilt=0.0):
    sizes = {"livecodebench": 40, "enigmata": 80, "longbench_v2": 50, "ifeval": 60, "aime_2024": 30, "aime_2025": 30}
    return {name: drawn(f"{seed} {name}", size, 4, tilt) for name, size in sizes.items()}


def test_the_average_has_the_error_of_independent_benchmarks():
    samples = six(1)
    weights = {name: 1 / 5 / len(names) for names in COLUMNS.values() for name in names}
    error = math.sqrt(sum((weights[name] * stats.sem(means(each))) ** 2 for name, each in samples.items()))
    found = intervals.average(samples)
    assert found.value == pytest.approx(sum(weights[name] * means(each).mean() for name, each in samples.items()))
    assert found.error == pytest.approx(error)
    assert found.low == pytest.approx(found.value - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(found.value + 1.96 * error, abs=0.15 * error)
    assert found.columns == pytest.approx(
        intervals.column_means({n: means(each).mean() for n, each in samples.items()})
    )


def test_clusters_widen_the_interval_of_the_average():
    samples = six(2)
    copies = {name: {f"{q}-{n}": each for q, each in some.items() for n in range(3)} for name, some in samples.items()}
    clusters = {name: {q: q.partition("-")[0] for q in some} for name, some in copies.items()}
    narrow, wide = intervals.average(copies), intervals.average(copies, clusters)
    assert wide.error == pytest.approx(intervals.average(samples).error)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_paired_averages_are_far_more_certain_than_two_apart():
    first, second = six(3), six(3, tilt=0.05)
    found = intervals.average_difference(first, second)
    assert found.value == pytest.approx(intervals.average(second).value - intervals.average(first).value)
    assert found.low < found.value < found.high
    assert found.error < 0.6 * math.hypot(intervals.average(first).error, intervals.average(second).error)


def test_averages_of_other_benchmarks_are_not_compared():
    with pytest.raises(InvalidValue, match="expected the same benchmarks"):
        intervals.average_difference(six(4), {"ifeval": {"a": [1.0]}})


def test_averages_do_not_depend_on_the_order_of_the_benchmarks():
    samples = six(5)
    assert intervals.average(samples) == intervals.average(dict(reversed(samples.items())))


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 1000])
def test_wilsons_interval_ends_at_the_ends(count):
    assert wilson(0.0, count)[0] == 0.0
    assert wilson(1.0, count)[1] == 1.0
    assert 0 < wilson(0.5, count)[0] < 0.5 < wilson(0.5, count)[1] < 1
