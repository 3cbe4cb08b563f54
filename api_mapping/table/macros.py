"""Functions that a target may call on arguments: they write code, none of them is called there.

A macro takes `Argument`s and gives text; behind `**` in a target, the text of keywords.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from .facts.element_types import BOOLS
from .refusal import Refusal

if TYPE_CHECKING:
    from .argument import Argument

Macro = Callable[..., str]
MACROS: dict[str, Macro] = {}
"""By the names that targets use."""


def macro(function: Macro) -> Macro:
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
        *("parameter", "whole_tensor", "plain_layers"),
    }
)
"""Macros that write their argument in other brackets, the same to MindSpore."""


@macro
def always(value: Argument) -> str:
    """The argument, written out even where PyTorch's default holds."""
    return value.text


@macro
def part(train: Argument) -> str:
    """Which part of a data set `train` asks for, by its name."""
    if isinstance(train.literal, bool):
        return '"train"' if train.literal else '"test"'
    return f'"train" if {train.operand} else "test"'


@macro
def complement(value: Argument) -> str:
    """1 - value: a weight of the new as a weight of the old.

    Raises: Refusal of None, which is PyTorch's average over all batches
    """
    number = value.literal
    if number is None:
        raise Refusal("momentum=None (an average over all batches): MindSpore needs a number")
    if isinstance(number, int | float):
        return repr(round(1 - number, 12))
    return f"1 - {value.text}" if value.is_atom else f"1 - ({value.text})"


@macro
def as_tuple(value: Argument) -> str:
    """A sequence as it is, a single number as a tuple of one."""
    if [part[0] for part in value.parts] == ["*"]:
        return f"tuple({value.text})"
    number = value.literal
    if isinstance(number, int):
        return f"({value.text},)"
    if isinstance(number, list):
        return repr(tuple(number))
    return value.text


@macro
def ddof(unbiased: Argument) -> str:
    """`unbiased` as the number that MindSpore subtracts from the count."""
    value = unbiased.literal
    return str(int(value)) if isinstance(value, bool | int) else f"int({unbiased.text})"


@macro
def opposite(flag: Argument) -> str:
    """A flag that MindSpore has the other way round."""
    value = flag.literal
    if isinstance(value, bool):
        return str(not value)
    return f"not {flag.text}" if flag.is_atom else f"not ({flag.text})"


@macro
def capitals(word: Argument) -> str:
    """A word in capital letters."""
    value = word.literal
    return f'"{value.upper()}"' if isinstance(value, str) else f"{word.text}.upper()"


@macro
def vector_order(p: Argument) -> str:
    """The order of a norm over all of its axes.

    Raises: Refusal for the nuclear norm, which is one of matrices
    """
    if p.literal == "nuc":
        raise Refusal('p="nuc" is a norm of matrices')
    return "2" if p.literal in ("fro", None) else p.text


@macro
def one_by_one(values: Argument) -> str:
    """Tensors one after another, as they were or out of the one sequence given."""
    tree = ast.parse(values.text.strip(), mode="eval").body
    if isinstance(tree, ast.Tuple | ast.List) and tree.elts:
        return values.text.strip()[1:-1].rstrip(", ")
    return values.text if isinstance(tree, ast.Starred) else f"*{values.text}"


@macro
def truth(value: Argument) -> str:
    """A Tensor of bool: as it is if its syntax says so, by `.bool()` if not."""
    text = value.text if value.is_atom else f"({value.text})"
    return text if value.node is not None and is_truth(value.node) else f"{text}.bool()"


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
def axes(dims: Argument) -> str:
    """One axis or several; a list as a tuple, for the methods that take no lists."""
    return repr(tuple(dims.literal)) if isinstance(dims.literal, list) else dims.text


@macro
def either(value: Argument, other: Argument) -> str:
    """The argument, or the other one where it is not given or None."""
    return other.text if value.literal is None else value.text


@macro
def sides(padding: Argument) -> str:
    """The padding of a pool: a number as it is, (top, bottom, left, right) from PyTorch's pair."""
    value = padding.literal
    if value is ... and not is_number(padding.node):
        return f"compat.sides({padding.text})"
    if isinstance(value, tuple | list):
        return f"({', '.join(f'{v}, {v}' for v in value)})"
    return padding.text


@macro
def convolved(padding: Argument) -> str:
    """`pad_mode` and `padding` of a function that convolves: one number for each axis."""
    value = padding.literal
    if value == 0:
        return 'pad_mode="valid"'
    if isinstance(value, str):
        return f'pad_mode="{value}"'
    return f'pad_mode="pad", padding={padding.text}'


@macro
def resizing(mode: Argument) -> str:
    """The mode of an interpolation, where MindSpore computes what PyTorch does.

    Raises: Refusal for "bicubic", whose weights are others, and for what may be it
    """
    if mode.literal in (..., "bicubic"):
        raise Refusal("MindSpore's bicubic weights are not PyTorch's")
    return mode.text


@macro
def fraction(number: Argument) -> str:
    """A number as a float, for MindSpore's functions that take no int there."""
    value = number.literal
    if isinstance(value, int | float):
        return str(float(value))
    is_float = number.text.startswith("float(")
    return number.text if is_float else f"float({number.text})"


@macro
def spread(values: Argument) -> str:
    """What `*args` took up, as it was written: `x, y` of `f(x, y)`, `*xs` of `f(*xs)`."""
    return ", ".join(values.parts) or values.text


@macro
def padded(padding: Argument) -> str:
    """`pad_mode` and `padding` of a 2-D layer: (top, bottom, left, right) from PyTorch's pair."""
    value = padding.literal
    if value == 0:
        return 'pad_mode="valid"'
    if isinstance(value, str):
        return f'pad_mode="{value}"'
    return f'pad_mode="pad", padding={sides(padding)}'


@macro
def difference(end: Argument, start: Argument) -> str:
    """end - start."""
    numbers = end.literal, start.literal
    if all(isinstance(number, int | float) for number in numbers):
        return repr(numbers[0] - numbers[1])  # type: ignore[operator]
    texts = (a.text if a.is_atom else f"({a.text})" for a in (end, start))
    return f"({' - '.join(texts)})"


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression can only be a number: tuples are neither divided nor subtracted."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.FloorDiv | ast.Div | ast.Sub | ast.Mod)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)
