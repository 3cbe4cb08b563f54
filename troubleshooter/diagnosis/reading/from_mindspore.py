"""MindSpore's layers, and the runtime's, which keep the same attributes.

An attribute is not always what the constructor was given: `momentum` of a BatchNorm is the weight
of the new value, though its constructor takes that of the old one.
"""

from __future__ import annotations

from typing import Any

from ...compare.records import LayerRecord
from ..layers import (
    activation,
    attention,
    convolution,
    linear,
    loss,
    moving,
    normalization,
    pooling,
    recurrent,
)
from ..layers.convolution import Pads
from ..layers.layer import Identity
from . import from_torch
from .description import (
    Description,
    Reader,
    Values,
    axes_of,
    both_sides,
    input_sizes,
    last_first,
    own_axis,
    same_pads,
    sizes,
    taken,
    weights,
)
from .from_torch import activated, plain


def dense(record: LayerRecord) -> Description:
    return Description(linear.Linear, weights(record, weight="weight", bias="bias"))


def embedding(record: LayerRecord) -> Description:
    values = weights(record, weight="embedding_table") | taken(record, padding_idx="padding_idx")
    return Description(linear.Embedding, values)


# windows


def given_pads(padding: Any, axes: int) -> Pads:
    """One number for all sides, one for each axis, or two: (top, bottom, left, right)."""
    if isinstance(padding, (list, tuple)) and len(padding) >= 2 * axes:
        own = padding[-2 * axes :]
        return tuple((own[k], own[k + 1]) for k in range(0, 2 * axes, 2))
    return both_sides(sizes(padding, axes))


def pads(record: LayerRecord, kernel: Any, stride: Any, dilation: Any) -> Values:
    """The padding that a pad_mode comes to for this input; nothing if it is not kept."""
    mode = str(record.options["pad_mode"]).lower()
    axes = len(kernel)
    if mode == "same":
        return {"padding": same_pads(input_sizes(record, axes), kernel, stride, dilation)}
    if mode == "valid":
        return {"padding": both_sides((0,) * axes)}
    known = "padding" in record.options
    return {"padding": given_pads(record.options["padding"], axes)} if known else {}


def convolved(record: LayerRecord) -> Description:
    axes, own = axes_of(record), record.options
    kernel, stride, dilation = (
        sizes(own[name], axes) for name in ("kernel_size", "stride", "dilation")
    )
    values: Values = {"stride": stride, "dilation": dilation, "groups": own["group"]}
    values |= pads(record, kernel, stride, dilation) | kernel_and_bias(record, axes)
    return Description(convolution.Convolution, values | {"padding_mode": "zeros"})


def kernel_and_bias(record: LayerRecord, axes: int) -> Values:
    """The weight without the axis that MindSpore gives kernels of one axis."""
    values = weights(record, weight="weight", bias="bias")
    weight = values["weight"]
    if weight is not None and weight.ndim == axes + 3:
        values["weight"] = weight.squeeze(2)
    return values


def transposed(record: LayerRecord) -> Description:
    axes, own = axes_of(record), record.options
    kernel, stride, dilation = (
        sizes(own[name], axes) for name in ("kernel_size", "stride", "dilation")
    )
    values: Values = {"stride": stride, "dilation": dilation, "groups": own["group"]}
    values |= kernel_and_bias(record, axes)
    mode = str(own["pad_mode"]).lower()
    if mode != "pad":
        return Description(
            convolution.TransposedConvolution, values | sized(mode, kernel, stride, dilation)
        )
    values["padding"] = given_pads(own["padding"], axes)
    extra = sizes(own.get("output_padding", 0), axes)
    values["zeros_behind" if axes == 2 else "output_padding"] = extra
    return Description(convolution.TransposedConvolution, values)


