"""One problem: what the model is shown, what the verifier needs, and where it came from; and one score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property
from html import escape
from itertools import chain
from typing import Any

from races.environments.core import Environment
from races.environments.errors import DeclarationError
from races.environments.responses.answers import AnswerStyle as AnswerStyle
from races.environments.responses.answers import find_answer
from races.environments.seeding import generator, key_of
from races.environments.types.base import to_json

MAX_EXAMPLE_DRAWS = 20  # for an example of an answer, where both of the type's own would be accepted


class ScoreStatus(StrEnum):
    """What a score means: a verdict on the answer, an answer that cannot be read, or a failure of the grader."""

    SCORED = "scored"
    UNPARSEABLE = "unparseable"
    GRADER_FAILED = "grader_failed"


@dataclass(frozen=True, slots=True)
class Score:
    """What a model's text earns.

    value: the reward, from 0 to 1; 0 where the status is GRADER_FAILED, and then to be masked, never learnt from.
    status: what the value means.
    reason: why it is less than 1, else "".
    correct: results that are right; in SEQUENTIAL those before the first wrong one.
    total: results that were asked for.

    Examples:
        >>> import races
        >>> from races.environments.operators import parallel
        >>> from races.environments.seeding import generator
        >>> bricks = [races.get("digit_sum"), races.get("digit_list")]
        >>> problem = parallel.pose(bricks, generator("example"), level=1)
        >>> score = races.graded(problem.truth, "<answer>[11, []]</answer>")
        >>> score.value, score.status.value, score.correct, score.total
        (0.5, 'scored', 1, 2)
    """

    value: float
    status: ScoreStatus
    reason: str = ""
    correct: int = 0
    total: int = 1


@dataclass(frozen=True, repr=False)
class Problem:
    """One row of a training set. Every column is plain data, from which the row can be rebuilt and scored again.

    operator: "single", "sequential", "parallel", "sort" or "select".
    size: the number of bricks to apply.
    level: of the inputs, 1 to 5.
    prompt: what the model is shown.
    truth: JSON text, all that the score needs.
    answer: one right answer as the model should write it.
    environments: names in the order of the path.
    themes, fingerprints: of the environments.
    types: names, of the start and of y_1, ..., y_t; in PARALLEL of the answers.
    start: JSON of the input.
    outputs: JSON of each result.
    steps: metered steps of the solution.
    path_id: of the path that a search found, "" for none.
    chance: for SORT and SELECT, the most that a guesser earns who draws among the answers that the prompt leaves open
        (see composition.orders).
    valid_answers: for SORT and SELECT, how many answers are right.
    feasible_answers: for SORT and SELECT, how many answers the prompt leaves open, of all lengths.
    shortest: for SORT and SELECT, the length of the shortest right answer.
    distractors: for SELECT, names of the environments that are offered besides the path's.
    key: what seeded its randomness, "" where it was not generated in a chunk.

    Examples:
        >>> import races
        >>> from races.environments.operators import single
        >>> from races.environments.seeding import generator
        >>> problem = single.pose(races.get("digit_sum"), generator("example"), level=1)
        >>> problem.start, problem.outputs, problem.truth
        ('83', ('11',), '{"operator": "single", "types": ["SmallNat"], "answers": ["11"]}')
    """

    operator: str
    size: int
    level: int
    prompt: str
    truth: str
    answer: str
    environments: tuple[str, ...]
    themes: tuple[str, ...]
    types: tuple[str, ...]
    start: str
    outputs: tuple[str, ...]
    fingerprints: tuple[str, ...]
    steps: int
    path_id: str = ""
    chance: float = 0.0
    valid_answers: int = 0
    feasible_answers: int = 0
    shortest: int = 0
    distractors: tuple[str, ...] = ()
    key: str = ""

    @cached_property
    def id(self) -> str:
        """A hash of operator, prompt and truth: 24 hexadecimal digits."""
        return key_of(self.operator, self.prompt, self.truth)

    def with_key(self, key: str, path_id: str) -> "Problem":
        """The same problem under a key; dataclasses.replace would take half as long as the whole generation."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, key=key, path_id=path_id)
        return twin

    def as_dict(self) -> dict[str, Any]:
        """The problem as plain data, with lists for tuples: a row of the table `problems`."""
        values = {name: self.__dict__[name] for name in _COLUMNS} | {"id": self.id}
        return {name: list(value) if type(value) is tuple else value for name, value in values.items()}

    def row(self, index: int = 0) -> dict[str, Any]:
        """The problem as a row of a training set, in the columns that verl and TRL read; index: of the row."""
        return training_row(self.as_dict(), index)

    @property
    def states(self) -> tuple[str, ...]:
        """The JSON of the start and of each result: x0, y_1, ..., y_t; of PARALLEL all inputs, then each answer."""
        return self.start, *self.outputs

    def score(self, text: str) -> Score:
        """The score of a model's text, which may end in an answer after any thoughts; it never raises."""
        from races.environments.operators import score  # which imports this module

        return score(self.truth, text)

    def __repr__(self) -> str:
        return f"<{self.operator} problem at level {self.level}: {self._chain()}>"

    def _repr_html_(self) -> str:
        """What a notebook shows; every text is escaped, since statements may be those of third-party bricks."""
        rows = [("start", self.start), *zip(self.environments, self.outputs, strict=False), ("answer", self.answer)]
        cells = "".join(f"<tr><th>{escape(name)}</th><td><code>{escape(text)}</code></td></tr>" for name, text in rows)
        return (
            f"<p><b>{escape(self.operator)}</b>, level {self.level}: {escape(self._chain())}</p>"
            f'<pre style="white-space: pre-wrap">{escape(self.prompt)}</pre>'
            f"<details><summary>solution</summary><table>{cells}</table></details>"
        )

    def _chain(self) -> str:
        """The bricks, with > between steps of a path."""
        return (", " if self.operator == "parallel" else " > ").join(self.environments)


