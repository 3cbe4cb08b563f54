"""Calls: what is called, with what, and what comes back."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...syntax.bindings import REGISTRATIONS
from ...table.facts.element_types import SIZES
from ...table.facts.names import TENSOR_METHODS
from ...table.facts.results import (
    CONTAINERS,
    HANDED_ON,
    LABELLED_DATA_SETS,
    METHOD_RETURNS,
    TRANSFORMING,
    WRAPPERS,
    returned,
)
from ...table.kinds import (
    CALLABLE,
    COLLATED,
    COMPLEX,
    INT,
    MODULE,
    TENSOR,
    UNKNOWN,
    Kind,
    join,
    join_all,
    list_of,
    present,
    tuple_of,
)
from .. import classes
from ..definitions import Class, Function
from ..frame import Frame
from . import containers, foreign, layers, methods
from .annotations import instance_of
from .attributes import NAMES
from .elements import element_of
from .evidence import note_layers
from .image_transforms import composed, gives_tensor, may_give_tensor
from .layers import class_of
from .named_tuples import tuple_of_class
from .parameters import observe, positional_names
from .reflection import REFLECTING, reflected
from .tensor_arguments import note_method_arguments, note_python_types, note_tensor_arguments
from .truths import of_elements


class Arguments:
    """The kinds of a call's arguments, by position and by name."""

    __slots__ = ("by_name", "node", "positional", "starred")

    def __init__(self, frame: Frame, node: ast.Call) -> None:
        self.node = node
        self.positional: list[Kind] = []
        self.by_name: dict[str, Kind] = {}
        self.starred = False
        value = frame.engine.value
        for argument in node.args:
            if type(argument) is ast.Starred:
                self.starred = True
                argument = argument.value
            self.positional.append(value(frame, argument))
        for keyword in node.keywords:
            kind = value(frame, keyword.value)
            if keyword.arg is None:
                self.starred = True
            else:
                self.by_name[keyword.arg] = kind

    def get(self, position: int, name: str = "") -> Kind | None:
        """The argument at the position or by the name; None if it is not given, or not known."""
        if name and name in self.by_name:
            return self.by_name[name]
        if position >= len(self.positional):
            return None
        plain = not self.starred or not any(map(is_starred, self.node.args[: position + 1]))
        return self.positional[position] if plain else None

    def written(self, position: int, name: str) -> ast.expr | None:
        """The expression of an argument that `get` gives."""
        named = next((k.value for k in self.node.keywords if name and k.arg == name), None)
        return self.node.args[position] if named is None else named

    def flag(self, name: str) -> bool | None:
        """Whether it is switched on by this name; None if only running the code tells it."""
        if name not in self.by_name:
            return False
        value = next(keyword.value for keyword in self.node.keywords if keyword.arg == name)
        return bool(value.value) if isinstance(value, ast.Constant) else None

    @property
    def tensors(self) -> list[Kind]:
        """The tensors by position."""
        return [kind for kind in self.positional if kind.is_tensor]

    @property
    def count(self) -> int:
        return len(self.positional) + len(self.by_name)


def is_starred(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Starred)


def call(frame: Frame, node: ast.Call) -> Kind:
    """What a call gives; its use of PyTorch, if it is one, is recorded with the call."""
    before, frame.calling = frame.calling, node
    called = frame.engine.resolve(frame, node.func)
    frame.calling = before
    frame.forget(node)
    mentions = frame.recorder.mentions
    mention = mentions.get(node.func)
    if mention is not None and mention.kind not in ("dynamic", "call"):  # nn.ReLU()(x): two calls
        del mentions[node.func]
        mention.kind = "call"
        mentions[node] = mention
    return result_of_call(frame, node, present(called), Arguments(frame, node))


