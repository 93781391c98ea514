"""Small faults planted in the functions of bricks, and whether the contract of a brick finds them.

`python -m tests.support.mutants [BRICK ...]` shows how many faults of these bricks, or of all, the contract finds, and
which survive it.
"""

import ast
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from inspect import getsource
from typing import Any

from races.environments import Environment, get, pool, source
from races.environments.audit.contract import RULES, Case, Effort, other_outputs
from races.environments.execution import draw, run
from races.environments.seeding import generator
from races.environments.types import LEVELS
from tests.support.cases import case_of

UNSEEN = Effort(draws=100, other_outputs=500, per_level=6, seed="mutants")  # none of it is what the contract draws
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
# No fault makes a number explode: what runs for ever in C is nothing that a step count ends.
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Sub,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.RShift: ast.Sub,
}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "reversed": "tuple", "sorted": "list"}
METHODS = {"lower": "upper", "upper": "lower", "startswith": "endswith", "find": "rfind", "index": "count"}
METHODS |= {"add": "discard", "strip": "lstrip", "append": "count", "most_common": "elements", "union": "intersection"}
# The rules that nothing but another outcome breaks.
PROOFS = ("examples_hold", "oracle_agrees", "other_outputs_are_handled")
Change = Callable[[], object]


@dataclass(frozen=True)
class Mutant:
    """A brick with one fault: the text of its module, and the line that is wrong."""

    brick: Environment
    text: str
    line: str


@dataclass(frozen=True)
class Found:
    """The rule that found a fault, "" for none; where that is no proof, the share of unseen inputs that show it."""

    mutant: Mutant
    rule: str
    share: float

    @property
    def counts(self) -> bool:
        """Whether it is a fault at all: a change that no input shows is none."""
        return self.rule in PROOFS or self.share > 0


# Planting


def mutants(brick: Environment) -> list[Mutant]:
    """All faults of one kind at one place of f and of the helpers that it reaches in its module."""
    tree = ast.parse(getsource(sys.modules[brick.function.__module__]))
    names = {piece.name for piece in source.reached(brick.function) if piece.module == brick.function.__module__}
    found: dict[str, Mutant] = {}
    for place, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            for changed in faulty(node):
                mutant = _mutant(brick, tree, place, changed)
                found.setdefault(mutant.text, mutant)
    found.pop(ast.unparse(tree), None)
    return list(found.values())


def _mutant(brick: Environment, tree: ast.Module, place: int, changed: ast.stmt) -> Mutant:
    before, after = (ast.unparse(each).splitlines() for each in (tree.body[place], changed))
    lines = [line.strip() for old, line in zip(before, after, strict=False) if line != old] or after
    body = [*tree.body[:place], changed, *tree.body[place + 1 :]]
    return Mutant(brick, ast.unparse(ast.Module(body, [])), lines[0])