def sized(mode: str, kernel: Any, stride: Any, dilation: Any) -> Values:
    """Padding of the modes same (size * stride) and valid (at least that)."""
    every = zip(kernel, dilation, stride, strict=True)
    spare = [(k - 1) * d + 1 - s for k, d, s in every]
    extra = tuple(max(-n, 0) for n in spare)
    cut = [max(n, 0) if mode == "same" else 0 for n in spare]
    return {"padding": tuple((n // 2, n - n // 2) for n in cut), "output_padding": extra}


def pool(record: LayerRecord) -> Values:
    axes, own = axes_of(record), record.options
    kernel, stride = (sizes(own[name], axes) for name in ("kernel_size", "stride"))
    dilation = sizes(own.get("dilation", 1), axes)
    values: Values = {"kernel": kernel, "stride": stride}
    values |= pads(record, kernel, stride, dilation)
    return values | taken(record, ceil_mode="ceil_mode")


def max_pool(record: LayerRecord) -> Description:
    values = pool(record)
    if "dilation" in record.options:
        values["dilation"] = sizes(record.options["dilation"], axes_of(record))
    return Description(pooling.MaxPool, values)


def avg_pool(record: LayerRecord) -> Description:
    values = pool(record) | taken(
        record, count_include_pad="count_include_pad", divisor_override="divisor_override"
    )
    if str(record.options["pad_mode"]).lower() != "pad":
        values["count_include_pad"] = False
    return Description(pooling.AvgPool, values)


# normalisation

STATISTICS = {"running_mean": "moving_mean", "running_var": "moving_variance"}
SCALES = {"weight": "gamma", "bias": "beta"}


def batch_norm(record: LayerRecord) -> Description:
    values = weights(record, **SCALES, **STATISTICS)
    values |= taken(record, eps="eps", momentum="momentum")
    settled = record.options.get("use_batch_statistics")
    of_batch = record.training if settled is None else settled
    return Description(normalization.BatchNorm, values | {"of_batch": of_batch})


def batch_norm_of_volumes(record: LayerRecord) -> Description:
    """BatchNorm3d, whose parameters are those of `bn2d` inside, as are its options."""
    inner = {field: f"bn2d.{name}" for field, name in (SCALES | STATISTICS).items()}
    values = weights(record, **inner) | {"of_batch": record.training}
    return Description(normalization.BatchNorm, values)


def instance_norm(record: LayerRecord) -> Description:
    values = weights(record, **SCALES) | taken(record, eps="eps")
    return Description(normalization.InstanceNorm, values | {"rank": axes_of(record) + 2})


def layer_norm(record: LayerRecord) -> Description:
    values = weights(record, **SCALES) | taken(record, eps="epsilon")
    first = own_axis(record.options["begin_norm_axis"], record)
    return Description(normalization.LayerNorm, values | {"axes": record.inputs[0].ndim - first})


def group_norm(record: LayerRecord) -> Description:
    values = weights(record, **SCALES) | taken(record, eps="eps", groups="num_groups")
    return Description(normalization.GroupNorm, values)


# activations


def gelu(record: LayerRecord) -> Description:
    by_tanh = record.options["approximate"] in (True, "tanh")
    return Description(activation.Activation, {"function": "GELU by tanh" if by_tanh else "GELU"})


def softmax(record: LayerRecord) -> Description:
    values: Values = {"log": "Log" in record.kind, "negative": "Softmin" in record.kind}
    if "axis" in record.options:
        values["axis"] = own_axis(record.options["axis"], record)
    return Description(activation.Softmax, values)


def prelu(record: LayerRecord) -> Description:
    return Description(activation.PReLU, weights(record, weight="w"))


def dropout(record: LayerRecord) -> Description:
    own = record.options
    p = own.get("p")
    values: Values = {}
    if p is not None or "keep_prob" in own:
        values["p"] = p if p is not None else 1 - own["keep_prob"]
        values["active"] = bool(record.training and values["p"])
    return Description(moving.Dropout, values)


# moving


def pad(record: LayerRecord) -> Description:
    paddings = tuple((a, b) for a, b in record.options["paddings"])
    mode = str(record.options["mode"]).lower()
    named = {"constant": "zeros"}.get(mode, mode)
    return Description(moving.Pad, {"padding": paddings, "mode": named})


def pad_of_images(record: LayerRecord) -> Description:
    name = record.kind.rpartition(".")[2]
    modes = {"Reflection": "reflect", "Replication": "replicate"}
    mode = next((mode for start, mode in modes.items() if name.startswith(start)), "zeros")
    given = record.options["padding"]
    several = given if isinstance(given, (list, tuple)) else (given,) * 2 * axes_of(record)
    values: Values = {"padding": last_first(several), "mode": mode}
    return Description(moving.Pad, values | taken(record, value="value"))


def unflatten(record: LayerRecord) -> Description:
    values = {"axis": record.options["axis"], "sizes": tuple(record.options["unflattened_size"])}
    return Description(moving.Unflatten, values)


# recurrence and attention


def recurrent_layer(record: LayerRecord) -> Description:
    own = record.options
    mode = record.kind.rpartition(".")[2]
    directions = ["", "_reverse"][: 2 if own["bidirectional"] else 1]
    layers = tuple(
        tuple(from_torch.recurrence(record, f"_l{k}{suffix}") for suffix in directions)
        for k in range(own["num_layers"])
    )
    values: Values = {"mode": mode, "layers": layers}
    if "nonlinearity" in own:
        values["relu"] = own["nonlinearity"] == "relu"
    return Description(recurrent.Recurrent, values | taken(record, batch_first="batch_first"))


def multihead(record: LayerRecord) -> Description:
    values = from_torch.multihead_values(record, "")
    return Description(attention.MultiheadAttention, values)


# losses


def reduction(record: LayerRecord) -> Values:
    """As text, or as the two flags of `LossBase`."""
    own = record.options
    if isinstance(own.get("reduction"), str):
        return {"reduction": own["reduction"]}
    if "reduce" not in own or "average" not in own:
        return {}
    if not own["reduce"]:
        return {"reduction": "none"}
    return {"reduction": "mean" if own["average"] else "sum"}


def elementwise_loss(function: str, setting: str = "") -> Reader:
    def read(record: LayerRecord) -> Description:
        values = {"function": function} | reduction(record)
        return Description(
            loss.ElementwiseLoss, values | (taken(record, setting=setting) if setting else {})
        )

    return read


LOSSES: dict[str, Reader] = {
    "MSELoss": elementwise_loss("MSELoss"),
    "L1Loss": elementwise_loss("L1Loss"),
    "SmoothL1Loss": elementwise_loss("SmoothL1Loss", "beta"),
    "HuberLoss": elementwise_loss("HuberLoss", "delta"),
    "SoftMarginLoss": elementwise_loss("SoftMarginLoss"),
    "HingeEmbeddingLoss": elementwise_loss("HingeEmbeddingLoss", "margin"),
    **{
        name: from_torch.LOSSES[name]
        for name in (
            "KLDivLoss",
            "BCELoss",
            "BCEWithLogitsLoss",
            "CrossEntropyLoss",
            "NLLLoss",
        )
    },
}

ACTIVATIONS: dict[str, Reader] = {
    **{
        name: plain(name)
        for name in (
            *("ReLU", "ReLU6", "SiLU", "Mish", "Sigmoid", "Tanh", "LogSigmoid", "Softsign"),
            "Tanhshrink",
        )
    },
    "SeLU": plain("SELU"),
    "HSwish": plain("Hardswish"),
    "HSigmoid": plain("Hardsigmoid"),
    "FastGelu": plain("x * sigmoid(1.702 * x)"),
    "GELU": gelu,
    "Hardtanh": activated(activation.Clip, low="min_val", high="max_val"),
    "LeakyReLU": activated(activation.LeakyReLU, slope="alpha"),
    "PReLU": prelu,
    "ELU": activated(activation.Elu, alpha="alpha"),
    "CELU": from_torch.celu,
    "Threshold": activated(activation.Threshold, threshold="threshold", value="value"),
    "HShrink": from_torch.shrink,
    "SoftShrink": from_torch.shrink,
    "Softmax": softmax,
    "LogSoftmax": softmax,
    "Softmin": softmax,
    "Softmax2d": from_torch.softmax_of_channels,
}

LAYERS: dict[str, Reader] = {
    "Dense": dense,
    "Embedding": embedding,
    **{f"Conv{n}d": convolved for n in (1, 2, 3)},
    **{f"Conv{n}dTranspose": transposed for n in (1, 2, 3)},
    **{f"MaxPool{n}d": max_pool for n in (1, 2, 3)},
    **{f"AvgPool{n}d": avg_pool for n in (1, 2, 3)},
    **{
        f"Adaptive{kind}Pool{n}d": from_torch.adaptive for kind in ("Avg", "Max") for n in (1, 2, 3)
    },
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "SyncBatchNorm"), batch_norm),
    "BatchNorm3d": batch_norm_of_volumes,
    **{f"InstanceNorm{n}d": instance_norm for n in (1, 2, 3)},
    "LayerNorm": layer_norm,
    "GroupNorm": group_norm,
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"), dropout),
    "Pad": pad,
    "ZeroPad2d": pad_of_images,
    **{
        f"{kind}Pad{n}d": pad_of_images
        for kind in ("Constant", "Reflection", "Replication")
        for n in (1, 2, 3)
    },
    "Upsample": from_torch.resized,
    "Flatten": activated(moving.Flatten, start="start_dim", end="end_dim"),
    "Unflatten": unflatten,
    "PixelShuffle": activated(moving.PixelShuffle, factor="upscale_factor"),
    "PixelUnshuffle": activated(moving.PixelUnshuffle, factor="downscale_factor"),
    "ChannelShuffle": activated(moving.ChannelShuffle, groups="groups"),
    "Identity": activated(Identity),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), recurrent_layer),
    **dict.fromkeys(("LSTMCell", "GRUCell", "RNNCell"), from_torch.recurrent_cell),
    "MultiheadAttention": multihead,
    **ACTIVATIONS,
    **LOSSES,
}
"""The reader of each class of mindspore.nn."""

MINT = from_torch.LAYERS
"""Those of mindspore.mint.nn, which have PyTorch's names and meanings."""
