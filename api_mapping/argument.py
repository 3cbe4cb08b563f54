"""The arguments of one call, bound to PyTorch's parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import NamedTuple

from .brackets import beside, between_commas, is_atom
from .refusal import FinalRefusal as FinalRefusal
from .refusal import Refusal as Refusal
from .rule import Param, Rule

DROPPED = frozenset(
    "device layout pin_memory non_blocking memory_format inplace foreach fused capturable "
    "differentiable check_trace validate_args".split()
)
"""Parameters that say where or how PyTorch computes, never what: left out."""

WINDOWS = frozenset("kernel_size stride padding dilation output_size output_padding".split())
"""Parameters that are one number or one for each axis."""
WINDOWED = frozenset({"padding", "output_size"})
"""Parameters that only APIs with windows have."""

ADVICE = {
    "out": "use the returned tensor",
    "requires_grad": "wrap it: ms.Parameter(x)",
    "generator": "call ms.set_seed before it",
    "size_average": "use reduction",
    "reduce": "use reduction",
}
"""What to do about parameters that many APIs have."""


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other"}
"""What PyTorch's functions also accept for their own parameter names."""


class Argument(NamedTuple):
    """The text of one argument as it is to be written, and its syntax as it was.

    `refusal`: why it cannot be written; no harm where it is left out.
    `parts`: each of the arguments that `*args` or `**kwargs` takes up, as written.
    `acts`: whether it does something, so that it must stand once in the code.
    """

    text: str
    node: ast.expr | None = None
    given: bool = True
    refusal: str = ""
    parts: tuple[str, ...] = ()
    acts: Callable[[], bool] = bool

    @property
    def literal(self) -> object:
        """The value of a literal, `...` for everything else."""
        return literal_of(self.text)

    @property
    def operand(self) -> str:
        """The text, in parentheses where it needs them beside an operator."""
        return beside(self.text)

    @property
    def is_unsigned(self) -> bool:
        """Whether it is an integer, or a sequence of them, seen not to be negative."""
        found = self.literal
        numbers = found if isinstance(found, tuple | list) else (found,)
        return all(isinstance(n, int) and n >= 0 for n in numbers)

    @property
    def is_atom(self) -> bool:
        """Whether it can stand beside any operator without parentheses."""
        return is_atom(self.text)


@lru_cache(4096)
def literal_of(text: str) -> object:
    """The value of a literal, `...` for everything else; what begins as a name is seen at once."""
    is_named = text[:1].isalpha() or text[:1] == "_"
    if is_named and text not in ("None", "True", "False") and text[-1] not in "'\"":
        return ...
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return ...


NONE_GIVEN = Argument("()", given=False)
"""What a variadic parameter has where nothing is given."""


Bound = Mapping[str, Argument]
"""Every parameter that has a value, given or by default; a variadic one holds a tuple's text."""


@dataclass(frozen=True)
class Call:
    """A use of an API: the receiver of a method, arguments, keywords; `text` gives their code.

    `set_to`: the attribute that is set to the value.
    `acts`: whether an expression does more than give a value, or another one each time.
    `is_list`: whether it is known to be a list.
    """

    receiver: ast.expr | None
    args: Sequence[ast.expr]
    keywords: Sequence[ast.keyword]
    text: Callable[[ast.expr], str]
    set_to: ast.Attribute | None = None
    acts: Callable[[ast.expr], bool] = lambda _: False
    is_list: Callable[[ast.expr], bool] = lambda _: False

    def argument(self, node: ast.expr) -> Argument:
        try:
            return Argument(between_commas(self.text(node)), node, acts=partial(self.acts, node))
        except Refusal as refusal:
            return Argument(ast.unparse(node), node, refusal=str(refusal))


def bind(rule: Rule, call: Call) -> dict[str, Argument]:
    """The arguments by PyTorch's parameters.

    Raises: Refusal if they do not fit the signature, or if `*args` or `**kwargs` hide them
    """
    first = [] if call.receiver is None else [call.argument(call.receiver)]
    places = [*first, *map(call.argument, call.args)]
    bound, named = by_place(rule, places), by_name(rule, call)
    if twice := bound.keys() & named.keys():
        raise Refusal(f"argument {min(twice)!r} is given twice")
    bound |= named
    usual = defaults_of(rule)
    if missing := usual.needed - bound.keys():
        name = next(param.name for param in rule.params if param.name in missing)
        raise Refusal(f"argument {name!r} is not given")
    for name, argument in bound.items():
        param = usual.params.get(name)
        if param is not None:
            bound[name] = in_common_form(rule, param, argument, call)
    return {**usual.values, **bound}


@dataclass(frozen=True)
class Defaults:
    """What a rule's parameters are by their names, what they have by default, who has nothing."""

    params: Mapping[str, Param]
    values: Mapping[str, Argument]
    needed: frozenset[str]


