"""Import statements: PyTorch's that nothing needs go, MindSpore's that the code needs come."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..syntax.comments import comments_in
from ..syntax.edits import Edit, between
from ..syntax.nodes import end_of, start_of
from ..syntax.removal import without
from ..table import registry
from ..table.aliases import Aliases, Family, Import
from ..table.target import Target
from .inventory import Inventory

TESTS = (ast.If, ast.IfExp, ast.While, ast.Assert, ast.UnaryOp, ast.BoolOp, ast.Compare)
"""What may ask whether a value is None, or true."""

ERRORS = r"\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b"
"""What a failing import raises, and what has it among others."""


@dataclass(frozen=True)
class Wanted:
    """What the converted code imports: names of templates, and statements for others."""

    target: Target
    compat: str
    family: Family
    aliases: Aliases
    more: Sequence[str] = ()

    @property
    def own_names(self) -> frozenset[str]:
        """The names that new statements bind."""
        nodes = (ast.parse(line).body[0] for line in self.more)
        bound = (bound_name(a) for n in nodes if isinstance(n, Import) for a in n.names)
        return self.aliases.all.union(bound)

    def statements(self, read: Collection[str]) -> list[str]:
        """The statements that bind what is read."""
        plain, compat = self.aliases.statements(read, self.target.package, self.compat)
        return [*plain, *self.more, *compat]


@dataclass(frozen=True)
class Names:
    """Names of a file: those that the converted code reads, that only the original read, those
    that lines read which stay PyTorch's, and those of which only the truth is read."""

    read: frozenset[str]
    unread: frozenset[str]
    marked: frozenset[str]
    asked: frozenset[str] = frozenset()


def imports_edits(
    nodes: Inventory, lines: Sequence[str], wanted: Wanted, names: Names
) -> Iterator[Edit]:
    """The edits of the import statements of code that is converted otherwise."""
    tree, read = nodes.tree, names.read
    new = wanted.statements(read - bound_otherwise(tree, wanted.family))
    ours = [node for node in nodes.imports if wanted.family.has_some(node)]
    first = next((node for node in ours if node in tree.body), None)
    others = [node for node in nodes.imports if node not in ours and has_unread(node, names)]
    guarded = {node for block in nodes.of(ast.Try) for node in block.body if falls_back(block)}
    gone = []
    if first is None and new:
        place = place_of_new(tree)
        yield Edit(place, place, "".join(f"{line}\n" for line in new))
    for node in [*ours, *others]:
        text = between(lines, start_of(node), end_of(node))
        own = list(new) if node is first else []
        own += what_stays(node, names, wanted, node in guarded)
        own += comments_in(text)
        code = [line for line in own if not line.startswith("#")]
        if not code:
            gone.append(node)
            yield from above(node, own)
        elif shares_its_line(node, lines):
            blocks = "".join(f"{line}\n" for line in code if "\n" in line)
            place = (node.lineno + ("__future__" in lines[node.lineno - 1]), 0)
            yield from [Edit(place, place, blocks)] if blocks else []
            yield from above(node, [line for line in own if line.startswith("#")])
            short = [line for line in code if "\n" not in line]
            yield Edit(start_of(node), end_of(node), "; ".join(short or ["pass"]))
        else:
            written = f"\n{' ' * node.col_offset}".join(own)
            yield Edit(start_of(node), end_of(node), written)
    yield from without(tree, lines, gone)


def shares_its_line(node: ast.stmt, lines: Sequence[str]) -> bool:
    """Whether other code stands on the first or the last line of a statement."""
    start, end = start_of(node), end_of(node)
    behind = between(lines, end, (end[0] + 1, 0))
    return bool(between(lines, (start[0], 0), start).strip()) or ";" in behind.partition("#")[0]


def above(node: ast.stmt, comments: Sequence[str]) -> Iterator[Edit]:
    """The edit that puts comments over a statement."""
    place = (node.lineno, 0)
    text = "".join(f"{' ' * node.col_offset}{comment}\n" for comment in comments)
    yield from [Edit(place, place, text)] if text else []


