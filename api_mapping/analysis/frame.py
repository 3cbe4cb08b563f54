"""The names of one scope while it is being analysed, and what has been recorded of its nodes."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..syntax.bindings import Bound
from ..table.facts.results import DATA_SET_METHODS
from ..table.kinds import COLLATED, MODULE, OTHER, PART, TENSOR, UNKNOWN, Kind, join

if TYPE_CHECKING:
    from .definitions import Class, Function, Module
    from .engine import Engine

BUILTINS = {name: Kind("foreign", f"builtins.{name}") for name in dir(builtins)}
Names = dict[str, Kind]


@dataclass(slots=True)
class Mention:
    """A use that is being recorded: (api, kind, certainty, receiver, candidates) of a node."""

    api: str
    kind: str
    certainty: str = "is"
    receiver: ast.expr | None = None
    candidates: tuple[str, ...] = ()


@dataclass(slots=True)
class Recorder:
    """What has been found out of one module's nodes: a later run of a function replaces it."""

    mentions: dict[ast.AST, Mention] = field(default_factory=dict)
    kinds: dict[ast.AST, Kind] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    imports: list[tuple[ast.alias, str, str]] = field(default_factory=list)
    too_deep: list[ast.AST] = field(default_factory=list)

    def clear(self) -> None:
        self.mentions.clear()
        self.kinds.clear()
        self.read.clear()
        self.imports.clear()
        self.too_deep.clear()


NO_TENSOR = Kind("other", "perhaps a module")
HOLDER = Kind("other", "perhaps of tensors")
NOWHERE = Recorder()
"""What frames record to that are kept for their names: it holds no tree alive."""


