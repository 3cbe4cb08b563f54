"""Scans one file: every use with its verdict and code, MindSpore's limits, what went wrong."""

from __future__ import annotations

import ast
import zlib
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis import FileAnalysis, Problem, Project, Use
from ..memory.knowledge import Knowledge
from ..memory.shared import SharedMemory
from ..rewriting.growing import begun_empty
from ..rewriting.handed_classes import HandedClasses, handed_classes, is_handed_class
from ..rewriting.passes import SINGLE
from ..rewriting.passes.either import by_class
from ..rewriting.passes.indices.lead_axis import names_led_by_one
from ..rewriting.passes.indices.stored_part import names_of_data
from ..rewriting.passes.modules.parts import module_parts
from ..rewriting.passes.seed import draws
from ..rewriting.places import Places
from ..rewriting.rewriter import GradientCall, Notes, Rewriter
from ..rewriting.suggestion import AS_TYPES, NOTHING, Suggestion, name_alone
from ..rewriting.uses import alone, base, suggestion, supposed
from ..syntax.nodes import TESTS, classes_in, dotted, end_of, formatted_in
from ..syntax.reading import Reading
from ..syntax.source_text import Source
from ..syntax.walk import Layout, every, layout_of
from ..table import registry
from ..table.facts.foreign import library_of
from ..table.facts.spelling import is_module_name
from ..table.facts.writes import COPY
from ..table.kinds import HELD, INTS, NUMBERS, PARAMETER, PASSING, TRUTHS, present
from ..table.named import Named
from ..table.rule import Rule, Verdict
from ..table.side_arguments import is_told_to_write
from .formatted_texts import formats_attributes, is_formatting
from .ignored import USEFUL, column_of, hidden_codes, is_hidden, useless
from .leaves import Leaves
from .limits.rule import Hit, Limit
from .limits.walk import hits
from .model import UNKNOWN_CODE, UNREAD, FileScan, Place, Remark, ScannedUse, Standing, order
from .operations import computed, inverted, is_on_trees, layer_of, numpy_names, of_parameter, unsure
from .pipelines import behind_tensors
from .training_code import in_training, training_of
from .unpacked import displays, unpacked_names

if TYPE_CHECKING:
    from ..training.rewriting import Training

HOLDERS = {PARAMETER.name: "parameter", HELD.name: "buffer", PASSING.name: "passing buffer"}
"""What tensors are that modules hold, by their kinds' names."""

COMPUTED = NUMBERS | {"numpy"}
"""Kinds of what an index is computed as."""
NAMES_ONLY = frozenset({"annotation", "import"})
"""Kinds of uses that stand for the class itself, not for a call of it."""

NO_NAME = frozenset({"dynamic", "star"})
"""Kinds of uses that do not say which API is used."""

STANDINGS = {verdict: Standing(verdict.value) for verdict in Verdict}


def is_question(use: Use) -> bool:
    """Whether it asks for a name: `hasattr(torch, "compile")`, which MindSpore has or has not."""
    if use.kind != "getattr" or not isinstance(use.node, ast.Call):
        return False
    asked = use.node.func
    return isinstance(asked, ast.Name) and asked.id == "hasattr"


def scan_file(project: Project, path: Path, shown: str) -> FileScan:
    """All that is found in one file; `shown` is how the path is told."""
    analysis = project.analyse(path)
    file = OneFile(analysis, shown, training=training_of(analysis))
    scanned = file.scan()
    vars(file).clear()  # the rewriter in it refers to it: a circle around the whole tree
    return scanned


