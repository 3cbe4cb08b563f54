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
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from .messages import Array

POWERS = 2.4e-6
"""By how much of its value exp is off at most."""

LOGARITHM = 1.5e-6
"""By how much the logarithms of sums are off; `judgement.KERNEL_FACTOR` covers the largest."""


def tanh(x: Array) -> Array:
    """A quotient of polynomials, cut off at 5."""
    s = x * x
    y = (((s + 378) * s + 17325) * s + 135135) * x
    y = y / (((28 * s + 3150) * s + 62370) * s + 135135)
    return np.where(np.abs(x) < 5, y, np.sign(x))


def exp(x: Array) -> Array:
    """A power of two, times a Taylor polynomial of degree five for the rest."""
    whole = np.round(x / math.log(2))
    rest = x - whole * math.log(2)
    y = 1 + rest * (1 + rest * (1 / 2 + rest * (1 / 6 + rest * (1 / 24 + rest / 120))))
    return np.where(np.isfinite(x), y * np.exp(whole * math.log(2)), np.exp(x))


def log(x: Array) -> Array:
    y: Array = np.log(x) - 1.8e-7 * np.round(np.log2(np.where(x > 0, x, 1)))
    return y


def sigmoid(x: Array) -> Array:
    y: Array = 1 / (1 + exp(-x))
    return y


def silu(x: Array) -> Array:
    y: Array = x * sigmoid(x)
    return y


def softmax(x: Array, axis: int = -1, half_to_float: bool = False) -> Array:
    powers = exp(x - x.max(axis, keepdims=True))
    y: Array = powers / powers.sum(axis, keepdims=True)
    return y


def log_softmax(x: Array, axis: int = -1, half_to_float: bool = False) -> Array:
    shifted = x - x.max(axis, keepdims=True)
    y: Array = shifted - np.log(exp(shifted).sum(axis, keepdims=True)) - LOGARITHM
    return y


def log_softmax_gradient(g: Array, y: Array, axis: int, dtype: Any) -> Array:
    x: Array = g - exp(y) * (1 - LOGARITHM) * g.sum(axis, keepdims=True)
    return x


def logsumexp(x: Array, axis: Any, keepdim: bool = False) -> Array:
    largest = x.max(tuple(axis), keepdims=True)
    sums: Array = np.log(np.exp(x - largest).sum(tuple(axis), keepdims=True)) + largest - LOGARITHM
    return sums if keepdim else sums.squeeze(tuple(axis))


def softplus(x: Array, beta: float = 1, threshold: float = 20) -> Array:
    return np.where(x * beta > threshold, x, np.log1p(exp(x * beta)) / beta)


def mish(x: Array) -> Array:
    """As it is written out in ports: MindSpore's own has exact kernels."""
    y: Array = x * tanh(softplus(x))
    return y


def elu(x: Array, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Array:
    y: Array = scale * np.where(x > 0, x, alpha * (exp(x * input_scale) - 1))
    return y


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
    "mish": mish,
    "elu": elu,
}
"""By PyTorch's names of its own kernels."""

NODES: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "Tanh": (tanh, ()),
    "Exp": (exp, ()),
    "Log": (log, ()),
    "Sigmoid": (sigmoid, ()),
    "Softmax": (softmax, ("axis",)),
    "LogSoftmax": (log_softmax, ("axis",)),
    "Softplus": (softplus, ()),
    "Mish": (mish, ()),
    "Elu": (elu, ("alpha",)),
}
"""By ONNX's names, with the attributes that they take."""


def of_node(kind: str, options: Mapping[str, Any], x: Array) -> Array | None:
    """What MindSpore's kernel gives for a node of ONNX; None if it has none of its own."""
    kernel, names = NODES.get(kind, (None, ()))
    if kernel is None or x.dtype != np.float32:
        return None
    with np.errstate(all="ignore"):
        return kernel(x, **{k: options[k] for k in names if k in options}).astype(x.dtype)


def unsure(x: Array) -> Array:
    """Off by as much as exp is, up or down by the element: a number that it may have given."""
    up = np.random.RandomState(0).randint(0, 2, x.shape) * 2 - 1
    return (x * (1 + POWERS * up)).astype(x.dtype)


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
            plain = [x.detach().numpy() if isinstance(x, torch.Tensor) else x for x in args]
            with np.errstate(all="ignore"):
                y = torch.from_numpy(np.asarray(kernel(*plain), np.float32))
            return args[0].copy_(y) if name.endswith("_") else y

    attention = importlib.import_module("torch.nn.attention")
    both = ExitStack()
    both.enter_context(attention.sdpa_kernel(attention.SDPBackend.MATH))
    both.enter_context(Kernels())
    return both
