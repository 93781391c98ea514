"""What code a brick consists of: the syntax trees that a function reaches inside its package, hashed or metered.

Names are resolved statically, through the top level of the modules and their imports. A piece is a function, a class or
a constant. Types of the vocabulary and everything outside the package are boundaries: they are named, not entered.
"""

import ast
import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from races.environments.errors import DeclarationError

_BOUNDARIES = ("races.environments.types", "races.environments.core", "races.environments.errors")
_SKIPPED_FIELDS = frozenset({"annotation", "returns", "decorator_list", "type_comment", "type_params", "kind", "ctx"})
_COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


@dataclass(frozen=True)
class Piece:
    """A top-level statement of a module, under the name that it defines."""

    module: str
    name: str
    node: ast.stmt


@dataclass(frozen=True)
class _Module:
    """The top level of a module: what its names define, and what they import as (module, name or "" for a module)."""

    defined: dict[str, ast.stmt]
    imported: dict[str, tuple[str, str]]


_BRICK_FILE = re.compile(r"races_bricks_[0-9a-f]{16}\.(.+)")


def is_brick_file(module: str) -> bool:
    """Whether a module is a file of RACES_BRICKS, and named after the folder that it lies in."""
    return _BRICK_FILE.fullmatch(module) is not None


def public_name(module: str) -> str:
    """What a module is called on every machine: a file of RACES_BRICKS without the folder that it lies in."""
    return _BRICK_FILE.sub(r"races_bricks_\1", module)


def reached(function: Callable[..., Any]) -> list[Piece]:
    """The pieces that a function needs, itself first, in an order that depends on nothing but the code."""
    module, name = function.__module__, function.__qualname__
    first = _find(module, name)
    if first is None:
        raise DeclarationError(f"{module}.{name}: expected a function at the top level of a module, got {name!r}")
    found = {(first.module, first.name): first}
    queue = [first]
    for piece in queue:
        for target in _targets(piece):
            if (target.module, target.name) not in found:
                found[target.module, target.name] = target
                queue.append(target)
    return queue


def digest(*functions: Callable[..., Any]) -> str:
    """A hash of all that the functions reach.

    Comments, layout, annotations and docstrings do not count, nor does the folder in which a module lies.
    """
    return _hashed(piece for function in functions for piece in reached(function))


def class_digest(cls: type) -> str:
    """A hash of a class and of all that it reaches inside the package, modules of types and values included."""
    first = _find(cls.__module__, cls.__name__)
    if first is None:
        raise DeclarationError(f"expected {cls.__name__} at the top level of {cls.__module__}")
    queue = [first]
    for piece in queue:
        for target in _targets(piece, _within_environments):
            # The base of all types only says what follows from their answers.
            if target.name != "Type" and target not in queue:
                queue.append(target)
    return _hashed(queue)


def _hashed(pieces: Iterable[Piece]) -> str:
    """A hash of pieces in any order, each under its name and the last name of its module."""
    lines = {f"{piece.module.rpartition('.')[2]}.{piece.name}: {_dump(piece.node)}" for piece in pieces}
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def _within_environments(module: str) -> bool:
    return module.startswith("races.environments.")


def metered(function: Callable[..., Any], tick: Callable[[int], bool]) -> Callable[..., Any]:
    """The same function, which calls tick(k) for the k statements of a block before they run, and for every iteration.

    What counts is the syntax tree, so the count is the same on every machine and under every Python version. The
    functions of the package that it calls are counted too, also where a constant or a default holds them; methods of
    value classes and C code count as one statement.
    """
    spaces: dict[str, dict[str, Any]] = {}
    pieces = [p for p in reached(function) if isinstance(p.node, ast.FunctionDef) or _holds_functions(p)]
    for piece in pieces:
        spaces.setdefault(piece.module, {**vars(sys.modules[piece.module]), "__tick__": tick})
    ordered = sorted(pieces, key=lambda piece: piece.node.lineno)
    # Twice, since a constant or a default of the first round may hold what a later module has only then defined.
    for _ in range(2):
        for piece in ordered:
            _define(piece, spaces[piece.module])
        # Only a brick's own name differs: in its module the brick stands where its function did.
        made = {id(vars(sys.modules[p.module]).get(p.name)): spaces[p.module][p.name] for p in pieces}
        for space in spaces.values():
            for name, value in list(space.items()):
                space[name] = made.get(id(value), value)
    result: Callable[..., Any] = spaces[function.__module__][function.__qualname__]
    return result


def _holds_functions(piece: Piece) -> bool:
    """Whether a constant is made with functions of the package, as a table of them is, or with lambdas."""
    if not isinstance(piece.node, ast.Assign | ast.AnnAssign):
        return False
    inner = any(isinstance(node, ast.Lambda) for node in ast.walk(piece.node))
    return inner or any(isinstance(target.node, ast.FunctionDef) for target in _targets(piece))


def _define(piece: Piece, space: dict[str, Any]) -> None:
    """Run the metered form of a piece in a copy of its module."""
    node = _Counting().visit(_undecorated(piece.node))
    tree = ast.fix_missing_locations(ast.Module([node], []))
    exec(compile(tree, f"<metered {piece.module}>", "exec"), space)  # noqa: S102  # our own installed source


