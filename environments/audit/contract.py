"""The contract that every brick keeps, as rules that can be run on any brick, third-party ones included.

A rule takes a case, which is a brick with inputs drawn for it, and gives the faults that it finds: none for a sound
brick.
"""

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from races.environments import source
from races.environments.core import Environment
from races.environments.errors import DeclarationError, InvalidValue, SettingError
from races.environments.execution import Outcome, Status, describe_error, draw, run
from races.environments.operators import score, single
from races.environments.profile import profile
from races.environments.registry import Pool
from races.environments.seeding import generator
from races.environments.types import LEVELS

MAX_STATEMENT_WORDS = 50
# Shares of the inputs or the answers of a level.
MAX_REFUSED = 0.05
MAX_IDENTITY = 0.2
MAX_TOP_SHARE, MAX_TRUTH_SHARE = 0.5, 0.65  # of one answer, and of one truth value
MIN_HEALTHY = 0.6
# Of what a card shows.
MAX_DUPLICATES = 0.95  # share; of 200 draws of the 61 values of SmallNat 70 % are duplicates at best
MAX_OTHER_OUTPUTS_REFUSED = 0.75  # share
MIN_ENTROPY_BITS = 2.5  # of the answers
MIN_STEPS_RATIO = 0.9  # of the median steps at level 5 to those at level 1, which vary from draw to draw
MAX_MEDIAN_STEPS = 40  # metered, at level 3
BANNED_WORDS = frozenset({"input", "output", "json", "step", "function", "return", "returns"})
BANNED_NAMES = frozenset({"eval", "exec", "open", "hash", "id", "print", "random", "__import__", "globals", "input"})

Oracle = Callable[[Any, Any], bool]
Example = tuple[str, str | None]  # JSON of an input and of its answer, None for a refusal


@dataclass(frozen=True)
class Effort:
    """How much is drawn for a case.

    draws: inputs at each level.
    other_outputs: outputs of other bricks that are tried, at most.
    per_level: runs of every other brick at each level, which give these outputs.
    seed: of the draws; another one draws other inputs.
    """

    draws: int
    other_outputs: int
    per_level: int
    seed: str = ""

    def generator(self, *purpose: Any) -> Random:
        """A generator for one purpose under this seed."""
        return generator(*purpose, *([self.seed] if self.seed else []))


CHEAP = Effort(draws=40, other_outputs=200, per_level=3)
THOROUGH = Effort(draws=400, other_outputs=2000, per_level=15, seed="thorough")


@dataclass(frozen=True)
class Case:
    """A brick with all that the rules look at.

    other_outputs: values of its domain that other bricks gave.
    examples: worked by hand.
    oracle: whether (input, answer) is right, found in a way that shares no code with f; None without one.
    effort: how much is drawn.
    """

    brick: Environment
    other_outputs: Sequence[Any] = ()
    examples: Sequence[Example] = ()
    oracle: Oracle | None = None
    effort: Effort = CHEAP

    @cached_property
    def draws(self) -> dict[int, list[Any]]:
        """Inputs of the brick's own sampler by level; the same in every run."""
        return {level: self.drawn(level) for level in LEVELS}

    def drawn(self, level: int) -> list[Any]:
        """The inputs of one level, drawn afresh."""
        rng = self.effort.generator("audit", self.brick.name, level)
        return [draw(self.brick, rng, level) for _ in range(self.effort.draws)]

    @cached_property
    def outcomes(self) -> dict[int, list[Outcome]]:
        """What f makes of them."""
        return {level: [run(self.brick, x) for x in drawn] for level, drawn in self.draws.items()}

    def pairs(self, *levels: int) -> list[tuple[Any, Any]]:
        """Inputs and answers of these levels, or of all."""
        wanted = levels or LEVELS
        both = [pair for level in wanted for pair in zip(self.draws[level], self.outcomes[level], strict=True)]
        return [(x, outcome.value) for x, outcome in both if outcome.done]

    def shown(self, x: Any) -> str:
        """An input as JSON, cut for a report."""
        return self.brick.domain.dumps(x)[:120]


Rule = Callable[[Case], Iterable[str]]


