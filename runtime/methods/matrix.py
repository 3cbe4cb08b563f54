"""Products of matrices and norms."""

from __future__ import annotations

from ..tensor_methods import same

same("addmm baddbmm bmm dot matmul norm outer")
