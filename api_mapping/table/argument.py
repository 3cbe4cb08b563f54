"""The arguments of one call, bound to PyTorch's parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import libcst as cst

from ..syntax.code import Code, call_argument, text_of, value_in, value_of
from ..syntax.quotation import element_of, expression
from ..syntax.reading import unparsed
from ..syntax.slots import ATOM, fitted
from .facts.numbers import WHOLE
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
FORMED = WINDOWS | WHOLE | {"data"}
"""Parameters of which PyTorch takes more forms than MindSpore, whatever their default."""
TRUTHS = frozenset({"shuffle"})
"""Parameters that are a bool where they are given, and whose default is None."""
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
NO_SUCH = "MindSpore has no such argument"


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other"}
"""What PyTorch's functions also accept for their own parameter names."""
TENSORBOARDX_NAMES = {"logdir": "log_dir", "name": "run_name"}
"""How tensorboardX calls parameters of its SummaryWriter, whose rows are those of PyTorch's."""
OTHER_NAMES = NUMPY_NAMES | TENSORBOARDX_NAMES

CodeOf = Callable[[ast.expr], Code]
"""Gives the code of an expression. Raises: Refusal if it has none"""


def never(node: ast.expr | None) -> bool:
    return False


def of_no_sort(node: ast.expr) -> str:
    return ""


class Argument(NamedTuple):
    """The code of one argument as it is to be written, and its syntax as it was.

    `refusal`: why it cannot be written; no harm where it is left out.
    `parts`: each of the arguments that `*args` or `**kwargs` takes up, as written.
    `acts`: whether an expression does more than give a value, or gives another one each time: it
    must stand once in the code.
    """

    code: Code
    node: ast.expr | None = None
    given: bool = True
    refusal: str = ""
    parts: tuple[cst.Arg, ...] = ()
    acts: Callable[[ast.expr], bool] = never

    @property
    def text(self) -> str:
        return text_of(self.code)

    @property
    def literal(self) -> object:
        """The value of a literal, `...` for everything else."""
        return value_of(self.code)

    @property
    def is_unsigned(self) -> bool:
        """Whether it is an integer, or a sequence of them, seen not to be negative."""
        found = self.literal
        numbers = found if isinstance(found, tuple | list) else (found,)
        return all(isinstance(n, int) and n >= 0 for n in numbers)


def default(text: str) -> Argument:
    """The argument that a call does not give, as the signature has it."""
    return Argument(expression(text), given=False)


NONE_GIVEN = default("()")
"""What a variadic parameter has where nothing is given."""


Bound = Mapping[str, Argument]
"""Every parameter that has a value, given or by default; a variadic one holds a tuple's text."""


class Call(NamedTuple):
    """A use of an API with its arguments: the receiver of a method first, then the others by place.

    `named`: those with keywords. `set_to`: the attribute that is set to the value, and its owner.
    `sort_of`: whether an expression is known to be a "list", NumPy's or whole, as in Places.
    """

    receiver: Argument | None
    places: Sequence[Argument]
    named: Sequence[tuple[str | None, Argument]]
    set_to: tuple[Argument, str] | None = None
    sort_of: Callable[[ast.expr], str] = of_no_sort

    @classmethod
    def of(
        cls,
        receiver: ast.expr | None,
        args: Sequence[ast.expr],
        keywords: Sequence[ast.keyword],
        code_of: CodeOf,
        *,
        acts: Callable[[ast.expr], bool] = never,
        sort_of: Callable[[ast.expr], str] = of_no_sort,
    ) -> Call:
        """The use of these expressions; `code_of` gives their code, `acts` as in Argument."""
        places = [written(node, code_of, acts) for node in args]
        named = [(keyword.arg, written(keyword.value, code_of, acts)) for keyword in keywords]
        if receiver is None:
            return cls(None, places, named, None, sort_of)
        first = written(receiver, code_of, acts)
        return cls(first, [first, *places], named, None, sort_of)


def written(node: ast.expr, code_of: CodeOf, acts: Callable[[ast.expr], bool] = never) -> Argument:
    """The argument that an expression is; of `*x` the code is that of x."""
    value = node.value if isinstance(node, ast.Starred) else node
    try:
        return Argument(code_of(value), node, True, "", (), acts)
    except Refusal as refusal:
        return Argument(unparsed(value), node, refusal=str(refusal))


def bind(rule: Rule, call: Call) -> Bound:
    """The arguments by PyTorch's parameters, and the defaults of the others.

    Raises: Refusal as `given` does
    """
    return {**parameters_of(rule).defaults, **given(rule, call)}


