"""How coarse element types are, by their bits."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from msconvert.numerics.rounding import is_real, step_of

REAL = (
    *("float16", "float32", "float64", "bfloat16", "float8_e4m3", "float8_e4m3fn"),
    *("float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e3m4"),
)
OTHERS = ("bool", "int8", "uint64", "int4", "S1", "U1", "datetime64[s]", "V2")


def next_to_one(name: str) -> float:
    """The least number of the type above 1: the one with the next bits."""
    one = np.ones(1, name)
    bits = one.view(f"u{one.dtype.itemsize}")
    return float((bits + 1).astype(bits.dtype).view(one.dtype)[0])


@pytest.mark.parametrize("name", REAL)
def test_the_step_is_that_to_the_next_number(name: str) -> None:
    assert step_of(name) == step_of(np.dtype(name)) == next_to_one(name) - 1


@pytest.mark.parametrize(("name", "part"), [("complex64", "float32"), ("complex128", "float64")])
def test_complex_types_are_as_coarse_as_their_parts(name: str, part: str) -> None:
    assert step_of(name) == step_of(part)
    assert not is_real(np.dtype(name))


@pytest.mark.parametrize("name", OTHERS)
def test_other_types_have_no_step(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    assert step_of(dtype) == 0.0
    assert not is_real(dtype)