def statement_is_plain(case: Case) -> Iterable[str]:
    """The statement is at most fifty words in whole sentences and speaks of its subject, not of input or format."""
    words = case.brick.statement.split()
    if len(words) > MAX_STATEMENT_WORDS:
        yield f"expected at most {MAX_STATEMENT_WORDS} words in the statement, got {len(words)}"
    if not (words[0][0].isupper() and words[-1].endswith(".")):
        yield "expected a statement of whole sentences, from a capital to a full stop"
    if banned := sorted({word.strip(".,:;()").lower() for word in words} & BANNED_WORDS):
        yield f"expected a statement that serves alone and within a chain, got the words {', '.join(banned)}"


def examples_hold(case: Case) -> Iterable[str]:
    """The hand-worked examples come out."""
    for question, answer in case.examples:
        outcome = run(case.brick, case.brick.domain.loads(question))
        got = case.brick.codomain.dumps(outcome.value) if outcome.done else str(outcome.status)
        wanted = "refused" if answer is None else case.brick.codomain.dumps(case.brick.codomain.loads(answer))
        if got != wanted:
            yield f"example {question}: expected {wanted}, got {got}"


def oracle_agrees(case: Case) -> Iterable[str]:
    """The oracle takes every answer, at every level."""
    if case.oracle is not None:
        yield from (f"{case.shown(x)}: the oracle rejects {y!r}" for x, y in case.pairs() if not case.oracle(x, y))


def other_outputs_are_handled(case: Case) -> Iterable[str]:
    """Outputs of other bricks are answered rightly or refused."""
    for x in case.other_outputs[: case.effort.other_outputs]:
        outcome = run(case.brick, x)
        if outcome.status not in (Status.DONE, Status.REFUSED, Status.STEPS):
            yield f"{case.shown(x)}: {outcome.status}: {outcome.reason}"
        elif outcome.done and case.oracle is not None and not case.oracle(x, outcome.value):
            yield f"{case.shown(x)}: the oracle rejects {outcome.value!r}"


def own_inputs_are_answered(case: Case) -> Iterable[str]:
    """The sampler draws inputs that f answers within the bounds, and refuses few."""
    for level, outcomes in case.outcomes.items():
        bad = [o for o in outcomes if not o.done and o.status is not Status.REFUSED]
        yield from (f"level {level}: {each.status}: {each.reason}" for each in bad[:3])
        refused = sum(outcome.status is Status.REFUSED for outcome in outcomes) / len(outcomes)
        if refused > MAX_REFUSED:
            yield f"level {level}: expected at most {MAX_REFUSED:.0%} of its own inputs refused, got {refused:.0%}"


def sampler_and_f_repeat_themselves(case: Case) -> Iterable[str]:
    """The same draws give the same inputs, outcomes and step counts again, metered or not."""
    for level in LEVELS:
        again = case.drawn(level)
        if again != case.draws[level]:
            yield f"level {level}: expected the sampler to depend on its generator alone"
        elif [run(case.brick, x) for x in again] != case.outcomes[level]:
            yield f"level {level}: expected f to give the same again"
    for x, y in case.pairs(3):
        if case.brick(x) != y:
            yield f"{case.shown(x)}: expected the plain run to give what the metered one gave"


def answers_survive_json(case: Case) -> Iterable[str]:
    """Inputs and answers come back from their JSON, and the answer is verified."""
    brick = case.brick
    for x, y in case.pairs():
        text = brick.codomain.dumps(y)
        if brick.domain.loads(brick.domain.dumps(x)) != x or brick.codomain.loads(text) != y:
            yield f"{case.shown(x)}: expected the same value back from JSON"
        if not brick.verify(text, y, x):
            yield f"{case.shown(x)}: expected the verifier to take the gold answer"


def only_right_answers_score(case: Case) -> Iterable[str]:
    """The gold answer scores 1; another instance's gold, the question and what is no answer score 0."""
    pairs = case.pairs(3)[:12]
    golds = [case.brick.codomain.dumps(y) for _, y in pairs]
    for (x, _), gold in zip(pairs, golds, strict=True):
        outcome = run(case.brick, x)
        problem = single.pose(case.brick, generator("audit"), 3, drawn=(x, outcome))
        if score(problem.truth, problem.answer).value != 1.0:
            yield f"{case.shown(x)}: expected its own answer {gold} to score 1"
        wrong = [
            *golds,
            case.brick.domain.dumps(x),
            "",
            " ",
            "null",
            "NaN",
            "Infinity",
            f"{gold} or {golds[0]}",
            problem.prompt,
        ]
        for text in wrong:
            if text != gold and case.brick.accepts is None and score(problem.truth, f"<answer>{text}</answer>").value:
                yield f"{case.shown(x)}: expected {text[:60]!r} to score 0"


