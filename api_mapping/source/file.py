"""Converts one file: the edits that make MindSpore code of it, and what stays PyTorch's."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from ..analysis import FileAnalysis, Project, Use
from ..analysis.project import deep_recursion
from ..findings.model import FileScan, Finding, ScannedUse, Standing
from ..findings.one_file import OneFile, is_format
from ..rewriting import imports
from ..rewriting.definitions import definitions
from ..rewriting.idle_statements import is_idle
from ..rewriting.inventory import Inventory
from ..rewriting.module_modes import Find
from ..rewriting.new_modules import switched_on
from ..rewriting.passes import PASSES
from ..rewriting.passes.modules.walks import walked
from ..rewriting.passes.param_group_rate import is_rate
from ..rewriting.rewriter import Rewriter
from ..rewriting.short_names import Shortener
from ..rewriting.suggestion import SAME_MODULES
from ..rewriting.units import changes, new_text
from ..rewriting.uses import is_flag
from ..syntax.comments import comments_in
from ..syntax.edits import Edit, Position, applied, between, unchanged_from
from ..syntax.line_wrap import wrapped
from ..syntax.nodes import end_of, formatted_in, start_of
from ..syntax.notebook import Cell
from ..syntax.reading import Reading
from ..syntax.removal import without
from ..syntax.source_text import LINE, indent_of, parsed_again
from ..syntax.units import Unit, units_of
from ..syntax.walk import every
from ..table.aliases import TARGETS, Aliases, Family, Import, module_of
from ..table.facts.foreign import OF_LIGHTNING, library_of
from ..table.facts.gradients import STEPS
from ..table.target import NO_GRADIENT, OF_OTHER, Settings
from ..training.rewriting import Training
from ..training.text import Converted
from .compat_module import compat_names
from .marks import is_marked, mark
from .members import growing_bases
from .notebook import boundaries
from .state_map import FileClasses, file_classes

CHANGES_NOTHING = frozenset({"function", "lambda function: function"})
"""The code of decorators that MindSpore needs not."""
ROLES = frozenset({"base", "annotation", "decorator"})
LEFT = frozenset({Standing.MISSING, Standing.UNLISTED, Standing.DYNAMIC, Standing.FOREIGN})
"""What becomes of uses that stay PyTorch's."""

HOLDING = frozenset({"MS229", "MS233"})
"""The codes of what keeps a statement as it is: lost writes, attributes that break nn.Cell."""
DOUBTED = frozenset({"MS238", NO_GRADIENT, "MS241", "MS242", "MS243", "MS245"})
"""The codes of what is told over a statement that is converted: it may give other numbers, no
gradient, be called by nobody, or not be trained."""

COMPAT = "import _ms_compat as compat"


@dataclass(frozen=True)
class ClassPlace:
    """A class: its name with those of the classes around it, and its lines."""

    name: str
    cell: int
    first: int
    last: int

    def has(self, use: ScannedUse) -> bool:
        place = use.place
        return place.cell == self.cell and self.first <= place.line <= self.last


@dataclass(frozen=True)
class Migrated:
    """A converted file; of a notebook, its cells as one text, which notebook.py takes apart.

    `scan` is what the scanner finds in it, `left` those of its uses that stay PyTorch's, `held`
    others of the statements that stay for them; `needed` the functions of the compat module that
    the code calls; `classes` are those that the file has, `weights` what a weight map says of them.
    """

    original: str
    text: str
    scan: FileScan
    left: tuple[ScannedUse, ...] = ()
    needed: frozenset[str] = frozenset()
    cells: tuple[Cell, ...] = ()
    held: tuple[ScannedUse, ...] = ()
    classes: tuple[ClassPlace, ...] = ()
    weights: FileClasses | None = None

    @property
    def is_changed(self) -> bool:
        return self.text != self.original


