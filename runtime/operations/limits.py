"""What constructors of primitive classes refuse beside wrong types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine import dtype as dtypes
from ..engine.argument import check_int
from ..engine.dtype import DType
from ..engine.failure import ElementTypeError

FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
WHOLE = (dtypes.int32, dtypes.int64)
NUMBERS = tuple(d for d in dtypes.DTYPES if d in dtypes.INTEGERS or d in FLOATS)


def limits(where: str, known: tuple[DType, ...] = (), **least: int) -> Callable[..., None]:
    """A check: whole numbers of at least so much, and a `dtype` among the `known`.

    Raises: TypeError or ValueError (MS304)
    """

    def check(**attrs: Any) -> None:
        for name, low in least.items():
            check_int(where, name, attrs[name], low)
        if known and attrs["dtype"] not in known:
            got, expected = repr(attrs["dtype"]), ", ".join(d.name for d in known)
            raise ElementTypeError(where, "dtype is not known", got=got, expected=expected)

    return check


def seeded(where: str, known: tuple[DType, ...] = ()) -> Callable[..., None]:
    """As `limits`, of two seeds."""
    return limits(where, known, seed=0, seed2=0)
