"""A recorded call of a framework's function in the words of the models."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...compare.operators.kinds import REFLECTED, kind_of
from ...compare.records import FunctionRecord
from ..reading.description import widened
from .model import MODELS, Array
from .shaping import index_of

ALIASES = {
    **dict.fromkeys(("dim", "dims", "axes", "dimension", "norm_dim"), "axis"),
    **dict.fromkeys(("keepdim", "keep_dims"), "keepdims"),
    **dict.fromkeys(("unbiased", "ddof"), "correction"),
    **dict.fromkeys(("sizes", "scales"), "size"),
    **dict.fromkeys(("kernel_size", "kernel_shape"), "kernel"),
    **dict.fromkeys(("strides",), "stride"),
    **dict.fromkeys(("padding", "pads", "paddings"), "padding"),
    **dict.fromkeys(("epsilon",), "eps"),
    **dict.fromkeys(("shift",), "shifts"),
    **dict.fromkeys(("depth",), "num_classes"),
    "p": "ord",
    "normalized_shape": "shape",
    "output_size": "size",
    "padding_mode": "mode",
    "k": "k",
}
DROPPED = {
    *("out", "device", "layout", "pin_memory", "generator", "memory_format", "requires_grad"),
    *("inplace", "non_blocking", "size_average", "reduce", "recompute_scale_factor", "copy"),
    *("antialias", "scale_grad_by_freq", "sparse", "padding_idx", "max_norm", "norm_type"),
    *("stable", "sorted", "return_indices", "dropout_p", "enable_gqa", "name", "initial"),
}
"""What makes no difference to numbers, or is the default wherever it is met."""

LARGEST = 2_000_000
"""Of operands with more elements nothing is tried."""


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a model: its operands, its options by their names.

    `others`: arguments that the model does not know.
    """

    kind: str
    operands: tuple[Any, ...]
    options: dict[str, Any]
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def is_modelled(self) -> bool:
        return self.kind in MODELS

    def compute(self) -> Array:
        return np.asarray(MODELS[self.kind](*self.operands, **self.options))


def call_of(record: FunctionRecord) -> Call:
    """The record in the models' words."""
    kind = kind_of(record.name)
    values = {name: substituted(x, record.inputs) for name, x in record.arguments.items()}
    if kind in REFLECTED:
        kind = REFLECTED[kind]
        values = dict(zip(values, reversed(values.values()), strict=True))
    read = READERS.get(kind, generic)
    call = read(kind, values, record)
    return normalized(call)


def substituted(value: Any, inputs: tuple[Array, ...]) -> Any:
    """`#0` is the first input, in float64 if it holds floats."""
    if isinstance(value, str) and re.fullmatch(r"#\d+", value):
        number = int(value[1:])
        return widened(inputs[number]) if number < len(inputs) else None
    if isinstance(value, (tuple, list)):
        return tuple(substituted(part, inputs) for part in value)
    return value


