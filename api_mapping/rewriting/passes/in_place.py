"""Methods and functions that write into a tensor: its new value, in the form that all of it see.

x.add_(1)                 ->  x = x.add(1)
self.weight.data.mul_(2)  ->  ops.assign(self.weight, self.weight.mul(2))
y = x[0].copy_(z)         ->  refused: it writes to a part of a tensor
y.copy_(x[0])             ->  y.copy_(x[0].copy())
self.weight.set_(y)       ->  ops.assign(self.weight, y)
f(x.add_(1))              ->  f((x := x.add(1)))
init.zeros_(self.w[0])    ->  self.w[0] = compat.filled(Zero(), self.w[0].copy())
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

import libcst as cst

from ...memory.write_form import Form, Way
from ...syntax.code import Code, Statement, Verbatim
from ...syntax.quotation import expression, statement
from ...table import registry
from ...table.facts.views import COMPUTING, OF_ARRAYS, SAME, VIEWS
from ...table.facts.writes import COPY, FILLED
from ...table.named import Named
from ...table.refusal import Refusal
from ...table.side_arguments import asides_of, check_all
from ..rewriter import Rewriter
from ..rows import called, judged, new_value
from . import shift
from .indices import numpy_index
from .weights.conv1d import line_part, line_set, line_weight

SET = "torch.Tensor.set_"
Statements = Sequence[Statement]


def write_statement(node: ast.Expr, to: Rewriter) -> Statements | None:
    """A statement that is nothing but a write."""
    call = node.value
    if not isinstance(call, ast.Call):
        return None
    named = to.places.resolve(call.func)
    if named is not None and named.receiver is call.func:
        return None
    changed = to.places.origin(call)
    if changed is call:
        return copied(call, named, to) or filled(call, named, to) or part_filled(call, named, to)
    return written(call, changed, to)


def written(node: ast.Call, changed: ast.expr, to: Rewriter) -> Statements:
    """The statements that give a tensor the value that calls have made of it."""
    place = to.places.bare(changed)
    check_once(place, to)
    value = to.finished(node, new_value(node, to)) or to.code(node)
    if (line := line_set(place, value, to)) is not None:
        return [line]
    if to.places.holder_of(place) == "parameter":
        return [weight_set(to.code(place), value, to)]
    if isinstance(changed, ast.Name):
        return stated(node, changed, value, to)
    if to.places.is_view(place):
        return [assigned(place, value, to), *back(node, place.value, to)]
    if not to.places.is_item(changed):
        refuse_view(changed, to)
    own = to.code(changed)
    is_part = to.form_of(node).way is Way.PART
    return [statement("own[...] = value" if is_part else "own.copy_(value)", own=own, value=value)]


def part_filled(node: ast.Call, named: Named | None, to: Rewriter) -> Statements | None:
    """The assignment of an initialiser's values to a part of a tensor."""
    if named is None or not named.api.startswith(FILLED) or not node.args:
        return None
    place = to.places.bare(node.args[0])
    if not to.places.is_view(place):
        return None
    new = expression("part.copy()", part=to.code(place))
    known = replace(to, codes={node.args[0]: new}, chosen={}, texts={})
    suggestion = judged(named, node, known)
    if suggestion.new is None:
        raise Refusal(suggestion.refusal)
    return [assigned(place, suggestion.new, to), *back(node, place.value, to)]


def weight_set(place: Code, value: Code, to: Rewriter) -> Statement:
    """The statement that gives a Parameter a value: behind set_data MindSpore's optimizers lose it.

    copy_ is refused in what is differentiated.
    """
    return statement("ops.assign(place, value)", ops=to.name("ops"), place=place, value=value)


def assigned(place: ast.Subscript, value: Code, to: Rewriter) -> Statement:
    """The assignment to a part of a tensor."""
    return statement(
        "place = value", place=line_part(place, to) or as_place(place, to), value=value
    )


def as_place(node: ast.expr, to: Rewriter) -> Code:
    """The code of what is assigned to: of a part of a tensor not the call that would read it."""
    if not isinstance(node, ast.Subscript):
        return to.code(node)
    code = numpy_index.indexed(node, to) or to.with_parts(node)
    assert isinstance(code, Code)
    return code


