"""Products of matrices, norms, and the transposes of matrices."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.failure import ShapeError
from ..tensor_methods import methods, same

same("addbmm addmm addmv addr adjoint baddbmm bmm cross ger inner matmul mm norm outer")


def two_axes(x: Any, name: str) -> Any:
    """`x`. Raises: ValueError (MS304) unless it is one matrix."""
    if x.ndim != 2:
        raise ShapeError(f"Tensor.{name}", "needs two axes", got=str(x.shape))
    return x


@methods
class Matrices:
    def dot(self: Any, tensor2: Any) -> Any:
        """As `ops.dot`, and the product of two vectors."""
        vectors = self.ndim == 1 and getattr(tensor2, "ndim", 0) == 1
        return (ops.matmul if vectors else ops.dot)(self, tensor2)

    mT = property(lambda self: ops.swapaxes(self, -1, -2))
    mH = property(lambda self: ops.adjoint(self))
    H = property(lambda self: ops.adjoint(two_axes(self, "H")))