def names_asked(nodes: Inventory) -> frozenset[str]:
    """The names that are read in tests of their truth alone: `if torch is not None`."""
    names = (node for node in nodes.of(ast.Name) if type(node.ctx) is not ast.Store)
    reads = Counter(node.id for node in names)
    tests = Counter(name.id for node in nodes.of(*TESTS) for name in tested(node))
    return frozenset(name for name, count in tests.items() if reads[name] == count)


def tested(node: ast.AST) -> Iterator[ast.Name]:
    """The names of which a node asks whether they are None, or true."""
    found: list[ast.expr] = []
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        found = [node.test]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        found = [node.operand]
    elif isinstance(node, ast.BoolOp):
        found = node.values
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
        is_none = isinstance(node.comparators[0], ast.Constant)
        found = [node.left] if is_none and len(node.ops) == 1 else []
    return (part for part in found if isinstance(part, ast.Name))


def bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def passed_on(tree: ast.Module, path: Path) -> list[ast.ImportFrom]:
    """The imports at the top of a package's `__init__.py` of names that it does not read."""
    if path.name != "__init__.py":
        return []
    read = Inventory(tree).names_read
    found = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return [n for n in found if any(bound_name(alias) not in read for alias in n.names)]


def bound_otherwise(tree: ast.Module, family: Family) -> frozenset[str]:
    """The names that imports at the top of the file bind to what is not PyTorch's."""
    found = set()
    for node in tree.body:
        if isinstance(node, Import):
            found |= {bound_name(a) for a in node.names if not family.has(node, a)}
    return frozenset(found)


def has_unread(node: Import, names: Names) -> bool:
    """Whether it imports a name of PyTorch's from a module of the project, which has it no more."""
    unread = names.unread | names.marked
    return isinstance(node, ast.ImportFrom) and any(bound_name(a) in unread for a in node.names)


def falls_back(block: ast.Try) -> bool:
    """Whether it goes on where an import fails."""
    caught = (ast.unparse(handler.type) if handler.type else "" for handler in block.handlers)
    return any(not name or re.search(ERRORS, name) for name in caught)


def is_lacking(node: Import, alias: ast.alias) -> bool:
    """Whether an import is of a name that MindSpore has nothing for."""
    path = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
    return "." in path and not registry.has_target(path)


def what_stays(node: Import, names: Names, wanted: Wanted, is_guarded: bool) -> Iterator[str]:
    """The lines for an import: what is not PyTorch's, and in a comment what marked lines need.

    `is_guarded`: whether the code goes on where the import fails.
    """
    unread = names.unread | names.marked if isinstance(node, ast.ImportFrom) else frozenset()
    gone = [a for a in node.names if wanted.family.has(node, a) or bound_name(a) in unread]
    others = [alias for alias in node.names if alias not in gone]
    lost = names.read - wanted.own_names
    stranded = [alias for alias in gone if bound_name(alias) in lost]
    if is_guarded and (lacking := [a for a in stranded if is_lacking(node, a)]):
        absent = ", ".join(alias.name for alias in lacking)
        yield from [statement(node, others)] if others else []
        yield f'raise ModuleNotFoundError("MindSpore has no {absent}")'
        return
    asked = sorted({bound_name(alias) for alias in stranded} & names.asked)
    stranded = [alias for alias in stranded if bound_name(alias) not in asked]
    if others:
        yield statement(node, others)
    yield from (f"{name} = True  # the code asks whether it is there" for name in asked)
    if stranded:
        yield f"# {statement(node, stranded)}  (lines that are marked below use it)"


def statement(node: Import, aliases: Sequence[ast.alias]) -> str:
    """An import statement of these names alone."""
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(list(aliases)))
    return ast.unparse(ast.ImportFrom(node.module, list(aliases), node.level))


def place_of_new(tree: ast.Module) -> tuple[int, int]:
    """Where imports stand in a file with none of PyTorch's: behind docstring and `__future__`."""
    at = (1, 0)
    for number, node in enumerate(tree.body):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_text and number == 0) and not is_future:
            return at if number else (start_of(node)[0], 0)
        at = (end_of(node)[0] + 1, 0)
    return at
