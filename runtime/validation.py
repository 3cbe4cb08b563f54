"""`mindspore._checkparam`: the checks of arguments that model zoos borrow from MindSpore.

Those that judge operators of MindSpore's own (`check_reduce_shape`, `check_csr_tensor_shape`) are
not here, and are refused by name.
"""

from __future__ import annotations

import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from .engine import dtype as dtypes
from .engine.argument import kind_of
from .engine.failure import ElementTypeError, ShapeError, missing_names

EQ, NE, LT, LE, GT, GE, INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH, IN, NOT_IN = range(1, 13)

RELATIONS: dict[int, tuple[str, Callable[[Any, Any], Any]]] = {
    EQ: ("=", operator.eq),
    NE: ("!=", operator.ne),
    LT: ("<", operator.lt),
    LE: ("<=", operator.le),
    GT: (">", operator.gt),
    GE: (">=", operator.ge),
    IN: ("in", lambda value, known: value in known),
    NOT_IN: ("not in", lambda value, known: value not in known),
}
"""A relation to one value: its sign and its meaning."""

RANGES = {
    INC_NEITHER: ("(", ")", operator.le, operator.ge),
    INC_LEFT: ("[", ")", operator.lt, operator.ge),
    INC_RIGHT: ("(", "]", operator.le, operator.gt),
    INC_BOTH: ("[", "]", operator.lt, operator.gt),
}
"""A range: its brackets, what lies below it and what lies above. So NaN is inside, as there."""


def holds(value: Any, other: Any, rel: int) -> bool:
    return rel in RELATIONS and bool(RELATIONS[rel][1](value, other))


def sign(rel: int) -> str:
    return RELATIONS[rel][0] if rel in RELATIONS else ""


def names_of(kinds: Iterable[Any]) -> str:
    return " or ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)


def listed(kinds: Any) -> tuple[Any, ...]:
    return tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)