def _undecorated(function: ast.stmt) -> ast.stmt:
    """A copy of a function without its decorators and its docstring, which are no steps."""
    copy = deepcopy(function)
    if not isinstance(copy, ast.FunctionDef):
        return copy
    copy.decorator_list = []
    if ast.get_docstring(copy) is not None:
        copy.body = copy.body[1:] or [ast.Pass()]
    return copy


@lru_cache(maxsize=256)
def _parsed(module: str, source: str) -> _Module:
    defined: dict[str, ast.stmt] = {}
    imported: dict[str, tuple[str, str]] = {}
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                defined[node.name] = node
            case ast.Assign():
                names = [n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)]
                defined.update(dict.fromkeys(names, node))
            case ast.AnnAssign(target=ast.Name(id=name)):
                defined[name] = node
            case ast.Import():
                imported.update({(a.asname or a.name): (a.name, "") for a in node.names})
            case ast.ImportFrom(module=origin, level=level):
                origin = _absolute(module, level, origin or "")
                for alias in node.names:
                    whole = f"{origin}.{alias.name}"
                    imported[alias.asname or alias.name] = (whole, "") if whole in sys.modules else (origin, alias.name)
    return _Module(defined, imported)


def _absolute(module: str, level: int, origin: str) -> str:
    """The module that an import names, also one relative to the module in which it stands."""
    if not level:
        return origin
    package = getattr(sys.modules.get(module), "__package__", None) or module.rpartition(".")[0]
    try:
        return resolve_name("." * level + origin, package)
    except ImportError:  # beyond the top, in code that has not run
        return ""


_SOURCES: dict[str, tuple[int, str]] = {}


def remember(module: str) -> None:
    """Keep the source of a module that is being loaded: its file may be edited while this process runs the old code."""
    file = getattr(sys.modules.get(module), "__file__", None)
    changed = Path(file).stat().st_mtime_ns if file else 0
    if module not in _SOURCES or _SOURCES[module][0] != changed:
        try:
            _SOURCES[module] = changed, inspect.getsource(sys.modules[module])
        except (OSError, TypeError, KeyError) as error:
            raise DeclarationError(f"expected the source of module {module!r} to be readable, got {error}") from error


def _module(name: str) -> _Module:
    if name not in _SOURCES:
        remember(name)
    return _parsed(name, _SOURCES[name][1])


Enter = Callable[[str], bool]  # whether names of a module are followed


def _find(module: str, name: str, enter: Enter | None = None) -> Piece | None:
    """The piece that a name means in a module, followed through imports into the modules that are entered."""
    top = _module(module)
    if name in top.defined:
        return Piece(module, name, top.defined[name])
    origin, original = top.imported.get(name, ("", ""))
    return _find(origin, original, enter) if original and _entered(origin, module, enter) else None


def _entered(other: str, module: str, enter: Enter | None) -> bool:
    """Whether a name of that module is followed: as asked, or by default within the package up to its boundaries."""
    if enter is not None:
        return enter(other)
    same = other.split(".")[0] == module.split(".")[0] or other == "races.environments.values"
    return same and not any(other == edge or other.startswith(edge + ".") for edge in _BOUNDARIES)


def _targets(piece: Piece, enter: Enter | None = None) -> Iterator[Piece]:
    """The pieces that the names in a piece mean, annotations and decorators left aside."""
    top = _module(piece.module)
    for node in _walk(piece.node):
        target = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id != piece.name:
            target = _find(piece.module, node.id, enter)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            origin, original = top.imported.get(node.value.id, ("", ""))
            if origin and not original and _entered(origin, piece.module, enter):
                target = _find(origin, node.attr, enter)
        if target is not None and (enter is not None or _entered(target.module, piece.module, None)):
            yield target


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for field, value in ast.iter_fields(node):
        if field in _SKIPPED_FIELDS:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _dump(node: Any) -> Any:
    """A syntax tree as nested text that Python versions agree on: empty fields and what does not run are left out."""
    if isinstance(node, list):
        return "[" + ",".join(_dump(item) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for field, value in ast.iter_fields(node):
        if field == "body" and isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            value = value[1:]
        if field not in _SKIPPED_FIELDS and value is not None and value != []:
            fields.append(f"{field}={_dump(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


class _Counting(ast.NodeTransformer):
    """Puts a call of __tick__ before every run of statements and into every iteration."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                looping = field == "body" and isinstance(node, ast.For | ast.While)
                setattr(node, field, _counted(block, int(looping)))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        node.body = ast.BoolOp(ast.And(), [_tick(1), node.body])
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(0, _tick(1))
        return node


def _counted(block: list[ast.stmt], extra: int) -> list[ast.stmt]:
    """The block with one call of __tick__ before each run of statements that ends in a compound one."""
    result: list[ast.stmt] = []
    run: list[ast.stmt] = []
    for statement in block:
        run.append(statement)
        if isinstance(statement, _COMPOUND) or statement is block[-1]:
            result += [ast.Expr(_tick(len(run) + extra)), *run]
            run, extra = [], 0
    return result


def _tick(steps: int) -> ast.Call:
    return ast.Call(ast.Name("__tick__", ast.Load()), [ast.Constant(steps)], [])
