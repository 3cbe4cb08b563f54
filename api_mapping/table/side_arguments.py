"""Arguments that no target takes: `out=z` and `requires_grad=True` stand around the call's code.

`inplace=True` makes a call write to its first argument.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import libcst as cst

from ..syntax import unpacking
from ..syntax.code import Code, Statement
from ..syntax.quotation import expression, statement
from ..syntax.reading import unparsed
from .argument import CodeOf
from .refusal import Refusal
from .rule import Rule
from .template import names_in

NAMES = frozenset({"out", "requires_grad"})

PLACE = "use the returned tensor"
"""What to do about an `out` that is no variable."""


@dataclass(frozen=True)
class Asides:
    """What a call gives of these arguments, None of those that its rows write themselves."""

    out: ast.expr | None = None
    requires_grad: ast.expr | None = None

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name for name in NAMES if getattr(self, name) is not None)

    def as_parameter(self, code: Code, ms: cst.Name, code_of: CodeOf) -> Code:
        """The code, or a Parameter of it if PyTorch is asked to compute gradients for it."""
        flag = self.requires_grad
        if flag is None:
            return code
        if isinstance(flag, ast.Constant) and flag.value is True:
            return expression("ms.Parameter(code)", ms=ms, code=code)
        holes = {"ms": ms, "code": code, "flag": code_of(flag)}
        return expression("ms.Parameter(code, requires_grad=flag)", **holes)

    def in_type(self, code: Code) -> Code:
        """The code, in the element type of the variable that the result is written to."""
        assert isinstance(self.out, ast.Name)
        return expression("code.astype(out.dtype)", code=code, out=cst.Name(self.out.id))

    def stored(self, code: Code, kind_of: Callable[[ast.expr], str]) -> Statement:
        """The statement that gives the result to the variables of `out`.

        Raises: Refusal where they are not known to be variables of tensors
        """
        if isinstance(self.out, ast.Tuple | ast.List) and self.out.elts:
            check_all(self.out.elts, kind_of)
            names = ", ".join(ast.unparse(element) for element in self.out.elts)
            return statement("places = code", places=expression(names), code=code)
        check_all([self.out], kind_of)
        assert self.out is not None
        return statement("out = code", out=unparsed(self.out), code=self.in_type(code))


NO_ASIDES = Asides()


def asides_of(node: ast.Call, rules: Sequence[Rule]) -> Asides:
    """What a call gives of the arguments that PyTorch's function takes, and no target does."""
    if not node.keywords:
        return NO_ASIDES
    given = {k.arg: k.value for k in node.keywords if k.arg in NAMES and not is_off(k.value)}
    if not given:
        return NO_ASIDES
    targets = [rule.target for rule in rules if rule.is_callable and rule.target]
    taken = frozenset().union(*map(names_in, targets))
    known = {p.name for rule in rules for p in rule.params}
    return Asides(**{name: v for name, v in given.items() if name in known - taken})


def is_class(rule: Rule) -> bool:
    """Whether its name is that of a class, as PEP 8 writes them."""
    return rule.name.rpartition(".")[2][:1].isupper()


def is_off(node: ast.expr) -> bool:
    """Whether it says what PyTorch does without it."""
    return isinstance(node, ast.Constant) and not node.value


def check_all(places: Sequence[ast.expr | None], kind_of: Callable[[ast.expr], str]) -> None:
    """Raises: Refusal unless all are variables of tensors"""
    for place in places:
        if not isinstance(place, ast.Name) or kind_of(place) != "tensor":
            text = "" if place is None else ast.unparse(place)
            raise Refusal(f"argument out={text}: {PLACE}")


def is_told_to_write(call: ast.Call, rules: Sequence[Rule]) -> bool:
    """Whether a call has `inplace=True`, by name or by place."""
    place = place_of_inplace(rules[0]) if rules else -1
    if place < 0:
        return False
    values = [k.value for k in call.keywords if k.arg == "inplace"]
    value = next(iter([*values, *call.args[place : place + 1]]), None)
    return isinstance(value, ast.Constant) and value.value is True


def written_by(
    call: ast.Call, rules: Sequence[Rule], receiver: ast.expr | None, displays: unpacking.Displays
) -> ast.expr | None:
    """The tensor that a call of these rows changes in place, None if it does not.

    What makes a layer changes nothing, not with `inplace=True` either: the layer does.
    """
    if not rules or is_class(rules[0]):
        return None
    if not (rules[0].writes or is_told_to_write(call, rules)):
        return None
    places = [receiver] if receiver is not None else list(unpacking.places(call.args, displays))
    if places:
        return places[0]
    first = next(iter(rules[0].params), None)
    return next((k.value for k in call.keywords if first and k.arg == first.name), None)


@cache
def place_of_inplace(rule: Rule) -> int:
    """The place of the parameter `inplace`, -1 if there is none."""
    names = [param.name for param in rule.params]
    return names.index("inplace") if "inplace" in names else -1
