"""The modules of the project: read when a name of theirs is needed, run name by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..syntax.bindings import names_bound
from ..table.facts.foreign import imports_some, is_foreign
from ..table.facts.results import exists
from ..table.facts.spelling import canonical
from ..table.kinds import NEVER, UNKNOWN, Kind
from ..table.registry import roots
from .definitions import Class, Function, Module
from .evaluation import expressions, statements
from .files.graph import Graph
from .files.headers import parse_header
from .files.outline import Chunk, Outline, outline_of
from .files.reading import Source, parse_into, read_source, read_text
from .frame import BUILTINS, Frame, Recorder
from .thin import drop_bodies, make_thin

GLOBAL = re.compile(r"global\s+([\w, ]+)")
MAX_HEARD = 10_000
"""Lines of files that are kept parsed for the calls in them."""
MAX_CHAIN = 40
"""Modules whose names wait for one another; longer chains are unknown."""


@dataclass(frozen=True)
class Reopened:
    """A name whose statements left a question open: for the next file they run again.

    `waiting` is where its statements wait to be run, `bound` what holds its value, `run` which
    statements have run.
    """

    name: str
    statements: list[Any]
    waiting: dict[str, list[Any]]
    bound: tuple[dict[str, Kind], ...]
    run: set[ast.stmt]

    def forget_runs(self) -> None:
        for names in self.bound:
            names.pop(self.name, None)
        self.run.difference_update(self.statements)
        self.waiting[self.name] = self.statements


class Modules:
    """Finds out what the names of modules are.

    The module that is being analysed runs as a whole. Of the others only the statements run that
    bind a name which is asked for: most of a large project is never looked at for one file.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.modules: dict[Path, Module] = {}
        self.recorders: dict[Module, Recorder] = {}
        self.active: Module | None = None
        self.witness: Module | None = None
        self.dirty: dict[Function, bool] = {}
        self.chain = 0
        self.looked_up: dict[Kind, Kind] = {}
        self.unsure: list[Function | Class | Reopened] = []
        self.stars_asked: list[tuple[Module, str]] = []
        self.star_depth = 0
        self.witnesses: dict[Path, Source] = {}
        self.slicing: set[tuple[Class, str]] = set()
        self.analysed = 0
        self.lines = 0
        self.quotes: dict[ast.Constant, ast.expr | None] = {}
        self.value: Callable[[Frame, ast.expr], Kind] = expressions.value
        self.resolve: Callable[[Frame, ast.expr], Kind] = expressions.resolve

    def module(self, path: Path, whole: bool = False) -> Module:
        """The module, its text read; an empty one if the file cannot be read.

        `whole` keeps the bodies of its functions, for a module that is about to be run.
        """
        found = self.modules.get(path)
        if found is None:
            return self._read(path, whole)
        if found.state == "told" and not whole:
            self._wait_for_names(found)
        return found

    def _read(self, path: Path, whole: bool) -> Module:
        source = read_source(path) if whole else read_text(path)
        _, name = self.graph.module_name(path)
        module = Module(path, name, source, is_package=path.name == "__init__.py")
        self.modules[path] = module
        self.lines += source.text.count("\n")
        module.rebound = globals_of(source)
        module.is_whole = whole
        if not whole:
            self._wait_for_names(module)
        return module

    def _wait_for_names(self, module: Module) -> None:
        """Begins to run the module name by name, as names of it are asked for.

        One that was analysed begins anew: its functions and all of its statements have run.
        """
        source = module.source
        outline = outline_of(source.text)
        if outline is None:
            parse_into(source)
            drop_bodies(source.tree.body)
            outline = Outline([], source.tree)
        self._clear(module)
        module.bindings = bindings_of(outline)
        for statement in outline.rest.body:
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                statements.run_block(module.frame, [statement])

    def _clear(self, module: Module) -> None:
        """Takes back what the statements of the module have bound."""
        module.state = "new"
        for table in (module.names, module.starred):
            table.clear()
        for found in (module.stars, module.functions, module.classes):
            found.clear()
        self._new_frame(module)

    def _new_frame(self, module: Module) -> None:
        module.frame = Frame(self, module)  # type: ignore[arg-type]
        module.frame.all = module.names

    def run_module(self, module: Module) -> None:
        """Runs the whole top level of the module that is to be analysed."""
        self.active = module
        self.analysed += 1
        self.looked_up.clear()
        for definition in self.unsure:  # another file comes to them from elsewhere
            definition.forget_runs()
        self.unsure.clear()
        self.recorders.pop(module, None)
        self._clear(module)
        module.state = "running"
        if not module.is_whole:
            parse_into(module.source)
        for statement in module.source.tree.body:
            try:
                statements.run_block(module.frame, [statement])
            except RecursionError:
                module.frame.recorder.too_deep.append(statement)
        module.state = "done"

    def hear(self, path: Path) -> list[Function]:
        """Runs the top level of a file that calls the analysed module; its functions."""
        witness = Module(path, "", self.heard(path), is_package=path.name == "__init__.py")
        self.witness = witness
        self._new_frame(witness)
        witness.state = "running"
        statements.run_block(witness.frame, witness.source.tree.body)
        witness.state = "done"
        return witness.functions

    def heard(self, path: Path) -> Source:
        """The file, parsed once for all modules whose functions it calls, if it is no large one."""
        source = self.witnesses.pop(path, None) or read_source(path)
        self.witnesses[path] = source
        while sum(each.line_count for each in self.witnesses.values()) > MAX_HEARD:
            del self.witnesses[next(iter(self.witnesses))]
        return source

    def global_name(self, module: Module, name: str) -> Kind | None:
        """What a name of the module is; the statements that bind it are run if need be."""
        if module.state != "new":
            return module.names.get(name)
        is_waiting = name not in module.names and name in module.bindings
        if is_waiting and self.chain <= MAX_CHAIN:
            self.run_bindings(module, name, module.bindings.pop(name))
        found = module.names.get(name)
        return None if found is None else unsure_if_empty(found)

    def run_bindings(self, module: Module, name: str, waiting: list[ast.stmt | Chunk]) -> None:
        """Runs the statements of a module's top level that bind the name."""
        self.chain += 1
        for each in waiting:
            statement = statement_of(module, each)
            if statement is not None and statement not in module.run:
                module.run.add(statement)
                statements.run_block(module.frame, [statement])
        self.chain -= 1

    def recorder_of(self, module: Module) -> Recorder:
        recorder = self.recorders.get(module)
        if recorder is None:
            recorder = self.recorders[module] = Recorder()
        return recorder

    def imported(self, module: Module, dotted: str) -> Kind:
        """What `import dotted as x` binds."""
        place = self.graph.locate(dotted, module.path)
        if place is not None:
            return Kind("project", dotted, (), place)
        root = dotted.partition(".")[0]
        return self.api(dotted) if root in roots() or is_foreign(root) else Kind("foreign", dotted)

    def imported_from(self, module: Module, dotted: str, level: int) -> Kind:
        """The module that `from dotted import x` takes names of."""
        if not level:
            return self.imported(module, dotted)
        place = self.graph.locate_relative(dotted, level, module.path)
        return UNKNOWN if place is None else Kind("project", dotted, (), place)

    def api(self, dotted: str) -> Kind:
        return Kind("api", canonical(dotted))

    def imported_name(self, deferred: Kind) -> Kind:
        """What a name is that was imported from a module of the project."""
        found = self.looked_up.get(deferred)
        if found is None:
            found = self.member(deferred.target, deferred.name)
            if not self.chain and self.active is not None and self.active.state == "done":
                self.looked_up[deferred] = found
        return found

    def member(self, place: Path, name: str) -> Kind:
        """The name in a module of the project, or the module of that name in a package."""
        module = self.modules.get(place)
        if module is not None or (place.suffix == ".py" and self.chain <= MAX_CHAIN):
            module = self.module(place)
            found = self.global_name(module, name)
            if found is not None and found.tag == "deferred":
                found = self._undeferred(module, place, name, found)
            if found is not None:
                return found
        inner = self.graph.inside(place, name)
        if inner is not None:
            return Kind("project", name, (), inner)
        return UNKNOWN if module is None else self.from_stars(module, name) or UNKNOWN

    def _undeferred(self, module: Module, place: Path, name: str, deferred: Kind) -> Kind | None:
        if deferred.name == name and deferred.target == place:
            return None
        module.names[name] = UNKNOWN  # while it is looked for: imports may go in circles
        self.chain += 1
        found = self.member(deferred.target, deferred.name)
        self.chain -= 1
        module.names[name] = deferred
        return found

    def from_stars(self, module: Module, name: str) -> Kind | None:
        """The name as one that a star import brings; None if none is known to bring it."""
        if not module.stars or name.startswith("_") or name in module.starred:
            return module.starred.get(name)
        if name in BUILTINS and all(star.tag == "project" for star in module.stars):
            return None
        module.starred[name] = None  # while it is looked for: stars may go in circles
        self.stars_asked.append((module, name))
        self.star_depth += 1
        found = None
        for star in reversed(module.stars):
            found = self._of_star(star, name)
            if found is not None:
                break
        self.star_depth -= 1
        if not self.star_depth:
            self.forget_stars()
        module.starred[name] = found
        return found

    def forget_stars(self) -> None:
        """Forgets what was said on the way: in a circle, the answer of all but the first asked."""
        for module, name in self.stars_asked:
            module.starred.pop(name, None)
        self.stars_asked.clear()

    def _of_star(self, star: Kind, name: str) -> Kind | None:
        if star.tag == "project":
            return self.exported(star.target, name)
        if star.tag == "api":
            return self.api(f"{star.name}.{name}") if exists(f"{star.name}.{name}") else None
        return None if name in BUILTINS else UNKNOWN

    def exported(self, place: Path, name: str) -> Kind | None:
        """What `from module import *` brings under this name; None if it is not there."""
        if place.suffix != ".py" or self.chain > MAX_CHAIN:
            return None
        if place not in self.modules and not self.graph.may_export(place, name):
            return None
        module = self.module(place)
        if self.global_name(module, name) is not None:
            return self.member(place, name)
        return self.from_stars(module, name)

    def knows_torch(self, module: Module) -> bool:
        """Whether the file has to do with PyTorch."""
        return "torch" in module.source.text or imports_some(module.source.text)

    def quoted(self, node: ast.Constant) -> ast.expr | None:
        """The expression of an annotation in quotes, where it stands in the file."""
        if node not in self.quotes:
            self.quotes[node] = parse_quoted(node)
        return self.quotes[node]

    def forget(self, most: int) -> None:
        """Drops all modules if more than `most` lines are kept; else only what was recorded.

        All, since a class that was dropped would stay the base of one that was not, with methods
        that tell nothing any more: what a file is told must not depend on which came before it.
        """
        for recorder in self.recorders.values():
            recorder.clear()
        if self.lines <= most:
            return
        for module in self.modules.values():
            empty(module)
        for table in (self.modules, self.recorders, self.dirty, self.looked_up, self.quotes):
            table.clear()
        self.unsure.clear()
        self.lines = 0


