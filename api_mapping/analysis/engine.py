"""The state of one analysis: modules read so far, what runs, what must run again."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from . import classes, expressions, scopes, statements
from .apis import ROOTS, canonical, exists
from .attributes import resolve_attribute
from .definitions import Class, Function, Module
from .frame import BUILTINS, Frame, Recorder
from .graph import Graph
from .kinds import NEVER, TENSOR, UNKNOWN, Kind, dict_of, join
from .reading import Source, read_source

MAX_DEPTH = 8
"""Functions that are run while another waits for what they return."""
MAX_RUNS = 4
"""Times that a function is run before its calls are taken as telling nothing."""
SHARED = 3
"""Modules with more importers than this are kept when others are forgotten."""
MAX_MODULES = 30
"""Modules whose top level is run while another waits for a name of theirs."""


class Engine:
    """Reads modules of a project when they are needed, and runs functions over kinds."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.modules: dict[Path, Module] = {}
        self.recorders: dict[Module, Recorder] = {}
        self.active: Module | None = None
        self.dirty: dict[Function, None] = {}
        self.depth = 0
        self.reading = 0
        self.clock = 0
        self.lines = 0
        self.quotes: dict[ast.Constant, ast.expr | None] = {}
        self.value: Callable[[Frame, ast.expr], Kind] = expressions.value
        self.resolve: Callable[[Frame, ast.expr], Kind] = expressions.resolve

    # modules

    def module(self, path: Path) -> Module:
        """The module with its top level run; an empty one if the file cannot be read."""
        found = self.modules.get(path)
        if found is None:
            found = self.load(path, read_source(path))
        self.clock += 1
        found.used = self.clock
        return found

    def load(self, path: Path, source: Source) -> Module:
        _, name = self.graph.module_name(path)
        module = Module(path, name, source, is_package=path.name == "__init__.py")
        self.modules[path] = module
        self.lines += len(source.lines)
        module.rebound = globals_of(source)
        frame = Frame(self, module)
        frame.all = module.names
        module.state = "running"
        self.reading += 1
        for statement in source.tree.body:
            self.guarded(frame, [statement])
        self.reading -= 1
        module.state = "done"
        return module

    def guarded(self, frame: Frame, body: list[ast.stmt]) -> None:
        """Runs statements; one that is nested too deeply is told, the rest goes on."""
        try:
            statements.run_block(frame, body)
        except RecursionError:
            frame.recorder.too_deep.extend(body)

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
        return self.api(dotted) if dotted.partition(".")[0] in ROOTS else Kind("foreign", dotted)

    def imported_from(self, module: Module, dotted: str, level: int) -> Kind:
        """The module that `from dotted import x` takes names of."""
        if not level:
            return self.imported(module, dotted)
        place = self.graph.locate_relative(dotted, level, module.path)
        return UNKNOWN if place is None else Kind("project", dotted, (), place)

    def api(self, dotted: str) -> Kind:
        return Kind("api", canonical(dotted))

    def member(self, place: Path, name: str) -> Kind:
        """The name in a module of the project, or the module of that name in a package."""
        found: Kind | None = None
        if place.suffix == ".py" and (place in self.modules or self.reading < MAX_MODULES):
            module = self.module(place)
            if self.active is not None:
                module.importers.add(self.active.path)
            found = module.names.get(name)
            if found is not None and found.tag == "deferred":
                if (found.target, found.name) == (place, name):
                    found = None
                else:
                    found = self._undeferred(module, name, found)
        if found is not None:
            return found
        inner = self.graph.inside(place, name)
        if inner is not None:
            return Kind("project", name, (), inner)
        module_read = self.modules.get(place)
        if module_read is None:
            return UNKNOWN
        return self.from_stars(module_read, name) or UNKNOWN

    def _undeferred(self, module: Module, name: str, deferred: Kind) -> Kind:
        module.names[name] = UNKNOWN  # while it is looked for: imports may go in circles
        found = self.member(deferred.target, deferred.name)
        module.names[name] = found
        return found

    def from_stars(self, module: Module, name: str) -> Kind | None:
        """The name as one that a star import brings; None if none is known to bring it."""
        if not module.stars or name.startswith("_") or name in module.starred:
            return module.starred.get(name)
        if name in BUILTINS and all(star.tag == "project" for star in module.stars):
            return None
        module.starred[name] = None  # while it is looked for: stars may go in circles
        found: Kind | None = None
        for star in reversed(module.stars):
            if star.tag == "project":
                found = self.exported(star.target, name)
            elif star.tag == "api":
                found = self.api(f"{star.name}.{name}") if exists(f"{star.name}.{name}") else None
            else:
                found = None if name in BUILTINS else UNKNOWN
            if found is not None:
                break
        module.starred[name] = found
        return found

    def exported(self, place: Path, name: str) -> Kind | None:
        """What `from module import *` brings under this name; None if it is not there."""
        if place.suffix != ".py" or self.reading >= MAX_MODULES:
            return None
        if place not in self.modules and not self.graph.may_export(place, name):
            return None
        module = self.module(place)
        if name in module.names:
            return self.member(place, name)
        return self.from_stars(module, name)

    def knows_torch(self, module: Module) -> bool:
        """Whether the file has to do with PyTorch."""
        return "torch" in module.source.text

    def quoted(self, module: Module, node: ast.Constant) -> ast.expr | None:
        """The expression of an annotation in quotes, where it stands in the file."""
        if node not in self.quotes:
            self.quotes[node] = parse_quoted(node)
        return self.quotes[node]

    def forget(self, most: int) -> None:
        """Drops the modules that were longest not needed, down to half of `most` lines."""
        if self.lines <= most:
            return
        kept = most // 2
        for module in sorted(self.modules.values(), key=likely_needed):
            if self.lines <= kept:
                break
            self.lines -= len(module.source.lines)
            del self.modules[module.path]
            self.recorders.pop(module, None)
            empty(module)
        self.quotes.clear()

    # functions

    def result_of(self, frame: Frame, function: Function) -> Kind:
        """What a call of the function gives, by its annotation or its body."""
        declared = function.declared
        if declared is not None and not is_general(declared):
            return declared
        if frame.function is not None and frame.module is function.module:
            function.callers.add(frame.function)
        if function.returned is None:
            if function.state == "running" or self.depth >= MAX_DEPTH:
                return UNKNOWN if declared is None else declared
            self.run(function)
        found = function.returned or UNKNOWN
        if declared is not None:
            return found if found.tag == declared.tag else declared
        return found

    def run(self, function: Function) -> None:
        """Runs the body with what is known now; callers run again if the result is another."""
        if function.state == "running":
            return
        function.state = "running"
        function.runs += 1
        self.depth += 1
        self.dirty.pop(function, None)
        before = {name for name, kind in function.found.items() if kind is TENSOR}
        frame = Frame(self, function.module, function.outer)
        try:
            returned = scopes.run_function(frame, function, statements.run_block)
        except RecursionError:
            frame.recorder.too_deep.append(function.node)
            returned = UNKNOWN
        finally:
            self.depth -= 1
            function.state = "done"
        after = {name for name, kind in function.found.items() if kind is TENSOR}
        if after != before:
            self.changed(function)
            if function.module is not self.active and function.runs == 1:
                self.run(function)
                return
        old, function.returned = function.returned, returned
        if old is not None and old != returned:
            for caller in function.callers:
                self.changed(caller)

    def changed(self, function: Function) -> None:
        """Notes that the function must run again: more is known of its parameters."""
        if function.module is not self.active:
            function.returned = None
        elif function.runs:
            self.dirty[function] = None

    def escape(self, kind: Kind) -> None:
        """Notes that a value left what is followed: calls of it are no longer all seen."""
        if kind.tag in ("function", "bound"):
            kind.target.escapes = True

    def activate(self, module: Module) -> None:
        """Begins the analysis of a module: what others asked of it is found out again."""
        self.active = module
        for function in module.functions:
            function.returned = None
            function.runs = 0
            function.found.clear()
        for cls in module.classes:
            cls.state = "new"
            cls.attributes.clear()

    def settle(self, module: Module) -> None:
        """Runs all functions of the module until nothing more is learnt."""
        for cls in module.classes:
            self.prepare(cls)
        for function in reversed(module.functions):
            if not function.runs:
                self.run(function)
        while self.dirty:
            function = next(iter(self.dirty))
            del self.dirty[function]
            if function.runs > MAX_RUNS:
                continue
            if function.runs == MAX_RUNS:
                function.escapes = True
            self.run(function)

    # classes

    def prepare(self, cls: Class) -> None:
        """Runs the methods that give instances their attributes, of the class and its bases."""
        for each in list(classes.ancestors(cls)):
            if isinstance(each, Class) and each.state == "new":
                self._prepare(each)

    def _prepare(self, cls: Class) -> None:
        cls.state = "running"
        writers = [f for f in cls.methods.values() if writes_attributes(f)]
        writers.sort(key=lambda function: function.name != "__init__")
        for function in writers:
            self.run(function)
        cls.state = "done"
        if len(writers) > 1:
            for function in writers:
                self.changed(function)

    def store(self, frame: Frame, target: ast.expr, kind: Kind) -> None:
        """An assignment to an attribute or an item."""
        if isinstance(target, ast.Attribute):
            receiver = self.resolve(frame, target.value)
            if receiver.target is not None and isinstance(receiver.target, Class):
                self.set_attribute(receiver.target, target.attr, kind)
                frame.recorder.kinds[target] = kind
                return
            found = resolve_attribute(frame, target)
            if found.tag == "api":
                frame.mention(target, found.name, "attribute")
        elif isinstance(target, ast.Subscript):
            container = self.value(frame, target.value)
            key = self.value(frame, target.slice)
            if container.tag == "dict" and len(container.parts) == 2:
                merged = dict_of(join(container.parts[0], key), join(container.parts[1], kind))
                self.rebind(frame, target.value, merged)
            elif container.tag == "list":
                held = join(container.parts[0] if container.parts else NEVER, kind)
                self.rebind(frame, target.value, Kind("list", container.name, (held,)))

    def set_attribute(self, cls: Class, name: str, kind: Kind) -> None:
        old = cls.attributes.get(name)
        classes.set_attribute(cls, name, kind)
        if cls.state == "done" and cls.attributes[name] != old:
            for function in cls.methods.values():
                self.changed(function)

    def rebind(self, frame: Frame, node: ast.expr, kind: Kind) -> None:
        """Takes a container's new kind after something was put into it."""
        if isinstance(node, ast.Name):
            if node.id in frame.env:
                frame.bind(node.id, kind)
            else:
                frame.rebind_outside(node.id, kind)
        elif isinstance(node, ast.Attribute):
            receiver = frame.recorder.kinds.get(node.value, UNKNOWN)
            if isinstance(receiver.target, Class):
                self.set_attribute(receiver.target, node.attr, kind)

    def sample_of(self, frame: Frame, dataset: Kind) -> Kind:
        """What one element of a data set is."""
        if isinstance(dataset.target, Class):
            function = classes.method(dataset.target, "__getitem__")
            if function is not None:
                return self.result_of(frame, function)
            return UNKNOWN
        if dataset.tag == "dataset" and dataset.parts:
            return dataset.parts[0]
        if dataset.tag in ("list", "tuple"):
            return join_parts(dataset)
        return UNKNOWN


