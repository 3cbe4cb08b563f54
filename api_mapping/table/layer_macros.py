"""Macros (macros.py) for the arguments of layers: windows, strides, padding, element types."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from ..syntax.code import Code, Verbatim, call_argument, text_of
from ..syntax.quotation import Filling, expression
from .macros import is_number, literal, macro, padded, padding_arguments
from .refusal import Refusal

if TYPE_CHECKING:
    from .argument import Argument


@macro
def starred(args: Argument, kwargs: Argument) -> Filling:
    """All arguments of a call as they are, `*` and `**` among them.

    Raises: Refusal, without a reason, of a call without: its other rows say more
    """
    parts = (*args.parts, *kwargs.parts)
    if not any(part.star for part in parts):
        raise Refusal
    return parts


@macro
def reversed_flag(value: Argument) -> Code:
    """True where PyTorch has False; None, which is as if not given, where it has True."""
    if isinstance(value.literal, bool):
        return literal(None if value.literal else True)
    return expression("None if value else True", value=value.code)


@macro
def element_type(dtype: Argument) -> Code:
    """A layer's element type; PyTorch's None is its default, float32."""
    if dtype.literal is None:
        return expression("ms.float32")
    is_known = isinstance(dtype.code, cst.Attribute) and text_of(dtype.code.value) == "ms"
    return dtype.code if is_known else expression("dtype or ms.float32", dtype=dtype.code)


@macro
def single(value: Argument) -> Code:
    """A number, of a number or a tuple of one."""
    number = value.literal
    is_one = isinstance(number, tuple | list) and len(number) == 1
    return literal(number[0]) if is_one else value.code  # type: ignore[index]


@macro
def listed(values: Argument) -> Code:
    """A list, of what may be a generator or a tuple."""
    if isinstance(values.node, ast.GeneratorExp):
        return as_list(values.code)
    is_list = isinstance(values.node, ast.List | ast.ListComp | ast.BinOp)
    if is_list or values.literal is None:
        return values.code
    return expression("list(values)", values=values.code)


def as_list(code: Code) -> Code:
    """The list of what a generator gives."""
    if isinstance(code, Verbatim):
        return code.with_changes(value=f"[{code.value.removeprefix('(').removesuffix(')')}]")
    assert isinstance(code, cst.GeneratorExp)
    return cst.ListComp(code.elt, code.for_in)


@macro
def padded_volume(padding: Argument, output_padding: Argument) -> Filling:
    """The same where `output_padding` is an argument, which pad_mode="valid" forbids."""
    if padding.literal == 0 and output_padding.given:
        return padding_arguments(..., literal(0))
    return padded(padding)


@macro
def padded_output(padding: Argument, output_padding: Argument) -> Filling:
    """The same for a transposed convolution: less padding behind is PyTorch's `output_padding`."""
    value, more = padding.literal, output_padding.literal
    if more == 0:
        return padded(padding)
    if value is ... or more is ...:
        both_codes = {"padding": padding.code, "more": output_padding.code}
        return padding_arguments(..., expression("compat.sides(padding, more)", **both_codes))
    both = [v if isinstance(v, tuple | list) else (v,) for v in (value, more)]
    both = [v * 2 if len(v) == 1 else v for v in both]
    pairs = [(p, p - extra) for p, extra in zip(*both, strict=True)]
    if any(behind < 0 for _, behind in pairs):
        raise Refusal(f"output_padding={output_padding.text} is more than the padding")
    return padding_arguments(..., literal(tuple(side for pair in pairs for side in pair)))


@macro
def padded_line(padding: Argument) -> Filling:
    """`pad_mode` and `padding` of a 1-D layer: one number."""
    value = padding.literal
    if isinstance(value, tuple | list):
        value = value[0]
    return padding_arguments(value, padding.code if value is ... else literal(value))


@macro
def window(
    kernel_size: Argument, stride: Argument, padding: Argument, *others: Argument
) -> Filling:
    """`stride` of a pool, and `pad_mode` if it pads or has one of the arguments that need it."""
    size = kernel_size.code if stride.literal is None else stride.code
    if stride.literal is ... and stride.node and not is_number(stride.node):
        size = expression("stride or size", stride=stride.code, size=kernel_size.code)
    found = [call_argument(size, "stride")]
    is_padded = padding.literal != 0
    if is_padded or any(other.given for other in others):
        found.append(call_argument(literal("pad"), "pad_mode"))
    return [*found, call_argument(padding.code, "padding")] if is_padded else found


@macro
def one(size: Argument) -> Code:
    """The size 1.

    Raises: Refusal of others, where a MindSpore layer takes only divisors of a length
    """
    if size.literal not in (1, (1,), [1]):
        raise Refusal("the length must be a multiple of the output's")
    return literal(1)


@macro
def axis(dim: Argument) -> Code:
    """An axis.

    Raises: Refusal of none, for which PyTorch takes 0, 1 by the number of axes
    """
    if dim.literal is None:
        raise Refusal("dim=None: PyTorch takes axis 0 of 0, 1 or 3 axes, else 1; give it")
    return dim.code


@macro
def tanh_form(approximate: Argument) -> Code:
    """GELU's `approximate` as True or False."""
    value = approximate.literal
    return (
        expression('a == "tanh"', a=approximate.code) if value is ... else literal(value == "tanh")
    )


@macro
def whole(factor: Argument) -> Code:
    """A whole number, or one for each axis, as float.

    Raises: Refusal of others, and of what is not known to be one
    """
    value = factor.literal
    values = value if isinstance(value, tuple | list) else (value,)
    numbers = [float(v) for v in values if isinstance(v, int | float) and v == int(v)]
    if len(numbers) < len(values):
        raise Refusal("the factor is not known to be a whole number")
    return literal(tuple(numbers) if isinstance(value, tuple | list) else numbers[0])


@macro
def parameter(tensor: Argument) -> Code:
    """A Parameter as a whole, of its `data` too.

    Raises: Refusal, without a reason, of one that is found by a call: another row says it shorter
    """
    code = as_parameter(tensor.code)
    if "(" in text_of(code):
        raise Refusal
    return code


def as_parameter(code: Code) -> Code:
    """The Parameter that `parameter.data` and the `weight` of a Conv1d layer are read from."""
    if isinstance(code, Verbatim):
        return code.with_changes(value=code.value.removesuffix(".data"))
    if isinstance(code, cst.Attribute) and code.attr.value == "data":
        code = code.value
    called = code.func if isinstance(code, cst.Call) else None
    if not isinstance(called, cst.Attribute) or called.attr.value != "squeeze":
        return code
    return called.value


@macro
def whole_tensor(tensor: Argument) -> Code:
    """A tensor that is filled.

    Raises: Refusal of a part of one, which MindSpore can only assign to, but of its copy
    """
    node = tensor.node
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    if isinstance(node, ast.Subscript) and not isinstance(tensor.code, cst.Call):
        raise Refusal("it fills a part of a tensor: assign, x[...] = value")
    return as_parameter(tensor.code)


@macro
def plain_layers(modules: Argument) -> Code:
    """A dictionary of layers that is written out.

    Raises: Refusal, without a reason, of one that may have lists of layers in it, or is not known
    """
    values = modules.node.values if isinstance(modules.node, ast.Dict) else []
    names = [v.func.attr if is_method(v) else "" for v in values]  # type: ignore[attr-defined]
    if not values or any(name in ("", "Sequential", "ModuleList", "ModuleDict") for name in names):
        raise Refusal
    return modules.code


def is_method(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


@macro
def lengths(axes_lengths: Argument) -> Filling:
    """Keyword arguments as they are."""
    return axes_lengths.parts