def result_of_call(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    handler = _RESULTS.get(called.tag)
    if handler is not None:
        return handler(frame, node, called, arguments)
    leave(frame, arguments)
    return _chained(frame, node, node.func) if isinstance(node.func, ast.Attribute) else UNKNOWN


def leave(frame: Frame, arguments: Arguments) -> None:
    """Notes that what is given by position goes where it is not followed."""
    for kind in arguments.positional:
        frame.engine.escape(kind)


def _chained(frame: Frame, node: ast.Call, called: ast.Attribute) -> Kind:
    """What a method of a parameter gives that, of a tensor, gives a tensor.

    What the result shows itself to be, the parameter is: x of `x.view(2, -1).permute(1, 0)`.
    """
    receiver = frame.recorder.kinds.get(called.value, UNKNOWN)
    if receiver.tag != "unknown" or not receiver.name:
        return UNKNOWN
    places = [a.value for a in node.args if isinstance(a, ast.Constant)]
    if called.attr == "size" and len(node.args) == 1 and [type(p) for p in places] == [int]:
        frame.takes_as_tensor(receiver)  # of no other common type is the size asked by axis
    is_method = called.attr in TENSOR_METHODS and METHOD_RETURNS.get(called.attr, TENSOR).is_tensor
    return receiver if is_method else UNKNOWN


def _api(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    name = called.name
    if name in COMPLEX_SIZES and arguments.get(0, "input") == COMPLEX:
        name = f"{COMPLEX.name}.abs"
    if called.target is None and isinstance(node.func, NAMES):
        frame.mention(node, name, "call")
    note_python_types(frame, "", arguments)
    if name in HANDED_ON:
        return arguments.get(0) or UNKNOWN
    special = _SPECIAL.get(name)
    if special is not None:
        return special(frame, called, arguments)
    if name in CONTAINERS or name in WRAPPERS:
        return containers.container(frame, called, arguments)
    if name.startswith("torch.Tensor."):
        return methods.of_tensor(frame, name.rpartition(".")[2], shifted(arguments), TENSOR)
    note_tensor_arguments(frame, name, arguments)
    if name.startswith(("torch.nn.init.", "torch.nn.functional.")):
        note_layers(frame, node)
    last = name.rpartition(".")[2]
    usual = methods.overload(last, returned(name), arguments, 1)
    result = of_elements(last, usual, arguments.get(0, "input"), arguments)
    if "return_indices" not in arguments.by_name or arguments.flag("return_indices") is False:
        return result
    return MODULE if result.tag == "module" else UNKNOWN


def shifted(arguments: Arguments) -> Arguments:
    """The arguments of `torch.Tensor.view(x, 3)` as those of `x.view(3)`."""
    shifted_arguments = Arguments.__new__(Arguments)
    shifted_arguments.node = arguments.node
    shifted_arguments.positional = arguments.positional[1:]
    shifted_arguments.by_name = arguments.by_name
    shifted_arguments.starred = arguments.starred
    return shifted_arguments


def _parameter_list(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    return Kind("module", called.name)


def _loader(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    """DataLoader: with what its data set's samples are, if its own collation is used."""
    dataset = arguments.get(0, "dataset")
    if arguments.starred and dataset is None:
        return Kind("loader", called.name)
    collate = arguments.by_name.get("collate_fn")
    if collate is not None and collate.tag != "none":
        result = _collated_by(frame, collate)
        return Kind("loader", "collate_fn", (result,))
    whole = arguments.by_name.get("batch_size")
    is_open = any(map(is_starred, arguments.node.args))  # of `**settings` batches are expected
    if is_open or len(arguments.positional) > 6 or (whole and whole.tag == "none"):
        return Kind("loader", called.name)
    sample = frame.engine.sample_of(frame, dataset or UNKNOWN)
    return Kind("loader", called.name, (sample,))


def _collated_by(frame: Frame, collate: Kind) -> Kind:
    if collate.tag in ("function", "bound"):
        return frame.engine.result_of(frame, collate.target)
    return collate.parts[0] if collate.tag == "lambda" else UNKNOWN


def _dataset(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    """TensorDataset gives tuples of tensors; wrappers give what they wrap."""
    if called.name == "torch.utils.data.TensorDataset":
        if arguments.starred:
            return Kind("dataset", called.name, (Kind("list", "tuple", (TENSOR,)),))
        return Kind("dataset", called.name, (tuple_of((TENSOR,) * len(arguments.positional)),))
    inner = arguments.get(0, "dataset") or UNKNOWN
    return Kind("dataset", called.name, (frame.engine.sample_of(frame, inner),))


def _random_split(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    inner = arguments.get(0, "dataset") or UNKNOWN
    sample = frame.engine.sample_of(frame, inner)
    return list_of(Kind("dataset", "torch.utils.data.Subset", (sample,)))


def _labelled(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    """torchvision's classification sets: (image, class)."""
    sample = tuple_of((Kind("collated"), INT))
    return Kind("dataset", called.name, (sample,))


_SPECIAL: dict[str, Callable[[Frame, Kind, Arguments], Kind]] = {
    "torch.nn.ParameterList": _parameter_list,
    "torch.nn.ParameterDict": _parameter_list,
    "torch.utils.data.DataLoader": _loader,
    "torch.utils.data.random_split": _random_split,
    **dict.fromkeys((f"torch.utils.data.{name}" for name in ("TensorDataset", "Subset")), _dataset),
    **dict.fromkeys(LABELLED_DATA_SETS, _labelled),
    **dict.fromkeys((f"torchvision.transforms{v}.Compose" for v in ("", ".v2")), composed),
}


def _tensor_method(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    api = called.name
    receiver = called.parts[0] if called.parts else UNKNOWN
    owner, _, name = api.rpartition(".")
    if owner == "torch.Tensor":
        if node.func not in frame.recorder.mentions and node not in frame.recorder.mentions:
            frame.mention(node, api, "call", node.func)
        note_python_types(frame, name, arguments)
        note_method_arguments(frame, name, arguments)
        if receiver == COMPLEX and name in SIZES and node in frame.recorder.mentions:
            frame.recorder.mentions[node].api = f"{COMPLEX.name}.abs"
        return methods.of_tensor(frame, name, arguments, receiver)
    if containers.is_growing(name, owner, receiver) and isinstance(node.func, ast.Attribute):
        added = arguments.get(name in ("insert", "add_module")) or UNKNOWN
        held = join_all([*receiver.parts, element_of(added) if name == "extend" else added])
        frame.engine.rebind(frame, node.func.value, Kind("module", receiver.name, (held,)))
    if api == f"{MODULE.name}.forward" and called.parts:
        return layers.result_of_layer(frame, receiver, None)
    if name in REGISTRATIONS:
        _register(frame, node, receiver, arguments)
    elif receiver.tag == "module" and name in GIVEN:
        kinds = GIVEN[name]
        if name == "register_forward_hook":
            result = layers.result_of_layer(frame, receiver, None)
            kinds = (*kinds, COLLATED if result.is_unknown else result)
        taker = "fn" if name == "apply" else "hook"
        function = arguments.written(0, taker) if arguments.get(0, taker) else None
        if isinstance(function, ast.Lambda):
            foreign.of_lambda(frame, function, kinds)
        applied(frame, arguments.get(0, taker) or UNKNOWN, kinds, is_hook=name != "apply")
    return methods.of_other(frame, owner, name, arguments, receiver)


COMPLEX_SIZES = frozenset(f"torch.{name}" for name in SIZES)
INPUTS = Kind("list", "tuple", (TENSOR,))
"""What hooks are given in a tuple."""
HOOK = (MODULE, INPUTS)
GIVEN: dict[str, tuple[Kind, ...]] = {
    "apply": (MODULE,),
    "register_forward_hook": HOOK,
    "register_forward_pre_hook": HOOK,
    "register_full_backward_hook": (*HOOK, INPUTS),
    "register_backward_hook": (*HOOK, INPUTS),
    "register_full_backward_pre_hook": HOOK,
}
"""What methods of modules give to the function that they are given; forward hooks then more."""


def applied(frame: Frame, kind: Kind, given: tuple[Kind, ...], is_hook: bool = False) -> None:
    """Notes that a function is called with these: the one that `module.apply` is given."""
    if kind.tag == "partial" and not kind.name:  # its first parameters are still to be given
        kind = kind.parts[0]
    if kind.tag not in ("function", "bound"):
        return
    function: Function = kind.target
    if is_hook and not function.is_hook:
        function.is_hook = True
        frame.engine.changed(function)
    names = positional_names(function, kind.tag == "bound" and not function.is_static)
    for name, new in zip(names, given, strict=False):
        if not new.is_unknown and function.given.get(name) != new:
            function.given[name] = new
            frame.engine.changed(function)


def _register(frame: Frame, node: ast.Call, receiver: Kind, arguments: Arguments) -> None:
    """`self.register_buffer("x", tensor)` gives the attribute x."""
    name = node.args[0] if node.args else None
    given = arguments.get(1) or UNKNOWN
    is_literal = isinstance(name, ast.Constant) and isinstance(name.value, str)
    if not is_literal or not isinstance(receiver.target, Class):
        return
    assert isinstance(name, ast.Constant)
    buffer = isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer"
    sure = join(TENSOR, given) if given.tag == "none" else TENSOR
    frame.engine.set_attribute(frame, receiver.target, str(name.value), sure if buffer else given)


def _class(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    cls = called.target
    init = classes.method(cls, "__init__")
    if init is not None:
        observe(frame, init, node, arguments, bound=True)
    leave(frame, arguments)
    return instance_of(called)


def _function(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    function = classes.signed(called.target)
    bound = bool(called.parts) and not function.is_static and called.tag == "bound"
    if called.parts and any(k.name == "builtins.classmethod" for k in function.decorators):
        bound = True
    observe(frame, function, node, arguments, bound=bound)
    if frame.statement is node and function.module is not frame.engine.active:
        return UNKNOWN  # nobody asks for the value
    return frame.engine.result_of(frame, function)


def _applied(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """What forward(ctx, x) gives, of `Clamp.apply(x)`; what backward is given are tensors."""
    forward = classes.method(called.target, "forward")
    backward = classes.method(called.target, "backward")
    if backward is not None:
        slopes = positional_names(backward, False)[1:]
        applied(frame, Kind("function", "", (), backward), (UNKNOWN, *[TENSOR] * len(slopes)))
    if forward is None:
        return UNKNOWN
    given = [TENSOR if kind.tag == "tensor" else UNKNOWN for kind in arguments.positional]
    applied(frame, Kind("function", "", (), forward), (UNKNOWN, *given))
    return frame.engine.result_of(frame, forward)


def _module(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    return layers.result_of_module(frame, node, called, arguments)


def _lambda(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    return called.parts[0]


def _partial(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    inner = called.parts[0]
    if inner.tag == "api":
        return methods.overload(inner.name.rpartition(".")[2], returned(inner.name), arguments, 1)
    if inner.tag == "class":
        return instance_of(inner)
    if inner.tag == "function":
        frame.engine.escape(inner)
        return frame.engine.result_of(frame, inner.target)
    return UNKNOWN


def _foreign(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    if called.name in REFLECTING:
        return reflected(frame, node, called.name, arguments)
    if called.name in ("importlib.import_module", "builtins.__import__"):
        return _import_module(frame, node)
    if called.name == "builtins.super":
        return _super(frame)
    if called.name == "builtins.type" and len(node.args) == 1:
        return class_of(present(arguments.get(0) or UNKNOWN))
    for kind in (*arguments.positional, *arguments.by_name.values()):
        frame.engine.escape(kind)
    return foreign.result(frame, called.name, arguments)


def _import_module(frame: Frame, node: ast.Call) -> Kind:
    literal = node.args[0] if node.args else None
    if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
        return frame.engine.imported(frame.module, literal.value)
    return UNKNOWN


def _super(frame: Frame) -> Kind:
    outer: Frame | None = frame
    while outer is not None:
        if outer.function is not None and outer.function.owner is not None:
            cls = outer.function.owner
            return Kind("super", "", (classes.instance_of_class(cls),), cls)
        outer = outer.outer
    return UNKNOWN


def _plain_method(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    return methods.of_plain(frame, node, called.name, called.parts[0], arguments)


def _union(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """What any of them gives; which of several APIs is called is not known."""
    result = Kind("never")
    for part in called.parts:
        result = join(result, result_of_call(frame, node, part, arguments))
    apis = tuple(p.name for p in called.parts if p.tag == "api" and p.target is None)
    if apis and isinstance(node.func, ast.Name | ast.Attribute):
        frame.mention(node, apis[0], "call", None, apis)
    return result


def _numpy(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    return called


def _other(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """What an object of another library gives is its own; of a Callable, it may be anything."""
    if called.name != CALLABLE.name:
        return called
    leave(frame, arguments)
    return called.parts[0] if called.parts else UNKNOWN


def _transform(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """What a transform makes of an image: where it is a tensor, MindSpore's give an array.

    In a data set that is what the workers of its loader take, elsewhere it is made a tensor.
    """
    is_of_tensor = arguments.get(0, "img") == TENSOR
    if not may_give_tensor(called) and not is_of_tensor:
        return UNKNOWN
    if not frame.is_of_data_set or is_of_tensor:
        frame.mention(node, TRANSFORMING, "call", node.func)
    return TENSOR if gives_tensor(called) or is_of_tensor else UNKNOWN


def _instance(frame: Frame, node: ast.Call, called: Kind, arguments: Arguments) -> Kind:
    """An object of the project that is called: its `__call__`."""
    if called.target is None:
        return UNKNOWN
    function = classes.method(called.target, "__call__")
    if function is None:
        return UNKNOWN
    observe(frame, function, node, arguments, bound=True)
    return frame.engine.result_of(frame, function)


_RESULTS: dict[str, Callable[[Frame, ast.Call, Kind, Arguments], Kind]] = {
    "api": _api,
    "method": _tensor_method,
    "class": _class,
    "function": _function,
    "applied": _applied,
    "bound": _function,
    "module": _module,
    "lambda": _lambda,
    "partial": _partial,
    "foreign": _foreign,
    "plain_method": _plain_method,
    "union": _union,
    "numpy": _numpy,
    "other": _other,
    "transform": _transform,
    "object": _instance,
    "instance": _instance,
    "tuple_class": tuple_of_class,
}
