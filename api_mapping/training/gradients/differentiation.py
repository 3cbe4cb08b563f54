"""`torch.autograd.grad`: what is differentiated becomes a function of what it is by.

u = net(t); du = torch.autograd.grad(u, t, ones, create_graph=True)[0]  ->  u stays as it is, and

def u_of_t(t):
    u = net(t)
    return u

du = compat.graph_gradients(u_of_t, (t,), gradient=ones)[0]
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from ...analysis import FileAnalysis
from ...syntax.edits import Edit
from ...syntax.nodes import dotted, end_of, is_none, start_of
from ...table.facts.gradients import DIFFERENTIATION, IN_GRAPH, INNER
from ..blocks import Block, blocks_of, leaves
from ..functions import TAB
from ..handed import calls_in
from ..keeping import names_in, unused
from ..names import access, flows
from ..region import Finder, NoRegion, Region
from ..text import Converted, moved, statement
from .once import computed_once
from .recomputing import ELSEWHERE, Recomputed, Recomputing
from .repeating import Repeating

PARAMETERS = "outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs"
IGNORED = frozenset({"retain_graph", "only_inputs", "materialize_grads", "allow_unused"})


@dataclass(frozen=True)
class Differentiation:
    """A call of `torch.autograd.grad` in the statement at a place of a block.

    body      places of the statements that compute the output from the inputs: they are written
              once more, in the function
    tensors   the inputs by their names; none where they are the parameters that `inputs` gives
    """

    block: Block
    place: int
    call: ast.Call
    output: ast.expr
    inputs: ast.expr
    tensors: tuple[str, ...]
    body: tuple[int, ...]
    gradient: ast.expr | None
    keeps_graph: bool | ast.expr
    """Whether the gradients are differentiated again, or what decides on it."""
    handed: tuple[str, ...] = ()
    """The parameters of the function around it that its callers compute from the inputs."""

    @property
    def function(self) -> str:
        """The name of the function, which nothing in the scope has."""
        output = dotted(self.output).replace(".", "_")
        name = f"{output or 'function'}_of_{'_'.join(self.tensors) or 'weights'}"
        return unused(name, names_in(self.block.scope))

    @property
    def statement(self) -> ast.stmt:
        return self.block.statements[self.place]

    @property
    def again(self) -> list[str]:
        """Names that the function reads before it gives them other values."""
        region = Region(self.block, (self.place,), (self.output,), self.body)
        known = region.writes
        return [name for name in region.reads if name in known and name not in self.tensors]


@dataclass(frozen=True)
class Differentiations:
    """The calls of one file, in the order of the text."""

    analysis: FileAnalysis
    finder: Finder
    recomputed: list[Recomputed] = field(default_factory=list)
    """What callers compute for those that are handed it: they are found with the calls."""
    moved: list[ast.stmt] = field(default_factory=list)
    """Statements that stand in a function only, as nothing else needs what they compute."""

    @cached_property
    def calls(self) -> list[tuple[Block, int, ast.Call]]:
        """Every call, with the place of its statement."""
        names = {id(u.node) for u in self.analysis.uses if u.api == DIFFERENTIATION}
        found = [
            (block, place, call)
            for block in (blocks_of(self.analysis.tree) if names else ())
            for place, statement in enumerate(block.statements)
            for call in calls_in(statement)
            if id(call) in names
        ]
        return sorted(found, key=lambda one: start_of(one[2]))

    @property
    def found(self) -> list[Differentiation]:
        """Those that can be written by functions; none if one cannot be."""
        return self.outcome[0]

    @property
    def refusal(self) -> str:
        """Why they cannot be; "" if they can."""
        return self.outcome[1]

    @cached_property
    def outcome(self) -> tuple[list[Differentiation], str]:
        several = [(id(block.statements[place])) for block, place, _ in self.calls]
        try:
            if len(set(several)) < len(several):
                raise NoRegion("two calls in one statement")
            return [self.one(*call) for call in self.calls], ""
        except NoRegion as reason:
            self.recomputed.clear()
            self.moved.clear()
            return [], str(reason)

    def one(self, block: Block, place: int, call: ast.Call) -> Differentiation:
        """Raises: NoRegion"""
        given = dict(zip(PARAMETERS, call.args, strict=False))
        given |= {k.arg or "**": k.value for k in call.keywords}
        keeps = given.get("create_graph", ast.Constant(False))
        is_known = given.keys() <= {*PARAMETERS, *IGNORED}
        if not is_known or not {"outputs", "inputs"} <= given.keys():
            raise NoRegion("an argument that MindSpore has not")
        output, inputs = single(given["outputs"]), given["inputs"]
        gradient = given.get("grad_outputs")
        gradient = None if gradient is None or is_none(gradient) else single(gradient)
        tensors = self.tensors(inputs)
        handed: tuple[str, ...] = ()
        if tensors:
            body, handed = self.body(block, place, output, tensors)
        else:
            region = Region(block, (place,), (output,), ())
            body = self.finder.computing(region)
        if any(leaves(block.statements[p]) for p in body):
            raise NoRegion("a statement of the forward pass ends the round, or the function")
        moved = computed_once(block, body, place, output)
        Repeating(self.finder).check(block, body, place, output, is_moved=moved is not None)
        self.moved.extend(moved or ())
        common = block, place, call, output, inputs, tensors, body, gradient
        again = bool(keeps.value) if isinstance(keeps, ast.Constant) else keeps
        return Differentiation(*common, again, handed)

    def body(
        self, block: Block, place: int, output: ast.expr, tensors: tuple[str, ...]
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The places of what computes the output, and the parameters that callers compute.

        Raises: NoRegion
        """
        try:
            return tuple(dependent(block, place, output, tensors)), ()
        except NoRegion:
            recomputing = Recomputing(self.analysis.tree, self.finder, dependent)
            handed, found = recomputing.of(block, place, output, tensors)
            self.recomputed.extend(found)
            return tuple(dependent(block, place, output, (*tensors, *handed))), handed

    def tensors(self, inputs: ast.expr) -> tuple[str, ...]:
        """The names of the inputs; none of them where they are a list of parameters."""
        parts = inputs.elts if isinstance(inputs, ast.List | ast.Tuple) else [inputs]
        kinds = [self.analysis.kind_of(part) for part in parts]
        if isinstance(inputs, ast.Name) and kinds[0].tag in ("list", "tuple"):
            return ()
        names = tuple(part.id for part in parts if isinstance(part, ast.Name))
        if len(names) == len(parts):
            return names
        if names:
            raise NoRegion("tensors beside parameters")
        return ()

    def edits(self, converted: Converted) -> list[Edit]:
        """The edits that put the functions before the statements."""
        codes: dict[tuple[int, int], list[Callable[[Converted], str]]] = {}
        for one in self.found:
            codes.setdefault(lines_of(one.statement), []).append(partial(definition, one))
        for told in {(id(r.caller.call), r.value.id): r for r in self.recomputed}.values():
            lines = lines_of(told.caller.block.statements[told.caller.place])
            codes.setdefault(lines, []).append(partial(telling, told))
        inner: list[Edit] = []
        outer: list[Edit] = []
        for (start, end), writers in sorted(codes.items()):
            known = beside(converted, inner)
            code = "".join(write(known) for write in writers)
            outer.append(Edit((start, 0), (start, 0), code))
            text = converted.rows(start, end).replace(f".{IN_GRAPH}(", f".{INNER}(")
            inner.append(Edit((start, 0), (end + 1, 0), code + text))
        return outer