@cache
def defaults_of(rule: Rule) -> Defaults:
    params, values = {param.name: param for param in rule.params}, {}
    for name, param in params.items():
        if param.kind in ("variadic", "keywords"):
            values[name] = NONE_GIVEN
        elif param.default is not None:
            values[name] = Argument(param.default, given=False)
    return Defaults(params, values, frozenset(params.keys() - values.keys()))


def in_common_form(rule: Rule, param: Param, argument: Argument, call: Call) -> Argument:
    """A literal as both take it: 0.0 for the 0 of a float, (2, 2) for [2, 2], 3 for (3,).

    MindSpore takes numbers and sequences of one type only where PyTorch takes several.
    """
    value = argument.literal
    if value is ... and param.name in WINDOWS and argument.node is not None:
        is_windowed = not WINDOWED.isdisjoint(p.name for p in rule.params)
        text = f"tuple({argument.text})"
        return (
            argument._replace(text=text)
            if is_windowed and call.is_list(argument.node)
            else argument
        )
    if type(value) is int:
        is_float = param.default is not None and isinstance(literal_of(param.default), float)
        if is_float and not param.name.endswith("value"):
            return argument._replace(text=repr(float(value)))
    elif isinstance(value, tuple | list):
        is_window = param.name in WINDOWS
        if is_window and len(value) == 1 and not WINDOWED.isdisjoint(p.name for p in rule.params):
            return argument._replace(text=repr(value[0]))
        if (is_window or param.name == "dim") and isinstance(value, list) and value:
            return argument._replace(text=repr(tuple(value)))
    return argument


def by_place(rule: Rule, places: Sequence[Argument]) -> dict[str, Argument]:
    names, variadic = rule.places, rule.variadic
    rest = places[len(names) :]
    if rest and not variadic:
        raise Refusal(f"{len(places)} positional arguments, where there are {len(names)}")
    if any(type(a.node) is ast.Starred for a in places[: len(names)]):
        raise Refusal("which arguments `*` stands for is not known: write them out")
    bound = dict(zip(names, places, strict=False))
    if rest:
        bound[variadic] = packed(rest)
    return bound


def by_name(rule: Rule, call: Call) -> dict[str, Argument]:
    known, rest = known_names(rule), rule.keywords
    bound: dict[str, Argument] = {}
    for keyword in call.keywords:
        name = keyword.arg if keyword.arg in known else NUMPY_NAMES.get(keyword.arg or "", rest)
        if keyword.arg is None and not rest:
            raise Refusal("which arguments `**` stands for is not known: write them out")
        if name not in known:
            raise Refusal(f"{rule.name} has no argument {keyword.arg!r} here")
        argument = call.argument(keyword.value)
        bound[name] = argument if name != rest else joined(bound.get(rest), keyword, argument)
    return bound


@cache
def known_names(rule: Rule) -> frozenset[str]:
    """The keywords that a call may have; `size` of zeros(*size) has a name, too."""
    return DROPPED.union(p.name for p in rule.params)


def joined(before: Argument | None, keyword: ast.keyword, argument: Argument) -> Argument:
    """What `**kwargs` takes up, with one keyword more."""
    part = f"**{argument.text}" if keyword.arg is None else f"{keyword.arg}={argument.text}"
    parts = (*(before.parts if before else ()), part)
    refusal = argument.refusal or (before.refusal if before else "")
    return Argument(f"dict({', '.join(parts)})", refusal=refusal, parts=parts)


def packed(values: Sequence[Argument]) -> Argument:
    """What a variadic parameter got: the one tuple passed, or a tuple of all."""
    parts = tuple(v.text for v in values)
    if len(values) == 1 and not isinstance(values[0].node, ast.Starred):
        return values[0]._replace(parts=parts)
    refusal = next((v.refusal for v in values if v.refusal), "")
    if len(values) == 1:
        return Argument(values[0].text.removeprefix("*"), refusal=refusal, parts=parts)
    return Argument(f"({', '.join(parts)})", refusal=refusal, parts=parts)


def check(rule: Rule, bound: Bound, used: frozenset[str]) -> None:
    """Refuses what is given and has no place in the target.

    Raises: Refusal with the row's advice
    """
    for param in rule.params:
        name, argument = param.name, bound.get(param.name)
        if argument is None or not argument.given or is_default(argument, param):
            continue
        has_place = name in used or name in rule.drop or name in DROPPED
        if name in rule.reject or not has_place:
            advice = rule.reject.get(name) or ADVICE.get(name, "MindSpore has no such argument")
            raise Refusal(f"argument {name}={argument.text}: {advice}")


def is_default(argument: Argument, param: Param) -> bool:
    """Whether the argument says what PyTorch does without it."""
    if not argument.given or param.default is None:
        return not argument.given
    value = argument.literal
    if value is ...:
        return argument.text == param.default
    default = literal_of(param.default)
    return type(value) is type(default) and value == default
