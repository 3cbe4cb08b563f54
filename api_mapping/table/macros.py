"""Functions that a target may call on arguments: they write code, none of them is called there.

A macro takes `Argument`s and gives code: an expression, or several arguments of a call, as those
behind `**` in a target do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import libcst as cst

from ..syntax.code import Code, Verbatim, call_argument
from ..syntax.quotation import Filling, expression
from ..syntax.reading import expression_of
from .facts.element_types import BOOLS
from .refusal import Refusal

if TYPE_CHECKING:
    from .argument import Argument

Macro = Callable[..., Filling]
F = TypeVar("F", bound=Macro)

MACROS: dict[str, Macro] = {}
"""By the names that targets use."""


def macro(function: F) -> F:
    """Registers a macro under its name.

    Raises: ValueError for a second one of the same name
    """
    if function.__name__ in MACROS:
        raise ValueError(f"two macros are called {function.__name__}")
    MACROS[function.__name__] = function
    return function


ALWAYS = frozenset({"always", "axis", "ddof", "opposite", "part", "plain_layers", "tanh_form"})
"""Macros that write their argument also where the call does not give it."""

HANDING_ON = frozenset(
    {
        *("axes", "axis", "element_type", "listed", "one", "single", "spread", "one_by_one"),
        *("parameter", "whole_tensor", "plain_layers", "whole_number", "list_of_steps"),
    }
)
"""Macros that write their argument in other brackets, the same to MindSpore."""


@macro
def always(value: Argument) -> Code:
    """The argument, written out even where PyTorch's default holds."""
    return value.code


@macro
def part(train: Argument) -> Code:
    """Which part of a data set `train` asks for, by its name."""
    if isinstance(train.literal, bool):
        return expression('"train"' if train.literal else '"test"')
    return expression('"train" if train else "test"', train=train.code)


@macro
def complement(value: Argument) -> Code:
    """1 - value: a weight of the new as a weight of the old.

    Raises: Refusal of None, which is PyTorch's average over all batches
    """
    number = value.literal
    if number is None:
        raise Refusal("momentum=None (an average over all batches): MindSpore needs a number")
    if isinstance(number, int | float):
        return literal(round(1 - number, 12))
    return expression("1 - value", value=value.code)


@macro
def as_tuple(value: Argument) -> Code:
    """A sequence as it is, a single number as a tuple of one."""
    if [part.star for part in value.parts] == ["*"]:
        return expression("tuple(value)", value=value.code)
    number = value.literal
    if isinstance(number, int):
        return expression("(value,)", value=value.code)
    return literal(tuple(number)) if isinstance(number, list) else value.code


@macro
def ddof(unbiased: Argument) -> Code:
    """`unbiased` as the number that MindSpore subtracts from the count."""
    value = unbiased.literal
    if isinstance(value, bool | int):
        return literal(int(value))
    return expression("int(unbiased)", unbiased=unbiased.code)


@macro
def opposite(flag: Argument) -> Code:
    """A flag that MindSpore has the other way round."""
    value = flag.literal
    return literal(not value) if isinstance(value, bool) else expression("not f", f=flag.code)


@macro
def capitals(word: Argument) -> Code:
    """A word in capital letters."""
    value = word.literal
    if isinstance(value, str):
        return literal(value.upper())
    return expression("word.upper()", word=word.code)


@macro
def vector_order(p: Argument) -> Code:
    """The order of a norm over all of its axes.

    Raises: Refusal for the nuclear norm, which is one of matrices
    """
    if p.literal == "nuc":
        raise Refusal('p="nuc" is a norm of matrices')
    return literal(2) if p.literal in ("fro", None) else p.code


@macro
def one_by_one(values: Argument) -> Filling:
    """Tensors one after another, as they were or out of the one sequence given."""
    if isinstance(values.node, ast.Tuple | ast.List) and values.node.elts:
        return elements(values)
    if [part.star for part in values.parts] == ["*"]:
        return values.parts
    return values.parts if len(values.parts) > 1 else [call_argument(values.code, star="*")]


@macro
def truth(value: Argument) -> Code:
    """A Tensor of bool: as it is if its syntax says so, by `.bool()` if not."""
    if value.node is not None and is_truth(value.node):
        return value.code
    return expression("value.bool()", value=value.code)


