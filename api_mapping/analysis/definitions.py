"""The modules, classes and functions of the analysed project."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..syntax.bindings import Bound
from ..table.kinds import Kind

if TYPE_CHECKING:
    from .files.outline import Chunk
    from .files.reading import Source

PROPERTIES = frozenset({"builtins.property", "functools.cached_property"})
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True, eq=False)
class Module:
    """A file of the project: its names once its top level has run."""

    path: Path
    name: str
    source: Source
    names: dict[str, Kind] = field(default_factory=dict)
    classes: list[Class] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    rebound: frozenset[str] = frozenset()
    stars: list[Kind] = field(default_factory=list)
    starred: dict[str, Kind | None] = field(default_factory=dict)
    bindings: dict[str, list[ast.stmt | Chunk]] = field(default_factory=dict)
    run: set[ast.stmt] = field(default_factory=set)
    defined: dict[tuple[int, str], Function | Class] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    """The text of functions whose bodies have not been parsed, by their lines."""
    frame: Any = None
    is_package: bool = False
    is_whole: bool = False
    state: str = "new"


@dataclass(slots=True, eq=False)
class Function:
    """A function or method: what its parameters are, by annotation, by calls, by use.

    `given` is what a method of PyTorch's that takes the function gives to its parameters, `is_hook`
    whether it is a hook of a module.
    """

    name: str
    node: FunctionNode
    module: Module
    owner: Class | None = None
    outer: Any = None
    decorators: tuple[Kind, ...] = ()
    annotated: dict[str, Kind] = field(default_factory=dict)
    defaults: dict[str, Kind] = field(default_factory=dict)
    declared: Kind | None = None
    returned: Kind | None = None
    state: str = "new"
    calls: dict[ast.AST, dict[str, Kind]] = field(default_factory=dict)
    ran_with: dict[str, Kind] = field(default_factory=dict)
    found: dict[str, Kind] = field(default_factory=dict)
    given: dict[str, Kind] = field(default_factory=dict)
    is_hook: bool = False
    callers: set[Function] = field(default_factory=set)
    escapes: bool = False
    runs: int = 0
    depth: int = 0
    """How many functions wait for it while it runs."""
    asked_at: int = -1
    """From how deep in other modules it was asked, if that is what its result depends on."""
    asked_in: int = 0
    """The analysis, by its number, in which that was so."""
    bound: Bound | None = None
    is_signed: bool = False
    is_other: str = ""
    """What its decorators make of it, "open" or "other"; "" if calls give what it gives."""
    effects: dict[bool, Any] = field(default_factory=dict)
    """What it makes of functions as a decorator; by whether it is called to give one."""

    def restart(self, node: FunctionNode, outer: Any) -> None:
        """Forgets what was found out when the module was only asked for names."""
        self.node = node
        self.outer = outer
        self.is_signed = self.is_hook = False
        self.bound = None
        self.effects.clear()
        self.annotated.clear()
        self.defaults.clear()
        self.forget_runs()

    def forget_runs(self) -> None:
        """Forgets what its runs and its calls have told."""
        self.returned = None
        self.asked_at = -1
        self.escapes = False
        self.runs = 0
        self.calls.clear()
        self.ran_with = {}
        self.found.clear()
        self.callers.clear()

    @property
    def is_static(self) -> bool:
        return bool(self.decorators) and "builtins.staticmethod" in self._decorator_names

    @property
    def is_property(self) -> bool:
        return bool(self.decorators) and not PROPERTIES.isdisjoint(self._decorator_names)

    @property
    def _decorator_names(self) -> list[str]:
        return [kind.name for kind in self.decorators]


@dataclass(slots=True, eq=False)
class Class:
    """A class: bases, methods, and what is known of the attributes of its instances."""

    name: str
    node: ast.ClassDef
    module: Module
    bases: tuple[Kind, ...] | None = None
    methods: dict[str, Function] = field(default_factory=dict)
    names: dict[str, Kind] = field(default_factory=dict)
    attributes: dict[str, Kind] = field(default_factory=dict)
    placed: dict[str, dict[ast.AST | None, Kind]] = field(default_factory=dict)
    readers: dict[str, dict[Function, Kind]] = field(default_factory=dict)
    annotated: dict[str, Kind] = field(default_factory=dict)
    sliced: dict[str, Kind] = field(default_factory=dict)
    setters: dict[str, list[Function]] = field(default_factory=dict)
    registered: dict[str, ast.Call] | None = None
    lazy: dict[str, list[ast.stmt]] = field(default_factory=dict)
    frame: Any = None
    state: str = "new"
    family: str | None = None
    line: tuple[Any, ...] | None = None
    own_line: tuple[Class, ...] | None = None
    instance: Kind | None = None

    def restart(self, node: ast.ClassDef) -> None:
        """Forgets what was found out when the module was only asked for names."""
        self.node = node
        self.bases = self.family = self.registered = None
        self.forget_line()
        self.state = "new"
        self.attributes.clear()
        self.placed.clear()
        self.readers.clear()
        self.annotated.clear()
        self.names.clear()
        self.methods.clear()
        self.setters.clear()
        self.lazy.clear()

    def forget_line(self) -> None:
        """Forgets the classes above it, and what instances are by them."""
        self.line = self.own_line = self.instance = None

    def forget_runs(self) -> None:
        """Forgets what its methods have told of attributes that were asked for."""
        self.sliced.clear()