def stated(node: ast.AST, place: ast.Name, value: Code, to: Rewriter) -> Statements:
    """The statements that write a value to the tensor of a name."""
    form, name = to.form_of(node), cst.Name(place.id)
    is_whole = form.way is Way.WHOLE
    if is_whole or (to.places.holder_of(place) and form.way is Way.NAME):
        return [statement("name.copy_(value)", name=name, value=value)]
    if form.way is Way.PART:
        return [statement("name[...] = value", name=name, value=value)]
    if form.source is not None and form.way is Way.CHAIN:
        source = as_place(form.source, to)
        return [statement("name = source = value", name=name, source=source, value=value)]
    own = statement("name = value", name=name, value=value)
    return [own] if form.source is None else [own, written_back(form, name, to)]


def written_back(form: Form, name: Code, to: Rewriter) -> Statement:
    """The statement that gives what a view was made of the view's elements."""
    assert form.source is not None
    whole = to.code(form.source)
    return statement("whole.copy_(name.reshape(whole.shape))", whole=whole, name=name)


def back(node: ast.AST, place: ast.expr, to: Rewriter) -> Statements:
    """The statement, behind another, that writes a view to what it was made of."""
    form = to.form_of(node)
    return [written_back(form, to.reading.plain(place), to)] if form.way is Way.BACK else []


def copied(node: ast.Call, named: Named | None, to: Rewriter) -> Statements | None:
    """`x[0].copy_(y)` as an assignment: MindSpore's `x[0]` is a copy of its own.

    A Parameter that shares another tensor's memory can be assigned to no more.
    """
    if named is None or named.receiver is None or len(node.args) != 1:
        return None
    place, form, value = to.places.bare(named.receiver), to.form_of(node), node.args[0]
    if named.api == SET and to.places.holder_of(place) == "parameter":
        return [weight_set(to.code(place), to.code(value), to)]
    if named.api != COPY:
        return None
    if (line := line_set(place, to.code(value), to)) is not None:
        return [line]
    if to.places.is_view(place):
        return [assigned(place, to.code(value), to), *back(node, place.value, to)]
    if form.way is Way.PART:
        return [statement("place[...] = value", place=to.code(place), value=to.code(value))]
    if form.way is not Way.BACK or not isinstance(place, ast.Name):
        if not is_part(value, to):
            return None
        code = expression("value.copy()", value=to.code(value))
        return [statement("place.copy_(value)", place=to.code(place), value=code)]
    return [cst.Expr(called(named, node, to)), *back(node, place, to)]