def answers_vary(case: Case) -> Iterable[str]:
    """Answers seldom repeat their question, and no answer is so common that guessing it pays."""
    brick = case.brick
    for level in LEVELS:
        pairs = case.pairs(level)
        same = sum(brick.domain.dumps(x) == brick.codomain.dumps(y) for x, y in pairs)
        if same > MAX_IDENTITY * len(pairs):
            yield f"level {level}: {same} of {len(pairs)} answers repeat the question"
        common = max(Counter(y for _, y in pairs).values(), default=0)
        bound = MAX_TRUTH_SHARE if brick.codomain.sink else MAX_TOP_SHARE
        if (level > 1 or brick.codomain.sink) and common > bound * len(pairs):
            yield f"level {level}: {common} of {len(pairs)} answers are the same"


def answers_are_healthy(case: Case) -> Iterable[str]:
    """Most answers are in the healthy range of their type, so that a path can go on from them."""
    answers = [y for _, y in case.pairs()]
    healthy = sum(map(case.brick.codomain.healthy, answers))
    if healthy < MIN_HEALTHY * len(answers):
        yield f"expected at least {MIN_HEALTHY:.0%} healthy answers, got {healthy} of {len(answers)}"


def levels_differ(case: Case) -> Iterable[str]:
    """Every level draws other inputs, and the highest larger ones than the lowest."""
    sizes = [sum(len(case.brick.domain.dumps(x)) for x in case.draws[level]) for level in LEVELS]
    if len({tuple(case.draws[level]) for level in LEVELS}) < len(LEVELS):
        yield "expected five levels that draw different inputs"
    if sizes[0] > sizes[-1]:
        yield f"expected level 5 to draw larger inputs than level 1, got {sizes} characters"


def work_stays_within_reach(case: Case) -> Iterable[str]:
    """The median of steps at level 3 is what a careful human can do."""
    steps = sorted(outcome.steps for outcome in case.outcomes[3] if outcome.done)
    if steps and steps[len(steps) // 2] > MAX_MEDIAN_STEPS:
        yield f"expected a median of at most {MAX_MEDIAN_STEPS} steps at level 3, got {steps[len(steps) // 2]}"


def card_stays_within_bounds(case: Case) -> Iterable[str]:
    """What the brick's card says is within bounds: repeats, constant answers, entropy, refusals, steps over levels."""
    measured = profile(case.brick)
    refused, _ = refused_outputs(case.brick, case.other_outputs)
    top = MAX_TRUTH_SHARE if case.brick.codomain.sink else MAX_TOP_SHARE
    bounds = {
        "duplicates": (measured["duplicates"], MAX_DUPLICATES),
        "identity": (measured["identity"], MAX_IDENTITY),
        "best constant": (measured["top_share"], top),
        "refused of its own inputs": (measured["refused"], MAX_REFUSED),
        "refused of other bricks' outputs": (refused, MAX_OTHER_OUTPUTS_REFUSED),
    }
    for name, (share, bound) in bounds.items():
        if share > bound:
            yield f"{name}: expected at most {bound:.0%}, got {share:.1%}"
    if measured["entropy"] < MIN_ENTROPY_BITS:
        yield f"entropy: expected at least {MIN_ENTROPY_BITS} bits, got {measured['entropy']:.1f}"
    if measured["steps_5"] < MIN_STEPS_RATIO * measured["steps_1"] - 1:  # a median of few steps falls by a whole one
        yield f"steps: expected no fall from level 1 to 5, got {measured['steps_1']:.0f} to {measured['steps_5']:.0f}"


def refused_outputs(brick: Environment, values: Sequence[Any]) -> tuple[float, int]:
    """The share of other bricks' outputs that a brick refuses, and how many it was run on."""
    tried = values[: CHEAP.other_outputs]
    refused = sum(run(brick, value).status is Status.REFUSED for value in tried)
    return (refused / len(tried) if tried else 0.0), len(tried)


def code_keeps_the_rules(case: Case) -> Iterable[str]:
    """The function is pure and undecorated: no global state, no cache, nothing that depends on the process."""
    for piece in source.reached(case.brick.function):
        if isinstance(piece.node, ast.FunctionDef):
            decorators = [ast.unparse(each) for each in piece.node.decorator_list]
            if not all(each.startswith("environment(") for each in decorators):
                yield f"{piece.name}: expected no decorator, which could keep a state, got {', '.join(decorators)}"
        for node in ast.walk(piece.node):
            if isinstance(node, ast.Global | ast.Nonlocal | ast.Assert):
                yield f"{piece.name}: expected no {type(node).__name__.lower()} statement"
            if isinstance(node, ast.Name) and node.id in BANNED_NAMES:
                yield f"{piece.name}: expected no use of {node.id}"
    if not inspect.isfunction(case.brick.function) or len(case.brick.fingerprint) != 16:
        yield "expected a plain function with a fingerprint"


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        statement_is_plain,
        examples_hold,
        oracle_agrees,
        other_outputs_are_handled,
        own_inputs_are_answered,
        sampler_and_f_repeat_themselves,
        answers_survive_json,
        only_right_answers_score,
        answers_vary,
        answers_are_healthy,
        levels_differ,
        work_stays_within_reach,
        card_stays_within_bounds,
        code_keeps_the_rules,
    )
}


