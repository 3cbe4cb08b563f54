"""Decompositions of matrices, inverses, determinants and systems of equations."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..tensor_methods import methods, same

same(
    """
    cholesky cholesky_inverse cholesky_solve det geqrf inverse log_matrix_determinant logdet lstsq
    lu_solve matrix_determinant matrix_power nanquantile orgqr ormqr quantile slogdet svd
    """
)


@methods
class Decompositions:
    def qr(self: Any, some: bool = True) -> Any:
        return ops.qr(self, "reduced" if some else "complete")
