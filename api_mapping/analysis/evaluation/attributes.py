"""Attributes: of PyTorch's modules and classes, of tensors, modules, of the project's classes."""

from __future__ import annotations

import ast
from collections import Counter, OrderedDict, deque

from ...table.facts.names import (
    CONTAINER_METHODS,
    MODULE_METHODS,
    TENSOR_METHODS,
    TENSOR_PROPERTIES,
)
from ...table.facts.results import (
    BASES,
    CONTAINERS,
    LAYER_NUMBERS,
    LAYER_TENSORS,
    NAMED_RESULTS,
    PROPERTIES,
    WRAPPERS,
    by_table,
    constant,
    exists,
    family,
)
from ...table.facts.spelling import canonical, is_module_name
from ...table.kinds import (
    BOOL,
    ELEMENTS_KNOWN,
    FLOAT,
    HELD,
    INT,
    MODULE,
    NEVER,
    NUMBER,
    NUMBERS,
    NUMPY,
    OTHER,
    PARAMETER,
    SHAPE,
    STR,
    TENSOR,
    UNKNOWN,
    Kind,
    handed_over,
    join,
    join_all,
    present,
)
from ...table.registry import find
from .. import classes
from ..decorators import is_object
from ..definitions import Class, Function
from ..frame import Frame
from .elements import entry_of, param_groups
from .everyday import candidates_of, has_form_of_tensors
from .evidence import note_evidence, note_tensor, shown_by_use
from .layers import COUNT, DICTIONARIES, class_of, layer_attribute, name_of_class
from .lightning_members import LIGHTNING, is_of_lightning, of_trainer
from .named_tuples import field_of
from .own_optimizers import OWN, base_member, gradient, own_member

NAMES = (ast.Name, ast.Attribute)


def resolve_attribute(frame: Frame, node: ast.Attribute) -> Kind:
    """What `receiver.name` is; a method or property of PyTorch's is recorded."""
    receiver = present(frame.engine.resolve(frame, node.value))
    frame.forget(node)
    return member_of(frame, node, receiver)


