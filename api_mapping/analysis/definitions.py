"""The modules, classes and functions of the analysed project."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .bound import Bound
from .kinds import Kind

if TYPE_CHECKING:
    from .reading import Source

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
    used: int = 0
    importers: set[Path] = field(default_factory=set)
    is_package: bool = False
    state: str = "new"


@dataclass(slots=True, eq=False)
class Function:
    """A function or method: what its parameters are, by annotation, by calls, by use."""

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
    found: dict[str, Kind] = field(default_factory=dict)
    callers: set[Function] = field(default_factory=set)
    escapes: bool = False
    runs: int = 0
    bound: Bound | None = None

    @property
    def is_static(self) -> bool:
        return any(kind.name == "builtins.staticmethod" for kind in self.decorators)

    @property
    def is_property(self) -> bool:
        return any(
            kind.name in ("builtins.property", "functools.cached_property")
            for kind in self.decorators
        )


@dataclass(slots=True, eq=False)
class Class:
    """A class: bases, methods, and what is known of the attributes of its instances."""

    name: str
    node: ast.ClassDef
    module: Module
    bases: tuple[Kind, ...] = ()
    methods: dict[str, Function] = field(default_factory=dict)
    names: dict[str, Kind] = field(default_factory=dict)
    attributes: dict[str, Kind] = field(default_factory=dict)
    annotated: dict[str, Kind] = field(default_factory=dict)
    state: str = "new"
    family: str | None = None
