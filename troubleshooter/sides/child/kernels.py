"""What MindSpore's kernels for the CPU compute, where that is not what they are called.

They approximate tanh, exp and log: tanh is off by up to 1e-4 (near 5, from where on it is 1), exp
by 2.4e-6 of its value, log by 1.8e-7 for each power of two, the logarithm in a log_softmax by up to
3.7e-6 in either direction. Measured with MindSpore 2.10 on its CPU; these formulas give tanh back
to 2e-7 and exp to 4e-7. LSTM has exact kernels, GRU and RNN have these. The bundled runtime has
none of it.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

LOGARITHM = 1.5e-6
"""By how much the logarithms of sums are off; `judgement.KERNEL_FACTOR` covers the largest."""


def tanh(x: Any) -> Any:
    """A quotient of polynomials, cut off at 5."""
    s = x * x
    y = (((s + 378) * s + 17325) * s + 135135) * x
    y = y / (((28 * s + 3150) * s + 62370) * s + 135135)
    return y.where(x.abs() < 5, x.sign())


def exp(x: Any) -> Any:
    """A power of two, times a Taylor polynomial of degree five for the rest."""
    whole = (x / math.log(2)).round()
    rest = x - whole * math.log(2)
    y = 1 + rest * (1 + rest * (1 / 2 + rest * (1 / 6 + rest * (1 / 24 + rest / 120))))
    return (y * (whole * math.log(2)).exp()).where(x.isfinite(), x.exp())


def log(x: Any) -> Any:
    return x.log() - 1.8e-7 * x.log2().round().where(x > 0, 0 * x)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + exp(-x))


def silu(x: Any) -> Any:
    return x * sigmoid(x)


def softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    powers = exp(x - x.amax(dim, True))
    return powers / powers.sum(dim, True)


def log_softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    shifted = x - x.amax(dim, True)
    return shifted - exp(shifted).sum(dim, True).log() - LOGARITHM


def log_softmax_gradient(g: Any, y: Any, dim: int, dtype: Any) -> Any:
    return g - exp(y) * (1 - LOGARITHM) * g.sum(dim, True)


def logsumexp(x: Any, dim: Any, keepdim: bool = False) -> Any:
    return x.logsumexp(dim, keepdim) - LOGARITHM


def softplus(x: Any, beta: float = 1, threshold: float = 20) -> Any:
    return x.where(x * beta > threshold, exp(x * beta).log1p() / beta)


def elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    return scale * x.where(x > 0, alpha * (exp(x * input_scale) - 1))


KERNELS: dict[str, Callable[..., Any]] = {
    "tanh": tanh,
    "exp": exp,
    "log": log,
    "logsumexp": logsumexp,
    "sigmoid": sigmoid,
    "silu": silu,
    "_softmax": softmax,
    "_log_softmax": log_softmax,
    "_log_softmax_backward_data": log_softmax_gradient,
    "softplus": softplus,
    "elu": elu,
}
"""By PyTorch's names of its own kernels."""


def mindspores_kernels() -> ExitStack:
    """Within, PyTorch computes in float32 what MindSpore's kernels do; entered already."""
    torch: Any = importlib.import_module("torch")
    mode = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode

    class Kernels(mode):  # type: ignore[misc, valid-type]  # of PyTorch, which is not known here
        """Takes the place of PyTorch's dispatcher, below its gradients."""

        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            name = function.overloadpacket.__name__
            kernel = KERNELS.get(name.removesuffix("_"))
            is_float = bool(args) and getattr(args[0], "dtype", None) == torch.float32
            if kernel is None or not is_float or kwargs:
                return function(*args, **(kwargs or {}))
            y = kernel(*args)
            return args[0].copy_(y) if name.endswith("_") else y

    attention = importlib.import_module("torch.nn.attention")
    both = ExitStack()
    both.enter_context(attention.sdpa_kernel(attention.SDPBackend.MATH))
    both.enter_context(Kernels())
    return both
