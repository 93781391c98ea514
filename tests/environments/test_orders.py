"""Counting orders: against all permutations, and with the form of outputs; what guessers earn on problems."""

import itertools
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from perf.guessers import GUESSERS, Guesses, read
from races.environments import Environment, OutOfDomain, get, pool
from races.environments.composition import orders
from races.environments.composition.forms import could_give, form_of
from races.environments.composition.frontier import CompatibleBricks, Found
from races.environments.composition.orders import Ends, Solutions, count_orders, count_sequences, feasible_orders
from races.environments.composition.path import Matching, Path, fits, trace
from races.environments.errors import InvalidValue
from races.environments.operators import Problem, Rejected, select, sort
from races.environments.types import VOCABULARY
from tests.support import bricks_for_tests as declared

TWO, THREE, FIVE, SEVEN = declared.plus_two, declared.plus_three, declared.plus_five, declared.times_seven
NAT = VOCABULARY["Nat"]
both = pytest.mark.parametrize("matching", ["subtype", "exact"])


@pytest.fixture
def any_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting as if no output ruled any last step out."""
    monkeypatch.setattr(orders, "could_give", lambda environment, output: True)


def executed(bricks: Sequence[Environment], x: Any) -> str | None:
    kind = None
    for brick in bricks:
        try:
            x, kind = brick(x), brick.codomain
        except (OutOfDomain, InvalidValue):
            return None
    return kind.dumps(x) if kind is not None else None


def left_open(bricks: Sequence[Environment], ends: Ends, matching: Matching = "subtype") -> bool:
    """Whether types lead from exactly the printed input to exactly the printed output."""
    inner = all(fits(a.codomain, b.domain, matching) and not a.terminal for a, b in itertools.pairwise(bricks))
    return inner and (bricks[0].domain, bricks[-1].codomain) == (ends.domain, ends.codomain)


def from_17(target: str) -> Ends:
    return Ends(NAT, 17, NAT, target)


# Counts against brute force


@both
def test_feasible_orders_agree_with_all_permutations(found: list[Found], matching: Matching) -> None:
    several = 0
    for each in found[::5]:
        bricks = each.path.environments[:5]
        domain, codomain = bricks[0].domain, bricks[-1].codomain
        ends = Ends(domain, None, codomain, "")
        for length in range(1, len(bricks) + 1):
            count = sum(left_open(order, ends, matching) for order in itertools.permutations(bricks, length))
            assert feasible_orders(bricks, domain, codomain, matching, length) == count
        assert feasible_orders(bricks, domain, codomain, matching) == count
        several += count > 1
    assert several >= 5


def test_an_order_begins_and_ends_with_the_printed_types() -> None:
    assert feasible_orders([TWO, THREE], NAT, NAT) == 2
    # A reader of "a whole number from 0 to 60" does not begin with what takes every whole number.
    assert feasible_orders([TWO, THREE], VOCABULARY["SmallNat"], NAT) == 0
    assert feasible_orders([TWO, declared.refuses_odd], VOCABULARY["SmallNat"], NAT) == 1
    assert feasible_orders([TWO, declared.said], NAT, VOCABULARY["Text"]) == 1
    assert feasible_orders([TWO, declared.said], NAT, NAT) == 0


def test_a_terminal_brick_comes_last_in_every_feasible_order() -> None:
    assert feasible_orders([TWO, THREE, declared.some_divisor], NAT, declared.some_divisor.codomain) == 2
    assert feasible_orders([declared.some_divisor, declared.some_divisor_blindly], NAT, NAT) == 0


@pytest.mark.usefixtures("any_output")
def test_counted_orders_agree_with_brute_force(found: list[Found]) -> None:
    for each in found[::6]:
        bricks = each.path.environments[:4]
        ends = Ends.of(Path(each.path.start, bricks, each.path.outputs[: len(bricks)]))
        permutations = list(itertools.permutations(bricks))
        results = [executed(order, ends.start) for order in permutations]
        runs = [order for order, result in zip(permutations, results, strict=True) if result is not None]
        solutions = count_orders(bricks, ends)
        assert solutions.count == results.count(ends.target) >= 1
        assert solutions.feasible_count == sum(left_open(order, ends) for order in runs)
        assert (solutions.shortest, solutions.complete) == (len(bricks), True)


@pytest.mark.usefixtures("any_output")
def test_counted_sequences_agree_with_brute_force(found: list[Found], offers: CompatibleBricks) -> None:
    for number, each in enumerate(found[::9]):
        path, rng = each.path, Random(f"sequences {number}")
        own = path.environments[:3]
        ends = Ends.of(Path(path.start, own, path.outputs[: len(own)]))
        bricks = list(dict.fromkeys([*own, *rng.sample(offers.of(ends.domain), 1)]))
        right, open_ones = Counter[int](), Counter[int]()
        exact, exact_right = Counter[int](), Counter[int]()
        for length in range(1, len(bricks) + 1):
            for order in itertools.permutations(bricks, length):
                result = executed(order, ends.start)
                right[length] += result == ends.target
                open_ones[length] += result is not None and left_open(order, ends)
                exact[length] += result is not None and left_open(order, ends, "exact")
                exact_right[length] += result == ends.target and left_open(order, ends, "exact")
        solutions = count_sequences(bricks, ends, bound=None)
        assert (solutions.right, solutions.feasible) == (right, open_ones)
        assert (solutions.count, solutions.shortest) == (right.total(), min(+right))
        assert solutions.exact == {n: (exact_right[n], exact[n]) for n in right}
        share = max(right[n] / max(open_ones[n], right[n], 1) for n in right)
        assert solutions.chance == max(share, *[exact_right[n] / max(exact[n], 1) for n in right])


@pytest.mark.usefixtures("any_output")
def test_a_bound_stops_before_the_length_that_would_pass_it() -> None:
    bricks = [TWO, THREE, FIVE, SEVEN]
    whole = count_sequences(bricks, from_17("27"), bound=None)
    assert whole.complete
    assert (whole.count, whole.feasible_count, whole.shortest) == (6, 4 + 12 + 24 + 24, 3)
    first = count_sequences(bricks, from_17("27"), bound=4)
    assert (first.count, first.feasible_count, first.shortest, first.complete) == (0, 4, 0, False)
    assert count_sequences(bricks, from_17("27"), bound=3).feasible_count == 0
    assert count_sequences(bricks, from_17("27"), bound=3).chance == 0.0


def test_a_value_may_go_into_any_domain_that_holds_it() -> None:
    small = VOCABULARY["SmallNat"]
    assert count_orders([declared.refuses_odd, TWO], Ends(small, 14, NAT, "9")).count == 1
    assert count_orders([declared.refuses_odd, TWO], Ends(small, 70, NAT, "37")).count == 0, "72 is no SmallNat"


def test_the_chance_is_that_of_the_best_length() -> None:
    assert Solutions({2: 1, 3: 6}, {2: 4, 3: 60}, complete=True).chance == 1 / 4
    assert Solutions({2: 0, 3: 6}, {2: 1, 3: 60}, complete=True).chance == 1 / 10
    assert Solutions({2: 1}, {2: 0}, complete=True).chance == 1.0, "right ones that types do not propose count too"
    assert Solutions({2: 0}, {2: 0}, complete=True).chance == 0.0


def test_a_guess_among_exact_matches_counts_where_there_are_any() -> None:
    assert Solutions({2: 1}, {2: 4}, complete=True, exact={2: (1, 2)}).chance == 1 / 2
    assert Solutions({2: 1}, {2: 4}, complete=True, exact={2: (0, 2)}).chance == 1 / 4
    assert Solutions({2: 1}, {2: 4}, complete=True, exact={2: (0, 0)}).chance == 1 / 4


# The form of outputs


def test_an_operation_that_never_gives_such_an_output_is_ruled_out_as_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    bricks = [TWO, THREE, FIVE, SEVEN]
    monkeypatch.setattr(orders, "could_give", lambda environment, output: environment is not FIVE)
    # 17 + 2 + 3 + 5 = 27 whichever comes last: an operation that did give the output is never ruled out.
    assert count_sequences(bricks, from_17("27"), bound=None).feasible_count == 4 + 12 + 24 + 24
    # 7 * (17 + 2) = 133 ends with SEVEN alone, and 3 of 4 may end any length.
    assert count_sequences(bricks, from_17("133"), bound=None).feasible == {1: 3, 2: 9, 3: 18, 4: 18}


def test_the_form_of_outputs_is_what_they_share() -> None:
    nine = get("remainders_from_two_to_ten")
    assert could_give(nine, "[1, 0, 3, 2, 1, 4, 3, 2, 1]")
    assert not could_give(nine, "[1, 0, 3, 2, 1, 4, 3, 2]"), "eight entries"
    assert not could_give(nine, "[1, 0, 3, 2, 1, 4, 3, 2, 400]")
    turn = get("angle_within_a_turn")
    assert could_give(turn, "200")
    assert not could_give(turn, "4000")
    assert could_give(get("primes_up_to"), "[2, 3, 5]")
    assert not could_give(get("primes_up_to"), "[5, 3, 2]"), "in increasing order"
    assert could_give(get("smallest_and_largest_entries"), "[[3, 6], [0, 6], [4, 5], [1, 4]]")
    assert not could_give(get("smallest_and_largest_entries"), "[[3, 6], [6, 0], [5, 4], [4, 1]]"), "each in order"
    assert could_give(get("median"), '"41/2"')
    assert not could_give(get("median"), '"41/3"'), "a whole number or a half"


def test_a_form_holds_length_numbers_characters_and_order() -> None:
    form = form_of('["ab", "B7"]')
    assert (form.sizes, form.numbers) == ((2, 2), None)
    assert form.characters == {"letter", "capital", "digit"}
    assert form_of("[[3, -1], [4]]").numbers == (-1, 4)
    assert {"ascending", "distinct"} <= form_of("[1, 2, 5]").traits
    assert "ascending" not in form_of("[2, 1, 5]").traits
    assert {"ascending", "descending", "symmetric"} <= form_of('"aaa"').traits
    assert {"rows: ascending", "rows of 2"} <= form_of("[[3, 6], [6, 6]]").traits
    assert "rows: ascending" not in form_of("[[3, 6], [6, 0]]").traits
    assert "rows of 2" not in form_of("[[3, 6], [6]]").traits
    assert "rows of 3" in form_of('["ab.", "..#"]').traits
    assert "its own transpose" in form_of("[[1, 2], [2, 1]]").traits
    assert "its own transpose" not in form_of("[[1, 2], [1, 2]]").traits
    halves = [form_of(f'"{text}"').traits & {"whole", "whole or half"} for text in ("-7/1", "7/2", "7/3", "/2", "a/1")]
    assert halves == [{"whole", "whole or half"}, {"whole or half"}, set(), set(), set()]
    assert form_of('{"n": 3, "edges": [[0, 2]]}').sizes == (3, 3)
    for output in (
        "[]",
        '""',
        "[[]]",
        "[[], [1]]",
        '["", ""]',
        '[[1], "a"]',
        "null",
        "true",
        "[null, [1, null]]",
        "[]",
        '[1, "a"]',
        "[true, 1]",
    ):
        assert form_of(output).allows(form_of(output))


def test_no_operation_is_ruled_out_by_an_output_of_its_own_sampler() -> None:
    for brick in list(pool().values())[::12]:
        rng = Random(f"form {brick.name}")
        outputs = []
        for level in (1, 3, 5) * 4:
            path, _ = trace([brick], brick.sample(rng, level))
            outputs += [path.states[-1]] if path is not None else []
        allowed = sum(could_give(brick, output) for output in outputs)
        assert allowed >= len(outputs) / 3, brick.name


# Guessers who see the prompt


def test_a_prompt_reads_back_as_what_was_posed(rows: list[Problem]) -> None:
    for row in [row for row in rows if row.operator in ("sort", "select")]:
        shown = read(row.prompt)
        assert (shown.domain.name, shown.codomain.name) == (row.types[0], row.types[-1])
        assert (shown.domain.dumps(shown.start), shown.target) == (row.start, row.outputs[-1])
        assert {each.name for each in shown.offered} == {*row.environments, *row.distractors}


def test_no_guesser_earns_more_than_the_chance_that_is_stated(rows: list[Problem]) -> None:
    sizes = Counter[tuple[str, int]]()
    for row in [row for row in rows if row.operator in ("sort", "select")]:
        guesses = Guesses(row.prompt, row.operator)
        bound = 0.5 if (row.operator, row.size) == ("sort", 2) else 0.25
        assert guesses.right() == row.valid_answers, row.environments
        for name in GUESSERS:
            assert guesses.earned(name) <= guesses.best(name) <= row.chance <= bound, (name, row.environments)
        sizes[row.operator, row.size] += 1
    assert all(sizes[operator, size] >= 2 for operator in ("sort", "select") for size in (2, 3, 4, 5, 6)), sizes


# Paths that are rejected


def reason_of(problem: Problem | Rejected) -> str:
    assert isinstance(problem, Rejected), problem
    return problem.reason


def path_of(x: Any, *bricks: Environment) -> Path:
    path, outcome = trace(bricks, x)
    assert path is not None, outcome
    return path


def test_sort_rejects_a_path_where_the_printed_types_tell_the_order() -> None:
    # digit_sum gives "a whole number from 0 to 60", which may be added to: types alone allow both orders.
    for path in (path_of(17, TWO, get("digit_sum")), path_of(17, get("digit_sum"), TWO)):
        assert reason_of(sort.pose(path, Random("r"), 1, 9)) == "the order is forced by the types"


def test_select_rejects_a_path_where_nothing_could_stand_in_place_of_a_step() -> None:
    path = path_of(17, TWO, SEVEN)
    offers = CompatibleBricks({each.name: each for each in (TWO, SEVEN, declared.said)}, "subtype")
    assert reason_of(select.pose(path, offers, Random("r"), 1, 9)) == "too few sequences are feasible"
    assert not select.may_be_open(path.environments, offers)
    wider = CompatibleBricks({each.name: each for each in (TWO, THREE, FIVE, SEVEN, declared.said)}, "subtype")
    assert select.may_be_open(path.environments, wider)
    assert isinstance(select.pose(path, wider, Random("r"), 1, 9), Problem)


def test_select_rejects_a_path_where_few_sequences_match_exactly() -> None:
    # Digits of a number, to one word: two of these take any whole numbers, so only ternary_digits matches exactly.
    path = path_of(392779, get("digit_list"), get("typed_word"))
    names = ("digit_list", "typed_word", "letters_counted_from_a", "ternary_digits", "carried_fives")
    offers = CompatibleBricks({name: get(name) for name in names}, "subtype")
    assert reason_of(select.pose(path, offers, Random("r"), 1, 9)) == "too few sequences are feasible"
    assert not select.may_be_open(path.environments, offers)
    kinds = VOCABULARY["Nat"], VOCABULARY["Word"]
    offered = list(offers.environments.values())
    counts = [feasible_orders(offered, *kinds, matching, 2) for matching in ("subtype", "exact")]
    assert counts == [4, 2], "by subtype they are enough"


def test_select_rejects_a_path_where_its_answers_cannot_all_be_counted() -> None:
    path = path_of(17, TWO, SEVEN)
    offers = CompatibleBricks({each.name: each for each in (TWO, THREE, FIVE, SEVEN)}, "subtype")
    assert (
        reason_of(select.pose(path, offers, Random("r"), 1, 9, max_counting_steps=5)) == "too many sequences to count"
    )


def test_bricks_that_were_not_considered_have_no_influence_on_the_distractors(
    found: list[Found], offers: CompatibleBricks, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = select._changes
    for each in found[:40]:
        path = each.path
        drawn = select.distract(path, offers, Random(path.id))
        names = {brick.name for brick in drawn.chosen}
        assert names <= set(drawn.considered)
        assert not set(drawn.considered) & {brick.name for brick in path.environments}

        def otherwise(brick: Environment, x: Any, considered: Sequence[str] = drawn.considered) -> bool:
            return changes(brick, x) == (brick.name in considered)

        with monkeypatch.context() as patch:
            patch.setattr(select, "_changes", otherwise)
            again = select.distract(path, offers, Random(path.id))
        assert [brick.name for brick in again.chosen] == [brick.name for brick in drawn.chosen]
