"""Which tensor objects an expression may be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..syntax.containers import GIVING, TAKING
from ..syntax.nodes import dotted
from ..syntax.walk import all_in, inner
from ..table.facts.views import CASTS, IN_ORDER, OF_ARRAYS, OF_MODULE, OTHER_VIEWS, PARTS, SAME
from .record import Act
from .tensors import NOTHING, Cut, Helds, How, Memory

if TYPE_CHECKING:
    from .flow import Flow


DETACHING = frozenset({"detach"})
"""What is a tensor of its own in the bundled runtime, and one with the same memory in MindSpore."""
VIEWING = SAME | IN_ORDER | PARTS | OTHER_VIEWS | OF_ARRAYS
"""Functions, methods and properties that may share the memory of what they are of."""

HANDING_ON = frozenset({"list", "tuple", "reversed", "sorted", "iter", "next", "dict", "set"})
"""Functions of Python whose results hold what they are given."""


def value(flow: Flow, node: ast.expr) -> Helds:
    """The objects that an expression may be, or that a container which it gives holds.

    What is written to in it is noted.
    """
    found: Helds = HANDLERS.get(type(node), visited)(flow, node)
    if found and flow.known.is_plain(node):
        found = NOTHING
    flow.values[id(node)] = found
    return found


def visited(flow: Flow, node: ast.AST) -> Helds:
    """Looks at what is in an expression that gives a new value."""
    for child in inner(node):
        if isinstance(child, ast.expr):
            value(flow, child)
        elif isinstance(child, ast.keyword):
            value(flow, child.value)
    return flow.made(node)


def name(flow: Flow, node: ast.Name) -> Helds:
    known = flow.state.names.get(node.id)
    return flow.outside(node.id) if known is None else known


def attribute(flow: Flow, node: ast.Attribute) -> Helds:
    owner = value(flow, node.value)
    if flow.known.is_tensor(node.value):
        return of_method(flow, node, node.attr, owner) if is_view(node.attr) else flow.made(node)
    place = dotted(node)
    known = flow.state.names.get(place) if place else None
    return flow.outside(place or ast.unparse(node)) if known is None else known


def is_view(method: str) -> bool:
    return method in VIEWING


def of_method(flow: Flow, node: ast.expr, method: str, owner: Helds) -> Helds:
    """What a method or function of PyTorch's gives of a tensor, whose memory it shares."""
    is_whole = all(held.cut is None for held in owner)
    if method in SAME and method not in DETACHING and is_whole:
        return owner  # of a part, MindSpore gives a copy
    if method in CASTS:
        return flow.made(node)
    is_ordered = method in IN_ORDER or (method in DETACHING and is_whole)
    how = How.ORDER if is_ordered else How.PART if method in PARTS else How.OTHER
    return cut(flow, owner, how, node)


def cut(flow: Flow, owner: Helds, how: How, node: ast.expr, place: int | None = None) -> Helds:
    made = Cut(how, node, place, flow.versions_in(node))
    return frozenset(held.cut_by(made) for held in owner)


def subscript(flow: Flow, node: ast.Subscript) -> Helds:
    owner = value(flow, node.value)
    value(flow, node.slice)
    if not flow.known.is_tensor(node.value):
        return owner
    sort = sort_of_index(flow, node.slice)
    return flow.made(node) if sort is None else cut(flow, owner, sort, node)


def sort_of_index(flow: Flow, index: ast.expr) -> How | None:
    """INDEX for places and slices, None for what makes a copy, OTHER for what may do either."""
    sorts: set[How | None] = set()
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        kind = flow.known.kind(part)
        is_mark = isinstance(part, ast.Slice) or (
            isinstance(part, ast.Constant) and part.value in (None, ...)
        )
        if is_mark or kind.tag == "int":
            sorts.add(How.INDEX)
        else:
            sorts.add(How.OTHER if kind.tag in ("unknown", "number", "other") else None)
    return None if None in sorts else How.OTHER if How.OTHER in sorts else How.INDEX