def migrate_file(
    project: Project, path: Path, shown: str, settings: Settings, compat: str = COMPAT
) -> Migrated:
    """The file in MindSpore's API; `compat` is the statement that imports the compat module."""
    analysis = project.analyse(path)
    with deep_recursion():
        handed_on = project.torch_names(path, imports.passed_on(analysis.tree, path))
        conversion = Conversion(analysis, shown, settings, compat, handed_on, project.definition)
        found = conversion.run()
    vars(conversion.file).clear()  # the rewriter in it refers to it: a circle around the tree
    return found


@dataclass(frozen=True)
class Conversion:
    """An analysed file on its way to MindSpore's API.

    `handed_on` are the names of PyTorch's that it imports from the project for others only, `find`
    looks up a name in the file of a class or function.
    """

    analysis: FileAnalysis
    shown: str
    settings: Settings
    compat: str
    handed_on: frozenset[str]
    find: Find

    def run(self) -> Migrated:
        original = self.analysis.source.original
        has_some = self.analysis.uses or self.handed_on or self.module_values or self.switched
        if not has_some or not self.analysis.tree.body or self.is_done:
            return Migrated(original, original, self.scan)
        shortener = Shortener(self.aliases["ms"], self.taken)
        edits = wrapped(shortener.edits(self.statements()), self.lines)
        quoted = list(self.quoted())
        own = definitions(self.analysis.modules, self.lines, self.aliases["compat"])
        edits += [*own, *quoted]
        edits += without(self.analysis.tree, self.lines, self.idle)
        converted = Converted(self.lines, edits, partial(new_text, to=self.rewriter), self.aliases)
        edits = self.training.edits(converted)
        edits = [*boundaries(self.analysis.source.cells, self.lines), *edits]
        lines = LINE.findall(applied(self.lines, edits))
        new = Inventory(parsed_again("".join(lines)))
        target = self.settings.target
        more = shortener.imports(target.package)
        wanted = imports.Wanted(target, self.compat, self.family, self.aliases, more)
        read = new.names_read | (words_of(quoted) & self.aliases.all)
        unread = (self.nodes.names_read | self.handed_on) - read
        names = imports.Names(read, unread, self.marked_names, imports.names_asked(new))
        of_imports = list(imports.imports_edits(new, lines, wanted, names))
        place = unchanged_from(new.tree, of_imports)
        head = applied(lines[:place], of_imports)
        ast.parse(head)  # never a file that cannot be parsed: what is behind it is parsed
        text = "".join([head, *lines[place:]])
        needed = compat_names(new, self.aliases["compat"])
        cells, classes = self.analysis.source.cells, tuple(self.classes())
        left, held = tuple(self.left), tuple(self.held)
        weights = file_classes(self.analysis) if self.analysis.modules else None
        return Migrated(original, text, self.scan, left, needed, cells, held, classes, weights)

    @cached_property
    def family(self) -> Family:
        left = (scanned.api.partition(".")[0] for scanned in self.left)
        is_kept = bool(self.analysis.foreign) or any(root in OF_LIGHTNING for root in left)
        return Family.around(self.analysis.path, OF_LIGHTNING if is_kept else ())

    @cached_property
    def nodes(self) -> Inventory:
        """Every node of the file."""
        return Inventory(self.analysis.tree)

    @property
    def is_done(self) -> bool:
        """Whether it is MindSpore code already: it imports that, and nothing of PyTorch's."""
        found = self.nodes.imports
        modules = {module_of(node, alias) for node in found for alias in node.names}
        known = any(module.startswith(TARGETS) for module in modules)
        return known and not any(self.family.has_some(node) for node in found)

    @cached_property
    def taken(self) -> frozenset[str]:
        """The names that the file binds."""
        return self.nodes.names_bound(self.family)

    @cached_property
    def aliases(self) -> Aliases:
        return Aliases.of(self.taken)

    @cached_property
    def lines(self) -> list[str]:
        """The lines with their own ends."""
        return LINE.findall(self.analysis.source.text)

    @cached_property
    def training(self) -> Training:
        return Training(self.analysis, self.switched)

    @cached_property
    def file(self) -> OneFile:
        return OneFile(self.analysis, self.shown, self.training)

    @cached_property
    def rewriter(self) -> Rewriter:
        """The scanner's rewriter, and what only whole statements need."""
        to = self.file.rewriter
        roles = {u.node: u.kind for u in self.analysis.uses if u.kind in ROLES and is_name(u)}
        rates = filter(self.is_rate, self.file.layout.of_type(ast.Subscript))
        loops = list(walked(self.nodes, self.analysis.uses, to.places.resolve))
        own = (*rates, *loops, *self.switched, *self.module_values)
        notes = replace(
            to.notes,
            roles=roles,
            growing=frozenset(growing_bases(cls.node for cls in self.analysis.modules)),
            walked=frozenset(loops),
            switched=self.switched,
            modules=self.module_values,
        )
        return Rewriter(
            to.places,
            Reading(to.reading.source),
            PASSES,
            notes,
            form_of=to.form_of,
            mint=self.settings.mint,
            names=self.aliases.renaming,
            ends=sorted([*(to.ends or ()), *map(end_of, own)]),
        )

    @cached_property
    def module_values(self) -> Mapping[ast.AST, str]:
        """MindSpore's modules for those of PyTorch's that are values: `dir(torch.nn)`."""
        found = {
            node: SAME_MODULES[kind.name]
            for node, kind in self.analysis.kinds.items()
            if kind.tag == "api" and kind.name in SAME_MODULES and is_read(node)
        }
        if not found:
            return {}
        owners = (node.value for node in self.nodes.of(ast.Attribute))
        tested = (name for node in self.nodes.of(*imports.TESTS) for name in imports.tested(node))
        inner = {*owners, *tested}
        return {node: name for node, name in found.items() if node not in inner}

    @cached_property
    def switched(self) -> Mapping[ast.AST, bool]:
        """The calls that make modules in training mode, and whether some in them have their own."""
        return switched_on(self.nodes, self.analysis, self.find)

    def is_rate(self, node: ast.expr) -> bool:
        """Whether it is the learning rate of a group of parameters."""
        return is_rate(node, self.file.kind_of)

    @cached_property
    def scan(self) -> FileScan:
        return self.file.scan()

    @cached_property
    def units(self) -> list[Unit]:
        return list(units_of(self.analysis.tree))

    @cached_property
    def judged(self) -> list[tuple[Use, ScannedUse]]:
        return list(zip(self.analysis.uses, self.scan.uses, strict=True))

    @cached_property
    def left(self) -> list[ScannedUse]:
        """The uses that have no counterpart, and are more than the import of a name."""
        return [scanned for use, scanned in self.judged if self.is_left(use, scanned)]

    def is_left(self, use: Use, scanned: ScannedUse) -> bool:
        if id(use.node) in self.training.kept and use.api in STEPS:
            return use.kind == "call"
        return id(use.node) not in self.training.rewritten and is_left(scanned)

    @property
    def held(self) -> Iterator[ScannedUse]:
        """The uses that have a counterpart, and stay with the statement that they are in."""
        parts = (part for unit in self.units if id(unit) in self.stuck for part in unit.parts)
        inner = {id(node) for part in parts for node in every(part)}
        for use, scanned in self.judged if inner else ():
            if id(use.node) in inner and not is_left(scanned) and use.certainty == "is":
                yield scanned

    def classes(self) -> Iterator[ClassPlace]:
        """The classes of the file, the outer ones first."""
        waiting = [("", node) for node in reversed(self.analysis.tree.body)]
        while waiting:
            outer, node = waiting.pop()
            if isinstance(node, ast.ClassDef):
                place = self.file.place_of(node)
                name = f"{outer}{node.name}"
                yield ClassPlace(name, place.cell, place.line, place.end_line)
                waiting += [(f"{name}.", inner) for inner in reversed(node.body)]

    @cached_property
    def stuck(self) -> Mapping[int, list[Finding]]:
        """What keeps units as they are, by the unit: uses that stay, and writes that get lost."""
        nodes: dict[int, Finding] = {
            id(use.node): scanned for use, scanned in self.judged if self.is_left(use, scanned)
        }
        return self.by_unit(nodes | self.limits(HOLDING))

    @cached_property
    def doubted(self) -> Mapping[int, list[Finding]]:
        """What is told over units that are converted, by the unit."""
        doubts = ((use, self.file.doubt(use, scanned)) for use, scanned in self.judged)
        unknown = {id(use.node): doubt for use, doubt in doubts if doubt is not None}
        return self.by_unit(unknown | self.limits(self.doubts))

    @property
    def doubts(self) -> frozenset[str]:
        """The codes of what is told over a statement that is converted for this target."""
        return DOUBTED - {OF_OTHER[self.settings.target]}

    def by_unit(self, nodes: Mapping[int, Finding]) -> Mapping[int, list[Finding]]:
        """What is found of nodes, by their ids, by the units that they stand in."""
        found: dict[int, list[Finding]] = {}
        for unit in self.units if nodes else ():
            parts = (part for part in unit.parts if self.has_use(part))
            inner = (unit.node, *(node for part in parts for node in every(part)))
            if own := [nodes[id(node)] for node in inner if id(node) in nodes]:
                found[id(unit)] = own
        return found

    def limits(self, codes: frozenset[str]) -> dict[int, Finding]:
        """What breaks the limits of these codes, by the node's id."""
        found = (pair for pair in self.file.hits if pair[0].code in codes)
        return {id(hit.node): self.file.remark((limit, hit)) for limit, hit in found}

    @cached_property
    def used_lines(self) -> list[int]:
        """The lines that begin what may be another statement, in order."""
        nodes = [*(use.node for use in self.analysis.uses), *self.stores, *self.without_use]
        nodes += [*self.switched, *self.module_values, *self.file.operations]
        nodes += [record.node for record in self.file.memory.rewritten]
        nodes += [hit.node for limit, hit in self.file.hits if limit.code in HOLDING | self.doubts]
        return sorted({start_of(node)[0] for node in nodes})

    @property
    def without_use(self) -> Iterator[ast.AST]:
        """What MindSpore's values change though it names no API: formatted texts, groups' rates."""
        of_type = self.file.layout.of_type
        texts = (*of_type(ast.JoinedStr), *filter(is_format, of_type(ast.Call)))
        yield from (text for text in texts if any(formatted_in(text)))
        kinds = self.analysis.kinds.items()
        yield from (node for node, kind in kinds if kind.tag == "param_group")

    def has_use(self, part: ast.AST) -> bool:
        """Whether a use begins on a line of a part of the source."""
        at = bisect_left(self.used_lines, start_of(part)[0])
        return at < len(self.used_lines) and self.used_lines[at] <= end_of(part)[0]

    @cached_property
    def idle(self) -> list[ast.stmt]:
        """The statements whose code would do nothing."""
        return []

    @cached_property
    def marked_names(self) -> frozenset[str]:
        """The names that begin what stays PyTorch's: `hub` of `hub.load(...)`."""
        judged = (use for use, scanned in self.judged if self.is_left(use, scanned))
        nodes = (u.node for u in judged if not u.receiver and not library_of(u.api))
        roots = (root_of(node) for node in nodes)
        return frozenset(root.id for root in roots if isinstance(root, ast.Name))

    def statements(self) -> Iterator[Edit]:
        """The edits of everything but imports and the names of functions."""
        for unit in self.units:
            if isinstance(unit.node, Import) or id(unit.node) in self.training.consumed:
                continue
            if unit.node in self.foreign:
                continue
            if reasons := self.stuck.get(id(unit)) or self.inside(unit):
                yield from self.marked(unit, reasons)
            else:
                yield from self.marked(unit, self.doubted.get(id(unit), ()))
                yield from self.rewritten(unit)

    @cached_property
    def foreign(self) -> frozenset[ast.AST]:
        """What stands in classes of libraries that are made on PyTorch: all of it stays."""
        classes = self.analysis.foreign
        return frozenset(node for cls in classes for node in ast.walk(cls)) - classes.keys()

    def inside(self, unit: Unit) -> Sequence[Finding]:
        """The first use in a class of a foreign library whose base is the project's own."""
        if unit.node not in self.analysis.foreign:
            return ()
        inner = set(ast.walk(unit.node))
        return [scanned for use, scanned in self.judged if use.node in inner][:1]

    @property
    def stores(self) -> Iterator[ast.AST]:
        """The attributes that are set: if one is a buffer, its statement is another."""
        return (node for node in self.nodes.of(ast.Attribute) if type(node.ctx) is ast.Store)

    def marked(self, unit: Unit, uses: Sequence[Finding]) -> Iterator[Edit]:
        """The comment over a unit that stays as it is."""
        if is_marked(self.analysis.lines, unit.line) or all(use.ignored for use in uses):
            return
        indent = indent_of(self.lines[unit.line - 1])
        told = dict.fromkeys(line for use in uses for line in mark(use, indent))
        yield Edit((unit.line, 0), (unit.line, 0), "".join(f"{line}\n" for line in told))

    def rewritten(self, unit: Unit) -> Iterator[Edit]:
        if isinstance(unit.node, ast.Assign) and is_flag(unit.node, self.rewriter):
            self.idle.append(unit.node)
            return
        decorators = getattr(unit.node, "decorator_list", ())
        for part in filter(self.has_use, unit.parts):
            for edit in changes(part, unit.node, self.rewriter):
                yield from self.rescued(unit, part, edit.text)
                simple = unit.node if isinstance(unit.node, ast.stmt) and unit.is_simple else None
                if simple is not None and is_idle(simple, edit.text):
                    self.idle.append(simple)
                elif edit.text in CHANGES_NOTHING and part in decorators:
                    yield self.undecorated(part)
                else:
                    yield edit

    def undecorated(self, node: ast.AST) -> Edit:
        """The edit that takes a decorator out with its line, but for a comment behind it."""
        line, last = start_of(node)[0], end_of(node)[0]
        behind = between(self.lines, end_of(node), (last + 1, 0)).strip()
        indent = indent_of(self.lines[line - 1])
        return Edit((line, 0), (last + 1, 0), f"{indent}{behind}\n" if behind else "")

    def rescued(self, unit: Unit, part: ast.AST, code: str) -> Iterator[Edit]:
        """The comments that have no place in the new code, above it."""
        original = self.rewriter.reading.source.of_node(part)
        if "#" not in original:
            return
        lost = comments_in(original)
        for kept in comments_in(code):
            if kept in lost:
                lost.remove(kept)
        indent = indent_of(self.lines[unit.line - 1])
        if lost:
            above = "".join(f"{indent}{comment}\n" for comment in lost)
            yield Edit((unit.line, 0), (unit.line, 0), above)

    def quoted(self) -> Iterator[Edit]:
        """The edits of annotations that are written as text: of the names in it."""
        found: dict[Position, Edit] = {}
        written = [(use, s) for use, s in self.judged if use.kind == "annotation" and s.edit]
        inside = set(map(id, self.nodes.all)) if written else ()
        for use, scanned in written:
            if id(use.node) in inside:
                continue
            start, end = place(use.node)
            before = (
                found[start].text
                if start in found
                else self.rewriter.reading.source.between(start, end)
            )
            name = rf"(?<![\w.]){re.escape(ast.unparse(use.node))}(?!\w)"
            found[start] = Edit(
                start, end, re.sub(name, self.aliases.in_text(scanned.edit), before)
            )
        yield from found.values()


def root_of(node: ast.AST) -> ast.AST:
    """What a dotted name, or a call of it, begins with."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node


def words_of(edits: Iterable[Edit]) -> frozenset[str]:
    """The words in the texts of edits: names that quoted annotations read are among them."""
    return frozenset(word for edit in edits for word in re.findall(r"\w+", edit.text))


def is_left(scanned: ScannedUse) -> bool:
    return scanned.kind not in ("import", "star") and bool(
        scanned.refusal or scanned.standing in LEFT
    )


def is_name(use: Use) -> bool:
    return not isinstance(use.node, ast.Call)


def is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)


def place(node: ast.AST) -> tuple[Position, Position]:
    return start_of(node), end_of(node)
