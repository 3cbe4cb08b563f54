"""The analysis of a project, file by file."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..table.facts.seeds import SEEDS
from ..table.facts.spelling import PACKED, is_module_name
from ..table.kinds import UNKNOWN, Kind
from . import classes
from .definitions import Class, Function
from .engine import Engine
from .files.graph import Graph
from .files.problems import Problem
from .files.reading import Source
from .files.witnesses import Witnesses
from .frame import Mention, Recorder
from .thin import make_thin
from .uses import Use

MAX_RECURSION = 6_000
MAX_CACHED_LINES = 100_000
"""Lines of modules that are kept; beyond it, all are forgotten."""


KEPT_MODULES = frozenset({"star", "getattr", "annotation"})
"""Kinds of uses that may be of a module."""


@dataclass(frozen=True, slots=True)
class ModuleClass:
    """A class that derives from nn.Module, through however many files.

    `base` is the nearest class of PyTorch's above it; `forward` the method in this class itself.
    """

    node: ast.ClassDef
    base: str
    forward: ast.FunctionDef | ast.AsyncFunctionDef | None

    @classmethod
    def of(cls, found: Class) -> ModuleClass:
        forward = found.methods.get("forward")
        node = None if forward is None else forward.node
        return cls(found.node, classes.torch_base(found), node)


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """What one file has: its uses of PyTorch in order, its problems, what its expressions are.

    `families` says what instances of the file's classes are: "module", "dataset"..., "object" if
    nothing of PyTorch's, "" if that is not known. `packs`: it has recurrent layers, and the
    project packs sequences. `draws`: it seeds PyTorch, and another file of the project draws of
    NumPy or of random. `is_complex`: it computes absolute values, and the project with complex
    tensors. `foreign`: the classes with a base of a library that is made on
    PyTorch, with its name; `optimizers`: optimisers and schedulers with a base of their own.
    """

    path: Path
    lines: list[str]
    tree: ast.Module
    uses: list[Use]
    problems: list[Problem]
    line_count: int
    source: Source
    modules: list[ModuleClass]
    families: dict[ast.ClassDef, str]
    kinds: dict[ast.AST, Kind]
    packs: bool = False
    is_complex: bool = False
    foreign: dict[ast.ClassDef, str] = field(default_factory=dict)
    optimizers: frozenset[ast.ClassDef] = frozenset()
    draws: bool = False

    def kind_of(self, node: ast.AST) -> Kind:
        """What the expression is; unknown if nothing says it."""
        return self.kinds.get(node, UNKNOWN)


class Project:
    """The files that are analysed together: what one says of its classes, others know.

    Nothing of the project is imported or run. Files are read when they are needed.
    """

    def __init__(self, sources: Iterable[Path], roots: Iterable[Path] = ()) -> None:
        """`roots` are the folders that were named: imports are looked for from there, too."""
        self.sources = [Path(path).absolute() for path in sources]
        self.witnesses = Witnesses(self.sources)
        self.engine = Engine(Graph([Path(root).absolute() for root in roots]))

    def analyse(self, path: Path) -> FileAnalysis:
        """Everything that one file has."""
        engine = self.engine
        path = engine.graph.same(Path(path).absolute())
        engine.forget(MAX_CACHED_LINES)
        with deep_recursion():
            module = engine.module(path, whole=True)
            engine.run_module(module)
            engine.listen(self.witnesses.of(module))
            engine.settle(module)
        engine.active = None
        tree, module.source.tree = module.source.tree, ast.Module([], [])
        own = (cls for cls in module.classes if not classes.foreign_base(cls))
        layers = [ModuleClass.of(cls) for cls in own if classes.is_module(cls)]
        foreign = {c.node: base for c in module.classes if (base := classes.foreign_base(c))}
        optimizers = frozenset(c.node for c in module.classes if classes.is_own_optimizer(c))
        families = {cls.node: classes.family_of(cls) for cls in module.classes}
        source = module.source
        recorder = engine.recorders.pop(module, None) or Recorder()
        uses = uses_of(source, recorder)
        packs = any(use.api in PACKED for use in uses) and self.witnesses.are_packing(path)
        seeds = any(use.api in SEEDS for use in uses)
        is_complex = any("abs" in line for line in source.lines) and self.witnesses.are_complex(
            path
        )
        make_thin(module)
        return FileAnalysis(
            path,
            source.lines,
            tree,
            uses,
            [*source.problems, *nesting_problems(path, recorder)],
            source.line_count,
            source,
            layers,
            families,
            recorder.kinds,
            packs,
            is_complex,
            foreign,
            optimizers,
            seeds and self.witnesses.are_drawing(path),
        )

    def definition(self, within: Class | Function, name: str) -> Class | Function | None:
        """The class or function that a name in another one's file is."""
        target = self.engine.member(within.module.path, name).target
        return target if isinstance(target, Class | Function) else None

    def torch_names(self, path: Path, imports: Iterable[ast.ImportFrom]) -> frozenset[str]:
        """The names that these statements of a file bind to APIs, through files of the project."""
        engine, found = self.engine, set()
        module = engine.module(engine.graph.same(Path(path).absolute()))
        for node in imports:
            source = engine.imported_from(module, node.module or "", node.level)
            for alias in node.names if source.tag == "project" else ():
                if engine.member(source.target, alias.name).tag == "api":
                    found.add(alias.asname or alias.name)
        return frozenset(found)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Lets expressions be nested as deeply as ast.parse takes them, and imports be chained."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, MAX_RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def nesting_problems(path: Path, recorder: Recorder) -> list[Problem]:
    message = "too deeply nested to be analysed: its uses are not listed"
    return [
        Problem(path, node.lineno, node.col_offset + 1, "nesting", message)
        for node in recorder.too_deep
        if isinstance(node, ast.stmt)
    ]


def uses_of(source: Source, recorder: Recorder) -> list[Use]:
    """The recorded uses as they stand in the source, with imports of names never used."""
    found = [
        use_at(source, node, mention)
        for node, mention in recorder.mentions.items()
        if not (mention.api and is_module_name(mention.api) and mention.kind not in KEPT_MODULES)
    ]
    for alias, bound, api in recorder.imports:
        if bound not in recorder.read and not is_module_name(api):
            found.append(use_at(source, alias, Mention(api, "import")))
    found.sort(key=lambda use: (use.cell, use.line, use.column))
    return found


def use_at(source: Source, node: ast.AST, mention: Mention) -> Use:
    """The use with its place: of the name that is used, without receiver and arguments."""
    named = node.func if isinstance(node, ast.Call) else node
    dotted = mention.receiver is not None and isinstance(named, ast.Attribute)
    line, start = named.lineno, named.col_offset  # type: ignore[attr-defined]
    end_line, end = named.end_lineno, named.end_col_offset  # type: ignore[attr-defined]
    if dotted:
        assert isinstance(named, ast.Attribute)
        line, start = end_line, end - len(named.attr.encode())
    cell, cell_line = source.place(line)
    return Use(
        mention.api,
        mention.kind,
        mention.certainty,
        cell_line,
        source.column(line, start),
        end_line - line + cell_line,
        source.column(end_line, end),
        node,
        mention.receiver,
        cell,
        mention.candidates,
    )