def lines_of(statement: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement."""
    return start_of(statement)[0], end_of(statement)[0]


def telling(told: Recomputed, converted: Converted) -> str:
    """The function by which a caller computes what it hands on, and the statement that says so."""
    caller, value = told.caller, told.value
    common = caller.block, caller.place, caller.call, value, value, told.inputs, told.body
    one = Differentiation(*common, None, keeps_graph=True)
    indent = converted.indent(start_of(one.statement)[0])
    code = f"{converted.names['compat']}.computed_by({value.id}, {one.function})"
    return definition(one, converted) + statement(code, indent)


def beside(converted: Converted, edits: Sequence[Edit]) -> Converted:
    """The text with further edits, which hold where both are."""
    free = [e for e in converted.edits if not any(o.start <= e.start < o.end for o in edits)]
    return replace(converted, edits=[*free, *edits])


def definition(one: Differentiation, converted: Converted) -> str:
    """The function that is differentiated, at the place of its statement."""
    indent = converted.indent(start_of(one.statement)[0])
    inputs = ", ".join([*one.tensors, *(f"{name}={name}" for name in one.again)])
    rows = "".join(row(one, place, converted, indent + TAB) for place in one.body)
    returned = f"{indent}{TAB}return {converted.code(one.output)}\n\n"
    compat, given = converted.names["compat"], ", ".join(one.tensors)
    asked = "".join(f"{indent}{n}_of = {compat}.function_of({n})\n" for n in one.handed)
    again = "".join(f"{indent}{TAB}{n} = {n}_of({given})\n" for n in one.handed)
    return f"{asked}{indent}def {one.function}({inputs}):\n{again}{rows}{returned}"


def row(one: Differentiation, place: int, converted: Converted, indent: str) -> str:
    """A statement of the forward pass in the function."""
    node = one.block.statements[place]
    first, last = start_of(node)[0], end_of(node)[0]
    return moved(converted.rows(first, last), converted.indent(first), indent)


def single(node: ast.expr) -> ast.expr:
    """The one element of a list, or what is no list. Raises: NoRegion of several"""
    if not isinstance(node, ast.List | ast.Tuple):
        return node
    if len(node.elts) != 1:
        raise NoRegion("several outputs")
    return node.elts[0]


def dependent(block: Block, place: int, output: ast.expr, inputs: Collection[str]) -> Iterator[int]:
    """The places of the statements that compute an output from inputs.

    Raises: NoRegion if some of them may stand elsewhere
    """
    statements = block.statements[:place]
    set_at = [p for p, s in enumerate(statements) if access(s).sure & set(inputs)]
    begin = max(set_at, default=-1) + 1
    carried = carried_before(block, inputs) if not begin else set(inputs)
    before = set(carried)
    depending = []
    for number in range(begin, place):
        known = access(statements[number])
        if carried & set(known.reads):
            depending.append(number)
            carried |= known.writes
        else:
            carried -= known.sure
    needed = set(flows(output))
    if not needed & carried:
        raise NoRegion(ELSEWHERE)
    body = []
    for number in reversed(depending):
        known = access(statements[number])
        if known.writes & needed:
            body.append(number)
            needed = (needed - known.sure) | set(flows(statements[number]))
    if needed & (before - set(inputs)):
        raise NoRegion("what is differentiated is computed elsewhere, too")
    yield from reversed(body)


def carried_before(block: Block, inputs: Collection[str]) -> set[str]:
    """The names that were computed from inputs before a block begins."""
    carried = set(inputs)
    for outer, place in reversed(list(block.around())):
        for before in outer.statements[:place]:
            known = access(before)
            carried |= known.writes if carried & set(known.reads) else set()
    return carried