def training_row(columns: Mapping[str, Any], index: int) -> dict[str, Any]:
    """A problem as a row of a training set, in the columns of verl's RLHFDataset with a few of ours beside them.

    columns: those of Problem.as_dict. index: of the row.
    """
    extra = {name: columns[name] for name in ("id", "operator", "size", "level", "path_id")}
    return {
        "id": columns["id"],
        "data_source": f"races/{columns['operator']}",
        "prompt": [{"role": "user", "content": columns["prompt"]}],
        "ability": columns["operator"],
        "reward_model": {"style": "rule", "ground_truth": columns["truth"]},
        "extra_info": {"index": index, **extra},
        "operator": columns["operator"],
        "size": columns["size"],
        "level": columns["level"],
        "environments": columns["environments"],
        "prompt_characters": len(columns["prompt"]),
    }


_COLUMNS = tuple(each.name for each in fields(Problem))


@dataclass(frozen=True)
class Rejected:
    """A path of which an operator makes no problem, and the reason: data to be counted, not an error."""

    reason: str


def truth_of(operator: str, style: AnswerStyle = "tags", **content: Any) -> str:
    """The truth column: JSON text that names its operator, and the style of the answer where it is not tags."""
    return to_json({"operator": operator, **({} if style == "tags" else {"style": style}), **content})


def answer_of(truth: dict[str, Any], text: str) -> str:
    """The answer in a text, in the form that the prompt asked for; rows without a style are read as tags are.

    Unparseable where there is no answer, DeclarationError where the truth names a style that there is not.
    """
    style: AnswerStyle = truth.get("style", "tags")
    if style not in ("tags", "boxed"):
        raise DeclarationError(f"expected the style tags or boxed, got {style!r}")
    return find_answer(text, style)


def example_of(environment: Environment, answer: str, x: Any = None) -> str:
    """The JSON of a value that shows how an answer is written and is not right: not the answer, nor accepted for x."""
    kind = environment.codomain
    if environment.accepts is None:
        return next(text for text in kind.example_texts if text != answer)
    drawn = (kind.sample(generator("example", environment.name, index), 3) for index in range(MAX_EXAMPLE_DRAWS))
    others = (value for value in chain(kind.examples, drawn) if kind.dumps(value) != answer)
    wrong = (value for value in others if not environment.accepted(x, value))
    return kind.dumps(next(wrong, kind.examples[0]))


def answer_format(description: str, example: str, style: AnswerStyle) -> str:
    """The sentences that say how to answer: once, with an example that is not the answer."""
    if style == "boxed":
        return (
            f"Write the final answer inside \\boxed{{}}: {description}. "
            f"An example of the format, not the answer: \\boxed{{{example}}}"
        )
    return (
        f"Write the final answer between <answer> and </answer>: {description}. "
        f"An example of the format, not the answer: <answer>{example}</answer>"
    )


def wrapped(answer: str, style: AnswerStyle) -> str:
    """An answer as a model should write it."""
    return f"\\boxed{{{answer}}}" if style == "boxed" else f"<answer>{answer}</answer>"


def provenance(environments: Sequence[Environment]) -> dict[str, Any]:
    """The columns that say which environments a problem is made of."""
    return {
        "environments": tuple([e.name for e in environments]),
        "themes": tuple([e.theme for e in environments]),
        "fingerprints": tuple([e.fingerprint for e in environments]),
    }