def given(rule: Rule, call: Call) -> dict[str, Argument]:
    """The arguments of a call by PyTorch's parameters.

    Raises: Refusal if they do not fit the signature, or if `*args` or `**kwargs` hide them
    """
    bound = by_place(rule, call.places)
    if call.named:
        named = by_name(rule, call.named)
        if twice := bound.keys() & named.keys():
            raise Refusal(f"argument {min(twice)!r} is given twice")
        bound |= named
    known = parameters_of(rule)
    if not LEGACY.isdisjoint(bound) and "reduction" in known.defaults:
        bound = with_reduction(bound)
    if missing := known.needed.difference(bound):
        name = next(param.name for param in rule.params if param.name in missing)
        raise Refusal(f"argument {name!r} is not given")
    for name, param in known.in_forms.items():
        if name in bound:
            bound[name] = in_common_form(param, bound[name], known.is_windowed, call.sort_of)
    if rule.floats in bound:
        bound[rule.floats] = as_floats(bound[rule.floats], call.sort_of)
    return bound


LEGACY = frozenset({"size_average", "reduce"})
"""What losses were told by before they had a `reduction`."""


def with_reduction(bound: Mapping[str, Argument]) -> dict[str, Argument]:
    """The arguments of a loss with the `reduction` that the two old ones stand for."""
    rest = {name: value for name, value in bound.items() if name not in LEGACY}
    told = {n: bound[n] for n in LEGACY if n in bound and bound[n].literal is not None}
    if not told:
        return rest
    averages, reduces = told.get("size_average"), told.get("reduce")
    if reduces is None and averages is not None:
        return rest | {"reduction": chosen(averages, "mean", "sum")}
    if averages is None and reduces is not None:
        return rest | {"reduction": chosen(reduces, "mean", "none")}
    if averages is not None and reduces is not None and averages.literal is not ...:
        return rest | {"reduction": chosen(reduces, "mean" if averages.literal else "sum", "none")}
    return dict(bound)


def chosen(condition: Argument, true: str, false: str) -> Argument:
    """One of two texts, by a condition that may be known."""
    if condition.literal is ...:
        template = f'"{true}" if condition else "{false}"'
        return condition._replace(code=expression(template, condition=condition.code))
    return condition._replace(code=expression(f'"{true if condition.literal else false}"'))


def as_floats(argument: Argument, sort_of: Callable[[ast.expr], str]) -> Argument:
    """A tensor of integers as one of float32."""
    if argument.node is None or sort_of(argument.node) != "whole":
        return argument
    return argument._replace(code=expression("x.float()", x=argument.code))


class Parameters(NamedTuple):
    """What is known of a rule's parameters, by their names.

    `needed`: those without a default. `in_forms`: those whose arguments PyTorch takes in several
    forms. `is_windowed`: whether the API has windows.
    """

    defaults: Mapping[str, Argument]
    needed: frozenset[str]
    in_forms: Mapping[str, Param]
    is_windowed: bool


@cache
def parameters_of(rule: Rule) -> Parameters:
    params, values = {param.name: param for param in rule.params}, {}
    for name, param in params.items():
        if param.kind in ("variadic", "keywords"):
            values[name] = NONE_GIVEN
        elif param.default is not None:
            values[name] = default(param.default)
    needed = frozenset(params.keys() - values.keys())
    in_forms = {name: param for name, param in params.items() if has_forms(param)}
    return Parameters(values, needed, in_forms, not WINDOWED.isdisjoint(params))


def has_forms(param: Param) -> bool:
    return param.name in FORMED or is_float(param) or is_bool(param)


def is_bool(param: Param) -> bool:
    """Whether it is a bool, for which layers and optimizers of PyTorch's take 0 and 1, too."""
    return param.default in ("True", "False") or param.name in TRUTHS


def is_float(param: Param) -> bool:
    """Whether it is a float that PyTorch also takes as an int."""
    if param.default is None or param.name.endswith("value"):
        return False
    return isinstance(value_in(param.default), float)


