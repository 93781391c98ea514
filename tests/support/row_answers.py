"""The true results of rows, and whether a text answers a row, worked out without the scorers."""

import json

from races import environments
from races.environments.composition.path import find
from races.environments.operators import (
    Problem,
)
from races.environments.responses.answers import find_answer, read_labels
from races.environments.types import VOCABULARY

# b: nothing else does


def targets(row: Problem) -> list[str]:
    """The true results of a row, as canonical JSON."""
    content = json.loads(row.truth)
    return list(content["answers"] if "answers" in content else [content["target"]])


def is_right(row: Problem, text: str) -> bool:
    """Whether a text answers the row fully, worked out without the scorers."""
    content = json.loads(row.truth)
    if row.operator in ("sort", "select"):
        letters = read_labels(find_answer(text), "".join(map(chr, range(65, 65 + len(content["environments"])))))
        value, kind = VOCABULARY[content["type"]].loads(content["start"]), VOCABULARY[content["type"]]
        for letter in letters:
            brick = find(content["environments"][ord(letter) - 65])
            if value not in brick.domain:
                return False
            try:
                value, kind = brick(value), brick.codomain
            except environments.OutOfDomain:
                return False
        whole = row.operator == "select" or len(letters) == row.size
        return whole and kind.dumps(value) == content["target"]
    kinds = [VOCABULARY[name] for name in content["types"]]
    if row.operator == "single":
        return bool(kinds[0].parse(find_answer(text)) == kinds[0].loads(content["answers"][0]))
    items = json.loads(find_answer(text))
    truths = [kind.loads(answer) for kind, answer in zip(kinds, content["answers"], strict=True)]
    return len(items) == len(truths) and all(k.decode(i) == t for k, i, t in zip(kinds, items, truths, strict=True))


def inner(row: Problem) -> str:
    """The right answer without its marks."""
    return find_answer(row.answer)
