"""Macros (macros.py) for the arguments of layers: windows, strides, padding, element types."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .macros import is_number, macro, padded
from .refusal import Refusal

if TYPE_CHECKING:
    from .argument import Argument


@macro
def starred(args: Argument, kwargs: Argument) -> str:
    """All arguments of a call as they are, `*` and `**` among them.

    Raises: Refusal, without a reason, of a call without: its other rows say more
    """
    parts = (*args.parts, *kwargs.parts)
    if not any(part.startswith("*") for part in parts):
        raise Refusal
    return ", ".join(parts)


@macro
def reversed_flag(value: Argument) -> str:
    """True where PyTorch has False; None, which is as if not given, where it has True."""
    if isinstance(value.literal, bool):
        return "None" if value.literal else "True"
    return f"None if {value.operand} else True"


@macro
def element_type(dtype: Argument) -> str:
    """A layer's element type; PyTorch's None is its default, float32."""
    if dtype.literal is None:
        return "ms.float32"
    path = dtype.text.rpartition(".")[0]
    return dtype.text if path == "ms" else f"{dtype.operand} or ms.float32"


@macro
def single(value: Argument) -> str:
    """A number, of a number or a tuple of one."""
    number = value.literal
    if isinstance(number, tuple | list) and len(number) == 1:
        return repr(number[0])
    return value.text


@macro
def listed(values: Argument) -> str:
    """A list, of what may be a generator or a tuple."""
    if isinstance(values.node, ast.GeneratorExp):
        inner = values.text.removeprefix("(").removesuffix(")")
        return f"[{inner}]"
    is_list = isinstance(values.node, ast.List | ast.ListComp | ast.BinOp)
    return values.text if is_list or values.literal is None else f"list({values.text})"


@macro
def padded_volume(padding: Argument, output_padding: Argument) -> str:
    """The same where `output_padding` is an argument, which pad_mode="valid" forbids."""
    if padding.literal == 0 and output_padding.given:
        return 'pad_mode="pad", padding=0'
    return padded(padding)


@macro
def padded_output(padding: Argument, output_padding: Argument) -> str:
    """The same for a transposed convolution: less padding behind is PyTorch's `output_padding`."""
    value, more = padding.literal, output_padding.literal
    if more == 0:
        return padded(padding)
    if value is ... or more is ...:
        return f'pad_mode="pad", padding=compat.sides({padding.text}, {output_padding.text})'
    both = [v if isinstance(v, tuple | list) else (v,) for v in (value, more)]
    both = [v * 2 if len(v) == 1 else v for v in both]
    pairs = [(p, p - extra) for p, extra in zip(*both, strict=True)]
    if any(behind < 0 for _, behind in pairs):
        raise Refusal(f"output_padding={output_padding.text} is more than the padding")
    return f'pad_mode="pad", padding=({", ".join(f"{a}, {b}" for a, b in pairs)})'


@macro
def padded_line(padding: Argument) -> str:
    """`pad_mode` and `padding` of a 1-D layer: one number."""
    value = padding.literal
    if isinstance(value, tuple | list):
        value = value[0]
    if value == 0:
        return 'pad_mode="valid"'
    if isinstance(value, str):
        return f'pad_mode="{value}"'
    return f'pad_mode="pad", padding={padding.text if value is ... else value}'


@macro
def window(kernel_size: Argument, stride: Argument, padding: Argument, *others: Argument) -> str:
    """`stride` of a pool, and `pad_mode` if it pads or has one of the arguments that need it."""
    size = kernel_size.text if stride.literal is None else stride.text
    if stride.literal is ... and not is_number(stride.node):
        size = f"{stride.operand} or {kernel_size.operand}" if stride.node else stride.text
    if padding.literal != 0:
        return f'stride={size}, pad_mode="pad", padding={padding.text}'
    asked = any(other.given for other in others)
    return f'stride={size}, pad_mode="pad"' if asked else f"stride={size}"


@macro
def one(size: Argument) -> str:
    """The size 1.

    Raises: Refusal of others, where a MindSpore layer takes only divisors of a length
    """
    if size.literal not in (1, (1,), [1]):
        raise Refusal("the length must be a multiple of the output's")
    return "1"


@macro
def axis(dim: Argument) -> str:
    """An axis.

    Raises: Refusal of none, for which PyTorch takes 0, 1 by the number of axes
    """
    if dim.literal is None:
        raise Refusal("dim=None: PyTorch takes axis 0 of 0, 1 or 3 axes, else 1; give it")
    return dim.text


@macro
def tanh_form(approximate: Argument) -> str:
    """GELU's `approximate` as True or False."""
    value = approximate.literal
    return f'{approximate.operand} == "tanh"' if value is ... else repr(value == "tanh")


@macro
def whole(factor: Argument) -> str:
    """A whole number, or one for each axis, as float.

    Raises: Refusal of others, and of what is not known to be one
    """
    value = factor.literal
    values = value if isinstance(value, tuple | list) else (value,)
    numbers = [float(v) for v in values if isinstance(v, int | float) and v == int(v)]
    if len(numbers) < len(values):
        raise Refusal("the factor is not known to be a whole number")
    return repr(tuple(numbers) if isinstance(value, tuple | list) else numbers[0])


@macro
def parameter(tensor: Argument) -> str:
    """A Parameter as a whole, of its `data` too.

    Raises: Refusal, without a reason, of one that is found by a call: another row says it shorter
    """
    text = tensor.text.removesuffix(".data").removesuffix(".squeeze(2)")
    if "(" in text:
        raise Refusal
    return text


@macro
def whole_tensor(tensor: Argument) -> str:
    """A tensor that is filled.

    Raises: Refusal of a part of one, which MindSpore can only assign to
    """
    node = tensor.node
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    if isinstance(node, ast.Subscript):
        raise Refusal("it fills a part of a tensor: assign, x[...] = value")
    return tensor.text.removesuffix(".data").removesuffix(".squeeze(2)")


@macro
def plain_layers(modules: Argument) -> str:
    """A dictionary of layers that is written out.

    Raises: Refusal, without a reason, of one that may have lists of layers in it, or is not known
    """
    values = modules.node.values if isinstance(modules.node, ast.Dict) else []
    names = [v.func.attr if is_method(v) else "" for v in values]  # type: ignore[attr-defined]
    if not values or any(name in ("", "Sequential", "ModuleList", "ModuleDict") for name in names):
        raise Refusal
    return modules.text


def is_method(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


@macro
def lengths(axes_lengths: Argument) -> str:
    """Keyword arguments as they are."""
    return ", ".join(axes_lengths.parts)