def in_common_form(
    param: Param, argument: Argument, is_windowed: bool, sort_of: Callable[[ast.expr], str]
) -> Argument:
    """A value as both take it: 0.0 for the 0 of a float, False for a bool's, (2, 2) for [2, 2].

    MindSpore takes numbers and sequences of one type only where PyTorch takes several.
    """
    value = argument.literal
    if value is ... and argument.node is not None:
        sort = sort_of(argument.node)
        if sort.startswith("list") and param.name in WINDOWS and is_windowed:
            return argument._replace(code=expression("tuple(values)", values=argument.code))
        if sort == "range" and param.name == "data":
            return argument._replace(code=expression("list(values)", values=argument.code))
        if sort == "numpy" and param.name in WHOLE:
            return argument._replace(code=expression("int(value)", value=argument.code))
    if type(value) is int:
        if is_float(param):
            return argument._replace(code=expression(repr(float(value))))
        if is_bool(param):
            return argument._replace(code=expression(repr(bool(value))))
    elif isinstance(value, tuple | list):
        is_window = param.name in WINDOWS
        if is_window and len(value) == 1 and is_windowed:
            return argument._replace(code=expression(repr(value[0])))
        if (is_window or param.name == "dim") and isinstance(value, list) and value:
            return argument._replace(code=expression(repr(tuple(value))))
    return argument


def by_place(rule: Rule, places: Sequence[Argument]) -> dict[str, Argument]:
    names, variadic = rule.places, rule.variadic
    rest = places[len(names) :]
    if rest and not variadic:
        raise Refusal(f"{len(places)} positional arguments, where there are {len(names)}")
    bound = dict(zip(names, places, strict=False))
    for argument in bound.values():
        if type(argument.node) is ast.Starred:
            raise Refusal("which arguments `*` stands for is not known: write them out")
    if rest:
        bound[variadic] = packed(rest)
    return bound


def by_name(rule: Rule, named: Sequence[tuple[str | None, Argument]]) -> dict[str, Argument]:
    known, rest = known_names(rule), rule.keywords
    bound: dict[str, Argument] = {}
    for keyword, argument in named:
        other = rest or OTHER_NAMES.get(keyword or "", "")
        name = keyword if keyword in known else other
        if keyword is None and not rest:
            raise Refusal("which arguments `**` stands for is not known: write them out")
        if name not in known:
            raise Refusal(f"{rule.name} has no argument {keyword!r} here")
        bound[name] = argument if name != rest else joined(bound.get(rest), keyword, argument)
    return bound


@cache
def known_names(rule: Rule) -> frozenset[str]:
    """The keywords that a call may have; `size` of zeros(*size) has a name, too."""
    return DROPPED.union(p.name for p in rule.params)


def joined(before: Argument | None, keyword: str | None, given: Argument) -> Argument:
    """What `**kwargs` takes up, with one keyword more."""
    part = (
        call_argument(given.code, star="**")
        if keyword is None
        else call_argument(given.code, keyword)
    )
    parts = (*(before.parts if before else ()), part)
    refusal = given.refusal or (before.refusal if before else "")
    return Argument(expression("dict(pairs)", pairs=parts), refusal=refusal, parts=parts)


def packed(values: Sequence[Argument]) -> Argument:
    """What a variadic parameter got: the one tuple passed, or a tuple of all."""
    parts = tuple(map(part_of, values))
    if len(values) == 1 and not is_starred(values[0]):
        return values[0]._replace(parts=parts)
    refusal = next((v.refusal for v in values if v.refusal), "")
    if len(values) == 1:
        return Argument(values[0].code, refusal=refusal, parts=parts)
    return Argument(cst.Tuple(list(map(element_of, parts))), refusal=refusal, parts=parts)


def part_of(given: Argument) -> cst.Arg:
    if not is_starred(given):
        return call_argument(given.code)
    return call_argument(fitted(given.code, ATOM), star="*")


def is_starred(given: Argument) -> bool:
    return isinstance(given.node, ast.Starred)


def check(rule: Rule, given: Bound, used: frozenset[str]) -> None:
    """Refuses what is given and has no place in the target, that uses these names.

    Raises: Refusal with the row's advice
    """
    for param in without_place(rule, used):
        argument = given.get(param.name)
        if argument is not None and not is_default(argument, param):
            advice = rule.reject.get(param.name) or ADVICE.get(param.name, NO_SUCH)
            raise Refusal(f"argument {param.name}={argument.text}: {advice}")


@cache
def without_place(rule: Rule, used: frozenset[str]) -> tuple[Param, ...]:
    """The parameters whose arguments are refused."""
    placed = used.union(rule.drop, DROPPED)
    return tuple(p for p in rule.params if p.name in rule.reject or p.name not in placed)


def is_default(argument: Argument, param: Param) -> bool:
    """Whether the argument says what PyTorch does without it."""
    if not argument.given or param.default is None:
        return not argument.given
    value = argument.literal
    if value is ...:
        return argument.text == param.default
    default = value_in(param.default)
    return type(value) is type(default) and value == default