def member_of(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if node.attr == "grad" and (found := gradient(frame, node, receiver)) is not None:
        return found
    handler = _MEMBERS.get(receiver.tag)
    return UNKNOWN if handler is None else handler(frame, node, receiver)


def _of_api(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if node.attr.startswith("__") and receiver.name != "torch.Tensor" and family(receiver.name):
        if receiver.target is None:  # nn.Module.__init__(self)
            frame.mention(node.value, receiver.name, "reference")
        return UNKNOWN
    is_layer = receiver.target is None and family(receiver.name) == "module"
    if is_layer and node.attr in RENAMED and frame.call_of(node) is not None:
        frame.mention(node.value, receiver.name, "reference")  # nn.Linear.forward(self, x)
        frame.mention(node, f"{MODULE.name}.{node.attr}", "attribute", node.value)
        return Kind("method", f"{MODULE.name}.{node.attr}", (Kind("module", receiver.name),))
    if node.attr.startswith("__") and receiver.name == "torch.Tensor":
        is_operator = exists(f"torch.Tensor.{node.attr}")
        if not is_operator:
            return UNKNOWN
    return Kind("api", canonical(f"{receiver.name}.{node.attr}"), (), receiver.target)


def _of_class(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    cls = receiver.target
    mention_renamed(frame, node, cls)
    if (function := classes.method(cls, node.attr)) is not None:
        return Kind("function", "", (receiver,), function)
    found = frame.engine.attribute(cls, node.attr)
    if found is not None:
        return found
    base = classes.torch_base(cls)
    family = classes.family_of(cls)
    if family == "autograd_function":
        if node.attr == "apply":  # inherited: the class of the converted code has it, too
            return Kind("applied", "", (), cls)
        return Kind("api", f"{base}.{node.attr}")
    if family in BASES and node.attr in members_of_family(family):
        return Kind("api", f"{BASES[family]}.{node.attr}")
    return UNKNOWN


def _of_tensor(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    name = node.attr
    if receiver.target is not None:
        found = of_instance(frame, node, receiver)
        if found is not None:
            return found
    if name in PROPERTIES or name in TENSOR_PROPERTIES:
        frame.mention(node, f"torch.Tensor.{name}", "attribute", node.value)
        is_held = name == "data" and receiver.name and receiver not in ELEMENTS_KNOWN
        return HELD if is_held else PROPERTIES.get(name, BOOL)
    is_special = name.startswith("__") and exists(f"torch.Tensor.{name}")
    if name in TENSOR_METHODS or is_special:
        frame.mention(node, f"torch.Tensor.{name}", "reference", node.value)
        return Kind("method", f"torch.Tensor.{name}", (receiver,))
    if name.startswith("_") and not name.startswith("__") and isinstance(node.ctx, ast.Load):
        frame.mention(node, f"torch.Tensor.{name}", "attribute", node.value)
    return UNKNOWN  # set by the project, or by a class above that is not known


def _of_module(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    name, cls = node.attr, receiver.target
    if cls is not None and (name in cls.methods or not layer_attribute(receiver, name)):
        found = of_instance(frame, node, receiver)
        if found is not None:
            return found
    if is_of_lightning(receiver, name):
        return LIGHTNING.get(name, UNKNOWN)
    if name in MODULE_METHODS:
        frame.mention(node, f"torch.nn.Module.{name}", "reference", node.value)
        return Kind("method", f"torch.nn.Module.{name}", (receiver,))
    if name == "training":
        frame.mention(node, "torch.nn.Module.training", "attribute", node.value)
        return BOOL
    if name in DICTIONARIES:
        frame.mention(node, f"{MODULE.name}.{name}", "attribute", node.value)
        return DICTIONARIES[name]
    if name == "__class__":
        return class_of(receiver)
    return _of_layer(frame, node, receiver)


def _of_layer(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """Attributes of PyTorch's own layers, and of classes of the project that derive from one."""
    layer = receiver.name
    if layer in WRAPPERS and node.attr == "module":
        frame.mention(node, f"{layer}.module", "attribute", node.value)
        return receiver.parts[0] if receiver.parts else MODULE
    if layer in CONTAINERS and receiver.target is None:
        return _of_container(frame, node, receiver)
    return named_in_layer(frame, node, receiver, node.attr, node.value)


def named_in_layer(
    frame: Frame, place: ast.expr, receiver: Kind, name: str, owner: ast.expr
) -> Kind:
    """What a layer has under this name, which stands at `place`, as a literal or an attribute."""
    api = layer_attribute(receiver, name) or private(receiver, name)
    if api:
        frame.mention(place, api, "attribute", owner)
    if not receiver.name.startswith("torch.nn."):
        return UNKNOWN
    if receiver.name == MODULE.name and receiver.target is not None:
        return UNKNOWN
    if name == COUNT:
        return HELD
    if name in LAYER_TENSORS or name.startswith(("weight_", "bias_")):
        return PARAMETER
    if receiver.name == MODULE.name and not receiver.parts:
        return UNKNOWN
    said = by_table(api)
    return NUMBER if said.is_unknown and name in LAYER_NUMBERS else said


def private(receiver: Kind, name: str) -> str:
    """The API that a private name of a layer is, which MindSpore's layers do not have; else ""."""
    is_own = receiver.name in ("", MODULE.name) or not receiver.name.startswith("torch.nn.")
    is_private = name.startswith("_") and not name.startswith("__")
    return f"{receiver.name}.{name}" if is_private and not is_own else ""


def _of_container(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if node.attr in CONTAINER_METHODS:
        api = f"{receiver.name}.{node.attr}"
        frame.mention(node, api, "reference", node.value)
        return Kind("method", api, (receiver,))
    return entry_of(receiver, node.attr) or UNKNOWN


def of_instance(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind | None:
    """A method or attribute that the project gives its class; None if it gives none."""
    cls: Class = receiver.target
    name = node.attr
    function = classes.method(cls, name)
    if function is not None:
        if function.is_property:
            return frame.engine.result_of(frame, function)
        if is_object(function):
            return UNKNOWN
        mention_renamed(frame, node, cls)
        return Kind("bound", "", (receiver,), function)
    found = frame.engine.attribute(cls, name)
    if frame.function is not None:
        cls.readers.setdefault(name, {})[frame.function] = found or UNKNOWN
    if found is None:
        return None
    is_held = present(found).is_tensor and not present(found).name
    return (classes.buffer(cls, name) if is_held else None) or handed_over(found)


RENAMED = frozenset({"forward", "extra_repr", "train"})
"""Methods that classes of the project define, and that MindSpore calls by another name."""


def mention_renamed(frame: Frame, node: ast.Attribute, cls: Class) -> None:
    """A module's own method that gets another name, which is named here or called."""
    if node.attr in RENAMED and classes.is_module(cls) and not classes.foreign_base(cls):
        frame.mention(node, f"{MODULE.name}.{node.attr}", "reference", node.value)


def _of_object(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """An instance of a class of the project that is none of PyTorch's, or not known to be."""
    found = of_instance(frame, node, receiver) if receiver.target is not None else None
    if found is not None:
        return found
    if receiver.tag == "instance" or (receiver.target is not None and not receiver.name):
        # of a base that is not known, or of what it is mixed into
        return _of_unknown(frame, node, UNKNOWN)
    if receiver.target is None and receiver.name.startswith(("torch.", "torchvision.")):
        return _of_torch_object(frame, node, receiver)
    return UNKNOWN


def _of_torch_object(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    api = f"{receiver.name}.{node.attr}"
    frame.mention(node, api, "attribute", node.value)
    if receiver.name in ("torch.finfo", "torch.iinfo"):
        return FLOAT if receiver.name == "torch.finfo" else INT
    said = by_table(api)
    return Kind("method", api, (receiver,)) if said.is_unknown else said


def _of_family(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """Optimizers, schedulers, scalers, loaders, generators, distributions."""
    name = node.attr
    found = own_member(frame, node, receiver)
    if found is None and receiver.target is not None:
        found = of_instance(frame, node, receiver) or base_member(frame, node, receiver)
    if found is not None:
        return found
    if name.startswith("__"):
        return UNKNOWN
    api = f"{BASES[receiver.tag]}.{name}"
    frame.mention(node, api, "attribute", node.value)
    if receiver.tag == "optimizer" and name == "param_groups":
        return param_groups()
    if receiver.tag == "loader" and name == "dataset":
        return UNKNOWN
    if receiver.tag == "distribution":
        known = name in ("mean", "stddev", "variance", "loc", "scale", "probs", "logits", "mode")
        return TENSOR if known else Kind("method", api, (receiver,))
    return Kind("method", api, (receiver,))


def _of_dataset(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    return (of_instance(frame, node, receiver) if receiver.target is not None else None) or UNKNOWN


def _of_shape(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if node.attr == "numel":
        frame.mention(node, "torch.Size.numel", "reference", node.value)
        return Kind("method", "torch.Size.numel", (receiver,))
    return Kind("plain_method", node.attr, (receiver,))


def _of_device(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    frame.mention(node, f"torch.device.{node.attr}", "attribute", node.value)
    return STR if node.attr == "type" else INT


def _of_dtype(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    frame.mention(node, f"torch.dtype.{node.attr}", "attribute", node.value)
    return OTHER


def _of_collated(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """What a list, dictionary or text has not can only be a tensor's."""
    call, name = frame.call_of(node), node.attr
    if name in ("values", "index", "count", "index_put"):
        return UNKNOWN
    if name in CONTAINER_NAMES and (call is None or not has_form_of_tensors(call, name)):
        return Kind("plain_method", name, (receiver,))
    if node.attr in TENSOR_METHODS or node.attr in TENSOR_PROPERTIES:
        return _of_tensor(frame, node, TENSOR)
    return Kind("plain_method", node.attr, (receiver,))


def _of_tuple(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """A field, the named results of torch.max and the like, or a tuple's own method."""
    if (field := field_of(receiver, node.attr)) is not None:
        return field
    if node.attr in NAMED_RESULTS and receiver.parts and receiver.parts[0].is_tensor:
        frame.mention(node, f"torch.return_types.{node.attr}", "attribute", node.value)
        return TENSOR
    return _of_container_value(frame, node, receiver)


CONTAINER_NAMES = frozenset(
    name
    for cls in (list, tuple, set, dict, Counter, OrderedDict, deque, str, bytes)
    for name in dir(cls)
)
NUMBER_NAMES = frozenset(dir(int) + dir(float))
FILLING = frozenset("append appendleft extend insert add update setdefault".split())
"""Methods that put something into a container."""


def _of_container_value(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if node.attr not in CONTAINER_NAMES:  # the annotation that says so does not hold
        return _of_unknown(frame, node, UNKNOWN)
    if node.attr in FILLING and receiver.parts and frame.call_of(node) is None:
        open_parts = (UNKNOWN,) * len(receiver.parts)  # who has the method may put in anything
        frame.engine.rebind(frame, node.value, receiver._replace(parts=open_parts))
    return Kind("plain_method", node.attr, (receiver,))


def _of_numpy(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if node.attr == "shape":
        return SHAPE
    return INT if node.attr in ("size", "ndim", "nbytes") else NUMPY


def _of_number(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    if receiver.name == "default" or node.attr not in NUMBER_NAMES:
        return _of_unknown(frame, node, receiver)
    return OTHER


def _of_foreign(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    return Kind("foreign", f"{receiver.name}.{node.attr}")


def _of_project(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    return frame.engine.member(receiver.target, node.attr)


def _of_super(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """`super().name`: the method above in the project, or PyTorch's."""
    cls: Class = receiver.target
    function: Function | None = classes.above(cls, node.attr)
    if function is not None:
        mention_renamed(frame, node, cls)
        return Kind("bound", "", receiver.parts, function)
    family = classes.family_of(cls)
    if family in BASES and not node.attr.startswith("__"):
        home = OWN if family in OWN and classes.is_own_optimizer(cls) else BASES
        api = f"{home[family]}.{node.attr}"
        frame.mention(node, api, "reference", node.value)
        return Kind("method", api, receiver.parts)
    return UNKNOWN


FUNCTIONS = frozenset({"function", "lambda", "bound"})
"""What has no attributes to speak of: where it may be a module as well, the module is meant."""


def _of_union(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """All members the same use: that one; if any could be PyTorch's, not known which."""
    others = [part for part in receiver.parts if part.tag not in FUNCTIONS]
    if 0 < len(others) < len(receiver.parts):
        return member_of(frame, node, join_all(others))
    tags = {part.tag for part in receiver.parts}
    if tags == {"module"} and node.attr == "__class__":
        return class_of(receiver)
    if tags in ({"module"}, {"optimizer"}):
        return _of_any(frame, node, receiver)
    if tags <= {"object", "instance"} or tags == {"project"}:
        return join_all(member_of(frame, node, part) for part in receiver.parts)
    if receiver.is_mixed and node.attr not in NUMBER_NAMES:
        return member_of(frame, node, TENSOR)
    if tags & {"tensor", "unknown", "module", "optimizer", "scheduler", "collated"}:
        return _of_unknown(frame, node, UNKNOWN)
    return UNKNOWN


def _of_any(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """What one of several modules has: of names that only some have, torch.nn.Module's.

    What one of several optimizers has is not known if it is not the same of all.
    `model.module`, where a model is wrapped on a condition, is what a wrapper has.
    """
    found, said = NEVER, []
    wrappers = [part for part in receiver.parts if part.name in WRAPPERS]
    for part in wrappers if wrappers and node.attr == "module" else receiver.parts:
        frame.forget(node)
        found = join(found, member_of(frame, node, part))
        said.append(frame.recorder.mentions.get(node))
    apis = {mention.api if mention else "" for mention in said}
    if len(apis) > 1 and receiver.parts[0].tag == "optimizer":
        frame.forget(node)
        return _of_unknown(frame, node, UNKNOWN)
    api = f"{MODULE.name}.{node.attr}"
    if len(apis) > 1 and find(api) and node.attr not in MODULE_METHODS:
        frame.mention(node, api, "attribute", node.value)
    elif mention := next(filter(None, said), None):
        frame.recorder.mentions[node] = mention
    return found


def _of_unknown(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """Nothing is known of the receiver: a use of each API that the name could be."""
    name = node.attr
    note_evidence(frame, node, receiver)
    call = frame.call_of(node)
    found = candidates_of(name, call, node.value)
    if call is not None and found == (f"torch.Tensor.{name}",):
        note_tensor(frame, receiver)
    shown = shown_by_use(frame, node, receiver, found)
    if not shown.is_unknown:
        return member_of(frame, node, shown)
    if found and frame.engine.knows_torch(frame.module):
        kind = "reference" if call is not None else "attribute"
        frame.mention(node, found[0], kind, node.value, found)
    return UNKNOWN


def members_of_family(family: str) -> frozenset[str]:
    known = {"module": MODULE_METHODS, "tensor": TENSOR_METHODS}
    return known.get(family, frozenset({"step", "zero_grad", "state_dict"}))


_MEMBERS = {
    "tensor": _of_tensor,
    "module": _of_module,
    "class_of": name_of_class,
    "object": _of_object,
    "instance": _of_object,
    "autograd_function": _of_object,
    "transform": _of_dataset,
    "dataset": _of_dataset,
    **dict.fromkeys(
        ("optimizer", "scheduler", "scaler", "loader", "generator", "distribution"), _of_family
    ),
    "shape": _of_shape,
    "device": _of_device,
    "dtype": _of_dtype,
    "collated": _of_collated,
    "tuple": _of_tuple,
    **dict.fromkeys(
        ("list", "dict", "set", "iterator", "str", "bytes", "param_group"), _of_container_value
    ),
    "numpy": _of_numpy,
    **dict.fromkeys(NUMBERS, _of_number),
    "foreign": _of_foreign,
    "trainer": of_trainer,
    "other": lambda frame, node, receiver: OTHER,
    "project": _of_project,
    "super": _of_super,
    "union": _of_union,
    "unknown": _of_unknown,
    "none": _of_unknown,
    "api": _of_api,
    "class": _of_class,
}


def refer(frame: Frame, node: ast.expr, kind: Kind) -> Kind:
    """A name or attribute that is not called: a reference to an API, a constant, a function."""
    if isinstance(node, ast.Name):
        frame.forget(node)  # what an earlier run took it for
    if kind.tag == "dtype":
        if kind.name:
            frame.mention(node, kind.name, "dtype")
        return kind
    if kind.tag in ("function", "bound"):
        frame.engine.escape(kind)
        return kind
    if kind.tag != "api" or kind.target is not None or is_module_name(kind.name):
        return kind
    known = constant(kind.name)
    if known is None:
        frame.mention(node, kind.name, "reference")
        return kind
    frame.mention(node, kind.name, "dtype" if known.tag == "dtype" else "constant")
    return known