def check_is_number(
    arg_value: Any, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """`arg_value`. Raises: TypeError if it is no `arg_type`; ValueError for inf and NaN (MS304)."""
    name = arg_name or "input value"
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise ElementTypeError(
            prim_name or "", f"{name} is of a wrong type",
            got=kind_of(arg_value), expected=arg_type.__name__,
        )  # fmt: skip
    if not math.isfinite(arg_value):  # type: ignore[arg-type]  # whatever kind is asked for
        raise ShapeError(prim_name or "", f"{name} is not finite", got=repr(arg_value))
    return arg_value


def check_related(
    arg_value: Any,
    value: Any,
    rel: int,
    arg_type: type = int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """A number of `arg_type` that stands in the relation to `value`.

    Raises: TypeError or ValueError (MS304).
    """
    check_is_number(arg_value, arg_type, arg_name, prim_name)
    return check(arg_name or "input value", arg_value, "", value, rel, prim_name)


def check(
    arg_name: str,
    arg_value: Any,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """`arg_value`, if it stands in the relation to `value`. Raises: `excp_cls`."""
    if holds(arg_value, value, rel):
        return arg_value
    expected = f"{sign(rel)} {value_name + ': ' if value_name else ''}{value}"
    if excp_cls is ValueError:
        raise ShapeError(
            prim_name or "", f"{arg_name} is out of range", got=repr(arg_value), expected=expected
        )
    raise excp_cls(f"For '{prim_name}', {arg_name} should be {expected}, but got {arg_value}.")


def check_number(arg_name: str, arg_value: Any, value: Any, rel: int, prim_name: str) -> Any:
    return check(arg_name, arg_value, "", value, rel, prim_name)


def compared(kind: type) -> Callable[..., Any]:
    """check_int, check_float: the relation is an argument."""

    def of_relation(
        arg_value: Any,
        value: Any,
        rel: int,
        arg_name: str | None = None,
        prim_name: str | None = None,
    ) -> Any:
        return check_related(arg_value, value, rel, kind, arg_name, prim_name)

    return of_relation


def of_sign(rel: int, kind: type) -> Callable[..., Any]:
    """check_positive_int and its relatives: the relation to 0 is in the name."""

    def of_one(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        return check_related(arg_value, 0, rel, kind, arg_name, prim_name)

    return of_one


def of_sign_each(rel: int, kind: type) -> Callable[..., Any]:
    """check_positive_int_sequence and its relatives."""

    def of_each(
        sequence: Sequence[Any], arg_name: str | None = None, prim_name: str | None = None
    ) -> Any:
        for k, element in enumerate(sequence):
            check_related(element, 0, rel, kind, f"{arg_name or 'arg_name'}[{k}]", prim_name)
        return sequence

    return of_each


check_int, check_float = compared(int), compared(float)
check_positive_int, check_negative_int = of_sign(GT, int), of_sign(LT, int)
check_non_negative_int, check_non_positive_int = of_sign(GE, int), of_sign(LE, int)
check_positive_float, check_negative_float = of_sign(GT, float), of_sign(LT, float)
check_non_negative_float, check_non_positive_float = of_sign(GE, float), of_sign(LE, float)
check_positive_int_sequence = of_sign_each(GT, int)
check_non_negative_int_sequence = of_sign_each(GE, int)
check_positive_float_sequence = of_sign_each(GT, float)


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(
    arg_value: Any, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_equal_int(
    arg_value: Any, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    return check_related(arg_value, value, EQ, int, arg_name, prim_name)


def check_number_range(
    arg_value: Any,
    lower_limit: Any,
    upper_limit: Any,
    rel: int,
    value_type: type,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """A number of `value_type`, or any of NumPy's, within the limits.

    Raises: TypeError or ValueError (MS304).
    """
    name = arg_name or "input value"
    fits = isinstance(arg_value, (np.ndarray, np.generic, value_type))
    if not fits or isinstance(arg_value, bool):
        raise ElementTypeError(
            prim_name or "", f"{name} is of a wrong type",
            got=kind_of(arg_value), expected=value_type.__name__,
        )  # fmt: skip
    opening, closing, below, above = RANGES[rel]
    if below(arg_value, lower_limit) or above(arg_value, upper_limit):
        raise ShapeError(
            prim_name or "", f"{name} is out of range",
            got=repr(arg_value), expected=f"{opening}{lower_limit}, {upper_limit}{closing}",
        )  # fmt: skip
    return arg_value


def ranged(kind: type) -> Callable[..., Any]:
    """check_int_range, check_float_range."""

    def of_range(
        arg_value: Any,
        lower_limit: Any,
        upper_limit: Any,
        rel: int,
        arg_name: str | None = None,
        prim_name: str | None = None,
    ) -> Any:
        return check_number_range(
            arg_value, lower_limit, upper_limit, rel, kind, arg_name, prim_name
        )

    return of_range


check_int_range, check_float_range = ranged(int), ranged(float)


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    return check_value_type(arg_name or "input value", arg_value, bool, prim_name)


def check_value_type(
    arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None
) -> Any:
    """`arg_value`; a float that is taken for another type is rounded to six digits, as there.

    Raises: TypeError (MS304) if it is of none of the types; a bool is no int.
    """
    kinds = listed(valid_types)
    fits = isinstance(arg_value, kinds) and (not isinstance(arg_value, bool) or bool in kinds)
    if not fits:
        raise ElementTypeError(
            prim_name or "", f"{arg_name} is of a wrong type",
            got=kind_of(arg_value), expected=names_of(kinds),
        )  # fmt: skip
    rounded = isinstance(arg_value, float) and float not in kinds
    return round(arg_value, 6) if rounded else arg_value


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """`arg_value`. Raises: ValueError (MS304), and no TypeError, if it is of another class."""
    if not isinstance(arg_value, classes):
        expected = names_of(listed(classes))
        raise ShapeError(
            "", f"{arg_name} is of a wrong type", got=repr(arg_value), expected=expected
        )
    return arg_value


def check_valid_input(arg_name: str, arg_value: Any, prim_name: str) -> Any:
    if arg_value is None:
        raise ShapeError(prim_name, f"{arg_name} is None")
    return arg_value


def check_string(
    arg_value: Any,
    valid_values: Any,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> str:
    """One of the strings. Raises: ValueError (MS304)."""
    if isinstance(arg_value, str) and arg_value in valid_values:
        return arg_value
    raise ShapeError(
        prim_name or "", f"{arg_name or 'parameter'} is not known",
        got=repr(arg_value), expected=", ".join(map(repr, valid_values)),
    )  # fmt: skip


def matching(pattern: str, flags: int, target: str, where: str | None) -> bool:
    """True. Raises: ValueError (MS304) if the text does not begin as the pattern says."""
    if re.match(pattern, target, flags) is None:
        raise ShapeError(where or "", "the text is of a wrong form", got=target, expected=pattern)
    return True


def check_str_by_regular(
    target: str, reg: str | None = None, flag: int = re.ASCII, prim_name: str | None = None
) -> bool:
    return matching(r"^\w+[0-9a-zA-Z\_\.]*$" if reg is None else reg, flag, target, prim_name)


def check_str_and_none_by_regular(
    target: str, reg: str | None = None, flag: int = re.ASCII, prim_name: str | None = None
) -> bool:
    return matching(r"^\w*[0-9a-zA-Z\_\.\-]*$" if reg is None else reg, flag, target, prim_name)


def check_file_name_by_regular(
    target: Any, reg: str | None = None, prim_name: str | None = None
) -> bool:
    """True for the name of a file. Raises: TypeError or ValueError (MS304)."""
    check_value_type("the name of the file", target, str, prim_name)
    if target.endswith(("\\", "/")):
        raise ShapeError(prim_name or "", "the name is a folder's", got=target)
    return matching(r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$" if reg is None else reg, 0, target, prim_name)


def check_input_format(input_param: str) -> str:
    return check_string(input_param, ("NCHW",), "the data format")


def check_subclass(
    arg_name: str,
    type_: Any,
    template_types: Any,
    prim_name: str,
    addition_error_info: str | None = None,
) -> None:
    """Raises: TypeError (MS304) if the element type is none of the templates, and below none."""
    templates = listed(template_types)
    if any(dtypes._issubclass_(type_, one) for one in templates):
        return
    raise ElementTypeError(
        prim_name, f"{arg_name} is of a wrong element type",
        got=str(type_), expected=names_of(templates), advice=addition_error_info or "",
    )  # fmt: skip


def check_types_same_and_valid(args: dict[str, Any], valid_values: Any, prim_name: str) -> None:
    """Raises: TypeError (MS304) unless all are the same element type, one of the valid."""
    for name, kind in args.items():
        check_subclass(name, kind, valid_values, prim_name)
    if len(set(args.values())) > 1:
        raise ElementTypeError(prim_name, "the element types differ", got=str(args))


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: str) -> Any:
    """`arg_type`. Raises: TypeError (MS304) if it is none of the valid ones."""
    if arg_type in listed(valid_types):
        return arg_type
    raise ElementTypeError(
        prim_name, f"{arg_name} is of a wrong type",
        got=str(arg_type), expected=names_of(listed(valid_types)),
    )  # fmt: skip


def check_element_type_of_iterable(
    arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None
) -> None:
    """Raises: TypeError (MS304) unless each element of the list or tuple is of a valid type."""
    check_value_type(arg_name, arg_value, (list, tuple), prim_name)
    for element in arg_value:
        check_element(arg_name, element, valid_types, prim_name)


def check_element(arg_name: str, element: Any, kinds: Any, prim_name: str | None) -> None:
    """A bool passes for an int here, as there."""
    if not isinstance(element, listed(kinds)):
        raise ElementTypeError(
            prim_name or "", f"an element of {arg_name} is of a wrong type",
            got=kind_of(element), expected=names_of(listed(kinds)),
        )  # fmt: skip


def check_element_type_of_dict(
    arg_name: str, arg_value: Any, key_types: Any, value_types: Any, prim_name: str | None = None
) -> None:
    check_value_type(arg_name, arg_value, dict, prim_name)
    for key, value in arg_value.items():
        check_element(arg_name, key, key_types, prim_name)
        check_element(arg_name, value, value_types, prim_name)


def check_axis_in_range(axis: Any, ndim: int) -> int:
    """The axis counted from the front. Raises: TypeError or ValueError (MS304)."""
    check_element("the axes", axis, int, None)
    if not -ndim <= axis < ndim:
        expected = f"[-{ndim}, {ndim})"
        raise ShapeError("", "the axis is out of range", got=str(axis), expected=expected)
    return int((axis + ndim) % ndim)


def check_axis_valid(axes: Any, ndim: int) -> tuple[int, ...]:
    """The axes counted from the front; all of them for None. Raises: ValueError (MS304)."""
    if axes is None:
        return tuple(range(ndim))
    found = [check_axis_in_range(axis, ndim) for axis in listed(axes)]
    if len(set(found)) < len(found):
        raise ShapeError("", "an axis is given twice", got=str(axes))
    return tuple(found)


def expanded(n: int, kinds: tuple[type, ...]) -> Callable[[Any], tuple[int, ...]]:
    """twice, triple...: a whole number as a tuple of `n`, or the tuple itself.

    Raises: TypeError (MS304) for anything else.
    """

    def as_tuple(m: Any) -> tuple[int, ...]:
        given = tuple(m) if issubclass(type(m), kinds) else (m,) * n
        if len(given) != n or not all(type(k) is int for k in given):
            raise ElementTypeError("", f"no whole number, and not {n} of them", got=repr(m))
        return given

    return as_tuple


once, twice, triple = (expanded(n, (tuple,)) for n in (1, 2, 3))
once_sequence, twice_sequence, triple_sequence = (expanded(n, (tuple, list)) for n in (1, 2, 3))


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[..., Any]:
    """Decorates a function whose arguments are to be of types; None passes for all of them."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        form = inspect.signature(fn)
        kinds: dict[str, Any] = form.bind_partial(*type_args, **type_kwargs).arguments
        kinds = kinds.get("kwargs", kinds)

        @wraps(fn)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given: dict[str, Any] = form.bind(*args, **kwargs).arguments
            for name, value in given.get("kwargs", given).items():
                if name in kinds and value is not None:
                    check_element(name, value, kinds[name], fn.__name__)
            return fn(*args, **kwargs)

        return checked

    return decorate


__getattr__ = missing_names("_checkparam", list(globals()))