class Frame:
    """One run of a module's top level, a class body, a function or a lambda."""

    __slots__ = (
        "all",
        "bound",
        "calling",
        "continues",
        "dead",
        "enclosing",
        "engine",
        "env",
        "exits",
        "function",
        "globals",
        "klass",
        "module",
        "nested",
        "networks",
        "outer",
        "recorder",
        "returns",
        "statement",
        "yields",
    )

    def __init__(self, engine: Engine, module: Module, outer: Frame | None = None) -> None:
        self.engine = engine
        self.module = module
        self.recorder: Recorder = engine.recorder_of(module)
        self.outer = outer
        self.enclosing: tuple[Frame, ...] = () if outer is None else outer.seen_inside()
        self.env: Names = {}
        self.all: Names | None = None
        self.bound: set[str] | None = None
        self.globals: frozenset[str] | set[str] = frozenset()
        self.function: Function | None = None
        self.klass: Class | None = None
        self.nested: list[Function] = []
        self.networks: frozenset[str] | None = None
        self.dead = False
        self.calling: ast.Call | None = None
        self.exits: list[Names] = []
        self.continues: list[Names] = []
        self.returns: list[Kind] = []
        self.yields: list[Kind] = []
        self.statement: ast.expr | None = None

    def seen_inside(self) -> tuple[Frame, ...]:
        """The functions whose names are seen in what is defined here, the innermost first."""
        return self.enclosing if self.function is None else (self, *self.enclosing)

    def of_body(self, bound: Bound) -> None:
        """Takes the names that the frame's statements bind."""
        self.bound = bound.names
        self.globals = bound.declared_global | bound.declared_nonlocal
        self.all = {} if bound.has_inner else None

    def bind(self, name: str, kind: Kind) -> None:
        if name in self.globals:
            self.rebind_outside(name, kind)
            return
        self.env[name] = kind
        names = self.all
        if names is not None:
            old = names.get(name)
            names[name] = kind if old is None or old is kind else join(old, kind)

    def rebind_outside(self, name: str, kind: Kind) -> None:
        """Binds a name that the function declares global or nonlocal.

        What functions of other modules do to names of theirs is left out: which of them run is
        another thing for each file.
        """
        frame = self.outer
        while frame is not None:
            if frame.function is not None and frame.all is not None and name in frame.all:
                frame.all[name] = join(frame.all[name], kind)
                return
            frame = frame.outer
        if self.function is None or self.module in (self.engine.active, self.engine.witness):
            names = self.module.names
            names[name] = join(names[name], kind) if name in names else kind

    @property
    def is_of_data_set(self) -> bool:
        """Whether the code is of a method by which a loader asks for samples."""
        return self.function is not None and self.function.name in DATA_SET_METHODS

    def lookup(self, name: str) -> Kind:
        """What a name is, read here."""
        kind = self.env.get(name)
        if kind is None:
            kind = self.look_outside(name)
        if kind.tag == "deferred":
            return self.engine.imported_name(kind)
        return kind

    def look_outside(self, name: str) -> Kind:
        if self.bound is not None and name in self.bound:
            return UNKNOWN
        for frame in self.enclosing:
            kind = (frame.env if frame.all is None else frame.all).get(name)
            if kind is not None:
                return kind
            if frame.bound is not None and name in frame.bound:
                return UNKNOWN
        module = self.module
        if name in module.rebound:
            return UNKNOWN
        kind = self.engine.global_name(module, name)
        if kind is not None:
            return kind
        if module.stars:
            kind = self.engine.from_stars(module, name)
        return kind or BUILTINS.get(name, UNKNOWN)

    def mention(
        self,
        node: ast.AST,
        api: str,
        kind: str,
        receiver: ast.expr | None = None,
        candidates: tuple[str, ...] = (),
    ) -> None:
        certainty = "unknown" if candidates else "is"
        self.recorder.mentions[node] = Mention(api, kind, certainty, receiver, candidates)

    def call_of(self, node: ast.expr) -> ast.Call | None:
        """The call of what is being looked at, None if it is not called."""
        call = self.calling
        return call if call is not None and call.func is node else None

    def forget(self, node: ast.AST) -> None:
        self.recorder.mentions.pop(node, None)

    def takes_as_tensor(self, kind: Kind) -> None:
        """Notes that a parameter of which nothing is known is used as only a tensor can be.

        Of a part of one: that the whole holds tensors.
        """
        if kind.tag != "unknown" or not kind.name:
            return
        function, name = kind.target
        if kind.name == PART.name and function.found.get(name, HOLDER) is HOLDER:
            function.found[name] = COLLATED
        elif kind.name != PART.name:
            function.found.setdefault(name, TENSOR)

    def takes_as_holder(self, kind: Kind) -> None:
        """Notes that a parameter is taken apart: of what it holds, more may be known."""
        if kind.tag == "unknown" and kind.name not in ("", PART.name):
            function, name = kind.target
            if function.found.get(name, TENSOR) is TENSOR:
                function.found[name] = HOLDER

    def shows_tensor(self, node: ast.expr | None) -> None:
        """Notes that a call has taken what a name holds as only a tensor is taken."""
        if type(node) is ast.Name:
            kind = self.env.get(node.id)
            if kind is not None and kind.tag == "unknown":
                self.env[node.id] = TENSOR

    def takes_as_module(self, kind: Kind, is_sure: bool) -> None:
        """Notes that a parameter of which nothing is known has what modules, or only they, have."""
        if kind.tag == "unknown" and kind.name not in ("", PART.name):
            function, name = kind.target
            if function.found.get(name, NO_TENSOR) is NO_TENSOR:
                function.found[name] = MODULE if is_sure else NO_TENSOR

    def takes_as_other(self, kind: Kind) -> None:
        """Notes that a parameter is used as no tensor, or not only, can be."""
        if kind.tag == "unknown" and kind.name not in ("", PART.name):
            function, name = kind.target
            function.found[name] = OTHER


def copy_names(names: Names) -> Names:
    return dict(names)


def join_names(a: Names, b: Names) -> Names:
    """The names behind two paths; one that only one path binds is what it is there."""
    joined = dict(a)
    for name, kind in b.items():
        old = joined.get(name)
        if old is None:
            joined[name] = kind
        elif old is not kind:
            joined[name] = join(old, kind)
    return joined


def join_paths(paths: list[Names]) -> Names:
    joined = paths[0]
    for names in paths[1:]:
        joined = join_names(joined, names)
    return joined


def any_path(*paths: tuple[Names, bool]) -> tuple[Names, bool]:
    """The names behind paths of which some are dead, and whether all are."""
    alive: list[Any] = [names for names, dead in paths if not dead]
    return (join_paths(alive), False) if alive else (paths[0][0], True)
