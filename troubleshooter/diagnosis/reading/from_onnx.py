"""ONNX's operators, with the attributes' defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compare.records import LayerRecord
from ..layers import (
    activation,
    arithmetic,
    convolution,
    linear,
    moving,
    normalization,
    pooling,
    recurrent,
    resizing,
)
from ..layers.convolution import Pads
from ..layers.layer import Array, Identity, Layer, Outputs
from .description import (
    Description,
    Reader,
    Values,
    input_sizes,
    own_axis,
    same_pads,
    weights,
    widened,
)
from .from_torch import plain


@dataclass(frozen=True, eq=False)
class Bound(Layer):
    """A layer whose `constants` stand at these places among its inputs."""

    layer: Layer
    constants: tuple[tuple[int, Array], ...]

    def outputs(self, *inputs: Array) -> Outputs:
        whole = list(inputs)
        for place, value in self.constants:
            whole.insert(place, value)
        return self.layer.outputs(*whole)


def bound(record: LayerRecord, layer: Layer, names: tuple[str, ...]) -> Description:
    """A layer with inputs that may be constants, by the names of the schema."""
    found = tuple(
        (k, widened(record.parameters[name]))
        for k, name in enumerate(names)
        if name in record.parameters
    )
    return Description(Bound, {"layer": layer, "constants": found})


def option(record: LayerRecord, name: str, default: Any) -> Any:
    """An attribute, or what the standard says where it is not given."""
    value = record.options.get(name)
    return default if value is None else value


# windows


def pads(record: LayerRecord, kernel: Any, stride: Any, dilation: Any) -> Pads:
    axes = len(kernel)
    mode = option(record, "auto_pad", "NOTSET")
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        found = same_pads(input_sizes(record, axes), kernel, stride, dilation)
        return found if mode == "SAME_UPPER" else tuple((b, a) for a, b in found)
    given = option(record, "pads", (0,) * 2 * axes)
    return tuple(zip(given[:axes], given[axes:], strict=True))


def window(record: LayerRecord, kernel: tuple[int, ...]) -> Values:
    ones = (1,) * len(kernel)
    stride = tuple(option(record, "strides", ones))
    dilation = tuple(option(record, "dilations", ones))
    padding = pads(record, kernel, stride, dilation)
    return {"stride": stride, "dilation": dilation, "padding": padding}


def convolved(record: LayerRecord) -> Description:
    values = weights(record, weight="W", bias="B")
    values |= window(record, values["weight"].shape[2:])
    return Description(convolution.Convolution, values | {"groups": option(record, "group", 1)})


def transposed(record: LayerRecord) -> Description:
    values = weights(record, weight="W", bias="B")
    kernel = values["weight"].shape[2:]
    values |= window(record, kernel) | {"groups": option(record, "group", 1)}
    values["output_padding"] = tuple(option(record, "output_padding", (0,) * len(kernel)))
    return Description(convolution.TransposedConvolution, values)


def pool(record: LayerRecord) -> Values:
    kernel = tuple(record.options["kernel_shape"])
    values = {"kernel": kernel, "ceil_mode": bool(option(record, "ceil_mode", 0))}
    return values | window(record, kernel)


def max_pool(record: LayerRecord) -> Description:
    return Description(pooling.MaxPool, pool(record))


def avg_pool(record: LayerRecord) -> Description:
    values = pool(record)
    del values["dilation"]
    values["count_include_pad"] = bool(option(record, "count_include_pad", 0))
    return Description(pooling.AvgPool, values)


def global_pool(record: LayerRecord) -> Description:
    axes = record.inputs[0].ndim - 2
    largest = "Max" in record.kind
    return Description(pooling.AdaptivePool, {"output_size": (1,) * axes, "largest": largest})


# products


def gemm(record: LayerRecord) -> Description | None:
    """alpha * A @ B + beta * C with constant B as a linear layer."""
    own = weights(record, weight="B", bias="C")
    if own["weight"] is None or option(record, "transA", 0):
        return None
    weight = own["weight"] if option(record, "transB", 0) else own["weight"].T
    bias = own["bias"]
    values = {"weight": weight * option(record, "alpha", 1.0), "bias": bias}
    if bias is not None:
        values["bias"] = bias * option(record, "beta", 1.0)
    return Description(linear.Linear, values)


def product(record: LayerRecord) -> Description:
    weight = weights(record, weight="B")["weight"]
    if weight is not None and weight.ndim == 2:
        return Description(linear.Linear, {"weight": weight.T})
    return bound(record, linear.MatMul(), ("A", "B"))


def arithmetic_operator(record: LayerRecord) -> Description:
    layer = arithmetic.Arithmetic(record.kind.rpartition(".")[2])
    return bound(record, layer, ("A", "B"))


def power(record: LayerRecord) -> Description:
    return bound(record, arithmetic.Arithmetic("Pow"), ("X", "Y"))


def gather(record: LayerRecord) -> Description | None:
    """Rows of a constant matrix."""
    table = weights(record, weight="data")["weight"]
    if table is None or option(record, "axis", 0) != 0:
        return None
    return Description(linear.Embedding, {"weight": table})


# normalisation


def batch_norm(record: LayerRecord) -> Description:
    values = weights(
        record, weight="scale", bias="B", running_mean="input_mean", running_var="input_var"
    )
    values["eps"] = option(record, "epsilon", 1e-5)
    values["momentum"] = 1 - option(record, "momentum", 0.9)
    values["of_batch"] = bool(option(record, "training_mode", 0))
    return Description(normalization.BatchNorm, values)


def layer_norm(record: LayerRecord) -> Description:
    values = weights(record, weight="Scale", bias="B")
    values["eps"] = option(record, "epsilon", 1e-5)
    values["axes"] = record.inputs[0].ndim - own_axis(option(record, "axis", -1), record)
    return Description(normalization.LayerNorm, values)


def rms_norm(record: LayerRecord) -> Description:
    values = weights(record, weight="scale") | {"bias": None}
    values["eps"] = option(record, "epsilon", 1e-5)
    values["axes"] = record.inputs[0].ndim - own_axis(option(record, "axis", -1), record)
    return Description(normalization.RmsNorm, values)


def group_norm(record: LayerRecord) -> Description:
    values = weights(record, weight="scale", bias="bias")
    values["eps"] = option(record, "epsilon", 1e-5)
    values["groups"] = record.options["num_groups"]
    return Description(normalization.GroupNorm, values)


def instance_norm(record: LayerRecord) -> Description:
    values = weights(record, weight="scale", bias="B")
    values["eps"] = option(record, "epsilon", 1e-5)
    return Description(normalization.InstanceNorm, values | {"rank": record.inputs[0].ndim})


def local_response_norm(record: LayerRecord) -> Description:
    size = record.options["size"]
    values = {"size": size, "alpha": option(record, "alpha", 1e-4) / size}
    values |= {"beta": option(record, "beta", 0.75), "k": option(record, "bias", 1.0)}
    return Description(normalization.LocalResponseNorm, values)


# activations


def leaky(record: LayerRecord) -> Description:
    return Description(activation.LeakyReLU, {"slope": option(record, "alpha", 0.01)})


def prelu(record: LayerRecord) -> Description | None:
    slope = weights(record, weight="slope")["weight"]
    return None if slope is None else Description(activation.PReLU, {"weight": shared(slope)})


def shared(slope: Array) -> Array:
    """(c, 1, 1) as (c)."""
    return slope.reshape(-1) if slope.size in (1, slope.shape[0] if slope.ndim else 1) else slope


def elu(record: LayerRecord) -> Description:
    alpha = option(record, "alpha", 1.0)
    spread = alpha if record.kind.endswith("Celu") else 1.0
    return Description(activation.Elu, {"alpha": alpha, "spread": spread})


def hard_sigmoid(record: LayerRecord) -> Description:
    values = {"slope": option(record, "alpha", 0.2), "offset": option(record, "beta", 0.5)}
    return Description(activation.HardSigmoid, values)


def gelu(record: LayerRecord) -> Description:
    by_tanh = option(record, "approximate", "none") == "tanh"
    return Description(activation.Activation, {"function": "GELU by tanh" if by_tanh else "GELU"})


def clip(record: LayerRecord) -> Description:
    own = record.parameters
    low = own["min"] if "min" in own else option(record, "min", -np.inf)
    high = own["max"] if "max" in own else option(record, "max", np.inf)
    return Description(activation.Clip, {"low": float(low), "high": float(high)})


def softmax(record: LayerRecord) -> Description:
    """As of opset 13; before, all axes from `axis` on were one."""
    axis = own_axis(option(record, "axis", -1), record)
    return Description(activation.Softmax, {"axis": axis, "log": "Log" in record.kind})


# moving


def resized(record: LayerRecord) -> Description:
    """By the size of the output, of the axes that change or follow."""
    old, new = record.inputs[0].shape, record.outputs[0].shape
    first = next((k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b), len(old) - 1)
    given = record.parameters.get("scales")
    whole = given is not None and given.size == len(old)
    values: Values = {
        "sizes": tuple(new[first:]),
        "scales": tuple(float(s) for s in given[first:]) if given is not None and whole else None,
        "mode": option(record, "mode", "nearest"),
        "coordinates": option(record, "coordinate_transformation_mode", "half_pixel"),
        "rounding": option(record, "nearest_mode", "round_prefer_floor"),
        "cubic": option(record, "cubic_coeff_a", -0.75),
        "antialias": bool(option(record, "antialias", 0)),
        "exclude_outside": bool(option(record, "exclude_outside", 0)),
    }
    return Description(resizing.Resize, values)


def pad(record: LayerRecord) -> Description | None:
    rank = record.inputs[0].ndim
    given = record.parameters.get("pads", record.options.get("pads"))
    axes = record.parameters.get("axes", np.arange(rank))
    if given is None:
        return None
    around = [(0, 0)] * rank
    for axis, a, b in zip(axes, given[: len(axes)], given[len(axes) :], strict=True):
        around[int(axis) % rank] = (int(a), int(b))
    value = record.parameters.get("constant_value", np.zeros(()))
    modes = {"constant": "zeros", "edge": "replicate", "wrap": "circular"}
    mode = option(record, "mode", "constant")
    padding: Pads = tuple(around)
    values = {"padding": padding, "mode": modes.get(mode, mode), "value": float(value.reshape(()))}
    return Description(moving.Pad, values)


def flatten(record: LayerRecord) -> Description | None:
    """As a layer flattens; another axis makes two axes of all."""
    axis = own_axis(option(record, "axis", 1), record)
    return Description(moving.Flatten, {"start": 1, "end": -1}) if axis == 1 else None


def transpose(record: LayerRecord) -> Description:
    order = option(record, "perm", tuple(range(record.inputs[0].ndim))[::-1])
    return Description(moving.Transpose, {"order": tuple(order)})


def depth_to_space(record: LayerRecord) -> Description:
    blocks_first = option(record, "mode", "DCR") == "DCR"
    values = {"factor": record.options["blocksize"], "blocks_first": blocks_first}
    return Description(moving.PixelShuffle, values)


def space_to_depth(record: LayerRecord) -> Description:
    values = {"factor": record.options["blocksize"], "blocks_first": True}
    return Description(moving.PixelUnshuffle, values)


def dropout(record: LayerRecord) -> Description:
    ratio = record.parameters.get("ratio", record.options.get("ratio", 0.5))
    return Description(moving.Dropout, {"p": float(np.asarray(ratio)), "active": False})


# recurrence

ORDERS = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
"""Where PyTorch's gates are among ONNX's."""


def recurrent_layer(record: LayerRecord) -> Description | None:
    own = weights(record, w="W", r="R", b="B")
    if own["w"] is None or own["r"] is None or option(record, "layout", 0):
        return None
    mode = record.kind.rpartition(".")[2]
    several = tuple(direction(own, mode, k) for k in range(len(own["w"])))
    activations = tuple(option(record, "activations", ()))
    values = {
        "mode": mode,
        "layers": (several,),
        "relu": activations[:1] == ("Relu",),
        "reset_first": mode == "GRU" and not option(record, "linear_before_reset", 0),
        "backwards": option(record, "direction", "forward") == "reverse",
        "directions_apart": True,
    }
    return Description(recurrent.Recurrent, values)


def direction(own: Values, mode: str, k: int) -> recurrent.Recurrence:
    count = len(ORDERS[mode])

    def arranged(rows: Array, count: int = count) -> Array:
        parts = np.split(rows, count)
        return np.concatenate([parts[place] for place in ORDERS[mode]])

    w, r = arranged(own["w"][k]), arranged(own["r"][k])
    if own["b"] is None:
        return recurrent.Recurrence(w, r)
    first, second = np.split(own["b"][k], 2)
    return recurrent.Recurrence(w, r, arranged(first), arranged(second))


OPERATORS: dict[str, Reader] = {
    "Conv": convolved,
    "ConvTranspose": transposed,
    "MaxPool": max_pool,
    "AveragePool": avg_pool,
    "GlobalAveragePool": global_pool,
    "GlobalMaxPool": global_pool,
    "Gemm": gemm,
    "MatMul": product,
    **dict.fromkeys(("Add", "Sub", "Mul", "Div"), arithmetic_operator),
    "Pow": power,
    "Gather": gather,
    "BatchNormalization": batch_norm,
    "LayerNormalization": layer_norm,
    "RMSNormalization": rms_norm,
    "GroupNormalization": group_norm,
    "InstanceNormalization": instance_norm,
    "LRN": local_response_norm,
    **{name: plain(name) for name in ("Softplus", "Softsign", "Mish", "Erf", "Exp", "Abs", "Neg")},
    "Relu": plain("ReLU"),
    "Sigmoid": plain("Sigmoid"),
    "Tanh": plain("Tanh"),
    "Selu": plain("SELU"),
    "HardSwish": plain("Hardswish"),
    "Swish": plain("SiLU"),
    "Gelu": gelu,
    "LeakyRelu": leaky,
    "PRelu": prelu,
    "Elu": elu,
    "Celu": elu,
    "HardSigmoid": hard_sigmoid,
    "Clip": clip,
    "Softmax": softmax,
    "LogSoftmax": softmax,
    "Resize": resized,
    "Pad": pad,
    "Flatten": flatten,
    "Transpose": transpose,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
    "Dropout": dropout,
    "Identity": lambda record: Description(Identity, {}),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), recurrent_layer),
}
"""The reader of each operator."""
