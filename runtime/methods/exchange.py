"""Tensors from and for other libraries."""

from __future__ import annotations

from ..exchange import from_dlpack, to_dlpack
from ..tensor_methods import method

method("to_dlpack", to_dlpack)
method("from_dlpack", staticmethod(from_dlpack))