def is_truth(node: ast.expr) -> bool:
    """Whether an expression over Tensors can only be one of bool."""
    if isinstance(node, ast.Compare):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert) and is_truth(node.operand)
    if isinstance(node, ast.BinOp):
        is_bitwise = isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor)
        return is_bitwise and is_truth(node.left) and is_truth(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in BOOLS
    return False


@macro
def axes(dims: Argument) -> Code:
    """One axis or several; a list as a tuple, for the methods that take no lists."""
    return literal(tuple(dims.literal)) if isinstance(dims.literal, list) else dims.code


@macro
def either(value: Argument, other: Argument) -> Code:
    """The argument, or the other one where it is not given or None."""
    return other.code if value.literal is None else value.code


@macro
def sides(padding: Argument) -> Code:
    """The padding of a pool: a number as it is, (top, bottom, left, right) from PyTorch's pair."""
    value = padding.literal
    if value is ... and not is_number(padding.node):
        return expression("compat.sides(padding)", padding=padding.code)
    if isinstance(value, tuple | list):
        return literal(tuple(both for v in value for both in (v, v)))
    return padding.code


@macro
def convolved(padding: Argument) -> Filling:
    """`pad_mode` and `padding` of a function that convolves: one number for each axis."""
    return padding_arguments(padding.literal, padding.code)


@macro
def resizing(mode: Argument) -> Code:
    """The mode of an interpolation, where MindSpore computes what PyTorch does.

    Raises: Refusal for "bicubic", whose weights are others, and for what may be it
    """
    if mode.literal in (..., "bicubic"):
        raise Refusal("MindSpore's bicubic weights are not PyTorch's")
    return mode.code


@macro
def fraction(number: Argument) -> Code:
    """A number as a float, for MindSpore's functions that take no int there."""
    value = number.literal
    if isinstance(value, int | float):
        return literal(float(value))
    is_float = isinstance(number.node, ast.Call) and ast.unparse(number.node.func) == "float"
    return number.code if is_float else expression("float(number)", number=number.code)


@macro
def whole_number(number: Argument) -> Code:
    """A number of steps as an int: PyTorch takes `epochs / 2`, MindSpore does not."""
    value = number.literal
    if isinstance(value, float) and value.is_integer():
        return literal(int(value))
    if number.node is None or not gives_fraction(number.node):
        return number.code
    return expression("int(number)", number=number.code)


@macro
def list_of_steps(steps: Argument) -> Code:
    """Numbers of steps as a list of ints, which PyTorch takes from any sequence."""
    values = steps.literal
    if isinstance(values, tuple | list):
        return literal([int(value) for value in values])
    if not isinstance(steps.node, ast.List):
        return expression("list(steps)", steps=steps.code)
    if any(map(gives_fraction, steps.node.elts)):
        return expression("[int(step) for step in steps]", steps=steps.code)
    return steps.code


def gives_fraction(node: ast.expr) -> bool:
    """Whether an expression shows that it gives a float: `epochs / 2`, `0.8 * epochs`."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div) or any(map(gives_fraction, (node.left, node.right)))
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "float"
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


@macro
def spread(values: Argument) -> Filling:
    """What `*args` took up, as it was written: `x, y` of `f(x, y)`, `*xs` of `f(*xs)`."""
    return values.parts or values.code


@macro
def padded(padding: Argument) -> Filling:
    """`pad_mode` and `padding` of a 2-D layer: (top, bottom, left, right) from PyTorch's pair."""
    return padding_arguments(padding.literal, sides(padding))


@macro
def difference(end: Argument, start: Argument) -> Code:
    """end - start."""
    numbers = end.literal, start.literal
    if all(isinstance(number, int | float) for number in numbers):
        return literal(numbers[0] - numbers[1])  # type: ignore[operator]
    return expression("end - start", end=end.code, start=start.code)


def padding_arguments(value: object, padding: Code) -> Sequence[cst.Arg]:
    """`pad_mode` of a convolution whose padding has this value, and `padding` if it is needed."""
    if value == 0:
        return [call_argument(literal("valid"), "pad_mode")]
    if isinstance(value, str):
        return [call_argument(literal(value), "pad_mode")]
    return [call_argument(literal("pad"), "pad_mode"), call_argument(padding, "padding")]


def literal(value: object) -> Code:
    """The code of a plain value; a text in double quotes, if it has none of them."""
    code = repr(value)
    is_text = code.startswith("'") and '"' not in code
    return expression(f'"{code[1:-1]}"' if is_text else code)


def elements(values: Argument) -> Sequence[cst.Arg]:
    """What a sequence that is written out has, as arguments."""
    tree = values.code
    if isinstance(tree, Verbatim):
        tree = expression_of(tree.value)
    assert isinstance(tree, cst.Tuple | cst.List)
    return [
        call_argument(element.value, star="*" if isinstance(element, cst.StarredElement) else "")
        for element in tree.elements
    ]


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression can only be a number: tuples are neither divided nor subtracted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.FloorDiv | ast.Div | ast.Sub | ast.Mod)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)
