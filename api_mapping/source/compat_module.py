"""The module beside converted code: the functions that it calls and MindSpore does not have."""

from __future__ import annotations

import ast
import re
import subprocess
import symtable
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ruff import find_ruff_bin

from ..rewriting.inventory import Inventory
from ..syntax.nodes import start_of
from ..syntax.source_text import Source
from ..table.adapter import adapter_named
from ..table.target import Target

FILES = Path(__file__).parents[2] / "templates" / "compat"
NAME = "_ms_compat.py"

HEADER = '''"""What the converted code needs and MindSpore does not have, in MindSpore's own API."""
'''
FUTURE = "from __future__ import annotations"
MODULES = {
    "collections.abc": ("Callable", "Iterable", "Iterator", "Sequence"),
    "typing": ("Any", "ClassVar", "NamedTuple"),
    "{package}": ("mint", "nn", "ops"),
}
"""What the names that the functions use are imported from."""
CLASS_HOMES = frozenset({"nn", "ms", "ds"})
"""Where MindSpore's classes are."""
LIBRARIES = (
    *(
        "contextlib",
        "copy",
        "functools",
        "inspect",
        "itertools",
        "json",
        "math",
        "os",
        "random",
        "socket",
        "string",
        "struct",
        "sys",
        "tempfile",
        "time",
    ),
    "zlib",
)
PACKAGES = {"ms": "{package}", "ds": "{package}.dataset", "np": "numpy"}
"""The modules that have another name in the functions, in the order of the imports."""
IMPORTED = frozenset({*PACKAGES, *LIBRARIES}.union(*MODULES.values()))
BINDING = re.compile(r"^(?:(?:def|class) (\w+)|(\w+)(?:: [^=\n]+)? = )", re.MULTILINE)
"""How a line of a template begins that binds a name of the module."""


@dataclass(frozen=True)
class Piece:
    """A function, class or constant of the templates.

    `order`: the number of its template, and its place in there. `uses` are the names of the module
    that it uses, `first` those of them that must be bound before it: bases, decorators, defaults,
    values.
    """

    name: str
    text: str
    order: tuple[int, int]
    uses: frozenset[str]
    first: frozenset[str]


@cache
def templates() -> list[str]:
    """The texts of the templates."""
    return [file.read_text(encoding="utf-8") for file in sorted(FILES.glob("*.txt"))]


@cache
def homes() -> dict[str, int]:
    """The number of the template that binds a name. Raises: ValueError if there are two"""
    found: dict[str, int] = {}
    for number, text in enumerate(templates()):
        for match in BINDING.finditer(text):
            name = match[1] or match[2]
            if name in found:
                raise ValueError(f"a second {name} in the templates")
            found[name] = number
    return found


@cache
def piece(name: str) -> Piece | None:
    """What binds a name in the templates; only the one that has it is parsed."""
    number = homes().get(name)
    return None if number is None else piece_of(*statements_of(number)[name])


@cache
def statements_of(number: int) -> dict[str, tuple[ast.stmt, str, tuple[int, int]]]:
    """The statements of one template by their names, with their texts and their order."""
    found = statements_in(templates()[number])
    return {
        name_of(node): (node, code, (number, place)) for place, (node, code) in enumerate(found)
    }


def statements_in(text: str) -> Iterator[tuple[ast.stmt, str]]:
    """Statements with their texts; a text below a constant, which explains it, goes with it."""
    source = Source.of(text)
    body = ast.parse(text).body
    for node, behind in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Expr):
            continue
        end = behind if isinstance(behind, ast.Expr) else node
        whole = (end.end_lineno or 0, end.end_col_offset or 0)
        yield node, source.between(start_of_whole(node), whole)


def piece_of(node: ast.stmt, code: str, order: tuple[int, int]) -> Piece:
    """A statement with the names that it needs."""
    top = symtable.symtable(f"{FUTURE}\n{code}", "", "exec")
    name = name_of(node)
    uses, first = (frozenset(names) - {name} for names in (used(top), used(top, False)))
    return Piece(name, code, order, uses | annotated(node), first)


def annotated(node: ast.stmt) -> frozenset[str]:
    """The names of imports that the annotations in a definition mention."""
    inner = list(ast.walk(node))
    found = [n.annotation for n in inner if isinstance(n, ast.arg | ast.AnnAssign)]
    found += [n.returns for n in inner if isinstance(n, ast.FunctionDef)]
    names = (n for part in found if part is not None for n in ast.walk(part))
    return frozenset(n.id for n in names if isinstance(n, ast.Name)) & IMPORTED


def used(table: symtable.SymbolTable, inside: bool = True) -> Iterator[str]:
    """The names of the module that code refers to, `inside` of functions, too."""
    if table.get_type() == "annotation":  # is not evaluated
        return
    is_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        if inside or child.get_type() != "function":
            yield from used(child, inside)


