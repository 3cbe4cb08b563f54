"""One row of the API table: what PyTorch has, and what MindSpore code stands for it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from typing import Literal

from ..syntax.nodes import dotted
from . import layer_macros as layer_macros  # they are registered
from .macros import HANDING_ON, MACROS

Check = Literal["value", "dtype", "runs", "alone"]
"""How far the two sides of an example must agree: in all, in shape and element type, or not.

"alone": PyTorch needs another device or process for it, so that only MindSpore's side must run.
"""


PLAIN = (int, bool, type(None))
"""Values that are written as they are shown."""


class Verdict(StrEnum):
    """How a PyTorch name migrates, from best to worst."""

    EXACT = "exact"
    RENAMED = "renamed"
    DIFFERS = "differs"
    COMPOSITE = "composite"
    LIMITED = "platform-limited"
    MISSING = "missing"


@dataclass(frozen=True)
class Param:
    """A parameter of PyTorch's; `default` is Python text, None if it must be given."""

    name: str
    default: str | None
    kind: Literal["positional", "variadic", "keyword", "keywords"]


@dataclass(eq=False)
class Rule:
    """One row of the table. Nobody changes it: it is not frozen as 4,000 are made at each start.

    signature   PyTorch's, with its full name; methods with `self`; without parentheses a value.
                A name with overloads has several rules; the first that fits a call is its.
    target      MindSpore code for it, a template: PyTorch's parameter names stand for the
                arguments of the call (template.py); "" if there is none, then `advice` must say
                what to do instead.
    mint        the same with `mint`, where it is another call (Ascend; no CPU kernel for half).
    note        how the two differ, one sentence; makes the verdict `differs`.
    limit       what PyTorch takes and the target refuses with an error (element types, mostly), and
                what to do; as nothing goes wrong unseen, the verdict stays.
    floats      the parameter of which MindSpore takes no integers: a tensor that is seen to be of
                integers or bools is made float32 first, as PyTorch does.
    reject      parameter -> what to do instead, where a given argument has no counterpart.
    drop        parameters that change nothing on MindSpore.
    kinds       parameter -> the kinds of argument that this overload is for, joined by "|":
                "tensor", "int", "shape", "dtype"..., "display" (a sequence written out),
                "literal", "unsigned" (integers that are seen not to be negative), the full name of
                an API; or one value: "'floor'", "True", "False".
    state       PyTorch's parameter names of a layer -> MindSpore's, where they differ.
    returns     what a call gives: "tensor", "tensors", "module", "int"...; "" as its name says.
    example     PyTorch code over the inputs of tests/api_mapping/inputs.py: run on both sides. Or
                what makes it, where that takes time: nobody but tests asks for it.
    check       how far they must agree.
    platform    where the target runs, if not on the CPU ("Ascend", "several processes").
    writes      the call changes its first argument in place, and `target` is the new value.
    base        MindSpore's class to derive from where attributes that are set make it another one.
    fixed       an attribute that is read when a layer is built: to set it later changes nothing.
    assigned    the call is what an attribute is set to, and `target` stands for the statement:
                over `owner`, and `attribute`, its name as a string.
    name        the full name, from the signature: `torch.nn.Linear`.
    """

    signature: str
    target: str = ""
    mint: str = ""
    note: str = ""
    limit: str = ""
    advice: str = ""
    floats: str = ""
    reject: Mapping[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    example: str | tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    check: Check = "value"
    platform: str = ""
    writes: bool = False
    base: str = ""
    fixed: bool = False
    assigned: bool = False
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.signature.partition("(")[0]

    @cached_property
    def is_callable(self) -> bool:
        return "(" in self.signature

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """PyTorch's parameters, in order; none for a value."""
        return parameters(self.signature.partition("(")[2]) if self.is_callable else ()

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The parameters that positional arguments are for, but a variadic one."""
        return tuple(p.name for p in self.params if p.kind == "positional")

    @cached_property
    def variadic(self) -> str:
        """The parameter that takes up positional arguments, "" if there is none."""
        return next((p.name for p in self.params if p.kind == "variadic"), "")

    @cached_property
    def keywords(self) -> str:
        """The parameter that takes up keyword arguments, "" if there is none."""
        return next((p.name for p in self.params if p.kind == "keywords"), "")

    @cached_property
    def examples(self) -> tuple[str, ...]:
        if callable(self.example):
            return self.example()
        return (self.example,) if isinstance(self.example, str) else self.example

    @cached_property
    def verdict(self) -> Verdict:
        """What the row says, taken from what is written in it."""
        if not self.target:
            return Verdict.MISSING
        if self.platform:
            return Verdict.LIMITED
        return verdict_of(self)


def parameters(text: str) -> tuple[Param, ...]:
    """The parameters of `a, b=1, *c, d=2)`: what follows the parenthesis of a signature."""
    arguments = ast.parse(f"def f({text}: pass").body[0].args  # type: ignore[attr-defined]
    names = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(names) - len(arguments.defaults)) + arguments.defaults
    found = [Param(a.arg, source(d), "positional") for a, d in zip(names, defaults, strict=True)]
    if arguments.vararg is not None:
        found.append(Param(arguments.vararg.arg, None, "variadic"))
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found += [Param(a.arg, source(d), "keyword") for a, d in keywords]
    if arguments.kwarg is not None:
        found.append(Param(arguments.kwarg.arg, None, "keywords"))
    return tuple(found)


def source(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Constant) and type(node.value) in PLAIN:
        return repr(node.value)
    return None if node is None else ast.unparse(node).replace("'", '"')


@cache
def syntax_of(target: str) -> ast.expr:
    """The tree of a target, which nobody changes."""
    return ast.parse(target, mode="eval").body


def verdict_of(rule: Rule) -> Verdict:
    """The verdict of a rule that has a target which runs everywhere."""
    tree = syntax_of(rule.target)
    if not is_plain_call(tree):
        return Verdict.COMPOSITE
    if rule.note or rule.reject or not all(map(is_handed_on, arguments_of(tree))):
        return Verdict.DIFFERS
    same_name = last_name(tree) == rule.name.rpartition(".")[2]
    keywords = tree.keywords if isinstance(tree, ast.Call) else []
    same_keywords = all(isinstance(k.value, ast.Name) and k.arg == k.value.id for k in keywords)
    return Verdict.EXACT if same_name and same_keywords else Verdict.RENAMED


def is_plain_call(tree: ast.expr) -> bool:
    """Whether it is one name of MindSpore's, or its call with no call in the arguments."""
    called = tree.func if isinstance(tree, ast.Call) else tree
    if isinstance(called, ast.Constant):
        return True
    while isinstance(called, ast.Attribute):
        called = called.value
    if isinstance(called, ast.Call) and is_macro(called):
        called = called.func
    if not isinstance(called, ast.Name) or called.id == "compat":
        return False
    inner = (node for value in arguments_of(tree) for node in ast.walk(value))
    return all(is_macro(node) for node in inner if isinstance(node, ast.Call))


def is_same_call(rule: Rule) -> bool:
    """Whether the target takes PyTorch's arguments by their names: its name can be handed on."""
    tree = syntax_of(rule.target) if rule.target else None
    if not isinstance(tree, ast.Call) or not dotted(tree.func) or rule.note:
        return False
    keywords = {k.arg: k.value.id for k in tree.keywords if isinstance(k.value, ast.Name)}
    return len(keywords) == len(tree.keywords) and all(
        (*map(is_handed_on, tree.args), *(a == b for a, b in keywords.items()))
    )


def arguments_of(tree: ast.expr) -> list[ast.expr]:
    return [*tree.args, *(k.value for k in tree.keywords)] if isinstance(tree, ast.Call) else []


def is_macro(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in MACROS


def is_handed_on(value: ast.expr) -> bool:
    """Whether an argument of the target is an argument of the source as it is."""
    if isinstance(value, ast.Call) and last_name(value) in HANDING_ON:
        return True
    return isinstance(value.value if isinstance(value, ast.Starred) else value, ast.Name)


def last_name(tree: ast.expr) -> str:
    called = tree.func if isinstance(tree, ast.Call) else tree
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