def faulty(function: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    """Copies of a function, each with one fault, in the order of its nodes."""
    for number, node in enumerate(_nodes(function)):
        for variant in range(len(list(_changes(node)))):
            copy = deepcopy(function)
            list(_changes(_nodes(copy)[number]))[variant]()
            yield ast.fix_missing_locations(copy)


def _nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of the body, without the docstring and what is said in a refusal."""
    quiet = {id(inner) for node in ast.walk(function) if isinstance(node, ast.Raise) for inner in ast.walk(node)}
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [node for statement in body for node in ast.walk(statement) if id(node) not in quiet]


def _changes(node: ast.AST) -> Iterator[Change]:
    """What makes a node wrong: functions that change it in place."""
    match node:
        case ast.Compare():
            yield from (partial(node.ops.__setitem__, i, COMPARED[type(op)]()) for i, op in enumerate(node.ops))
        case ast.BinOp() | ast.AugAssign() if type(node.op) in COMPUTED:
            yield partial(setattr, node, "op", COMPUTED[type(node.op)]())
        case ast.BoolOp():
            yield partial(setattr, node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.USub()):
            yield partial(setattr, node, "op", ast.UAdd())
        case ast.UnaryOp(op=ast.Not()):
            yield partial(setattr, node, "operand", ast.UnaryOp(ast.Not(), node.operand))
        case ast.If() | ast.IfExp() | ast.While() if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            yield partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.comprehension(ifs=[_, *_]):
            yield node.ifs.pop
        case ast.Tuple(elts=[_, _, *_], ctx=ast.Load()):
            yield partial(node.elts.insert, 0, node.elts[1])
            yield partial(node.elts.__setitem__, slice(2), node.elts[1::-1])
        case ast.Slice():
            yield partial(setattr, node, "lower", _more(node.lower or ast.Constant(0)))
            yield partial(setattr, node, "upper", _more(node.upper or ast.Constant(-2)))
        case ast.Constant():
            yield from (partial(setattr, node, "value", value) for value in _other_values(node.value))
        case ast.Call():
            yield from _calls(node)


def _other_values(value: object) -> list[object]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1]
        case str() if value:
            return [value[1:] or "x"]
    return []


def _calls(node: ast.Call) -> Iterator[Change]:
    match node.func:
        case ast.Name(id=name) if name in CALLED:
            yield partial(setattr, node.func, "id", CALLED[name])
        case ast.Name(id="range"):
            stop = min(1, len(node.args) - 1)
            yield partial(node.args.__setitem__, stop, _more(node.args[stop]))
        case ast.Attribute(attr=name) if name in METHODS:
            yield partial(setattr, node.func, "attr", METHODS[name])
        case ast.Name(id="sorted"):
            yield partial(node.keywords.append, ast.keyword("reverse", ast.Constant(True)))
    for number, keyword in enumerate(node.keywords):
        if keyword.arg in ("key", "default", "reverse"):
            yield partial(node.keywords.pop, number)
    if len(node.args) >= 2:
        yield partial(node.args.__setitem__, slice(2), node.args[1::-1])


def _more(value: ast.expr) -> ast.expr:
    return ast.BinOp(value, ast.Add(), ast.Constant(1))


# Finding


@contextmanager
def living(mutant: Mutant) -> Iterator[Environment]:
    """The brick with the fault in it, its sampler and types as they were."""
    name = f"{mutant.brick.function.__module__}__mutant"
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(mutant.text)
        file.flush()
        spec = importlib.util.spec_from_file_location(name, file.name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        source._SOURCES.pop(name, None)
        try:
            spec.loader.exec_module(module)
            yield replace(mutant.brick, function=getattr(module, mutant.brick.name).function)
        finally:
            del sys.modules[name]


@cache
def unseen_from_bricks() -> dict[str, list[Any]]:
    return other_outputs(pool(), UNSEEN)


@cache
def unseen(brick: Environment) -> list[tuple[Any, tuple[Any, ...]]]:
    """Inputs that the contract does not draw, of the brick's own and of other bricks, and what the brick gives."""
    inputs = []
    for level in LEVELS:
        rng = UNSEEN.generator(brick.name, level)
        inputs += [draw(brick, rng, level) for _ in range(UNSEEN.draws)]
    inputs += unseen_from_bricks().get(brick.domain.name, [])[: UNSEEN.other_outputs]
    return [(x, _answer(brick, x)) for x in inputs]


def _answer(brick: Environment, x: Any) -> tuple[Any, ...]:
    outcome = run(brick, x)
    return outcome.status, outcome.value


def first_fault(case: Case) -> str:
    """The first rule of the contract that a brick breaks, in the order in which most faults are found; "" for none."""
    ordered = sorted(RULES, key=lambda name: name not in PROOFS)
    for name in ordered:
        try:
            if any(True for _ in RULES[name](case)):
                return name
        except Exception:  # noqa: BLE001  # a test that raises is red, and a faulty brick may raise anything
            return name
    return ""


def found(mutant: Mutant) -> Found:
    """Put a fault before the checks that test_contract runs on its brick."""
    with living(mutant) as wrong:
        rule = first_fault(replace(case_of(mutant.brick), brick=wrong))
        asked = unseen(mutant.brick) if rule not in PROOFS else []
        shown = sum(_answer(wrong, x) != right for x, right in asked)
        return Found(mutant, rule, shown / max(1, len(asked)))


def drawn(brick: Environment, count: int) -> list[Mutant]:
    """So many faults of a brick, the same in every run."""
    every = mutants(brick)
    return generator("mutants", brick.name).sample(every, min(count, len(every)))


def report(bricks: Iterable[Environment], count: int) -> Iterator[str]:
    """A line for each brick, and one for each fault of it that survives."""
    for brick in bricks:
        results = [each for each in map(found, drawn(brick, count)) if each.counts]
        yield f"{brick.name}: {sum(each.rule != '' for each in results)} of {len(results)}"
        yield from (f"    {each.share:.2%}: {each.mutant.line}" for each in results if not each.rule)


if __name__ == "__main__":
    for line in report(map(get, sys.argv[1:] or pool()), 1000):
        sys.stdout.write(f"{line}\n")