def start_of_whole(node: ast.stmt) -> tuple[int, int]:
    """Where a definition begins, with the `@` of its first decorator."""
    line, column = start_of(node)
    is_decorated = bool(getattr(node, "decorator_list", ()))
    return line, column - 1 if is_decorated else column


def name_of(node: ast.stmt) -> str:
    """The name that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    assert isinstance(node, ast.Assign | ast.AnnAssign)
    return ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def with_what_they_use(names: Iterable[str]) -> list[Piece]:
    """The pieces of these names and of all that they use, each behind what it must have first."""
    found: dict[str, Piece] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        new = None if name in found else piece(name) or adapted(name)
        if new is not None:
            found[name] = new
            waiting += new.uses
    return in_order(found)


def in_order(chosen: Mapping[str, Piece]) -> list[Piece]:
    """The order of the templates, but for pieces that others must have first."""
    done: dict[str, Piece] = {}

    def take(piece: Piece) -> None:
        if piece.name not in done:
            for name in sorted(piece.first & chosen.keys()):
                take(chosen[name])
            done[piece.name] = piece

    for piece in sorted(chosen.values(), key=lambda piece: (piece.order, piece.name)):
        take(piece)
    return list(done.values())


@cache
def adapted(name: str) -> Piece | None:
    """What takes PyTorch's arguments for a row of the table: of a class's row a class.

    So it can be derived from, too.
    """
    adapter = adapter_named(name) if "_" in name else None
    if adapter is None:
        return None
    ((node, code),) = statements_in(adapter.code)
    assert isinstance(node, ast.FunctionDef)
    if (derived := as_class(node)) is not None:
        ((node, code),) = statements_in(derived)
    return piece_of(node, code, (len(templates()), 0))


def as_class(adapter: ast.FunctionDef) -> str | None:
    """The adapter of a class of MindSpore's as one that derives from it; None of a function."""
    value = adapter.body[-1].value if isinstance(adapter.body[-1], ast.Return) else None
    base = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    if not isinstance(value, ast.Call) or not is_class(base):
        return None
    parameters, text = ast.unparse(adapter.args), ast.get_docstring(adapter)
    given = ", ".join(map(ast.unparse, [*value.args, *value.keywords]))
    return (
        f'class {adapter.name}({base}):\n    """{text}"""\n\n'
        f"    def __init__(self, {parameters}):\n        super().__init__({given})"
    )


def is_class(name: str) -> bool:
    """Whether it names a class of MindSpore's, or of the templates."""
    home, _, last = name.rpartition(".")
    if home:
        return home.partition(".")[0] in CLASS_HOMES and last[:1].isupper()
    return name in homes() and isinstance(statements_of(homes()[name])[name][0], ast.ClassDef)


def compat_module(names: Collection[str], target: Target) -> str:
    """The text of the module with these functions; "" if there are none."""
    chosen = with_what_they_use(names)
    return formatted(text_with(chosen, target)) if chosen else ""


def text_with(chosen: Sequence[Piece], target: Target) -> str:
    """The text of the module with these pieces, before it is laid out."""
    names = frozenset().union(*(piece.uses for piece in chosen))
    plain = [f"import {name}" for name in LIBRARIES if name in names]
    short = [f"import {module} as {name}" for name, module in PACKAGES.items() if name in names]
    *standard, package = (parts_of(module, own, names) for module, own in MODULES.items())
    groups = [[FUTURE], [*plain, *standard], [*short, package]]
    imports = "\n\n".join("\n".join(filter(None, group)) for group in groups if any(group))
    blocks = [f"{HEADER}\n{imports}", *(piece.text for piece in chosen)]
    text = "\n\n\n".join(blocks) + "\n"
    package_name = target.package
    return text.replace("{package}", package_name).replace(
        "from mindspore.", f"from {package_name}."
    )


def parts_of(module: str, own: Sequence[str], names: Collection[str]) -> str:
    """The import of those of a module's names that are used; "" if none is."""
    found = [name for name in own if name in names]
    return f"from {module} import {', '.join(found)}" if found else ""


def formatted(text: str) -> str:
    """A module as ruff lays it out."""
    command = [find_ruff_bin(), "format", "--isolated", "--line-length=100", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def is_ours(text: str) -> bool:
    """Whether a module was written by an earlier run."""
    return text.startswith(HEADER.rstrip())


def names_in(text: str) -> frozenset[str]:
    """The functions that a module written by an earlier run has."""
    return frozenset(name_of(node) for node in ast.parse(text).body if is_piece(node))


def is_piece(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign)


def compat_names(nodes: Inventory, compat: str) -> frozenset[str]:
    """The functions of the compat module, which has this name here, that the code uses."""
    return frozenset(
        node.attr
        for node in nodes.of(ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id == compat
    )