def likely_needed(module: Module) -> tuple[bool, int]:
    """Modules that many import come last, then those used last."""
    return len(module.importers) > SHARED, module.used


def empty(module: Module) -> None:
    """Frees the trees of a module that is forgotten, whoever still holds its classes."""
    module.names.clear()
    module.starred.clear()
    for function in module.functions:
        node = function.node
        function.node = ast.FunctionDef(node.name, node.args, [], [], lineno=1, col_offset=0)
        function.outer = function.bound = None
        function.calls.clear()
        function.callers.clear()
    for cls in module.classes:
        cls.node = ast.ClassDef(cls.name, [], [], [], [])
    module.source.tree = ast.Module([], [])


def join_parts(kind: Kind) -> Kind:
    found = NEVER
    for part in kind.parts:
        found = join(found, part)
    return UNKNOWN if found is NEVER else found


def globals_of(source: Source) -> frozenset[str]:
    """The names that some function declares global: they may be anything."""
    if "global " not in source.text:
        return frozenset()
    return frozenset(
        name
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Global)
        for name in node.names
    )


def parse_quoted(node: ast.Constant) -> ast.expr | None:
    try:
        expression = ast.parse(str(node.value).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    for inner in ast.walk(expression):
        if isinstance(inner, ast.expr):
            ast.copy_location(inner, node)
    return expression


def is_general(declared: Kind) -> bool:
    """Whether the annotation says less than the body: nn.Module, list, tuple, dict."""
    if declared.tag == "module":
        return declared.name == "torch.nn.Module" and declared.target is None
    return bool(declared.parts) and any(part.tag == "unknown" for part in declared.parts)


def writes_attributes(function: Function) -> bool:
    """Whether the method assigns to attributes of its first parameter."""
    if function.name == "__init__":
        return True
    arguments = function.node.args
    first = next(iter([*arguments.posonlyargs, *arguments.args]), None)
    if first is None or function.is_static:
        return False
    return first.arg in scopes.bound_of(function).attribute_owners
