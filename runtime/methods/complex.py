"""Complex numbers."""

from __future__ import annotations

from ..tensor_methods import same

same("angle conj imag real")
