"""How the primitive classes are made: constructors, calls, and what goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import operations as P
from msconvert.runtime import ops

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_the_constructor_takes_the_attributes() -> None:
    product = P.MatMul(False, transpose_b=True)
    assert (product.transpose_a, product.transpose_b, product.name) == (False, True, "MatMul")
    assert product(X, X).asnumpy().tolist() == [[5.0, 14.0], [14.0, 50.0]]
    assert ops.MatMul is P.MatMul


def test_an_unknown_attribute_is_refused() -> None:
    with pytest.raises(TypeError, match="transpose_c"):
        P.MatMul(transpose_c=True)


def test_an_unknown_class_names_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"MS301[\s\S]*MatMul"):
        P.MatMull()


def test_a_class_of_the_user() -> None:
    class Twice(ops.Primitive):
        def __call__(self, x: ms.Tensor) -> ms.Tensor:
            return x * 2

    assert Twice("Twice")(X).asnumpy().max() == 10.0
