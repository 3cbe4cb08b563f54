"""Builders of rows that come in families, so that a table states each fact once.

`with_method(Rule("torch.abs(input)", "ops.abs(input)", example="torch.abs(x)"), inplace=True)`
gives the rows of torch.abs, torch.Tensor.abs and torch.Tensor.abs_; `renamed` gives aliases.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from .rule import Rule

IN_PLACE = "Makes a new tensor under the same name: other names of the old one do not see it."
WIDENS = "The other tensor can make its element type wider; PyTorch keeps the type."
FLOATS = (
    "On the CPU integers and bool that are not seen to be raise a TypeError; PyTorch has float32: "
    ".astype(ms.float32)."
)
OPERANDS = {"other", "tensor1", "end", "min", "max", "exponent", "value"}
"""Parameters by which an element type can become wider."""

PARAMETERS = re.compile(r"[( ](\w+)(?=[,=)])")
"""The names of a signature's parameters."""

INNER = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
"""What may stand between the brackets of a call."""
OF_SELF = re.compile(rf"[\w.]+\.(\w+)\(self(?:, |(?=\)))({INNER})\)")
"""A call of a function with `self` as its first argument."""


def missing(advice: str, *signatures: str) -> tuple[Rule, ...]:
    """Rows of names that MindSpore has no counterpart of, with one thing to do instead."""
    return tuple(Rule(signature, advice=advice) for signature in signatures)


def of_class(
    name: str, arguments: str, inputs: str, *, state: Mapping[str, str] | None = None
) -> tuple[Rule, ...]:
    """The rows of a layer's class that is handed on, or called with `*` or `**`.

    They name a class of compat that takes PyTorch's arguments: which those are is not known.
    """
    begun = f"nn.{name}({arguments}, " if arguments else f"nn.{name}("
    return (
        Rule(
            f"torch.nn.{name}(*args, **kwargs)",
            f"compat.{name}(starred(args, kwargs))",
            state=state or {},
            example=f"options = {{}}\n{begun}**options)({inputs})",
        ),
        Rule(
            f"torch.nn.{name}",
            f"compat.{name}",
            state=state or {},
            example=(
                f"kind = nn.{name}\nkind({arguments})({inputs})",
                f"isinstance(nn.{name}({arguments}), nn.{name})",
            ),
        ),
    )


def with_method(
    function: Rule, target: str = "", *, fluent: bool = False, inplace: bool = False
) -> tuple[Rule, ...]:
    """The row of a function, that of the Tensor method of its name, and that of `NAME_`."""
    method = method_of(function, target, fluent=fluent)
    return (function, method, inplace_of(method)) if inplace else (function, method)


def method_of(function: Rule, target: str = "", *, fluent: bool = False) -> Rule:
    """The row of a Tensor method, from that of the function whose first argument is the Tensor.

    target  the method's own code, over `self`; else the function's
    fluent  the function's `ops.f(input, ...)` is `self.f(...)`
    """
    first, name = PARAMETERS.findall(function.signature)[0], function.name.rpartition(".")[2]
    return replace(
        function,
        signature=f"torch.Tensor.{name}({parameters_of_method(function)})",
        target=target or over_self(function.target, first, fluent=fluent),
        mint="" if fluent else over_self(function.mint, first),
        reject=of_self(function.reject, first),
        kinds=of_self(function.kinds, first),
        floats="self" if function.floats == first else function.floats,
        drop=tuple("self" if name == first else name for name in function.drop),
        example=partial(examples_of_method, function),
    )


def examples_of_method(function: Rule) -> tuple[str, ...]:
    return tuple(e for code in function.examples if (e := as_method(code, function.name)))


def pointwise(
    function: Rule, *aliases: str, fluent: bool = True, inplace: bool = True, cast: bool = False
) -> tuple[Rule, ...]:
    """The rows of `with_method`, and the same under other names (`absolute` for `abs`).

    cast    the result is of another element type than the tensor, and `NAME_` keeps the type
    """
    rows = list(with_method(function, fluent=fluent))
    if inplace:
        rows.append(inplace_of(rows[1], f"{rows[1].target}.astype(self.dtype)" if cast else ""))
    for alias in aliases:
        for row in rows[: 2 + inplace]:
            owner = row.name.rpartition(".")[0]
            rows += renamed(row, f"{owner}.{alias}{'_' if row.writes else ''}")
    return tuple(rows)