@dataclass(frozen=True)
class OneFile:
    """An analysed file on its way to a scan; `training` is None where it has no such code."""

    analysis: FileAnalysis
    shown: str
    training: Training | None = None

    def scan(self) -> FileScan:
        uses = tuple(map(self.use, self.analysis.uses))
        told = (*map(self.problem, self.analysis.problems), *self.unknown_codes())
        remarks = (*told, *self.limits())
        return FileScan(self.shown, self.analysis.line_count, uses, remarks)

    @cached_property
    def rewriter(self) -> Rewriter:
        return Rewriter(
            self.places,
            Reading(Source([f"{line}\n" for line in self.analysis.lines])),
            SINGLE,
            Notes(
                formatted=frozenset(call.args[0] for call in self.formats),
                texts=frozenset(self.texts),
                registered=self.registered,
                inverted=frozenset(self.inverted),
                statements=self.writes,
                tested=self.tested,
                twofold=self.handed_classes.both,
                packs=self.analysis.packs,
                is_complex=self.analysis.is_complex,
                draws=draws(self.layout) or self.analysis.draws,
                is_on_trees=is_on_trees(self.analysis),
                flagged=self.leaves.flagged,
                trained=self.leaves.trained,
                of_callers=self.leaves.of_callers,
                differentiated=self.differentiated,
                behind_tensors=behind_tensors(self.layout, self.resolve),
                module_parts=self.module_parts,
                unsure=unsure(self.analysis),
            ),
            form_of=self.memory.form_of,
            ends=self.ends,
        )

    @cached_property
    def places(self) -> Places:
        return Places(
            self.resolve,
            self.kind_of,
            unpacking=self.unpacking,
            holder_of=self.holder_of,
            sort_of=self.sort_of,
            begun_empty=begun_empty(self.layout, self.resolve),
            name_of=self.name_of,
            numpy_named=numpy_names(self.layout, self.analysis),
            led_by_one=names_led_by_one(self.layout, self.resolve),
            of_data=names_of_data(self.layout),
            layer_of=partial(layer_of, analysis=self.analysis),
            of_parameter=partial(of_parameter, analysis=self.analysis),
        )

    def name_of(self, node: ast.expr) -> str:
        """The full name of a function of Python's own or of another library, or of the class of a
        transform; else "".
        """
        kind = self.analysis.kind_of(node)
        return kind.name if kind.tag in ("foreign", "transform") else ""

    @cached_property
    def memory(self) -> SharedMemory:
        """Which names share memory, where something is written to."""
        known = Knowledge(self.analysis, self.layout, self.resolve, self.unpacking)
        return SharedMemory(known)

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """Where names of APIs end, and texts that tensors are formatted in: they may change."""
        layout = self.layout
        names = [part for part in self.parts if part in self.named]
        texts = (*layout.of_type(ast.JoinedStr), *filter(is_format, layout.of_type(ast.Call)))
        found = (text for text in texts if any(formatted_in(text)))
        return sorted(map(end_of, [*names, *found, *self.operations]))

    @cached_property
    def formats(self) -> list[ast.Call]:
        """The calls `format(x, ".2f")`."""
        calls = (c for c in self.layout.of_type(ast.Call) if type(c.func) is ast.Name)
        return [call for call in calls if is_formatting(call, self.analysis)]

    @cached_property
    def texts(self) -> list[ast.Call]:
        """The calls `text.format(...)` that write attributes which may be tensors."""
        calls = filter(is_format, self.layout.of_type(ast.Call))
        return [call for call in calls if formats_attributes(call, self.analysis)]

    @cached_property
    def inverted(self) -> list[ast.UnaryOp]:
        """The `~x` of what may be a tensor of integers."""
        return inverted(self.layout, self.analysis)

    @cached_property
    def operations(self) -> list[ast.AST]:
        """What is written anew though it names no API, but for formatted texts."""
        others = *self.module_parts, *computed(self.layout, self.places), *unsure(self.analysis)
        return [*self.formats, *self.texts, *self.inverted, *others]

    @cached_property
    def module_parts(self) -> Mapping[ast.AST, bool]:
        return module_parts(self.layout, self.places)

    @cached_property
    def unpacking(self) -> Mapping[int, ast.expr]:
        """The displays that stand for names behind `*` and `**`."""
        uses = [use for use in self.analysis.uses if any(unpacked_names(use.node))]
        return displays(uses, self.layout, self.analysis.tree) if uses else {}

    @cached_property
    def registered(self) -> frozenset[ast.AST]:
        """The calls with `requires_grad` that attributes are set to."""
        calls = {use.node for use in self.analysis.uses if has_keyword(use, "requires_grad")}
        statements = self.layout.of_type(ast.Assign) if calls else ()
        held = (s for s in statements if any(map(self.may_be_of_module, s.targets)))
        return frozenset(s.value for s in held if s.value in calls)

    def may_be_of_module(self, place: ast.expr) -> bool:
        """Whether a place that is set may be an attribute of a module."""
        if not isinstance(place, ast.Attribute):
            return False
        return self.analysis.kind_of(place.value).tag not in ("object", "instance")

    @property
    def differentiated(self) -> Mapping[ast.AST, GradientCall]:
        """The calls of `torch.autograd.grad` with the functions that are written for them."""
        found = self.training.differentiations.found if self.training is not None else ()
        return {
            one.call: GradientCall(
                one.function, one.tensors, one.inputs, one.gradient, one.keeps_graph
            )
            for one in found
        }

    @cached_property
    def leaves(self) -> Leaves:
        """The tensors that are told to need gradients, and what optimizers are given."""
        return Leaves(self.analysis, self.layout)

    @cached_property
    def hidden(self) -> Mapping[int, Set[str]]:
        return hidden_codes(self.analysis.lines)

    @cached_property
    def named(self) -> dict[ast.AST, Named]:
        """The certain uses, by the name, attribute or callee that names the API."""
        return {
            part: Named(use.api, use.receiver)
            for use, part in zip(self.analysis.uses, self.parts, strict=True)
            if use.certainty == "is" and use.kind not in NO_NAME
        }

    @cached_property
    def parts(self) -> list[ast.AST]:
        """The name, attribute or callee of each use."""
        return list(map(named_part, self.analysis.uses))

    @cached_property
    def layout(self) -> Layout:
        analysis = self.analysis
        return layout_of(analysis.tree, len(analysis.lines), analysis.kinds)

    @cached_property
    def tested(self) -> frozenset[ast.AST]:
        """The classes that types are tested by: of `isinstance(x, C)`."""
        tests = [c for node in self.tests for c in classes_in(node)]
        direct = frozenset(node for test in tests for node in every(test))
        return direct | self.handed_classes.tested

    @cached_property
    def handed_classes(self) -> HandedClasses:
        """What classes of layers are for that are handed on."""
        found = {use.node for use in self.analysis.uses if is_handed_class(use)}
        return handed_classes(self.analysis, found, self.named)

    @property
    def tests(self) -> Iterator[ast.AST]:
        """What may test a type: calls of `isinstance`, and comparisons with a call."""
        calls = (n for n in self.layout.of_type(ast.Call) if type(n.func) is ast.Name)
        yield from (call for call in calls if call.func.id in TESTS)
        yield from self.layout.of_type(ast.Compare)

    @cached_property
    def writes(self) -> Mapping[ast.AST, ast.stmt]:
        """The statements that are written anew, not just the calls in them, by the call."""
        uses, layout = self.analysis.uses, self.layout
        found: dict[ast.AST, ast.stmt] = {}
        if any(map(is_write, uses)):
            found = {node.value: node for node in layout.of_type(ast.Expr)}
        places = {use.node for use in uses if is_assigned(use) or is_set(use)}
        for node in layout.of_type(ast.Assign) if places else ():
            found |= {n: node for n in (node.value, *node.targets) if n in places}
        return found

    def resolve(self, node: ast.expr) -> Named | None:
        return self.named.get(node)

    def kind_of(self, node: ast.expr) -> str:
        kind = self.analysis.kind_of(node)
        return "mixed" if kind.is_mixed else kind.tag

    def sort_of(self, node: ast.expr) -> str:
        kind = self.analysis.kind_of(node)
        if kind in (INTS, TRUTHS):
            return "whole"
        tags = {part.tag for part in kind.parts}
        if kind.tag == "numpy" or (kind.tag == "union" and "numpy" in tags <= COMPUTED):
            return "numpy"
        if kind.tag != "list" or kind.name:
            return kind.name if kind.name == "range" else ""
        return "list of numpy" if "numpy" in tags else "list"

    def holder_of(self, node: ast.expr) -> str:
        """What an expression is that a module or optimizer holds: "parameter"...; else ""."""
        kind = present(self.analysis.kind_of(node))
        if not kind.is_tensor:
            return ""
        return "parameter" if dotted(node) in self.leaves.listed else HOLDERS.get(kind.name, "")

    def use(self, use: Use) -> ScannedUse:
        """The use with its verdict; whether a comment hides it is known with its code."""
        place = self.place(use)
        standing, found = self.judged(use)
        if self.training is not None:
            standing, found = in_training(self.training, use, standing, found)
        scanned = ScannedUse(
            *place, use.api, use.kind, standing, found.row, found.code, found.refusal
        )
        if self.hidden and self.is_hidden(place, scanned.code):
            return scanned._replace(ignored=True)
        return scanned

    @cached_property
    def foreign(self) -> frozenset[ast.AST]:
        """The nodes in classes whose base is of a library that is made on PyTorch."""
        return frozenset(node for cls in self.analysis.foreign for node in every(cls))

    def judged(self, use: Use) -> tuple[Standing, Suggestion]:
        if (self.analysis.foreign and use.node in self.foreign) or library_of(use.api):
            return Standing.FOREIGN, NOTHING
        if use.certainty != "is":
            return Standing.UNKNOWN, NOTHING
        if use.kind in NO_NAME or use.api.endswith(".*"):
            return Standing.DYNAMIC, NOTHING
        if use.kind == "annotation" and use.api in AS_TYPES:
            return Standing.RENAMED, Suggestion(0, whole=AS_TYPES[use.api])
        rules = registry.find(use.api)
        if rules and use.kind == "base":
            return STANDINGS[rules[0].verdict], base(Named(use.api, use.receiver), self.rewriter)
        if rules and use.kind in NAMES_ONLY:
            return judged_by_name(rules[0])
        if is_question(use) or (not rules and is_module_name(use.api)):
            named = Named(use.api)
            return Standing.EXACT, Suggestion(0, alone(use.node, named, use.kind, self.rewriter))
        if not rules:
            return Standing.UNLISTED, NOTHING
        found = suggestion(use.node, Named(use.api, use.receiver), use.kind, self.rewriter)
        standing = STANDINGS[rules[found.row].verdict]
        return standing, replace(found, refusal="") if standing is Standing.MISSING else found

    def doubt(self, use: Use, scanned: ScannedUse) -> Remark | None:
        """What is told of a use of an unknown receiver; None if it stays right as it stands.

        It does where the same code serves a tensor, a module, and whatever else has the name.
        """
        if scanned.standing is not Standing.UNKNOWN or use.kind in {*NO_NAME, "getattr"}:
            return None
        if use.receiver is None or not isinstance(use.node, ast.expr):
            return None
        if isinstance(use.node, ast.Call) and by_class(use.node, self.rewriter) is not None:
            return None
        apis = (Named(api, use.receiver) for api in use.candidates)
        written = [supposed(use.node, named, self.rewriter) for named in apis]
        if NOTHING in written:
            return None
        found = written[0]
        advice = scanned.advice + (f", or write {found.code}" if found.code else "")
        told = scanned.message + (f"; for one, {found.refusal}" if found.refusal else "")
        return Remark(scanned.place, scanned.code, told, advice, use.api, scanned.ignored)

    def place(self, use: Use) -> Place:
        mark = self.mark(self.line(use.cell, use.line))
        return Place(use.line, use.column, use.end_line, use.end_column, use.cell, mark)

    def line(self, cell: int, line: int) -> int:
        """The line of the whole text, where a notebook's cells follow one another."""
        return self.starts[cell] + line if cell else self.lines_of_places.get(line, line)

    @cached_property
    def lines_of_places(self) -> dict[int, int]:
        """The last line of the text that was part of a line of the file, where some are apart."""
        places = self.analysis.source.places
        return {line: number for number, (line, _) in enumerate(places, 1)}

    @cached_property
    def starts(self) -> dict[int, int]:
        return {cell.number: cell.first_line - 1 for cell in self.analysis.source.cells}

    def place_of(self, node: ast.AST) -> Place:
        """The place of any node."""
        source = self.analysis.source
        line, start = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end_line, end = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        cell, cell_line = source.place(line)
        return Place(
            cell_line,
            source.column(line, start),
            end_line - line + cell_line,
            source.column(end_line, end),
            cell,
            self.mark(line),
        )

    def mark(self, line: int) -> int:
        """A number that tells the text of a line, whatever its indentation."""
        lines = self.analysis.lines
        return mark_of(lines[line - 1]) if 0 < line <= len(lines) else 0

    def is_hidden(self, place: Place, code: str) -> bool:
        if not self.hidden or not code:
            return False
        return is_hidden(self.hidden, self.line(place.cell, place.line), code)

    def problem(self, problem: Problem) -> Remark:
        cell, line = self.analysis.source.place(problem.line)
        place = Place(line, problem.column, line, problem.column, cell, self.mark(problem.line))
        hidden = self.is_hidden(place, UNREAD)
        return Remark(place, UNREAD, f"{problem.kind}: {problem.message}", ignored=hidden)

    def unknown_codes(self) -> Iterator[Remark]:
        """The comments that look as if they hid something."""
        for number, codes in self.hidden.items():
            cell, line = self.analysis.source.place(number)
            column = column_of(self.analysis.lines[number - 1])
            place = Place(line, column, line, column, cell, self.mark(number))
            for message in useless(codes):
                hidden = self.is_hidden(place, UNKNOWN_CODE)
                yield Remark(place, UNKNOWN_CODE, message, USEFUL, ignored=hidden)

    def limits(self) -> list[Remark]:
        """What breaks a limit of MindSpore, in the order of the text."""
        return sorted(map(self.remark, self.hits), key=order)

    @cached_property
    def hits(self) -> list[tuple[Limit, Hit]]:
        """What breaks a limit of MindSpore, with its node."""
        lost = {id(record.node): record.message for record in self.memory.lost}
        return list(hits(self.analysis, self.layout, lost)) if self.analysis.uses else []

    def remark(self, found: tuple[Limit, Hit]) -> Remark:
        limit, hit = found
        place = self.place_of(hit.node)
        hidden = self.is_hidden(place, limit.code)
        return Remark(place, limit.code, hit.message, limit.advice, hit.api, hidden)