def call(flow: Flow, node: ast.Call) -> Helds:
    if isinstance(node.func, ast.Attribute):
        value(flow, node.func)
    given = [value(flow, argument) for argument in node.args]
    given += [value(flow, keyword.value) for keyword in node.keywords]
    api = flow.known.api(node.func)
    own = (of_write(flow, node) or of_api(flow, node, api)) if api else None
    own = own or of_python(flow, node)
    if own:
        return own
    function, _ = flow.known.function_of(node)
    if function is not None:
        return of_function(flow, node)
    if flow.known.is_layer_in_place(node):
        flow.given_away(node, node.args[0], Act.LAYER)
        return given[0]
    is_built = flow.known.kind(node.func).tag == "class"
    return flow.made(node).union(*given) if is_built else flow.made(node)


def of_write(flow: Flow, node: ast.Call) -> Helds | None:
    """The tensor that a call writes to, which it also gives."""
    place = flow.known.written_by(node)
    if place is None:
        return None
    helds = flow.again(place)
    flow.writes(node, place, helds)
    return helds or None


def of_api(flow: Flow, node: ast.Call, api: str) -> Helds | None:
    """What a use of PyTorch gives that shares the memory of what it is given."""
    method = api.rpartition(".")[2]
    if not api.startswith("torch.") or not is_view(method):
        return None
    owner = flow.known.first_argument(node)
    if owner is None or is_copy(flow, node):
        return None
    method = "" if is_cast(flow, node, method) else method
    return of_method(flow, node, method, flow.again(owner))


def is_copy(flow: Flow, node: ast.Call) -> bool:
    """Whether a call is told to give new memory: `x.to(dtype, copy=True)`."""
    given = (keyword.value for keyword in node.keywords if keyword.arg == "copy")
    return any(isinstance(v, ast.Constant) and v.value is True for v in given)


def is_cast(flow: Flow, node: ast.Call, method: str) -> bool:
    """Whether `x.view(dtype)` gives the memory another meaning."""
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return method == "view" and any(flow.known.kind(value).tag == "dtype" for value in given)


def of_python(flow: Flow, node: ast.Call) -> Helds | None:
    """What functions of Python, and methods of its containers, hand on."""
    called = node.func
    if isinstance(called, ast.Name) and called.id in HANDING_ON and node.args:
        return NOTHING.union(*(any_element(flow, argument) for argument in node.args))
    if not isinstance(called, ast.Attribute) or flow.known.is_tensor(called.value):
        return None
    if called.attr in TAKING and not flow.known.api(called):
        flow.put_into(called.value, NOTHING.union(*map(flow.again, node.args)))
    if called.attr in GIVING and flow.known.is_container(called.value):
        return flow.again(called.value)
    return flow.outside(ast.unparse(node)) if is_of_module(flow, node) else None


def is_of_module(flow: Flow, node: ast.Call) -> bool:
    """Whether a call gives tensors that a module holds."""
    return flow.known.api(node.func) in OF_MODULE


def of_function(flow: Flow, node: ast.Call) -> Helds:
    """What a call of a function of the file gives: its parameters, perhaps, or something new."""
    found = flow.made(node)
    for function, parameter, given in flow.known.arguments(node):
        flow.known.called.add(function)
        summary = flow.summary_of(function)
        if parameter in summary.writes:
            act = Act.INDEX if parameter in summary.items else Act.CALL
            if flow.given_away(node, given, act):
                flow.known.observed.add((function, parameter))
        for how in (how for name, how in summary.returns if name == parameter):
            helds = flow.again(given)
            found |= helds if how is None else cut(flow, helds, how, node)
    return found


def display(flow: Flow, node: ast.List | ast.Tuple | ast.Set) -> Helds:
    return together(flow, [value(flow, element) for element in node.elts])


def together(flow: Flow, parts: Sequence[Helds]) -> Helds:
    """The objects of several elements: what is in two of them is seen through the other one."""
    seen = NOTHING
    for part in parts:
        flow.escape(seen & part)
        seen |= part
    return seen