def is_part(node: ast.expr, to: Rewriter) -> bool:
    """Whether it is taken of a tensor, whose first part MindSpore's copy_ refuses on the CPU."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in VIEWS:
            return False
        node = node.func.value
    return isinstance(node, ast.Subscript) and to.places.kind_of(node) == "tensor"


def filled(node: ast.Call, named: Named | None, to: Rewriter) -> Statements | None:
    """The statement that sets the variables that a call is told to write to by `out`."""
    asides = asides_of(node, registry.find(named.api)) if named is not None else None
    if named is None or asides is None or asides.out is None:
        return None
    if isinstance(asides.out, ast.Name) and to.form_of(node).way is not Way.NAME:
        check_all([asides.out], to.places.kind_of)
        return stated(node, asides.out, called(named, node, to), to)
    return [asides.stored(called(named, node, to), to.places.kind_of)]


def kept(node: ast.Call, to: Rewriter) -> Code | None:
    """A method that writes into a tensor, in an expression: its new value, also kept.

    Raises: Refusal if it would be written to a part of another tensor
    """
    named = to.places.resolve(node.func)
    if named is None or named.receiver is node.func or to.places.written(node) is None:
        return None
    changed, way = to.places.origin(node), to.form_of(node).way
    if way is Way.NAME and is_of_nobody(changed, to):
        return new_value(node, to)
    if way not in (Way.NAME, Way.WHOLE) or not to.places.is_item(changed):
        refuse_view(changed, to, way)
    value = new_value(node, to)
    if to.places.holder_of(changed) or way is Way.WHOLE:
        check_once(changed, to)
        place = to.code(to.places.bare(changed))
        return expression("place.copy_(value)", place=place, value=value)
    if isinstance(changed, ast.Name) and changed.id not in to.iterated:
        name = cst.Name(changed.id)
        is_same = changed.id in to.let_go or is_named(value, changed.id)
        return value if is_same else expression("(name := value)", name=name, value=value)
    if isinstance(changed, ast.Name | ast.Attribute):
        check_once(changed, to)
        return expression("place.copy_(value)", place=to.code(changed), value=value)
    return value  # of a tensor that nobody else has


def is_of_nobody(node: ast.expr, to: Rewriter) -> bool:
    """Whether it is a view of what was just computed, and has no name: `x.sin().reshape(2, 3)`."""
    while isinstance(node, ast.Call):
        named = to.places.resolve(node.func)
        last = "" if named is None else named.api.rpartition(".")[2]
        if named is None or last in OF_ARRAYS or to.places.written(node) is not None:
            return False
        if last not in VIEWS | SAME:
            return last in COMPUTING
        source = named.receiver or next(iter(node.args), None)
        if source is None:
            return False
        node = source
    return isinstance(node, ast.BinOp) and to.places.kind_of(node) == "tensor"


def check_once(place: ast.expr, to: Rewriter) -> None:
    """Raises: Refusal of a place that must not stand twice in the code"""
    is_new = isinstance(place, ast.NamedExpr) and not isinstance(place.value, ast.Name)
    is_name = isinstance(place, ast.NamedExpr) and not is_new
    if is_new or (not is_name and to.places.acts(place)):
        raise Refusal(f"{ast.unparse(place)} would be computed twice: give it a name first")


def is_named(code: Code, name: str) -> bool:
    return isinstance(code, cst.Name | Verbatim) and code.value == name


def refuse_view(node: ast.expr, to: Rewriter, way: Way = Way.NAME) -> None:
    """Raises: Refusal of a part of a tensor, or of the tensor in another shape"""
    named = to.places.resolve(node.func) if isinstance(node, ast.Call) else None
    last = "" if named is None else named.api.rpartition(".")[2]
    is_part = way in (Way.PART, Way.CHAIN, Way.BACK)
    if isinstance(node, ast.Subscript) or last in VIEWS or is_part:
        raise Refusal("it writes to a part of a tensor: assign, x[...] = value")


def view_assigned(node: ast.Assign, to: Rewriter) -> Statements | None:
    """`y[0] = value` where y is a view that is to be written back."""
    found = (t for t in node.targets if to.form_of(t).way is Way.BACK)
    view = next((t for t in found if isinstance(t, ast.Subscript)), None)
    return None if view is None else [to.same_statement(node), *back(view, view.value, to)]


def augmented(node: ast.AugAssign, to: Rewriter) -> Statements | None:
    """`self.buffer += value`, and `x += value` for tensors that others have as well."""
    place, way = node.target, to.form_of(node).way
    if isinstance(place, ast.Subscript) and way not in (Way.WHOLE, Way.PART):
        own = [to.same_statement(node)] if isinstance(place.value, ast.Name) else []
        more = back(place, place.value, to) if own else ()
        return [*own, *more] if more else None
    is_data = is_data_of_tensor(place, to)
    if way is Way.NAME and not to.places.is_buffer(place) and not is_data:
        return None
    check_once(place, to)
    value = computed(node, place, to)
    if (line := line_set(place, value, to)) is not None:
        return [line]
    if isinstance(place, ast.Name):
        return stated(node, place, value, to)
    written_to = place.value if is_data and isinstance(place, ast.Attribute) else place
    if is_data:
        refuse_view(written_to, to, way)
    own_code = "own[...] = value" if way is Way.PART else "own.copy_(value)"
    return [statement(own_code, own=to.code(written_to), value=value)]


def is_data_of_tensor(place: ast.expr, to: Rewriter) -> TypeGuard[ast.Attribute]:
    """Whether it is `x.data` of a tensor, no Parameter's: MindSpore's cannot be assigned to."""
    if not isinstance(place, ast.Attribute) or place.attr != "data":
        return False
    is_parameter = to.places.holder_of(place.value) == "parameter"
    return not is_parameter and to.places.kind_of(place.value) == "tensor"


def computed(node: ast.AugAssign, place: ast.expr, to: Rewriter) -> Code:
    """The value that an augmented assignment gives: `x + 1` of `x += 1`."""
    own = place
    if isinstance(place, ast.Attribute) and place.attr == "data":
        own = place.value if line_weight(place, to) or is_data_of_tensor(place, to) else place
    if shift.is_of_tensors(node, to.places.kind_of):
        return shift.code_of(node, to)
    template = ast.unparse(ast.BinOp(ast.Name("own"), node.op, ast.Name("value")))
    return expression(template, own=to.code(own), value=to.code(node.value))