@lru_cache(4)  # a line may be as long as a file, and have all its uses
def mark_of(line: str) -> int:
    return zlib.crc32(line.strip().encode(errors="replace"))


@cache
def judged_by_name(rule: Rule) -> tuple[Standing, Suggestion]:
    """What becomes of a class that is named, not called: a base, an annotation, an import."""
    return STANDINGS[rule.verdict], Suggestion(0, whole=name_alone(rule))


def named_part(use: Use) -> ast.AST:
    node = use.node
    return node.func if isinstance(node, ast.Call) and use.kind != "getattr" else node


def is_format(call: ast.Call) -> bool:
    return type(call.func) is ast.Attribute and call.func.attr == "format"


def is_assigned(use: Use) -> bool:
    return use.api in assigned_names()


def is_set(use: Use) -> bool:
    """Whether it is an attribute of a module of PyTorch's that is set."""
    return use.receiver is None and type(getattr(use.node, "ctx", None)) is ast.Store


@cache
def assigned_names() -> frozenset[str]:
    """The APIs whose rows are for a whole assignment."""
    return frozenset(rule.name for rule in registry.all_rules() if rule.assigned)


def has_keyword(use: Use, name: str) -> bool:
    node = use.node
    return isinstance(node, ast.Call) and name in [keyword.arg for keyword in node.keywords]


def is_write(use: Use) -> bool:
    if is_writer(use.api):
        return True
    told = isinstance(use.node, ast.Call) and is_told_to_write(use.node, registry.find(use.api))
    return told or has_keyword(use, "out")


@cache
def is_writer(api: str) -> bool:
    """Whether all calls of it write to their first argument."""
    rules = registry.find(api)
    return api == COPY or (api.endswith("_") and bool(rules) and rules[0].writes)