def operation(flow: Flow, node: ast.BinOp) -> Helds:
    """What `[x] + others` and `[x] * 3` hold; a new value of all else."""
    helds = value(flow, node.left) | value(flow, node.right)
    if not flow.known.is_container(node):
        return flow.made(node)
    if isinstance(node.op, ast.Mult):
        flow.escape(helds)
    return helds


def dictionary(flow: Flow, node: ast.Dict) -> Helds:
    return together(flow, [value(flow, item) for item in node.values])


def conditional(flow: Flow, node: ast.IfExp) -> Helds:
    value(flow, node.test)
    return value(flow, node.body) | value(flow, node.orelse)


def bool_op(flow: Flow, node: ast.BoolOp) -> Helds:
    return NOTHING.union(*(value(flow, operand) for operand in node.values))


def walrus(flow: Flow, node: ast.NamedExpr) -> Helds:
    found = value(flow, node.value)
    flow.bind(node.target.id, found)
    return found


def starred(flow: Flow, node: ast.Starred) -> Helds:
    return value(flow, node.value)


def comprehension(flow: Flow, node: Any) -> Helds:
    before = flow.state.copy()
    own = set()
    for generator in node.generators:
        flow.loop_over(generator.target, generator.iter)
        own |= {n.id for n in all_in(generator.target) if type(n) is ast.Name}
        for test in generator.ifs:
            value(flow, test)
    element = node.value if isinstance(node, ast.DictComp) else node.elt
    found = value(flow, element)
    for each in own:
        flow.state.names.pop(each, None)
        if each in before.names:
            flow.state.names[each] = before.names[each]
    return found


def unseen(flow: Flow, node: ast.expr) -> Helds:
    """What is run later, or gives nothing that is followed."""
    return NOTHING


def yielded(flow: Flow, node: ast.Yield | ast.YieldFrom) -> Helds:
    if node.value is not None:
        flow.escape(value(flow, node.value))
    return NOTHING


HANDLERS: dict[type, Callable[[Flow, Any], Helds]] = {
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Call: call,
    ast.List: display,
    ast.Tuple: display,
    ast.Set: display,
    ast.Dict: dictionary,
    ast.BinOp: operation,
    ast.IfExp: conditional,
    ast.BoolOp: bool_op,
    ast.NamedExpr: walrus,
    ast.Starred: starred,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: comprehension,
    ast.Lambda: unseen,
    ast.Constant: unseen,
    ast.Yield: yielded,
    ast.YieldFrom: yielded,
}


# what targets get


def elements(flow: Flow, node: ast.expr, targets: Sequence[ast.expr]) -> Iterator[Helds]:
    """What each target gets of a value that is unpacked."""
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(targets):
        yield from [flow.again(element) for element in node.elts]
        return
    helds = flow.again(node)
    how = How.ROW if flow.known.is_tensor(node) else None
    if is_parts(flow, node):
        assert isinstance(node, ast.Call)
        owner = flow.known.first_argument(node)
        helds, how = NOTHING if owner is None else flow.again(owner), How.PART
    for place, target in enumerate(targets):
        yield (
            element(flow, helds, node, target)
            if how is None
            else (cut(flow, helds, how, node, place))
        )


def element(flow: Flow, helds: Helds, node: ast.expr, target: ast.expr) -> Helds:
    """What a target gets of a container: of a new one that no name has, a tensor of its own."""
    new = Memory("made", node)
    if not any(held.memory == new for held in helds):
        return helds
    return flow.made(target) | frozenset(held for held in helds if held.memory != new)


def is_parts(flow: Flow, node: ast.expr) -> bool:
    """Whether it is a call that cuts a tensor into several."""
    api = flow.known.api(node.func) if isinstance(node, ast.Call) else ""
    return api.startswith("torch.") and api.rpartition(".")[2] in PARTS


def any_element(flow: Flow, node: ast.expr, target: ast.expr | None = None) -> Helds:
    """What a loop's variable gets."""
    helds = flow.again(node)
    if flow.known.is_tensor(node):
        return cut(flow, helds, How.ROW, node)
    return helds if target is None else element(flow, helds, node, target)