def generic(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    """By the signature of the model: operands in their order, options by name or place."""
    model = MODELS.get(kind)
    if model is None:
        tensors = tuple(x for x in values.values() if isinstance(x, np.ndarray))
        rest = {ALIASES.get(n, n): x for n, x in values.items() if not isinstance(x, np.ndarray)}
        return Call(kind, tensors, {}, {n: x for n, x in rest.items() if n not in DROPPED})
    names = inspect.signature(model).parameters
    most = sum(p.kind is p.POSITIONAL_ONLY for p in names.values())
    most = 99 if any(p.kind is p.VAR_POSITIONAL for p in names.values()) else most
    options = [name for name, p in names.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    return assigned(kind, values, most, options)


def assigned(kind: str, values: Mapping[str, Any], most: int, options: list[str]) -> Call:
    operands: list[Any] = []
    found: dict[str, Any] = {}
    others: dict[str, Any] = {}
    left = list(options)
    for name, value in values.items():
        own = name if name in options else ALIASES.get(name, name)
        if own in DROPPED and own not in options:
            continue
        if own in options:
            found[own] = value
        elif isinstance(value, str):
            others[own] = value
        elif len(operands) < most and (value is not None or not operands or most > 2):
            operands.append(value)
        elif name.isdigit() and left:
            found[next((x for x in left if x not in found), own)] = value
        else:
            others[own] = value
    while operands and operands[-1] is None:
        operands.pop()
    return Call(kind, tuple(operands), found, others)


def normalized(call: Call) -> Call:
    """Axes counted from the front, flags as flags, nothing where the default is meant."""
    options = dict(call.options)
    first = call.operands[0] if call.operands else None
    first = first[0] if isinstance(first, tuple) and first else first
    ndim = getattr(first, "ndim", 0) + (call.kind == "stack")
    for name in ("axis", "dim0", "dim1"):
        if name in options:
            options[name] = axis_of(options[name], ndim)
    if isinstance(options.get("correction"), bool):
        options["correction"] = int(options["correction"])
    model = MODELS.get(call.kind)
    names = inspect.signature(model).parameters if model else {}
    for name, value in list(options.items()):
        if value is None and name in names and names[name].default is not None:
            del options[name]
    return Call(call.kind, call.operands, options, call.others)


def in_words_of(own: Call, other: Call) -> Call:
    """A product by a number as the quotient that it is, a sum as a difference, or back."""
    if own.kind == other.kind == "einsum":
        equations = own.options.get("equation"), other.options.get("equation")
        if lettered(equations[0]) == lettered(equations[1]):
            return replace(other, options=own.options)
    if (own.kind, other.kind) not in INVERSE or len(other.operands) != 2:
        return other
    if any(value not in (None, 1) for value in other.options.values()):  # of these no tensors
        return other
    x, number = other.operands
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    if not is_number and other.kind in ("mul", "add"):
        x, number = number, x
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    numbers = [value for value in own.operands if isinstance(value, (int, float))]
    if not is_number or number in numbers:  # another operator, by the same number
        return other
    if "mul" in (own.kind, other.kind):
        number = 1 / number if number else math.inf
        return replace(other, kind=own.kind, operands=(x, number), options={})
    return replace(other, kind=own.kind, operands=(x, -number), options={})


def as_index(own: Call, other: Call) -> Call:
    """What takes one place along an axis as an index: a file has Gather for `x[:, 0]`."""
    place, axis = own.options.get("index"), own.options.get("axis", 0)
    are_whole = isinstance(place, int) and isinstance(axis, int) and axis >= 0
    if (own.kind, other.kind) != ("take", "getitem") or not are_whole:
        return own
    return replace(own, kind="getitem", options={"index": (*[WHOLE] * axis, place)})


def lettered(equation: Any) -> str:
    """An equation of einsum with its letters named in their order, as they mean nothing else."""
    text = str(equation).replace(" ", "")
    letters = {letter: chr(0x3B1 + i) for i, letter in enumerate(dict.fromkeys(text))
               if letter.isalpha()}  # fmt: skip
    return "".join(letters.get(letter, letter) for letter in text)


WHOLE = ("slice", None, None, None)
INVERSE = {("mul", "div"), ("div", "mul"), ("add", "sub"), ("sub", "add")}


def axis_of(axis: Any, ndim: int) -> Any:
    if isinstance(axis, bool) or axis is None:
        return axis
    if isinstance(axis, tuple):
        found = tuple(axis_of(x, ndim) for x in axis)
        return found[0] if len(found) == 1 else found
    if isinstance(axis, (int, float)) and ndim:
        return int(axis) % ndim
    return axis


# those that frameworks write in several ways


def transposed(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    """By the order of axes, however it is said."""
    x, *rest = values.values()
    numbers = flat(rest)
    last = record.name.rpartition(".")[2].strip("_").lower()
    ndim = getattr(x, "ndim", 0)
    order = list(range(ndim))
    is_pair = len(numbers) == 2 and (ndim != 2 or record.side == "torch")
    if last in ("movedim", "moveaxis"):
        moved = np.moveaxis(np.empty(range(1, ndim + 1)), *numbers[:2])
        order = [n - 1 for n in moved.shape]
    elif last in ("mt", "mh"):
        order = swapped(order, -2, -1)
    elif not numbers:
        order.reverse()
    elif last in ("swapaxes", "swapdims") or (last == "transpose" and is_pair):
        order = swapped(order, *numbers[:2])
    else:
        order = [n % ndim for n in numbers]
    return Call(kind, (x,), {"perm": tuple(order)})


def swapped(order: list[int], one: int, other: int) -> list[int]:
    if order:
        order[one], order[other] = order[other], order[one]
    return order


def flat(values: Any) -> list[int]:
    found: list[int] = []
    for value in values:
        if isinstance(value, (tuple, list)):
            found += flat(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(int(value))
    return found


def shaped(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    """What gives the elements in their order: by the shape that came out."""
    shape = tuple(record.outputs[0].shape) if record.outputs else ()
    return Call(kind, (next(iter(values.values())),), {"shape": shape})


def repeated(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    x, *rest = values.values()
    return Call(kind, (x,), {"repeats": tuple(flat(rest))})


def indexed(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    if kind == "getitem" and not record.name.strip("_").endswith("getitem"):
        index = sliced(values, record)
        if index is None:
            return generic("slice", values, record)  # of which there is no model
        return Call(kind, (next(iter(values.values())),), {"index": index})
    x, index, *rest = values.values()
    options = {"index": index}
    if kind == "setitem":
        options["value"] = rest[0] if rest else None
    return Call(kind, (x,), options)


FARTHEST = 2**31 - 1
"""An end of a slice of ONNX that is no smaller goes on to the last element."""


def sliced(values: Mapping[str, Any], record: FunctionRecord) -> tuple[Any, ...] | None:
    """ONNX's Slice as the index that it is; None where the places are not known."""
    parts = [values.get(name) for name in ("starts", "ends", "axes", "steps")]
    starts, ends, axes, steps = (flat([part]) for part in parts)
    ndim = record.inputs[0].ndim if record.inputs else 0
    if not ndim or not starts or len(starts) != len(ends):
        return None
    whole = ("slice", None, None, None)
    index: list[Any] = [whole] * ndim
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        axis = (axes[i] if axes else i) % ndim
        step = steps[i] if steps else 1
        is_plain = step == 1
        index[axis] = (
            "slice",
            None if start == 0 and is_plain else start,
            None if abs(end) >= FARTHEST else end,
            None if is_plain else step,
        )
    while len(index) > 1 and index[-1] == whole:
        index.pop()
    return tuple(index)


def extreme(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    """`max` of two tensors is another function than `max` along an axis."""
    two = [x for x in values.values() if isinstance(x, np.ndarray)]
    if len(two) == 2:
        return Call(f"{kind}imum", tuple(two), {})
    return generic(f"a{kind}", {k: v for k, v in values.items() if v is not None}, record)


def joined(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    tensors = [v for v in values.values() if isinstance(v, (tuple, np.ndarray))]
    several = tensors[0] if tensors and isinstance(tensors[0], tuple) else tuple(tensors)
    axis = [v for n, v in values.items() if ALIASES.get(n, n) == "axis"]
    last = [v for v in values.values() if isinstance(v, int)]
    return Call(kind, (several,), {"axis": (axis or last or [0])[0]})


def gathered(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    tensors = [v for v in values.values() if isinstance(v, np.ndarray)]
    place = values.get("indices")  # a file has one place as a number
    rest = {n: v for n, v in values.items() if n != "indices" or not isinstance(v, int)}
    numbers = flat(v for v in rest.values() if not isinstance(v, np.ndarray))
    index = {"index": tensors[1] if len(tensors) > 1 else place}
    index = {name: value for name, value in index.items() if value is not None}
    return Call(kind, tuple(tensors[:1]), {"axis": numbers[0] if numbers else 0, **index})


def scattered(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    tensors = [v for v in values.values() if isinstance(v, np.ndarray)]
    numbers = flat(v for n, v in values.items() if not isinstance(v, np.ndarray) and n != "alpha")
    parts = dict(zip(("index", "source"), tensors[1:], strict=False))
    return Call(kind, tuple(tensors[:1]), {"axis": numbers[0] if numbers else 0, **parts})


def contracted(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    """The operands of einsum may be one after the other, or a list."""
    equation = next((v for v in values.values() if isinstance(v, str)), "")
    parts = [v for v in values.values() if isinstance(v, (tuple, np.ndarray))]
    operands = parts[0] if parts and isinstance(parts[0], tuple) else tuple(parts)
    return Call(kind, operands, {"equation": equation})


def padded(kind: str, values: Mapping[str, Any], record: FunctionRecord) -> Call:
    """How much is put around is `pad` in PyTorch, `padding` in MindSpore."""
    return generic(kind, {"pad" if n == "padding" else n: x for n, x in values.items()}, record)


Read = Callable[[str, Mapping[str, Any], FunctionRecord], Call]
READERS: dict[str, Read] = {
    "transpose": transposed,
    "reshape": shaped,
    "expand": shaped,
    "tile": repeated,
    "getitem": indexed,
    "setitem": indexed,
    "max": extreme,
    "min": extreme,
    "pad": padded,
    "einsum": contracted,
    "cat": joined,
    "stack": joined,
    "take": gathered,
    "scatter_add": scattered,
    "index_add": scattered,
}


def sizes_of(call: Call) -> int:
    return sum(x.size for x in arrays_in(call))


def arrays_in(call: Call) -> Iterator[Array]:
    for value in (*call.operands, *call.options.values()):
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, np.ndarray):
                yield part


def shown(value: Any) -> str:
    """An argument as it is written."""
    if isinstance(value, np.ndarray):
        if value.size == 1:
            return shown(value.item())
        return f"a tensor {list(value.shape)}"
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else str(value)
    if isinstance(value, tuple) and value[:1] == ("slice",):
        parts = ["" if x is None else shown(x) for x in value[1:3]]
        return ":".join(parts) + (f":{shown(value[3])}" if value[3] not in (None, 1) else "")
    if isinstance(value, tuple):
        return f"({', '.join(shown(x) for x in value)})"
    return str(value)


__all__ = ["Call", "call_of", "in_words_of", "index_of", "shown", "sizes_of"]