def inplace_of(method: Rule, target: str = "") -> Rule:
    """The row of the method `NAME_` that writes what `NAME` returns."""
    name, _, rest = method.signature.partition("(")
    widens = OPERANDS & set(PARAMETERS.findall(method.signature)) and not target
    return replace(
        method,
        signature=f"{name}_({rest}",
        target=target or method.target,
        mint="",
        note=" ".join(filter(None, (method.note, IN_PLACE, WIDENS if widens else ""))),
        writes=True,
        example=partial(example_in_place, method),
    )


def example_in_place(method: Rule) -> tuple[str, ...]:
    name = method.name.rpartition(".")[2]
    fitting = (code for code in method.examples if "dtype=" not in code)  # the Tensor keeps its own
    return tuple(as_inplace(code, name) for code in islice(fitting, 1))


def renamed(rule: Rule, *names: str) -> tuple[Rule, ...]:
    """The same row under other full names: PyTorch's aliases."""
    rest = rule.signature.partition("(")[2]
    return tuple(
        replace(
            rule,
            signature=f"{new}({rest}",
            example=partial(examples_of_alias, rule, new),
        )
        for new in names
    )


def examples_of_alias(rule: Rule, new: str) -> tuple[str, ...]:
    return tuple(of_alias(code, rule.name, new) for code in rule.examples)


def of_alias(code: str, old: str, new: str) -> str:
    if old.startswith("torch.Tensor."):
        return code.replace(f".{old.rpartition('.')[2]}(", f".{new.rpartition('.')[2]}(")
    return code.replace(f"{old}(", f"{new}(")


def parameters_of_method(function: Rule) -> str:
    """`self, dim=None` for `torch.f(input, dim=None, *, out=None)`: methods take no `out`."""
    parameters = function.signature.partition("(")[2].removesuffix(")")
    _, comma, rest = parameters.replace(", out=None", "").partition(", ")
    return f"self{comma}{rest}".removesuffix(", *")


def of_self(texts: Mapping[str, str], first: str) -> dict[str, str]:
    return {"self" if name == first else name: text for name, text in texts.items()}


def over_self(target: str, first: str, *, fluent: bool = False) -> str:
    """A target with `self` where the function's has its first parameter.

    Names are told from attributes and keywords by what is beside them: hundreds are written at
    each start, and by their syntax that took half of the time that the table takes.
    """
    code = re.sub(rf"(?<![\w.]){first}\b(?! ?=[^=])", "self", target)
    call = OF_SELF.fullmatch(code) if fluent else None
    return code if call is None else f"self.{call[1]}({call[2]})"


def as_method(code: str, function: str) -> str:
    """`torch.f(x, 1)` as `x.f(1)`; "" if the call does not begin with a positional argument."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            if not node.args or any(k.arg == "out" for k in node.keywords):
                return ""
            if isinstance(node.args[0], ast.Constant):
                return ""  # a number has no methods
            node.func = ast.Attribute(node.args.pop(0), function.rpartition(".")[2], ast.Load())
    return written(tree)


def as_inplace(code: str, name: str) -> str:
    """`x.f(1)` as the statement `x.f_(1)` and what x is then."""
    tree = ast.parse(code, mode="eval").body
    call = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == name
    )
    assert isinstance(call.func, ast.Attribute)
    begin, receiver = "", written(call.func.value)
    if not isinstance(call.func.value, ast.Name):
        begin, receiver, call.func.value = f"t = {receiver}\n", "t", ast.Name("t", ast.Load())
    call.func.attr += "_"
    return f"{begin}{written(call)}\n{receiver}"


def written(tree: ast.AST) -> str:
    return ast.unparse(tree).replace("'", '"')


def typed(
    signature: str, target: str, default: str, *examples: str, note: str = "", **more: Any
) -> tuple[Rule, ...]:
    """Rows of a function whose element type is `default` where PyTorch's call gives none.

    `TYPED` stands for the parameter in `signature`, and in `target` for its value.
    """

    def row(parameter: str, value: str, chosen: tuple[str, ...], kinds: dict[str, str]) -> Rule:
        filled = signature.replace("TYPED", parameter).replace(", , ", ", ")
        written_out = "PyTorch's element type is written out." if value != "dtype" else ""
        return Rule(
            filled,
            target.replace("TYPED", value),
            note=f"{note} {written_out}".strip(),
            example=chosen,
            kinds=kinds,
            **more,
        )

    with_type = tuple(e for e in examples if "dtype=" in e)
    without = tuple(e for e in examples if "dtype=" not in e)
    return (
        row("dtype", "dtype", with_type, {"dtype": "dtype"}),
        row("", default, without, {}),
        row("dtype=None", f"dtype or {default}", with_type, {}),
    )
