"""What Tensor has for gradients."""

from __future__ import annotations

from ..engine.hooks import register_hook
from ..tensor_methods import method

method("register_hook", register_hook)