@dataclass(frozen=True)
class Audit:
    """What the rules found in a brick.

    brick: its name.
    faults: by the name of the rule, of rules that found any.
    has_oracle: whether it has an oracle.
    """

    brick: str
    faults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_oracle: bool = False

    @property
    def sound(self) -> bool:
        """Whether no rule found a fault."""
        return not self.faults


def audit(case: Case, rules: Mapping[str, Rule] = RULES) -> Audit:
    """Run the rules on a brick. An exception that the brick raises in a rule is a fault under that rule."""
    found = {}
    for name, rule in rules.items():
        try:
            faults = tuple(rule(case))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a brick under audit may raise anything: a finding
            faults = (describe_error(error),)
        if faults:
            found[name] = faults
    return Audit(case.brick.name, found, case.oracle is not None)


def worked_examples(folder: Path, brick: Environment) -> tuple[list[Example], Oracle | None]:
    """The hand-worked examples and the oracle of a brick, from <theme>.py in a folder; nothing where it has none."""
    module = _oracles(folder / f"{brick.theme}.py")
    if module is None:
        return [], None
    return getattr(module, "EXAMPLES", {}).get(brick.name, []), getattr(module, "ORACLES", {}).get(brick.name)


@cache
def _oracles(file: Path) -> ModuleType | None:
    if not file.is_file():
        return None
    spec = spec_from_file_location(f"oracles_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise DeclarationError(f"expected a Python file with EXAMPLES and ORACLES, got {file}")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise SettingError(
            f"expected the package {error.name}, which {file.name} imports, got none; for the oracles of races: "
            "pip install 'races[audit]'"
        ) from error
    return module


def other_outputs(bricks: Pool, effort: Effort = CHEAP) -> dict[str, list[Any]]:
    """For the name of each type, outputs of bricks that belong to it, shuffled."""
    return by_type(bricks, {name: answers(brick, effort) for name, brick in bricks.items()}, effort)


def answers(brick: Environment, effort: Effort = CHEAP) -> list[Any]:
    """The outputs of a brick on inputs of every level, for other bricks to be run on; none where its sampler fails."""
    rng = effort.generator("foreign", brick.name)
    try:
        outcomes = [run(brick, draw(brick, rng, level)) for level in LEVELS for _ in range(effort.per_level)]
    except (SettingError, InvalidValue):
        return []  # a finding about that brick, not about others
    return [outcome.value for outcome in outcomes if outcome.done]


def by_type(bricks: Pool, given: Mapping[str, list[Any]], effort: Effort = CHEAP) -> dict[str, list[Any]]:
    """The outputs of bricks (given by brick) under the name of each type that they belong to, shuffled."""
    found: dict[str, list[Any]] = {}
    for name, brick in bricks.items():
        for kind in brick.codomain.supertypes():
            found.setdefault(kind.name, []).extend(given[name])
    for name, values in found.items():
        effort.generator("foreign", "mix", name).shuffle(values)
    return found