def bindings_of(outline: Outline) -> dict[str, list[ast.stmt | Chunk]]:
    """For each name of a module the statements of its top level that bind it."""
    found: dict[str, list[ast.stmt | Chunk]] = {}
    for statement in outline.rest.body:
        if type(statement) is not ast.Expr:
            for name in names_bound(statement):
                found.setdefault(name, []).append(statement)
    for chunk in outline.chunks:
        found.setdefault(chunk.name, []).append(chunk)
    return found


def statement_of(module: Module, waiting: ast.stmt | Chunk) -> ast.stmt | None:
    """The statement; None if the file has an error there."""
    if isinstance(waiting, ast.stmt):
        return waiting
    try:
        statement, functions = parse_header(waiting.text, waiting.first_line, waiting.is_class)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    module.texts.update(functions)
    if not waiting.is_class:
        drop_bodies([statement])
    return statement


def unsure_if_empty(kind: Kind) -> Kind:
    """With unknown elements if it is an empty container: other statements may fill it."""
    if NEVER not in kind.parts:
        return kind
    parts = tuple(UNKNOWN if part is NEVER else part for part in kind.parts)
    return Kind(kind.tag, kind.name, parts, kind.target)


def empty(module: Module) -> None:
    """Frees what a forgotten module knows, whoever still holds its classes.

    What refers to itself is taken apart: else only a search for garbage would find it.
    """
    make_thin(module)
    module.names.clear()
    module.starred.clear()
    for definition in module.defined.values():
        if isinstance(definition, Function):
            definition.outer = definition.owner = None
        elif isinstance(definition, Class):
            definition.frame.klass = None
            definition.forget_line()
    module.defined.clear()
    module.texts.clear()
    module.functions.clear()
    module.classes.clear()
    if module.frame is not None:
        module.frame.env.clear()
    module.frame = None
    module.source = Source(module.path, "", ast.Module([], []))


def globals_of(source: Source) -> frozenset[str]:
    """The names that some function declares global: they may be anything."""
    text = source.text
    found = (match for match in GLOBAL.finditer(text) if begins_line(text, match.start()))
    return frozenset(name.strip() for match in found for name in match[1].split(","))


def begins_line(text: str, place: int) -> bool:
    """Whether only spaces stand before a place in its line."""
    return text[text.rfind("\n", 0, place) + 1 : place].isspace()


def parse_quoted(node: ast.Constant) -> ast.expr | None:
    try:
        expression = ast.parse(str(node.value).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    for inner in ast.walk(expression):
        if isinstance(inner, ast.expr):
            ast.copy_location(inner, node)
    return expression
