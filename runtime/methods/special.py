"""Special functions."""

from __future__ import annotations

from ..tensor_methods import same

same("digamma erfc erfinv i0 igamma igammac lgamma logit mvlgamma sinc")
