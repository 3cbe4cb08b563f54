"""Activation functions.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

from typing import Any

from ..primitive import primitive
from ..tensor import Tensor


@primitive("Celu")
def celu(x: Tensor, *, alpha: float = 1.0) -> Any: ...


@primitive("Elu")
def elu(x: Tensor, *, alpha: float = 1.0) -> Any: ...


@primitive("Gelu")
def gelu(x: Tensor, *, approximate: str = "none") -> Any: ...


@primitive("HardSigmoid")
def hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Any: ...


@primitive("HardSwish")
def hard_swish(x: Tensor) -> Any: ...


@primitive("Hardmax")
def hardmax(input: Tensor, *, axis: int = -1) -> Any: ...


@primitive("LeakyRelu")
def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Any: ...


@primitive("LogSoftmax")
def log_softmax(input: Tensor, *, axis: int = -1) -> Any: ...


@primitive("Mish")
def mish(x: Tensor) -> Any: ...


@primitive("PRelu")
def prelu(x: Tensor, slope: Tensor) -> Any: ...


@primitive("Relu")
def relu(x: Tensor) -> Any: ...


@primitive("Selu")
def selu(x: Tensor, *, alpha: float = 1.673263, gamma: float = 1.050701) -> Any: ...


@primitive("Shrink")
def shrink(input: Tensor, *, bias: float = 0.0, lambd: float = 0.5) -> Any: ...


@primitive("Sigmoid")
def sigmoid(x: Tensor) -> Any: ...


@primitive("Softmax")
def softmax(input: Tensor, *, axis: int = -1) -> Any: ...


@primitive("Softplus")
def softplus(x: Tensor) -> Any: ...


@primitive("Softsign")
def softsign(input: Tensor) -> Any: ...


@primitive("Tanh")
def tanh(input: Tensor) -> Any: ...


@primitive("ThresholdedRelu")
def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Any: ...
