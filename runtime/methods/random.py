"""Random numbers in the shape of a Tensor."""

from __future__ import annotations

from ..ops import random
from ..tensor_methods import method, same

same("multinomial random_categorical")
method("cauchy", random.cauchy)
method("log_normal", random.log_normal)
