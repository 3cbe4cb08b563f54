"""Methods that write to their tensor: those that shape it, and those that ask nothing of it."""

from __future__ import annotations

SHAPING = frozenset(
    "t_ transpose_ swapaxes_ swapdims_ squeeze_ unsqueeze_ as_strided_ resize_ resize_as_".split()
)
"""Methods after which the tensor has another shape."""


AFRESH = frozenset(
    "copy_ fill_ zero_ normal_ uniform_ random_ bernoulli_ exponential_ cauchy_ geometric_ "
    "log_normal_".split()
)
"""Methods whose new values do not follow from the old ones."""


COPY = "torch.Tensor.copy_"

FILLED = "torch.nn.init."
"""What the names of functions begin with that write to their first argument."""
