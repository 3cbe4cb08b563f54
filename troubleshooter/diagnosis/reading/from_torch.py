"""PyTorch's layers."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    resizing,
)
from ..layers.layer import Identity, Layer
from .description import (
    Description,
    Reader,
    Values,
    axes_of,
    both_sides,
    input_sizes,
    last_first,
    own_axis,
    sizes,
    taken,
    weights,
    widened,
)


def dense(record: LayerRecord) -> Description:
    return Description(linear.Linear, weights(record, weight="weight", bias="bias"))


def bilinear(record: LayerRecord) -> Description:
    return Description(linear.Bilinear, weights(record, weight="weight", bias="bias"))


def embedding(record: LayerRecord) -> Description:
    options = taken(record, padding_idx="padding_idx", max_norm="max_norm", norm_type="norm_type")
    return Description(linear.Embedding, options | weights(record, weight="weight"))


def embedding_bag(record: LayerRecord) -> Description:
    options = taken(record, mode="mode", padding_idx="padding_idx",
                    include_last_offset="include_last_offset")  # fmt: skip
    return Description(linear.EmbeddingBag, options | weights(record, weight="weight"))


# windows


def window(record: LayerRecord, axes: int) -> Values:
    """Stride, dilation and padding of a layer of windows."""
    own = record.options
    kernel = sizes(own["kernel_size"], axes)
    dilation = sizes(own.get("dilation", 1), axes)
    stride = kernel if own["stride"] is None else sizes(own["stride"], axes)
    pads = own["padding"]
    if pads == "same":
        spans = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
        padding = tuple((n // 2, n - n // 2) for n in spans)
    else:
        padding = both_sides(sizes(0 if pads == "valid" else pads, axes))
    return {"kernel": kernel, "stride": stride, "dilation": dilation, "padding": padding}


def without(values: Values, *names: str) -> Values:
    return {k: v for k, v in values.items() if k not in names}


def convolved(record: LayerRecord) -> Description:
    values = without(window(record, axes_of(record)), "kernel")
    values |= taken(record, groups="groups", padding_mode="padding_mode")
    values |= weights(record, weight="weight", bias="bias")
    return Description(convolution.Convolution, values)


def transposed(record: LayerRecord) -> Description:
    axes = axes_of(record)
    values = without(window(record, axes), "kernel") | taken(record, groups="groups")
    values["output_padding"] = sizes(record.options["output_padding"], axes)
    values |= weights(record, weight="weight", bias="bias")
    return Description(convolution.TransposedConvolution, values)


def max_pool(record: LayerRecord) -> Description:
    values = window(record, axes_of(record)) | taken(record, ceil_mode="ceil_mode")
    return Description(pooling.MaxPool, values)


def avg_pool(record: LayerRecord) -> Description:
    values = without(window(record, axes_of(record)), "dilation")
    values |= taken(
        record, ceil_mode="ceil_mode", count_include_pad="count_include_pad",
        divisor_override="divisor_override",
    )  # fmt: skip
    return Description(pooling.AvgPool, values)


def lp_pool(record: LayerRecord) -> Description:
    axes, own = axes_of(record), record.options
    kernel = sizes(own["kernel_size"], axes)
    stride = kernel if own["stride"] is None else sizes(own["stride"], axes)
    values = {"kernel": kernel, "stride": stride, "padding": both_sides((0,) * axes)}
    values |= taken(record, ceil_mode="ceil_mode", p="norm_type")
    return Description(pooling.LpPool, values)


def adaptive(record: LayerRecord) -> Description:
    given, axes = record.options["output_size"], axes_of(record)
    wanted = tuple(given) if isinstance(given, (list, tuple)) else (given,) * axes
    return Description(
        pooling.AdaptivePool, {"output_size": wanted, "largest": "MaxPool" in record.kind}
    )


def unfold(record: LayerRecord) -> Description:
    return Description(moving.Unfold, window(record, 2))


# normalisation


def batch_norm(record: LayerRecord) -> Description:
    values = weights(
        record, weight="weight", bias="bias", running_mean="running_mean",
        running_var="running_var",
    )  # fmt: skip
    values |= taken(record, eps="eps", momentum="momentum")
    of_batch = record.training or values["running_mean"] is None
    return Description(normalization.BatchNorm, values | {"of_batch": of_batch})


def instance_norm(record: LayerRecord) -> Description:
    values = weights(record, weight="weight", bias="bias") | taken(record, eps="eps")
    values |= taken(record, momentum="momentum") | {"rank": axes_of(record) + 2}
    if not record.training:
        values |= weights(record, running_mean="running_mean", running_var="running_var")
    return Description(normalization.InstanceNorm, values)


def layer_norm(record: LayerRecord) -> Description:
    shape = record.options["normalized_shape"]
    values = weights(record, weight="weight", bias="bias") | taken(record, eps="eps")
    return Description(normalization.LayerNorm, values | {"axes": len(shape)})


def rms_norm(record: LayerRecord) -> Description:
    eps = record.options["eps"]
    values = weights(record, weight="weight", bias="bias")
    values["eps"] = float(np.finfo(record.inputs[0].dtype).eps) if eps is None else eps
    values["axes"] = len(record.options["normalized_shape"])
    return Description(normalization.RmsNorm, values)


def group_norm(record: LayerRecord) -> Description:
    values = weights(record, weight="weight", bias="bias")
    return Description(
        normalization.GroupNorm, values | taken(record, eps="eps", groups="num_groups")
    )


def local_response_norm(record: LayerRecord) -> Description:
    values = taken(record, size="size", beta="beta", k="k")
    values["alpha"] = record.options["alpha"] / record.options["size"]
    return Description(normalization.LocalResponseNorm, values)


# activations


def activated(kind: type[Layer], **names: str) -> Reader:
    """The reader of a layer with these options and nothing else."""
    return lambda record: Description(kind, taken(record, **names))


def plain(function: str) -> Reader:
    return lambda record: Description(activation.Activation, {"function": function})


def gelu(record: LayerRecord) -> Description:
    by_tanh = record.options["approximate"] == "tanh"
    return Description(activation.Activation, {"function": "GELU by tanh" if by_tanh else "GELU"})


def rrelu(record: LayerRecord) -> Description | None:
    """In evaluation; in training the slopes are random."""
    slope = (record.options["lower"] + record.options["upper"]) / 2
    return None if record.training else Description(activation.LeakyReLU, {"slope": slope})


def celu(record: LayerRecord) -> Description:
    alpha = record.options["alpha"]
    return Description(activation.Elu, {"alpha": alpha, "spread": alpha})


def shrink(record: LayerRecord) -> Description:
    bound = record.options["lambd"]
    bias = bound if "Soft" in record.kind else 0.0
    return Description(activation.Shrink, {"bound": bound, "bias": bias})


def softmax(record: LayerRecord) -> Description:
    axis = record.options["dim"]
    if axis is None:  # PyTorch's old rule, with a warning
        axis = 0 if record.inputs[0].ndim in (0, 1, 3) else 1
    values = {"axis": own_axis(axis, record), "log": "Log" in record.kind}
    return Description(activation.Softmax, values | {"negative": "Softmin" in record.kind})


def softmax_of_channels(record: LayerRecord) -> Description:
    return Description(activation.Softmax, {"axis": own_axis(-3, record)})


def glu(record: LayerRecord) -> Description:
    return Description(activation.Glu, {"axis": own_axis(record.options["dim"], record)})


def prelu(record: LayerRecord) -> Description:
    return Description(activation.PReLU, weights(record, weight="weight"))


def dropout(record: LayerRecord) -> Description:
    """Which elements are kept is random, and taken from the record."""
    p = record.options["p"]
    values = {"p": p, "active": bool(record.training and p)}
    return Description(moving.Dropout, values | {"kept": record.outputs[0] != 0})


# moving


def pad(record: LayerRecord) -> Description:
    name = record.kind.rpartition(".")[2]
    modes = {"Reflection": "reflect", "Replication": "replicate", "Circular": "circular"}
    mode = next((mode for start, mode in modes.items() if name.startswith(start)), "zeros")
    values: Values = {"padding": last_first(record.options["padding"]), "mode": mode}
    return Description(moving.Pad, values | taken(record, value="value"))


def resized(record: LayerRecord) -> Description:
    own = record.options
    mode, factor = own["mode"], own["scale_factor"]
    axes = record.inputs[0].ndim - 2
    old = input_sizes(record, axes)
    if factor is None:
        new, scales = sizes(own["size"], axes), None
    else:
        factors = tuple(factor) if isinstance(factor, (list, tuple)) else (factor,) * axes
        new = tuple(int(n * f) for n, f in zip(old, factors, strict=True))
        scales = None if own.get("recompute_scale_factor") else factors
    return Description(
        resizing.Resize,
        {"sizes": new, "scales": scales, **resize_mode(mode, bool(own.get("align_corners")))},
    )


def resize_mode(mode: str, align_corners: bool) -> Values:
    if mode == "nearest":
        return {"mode": "nearest", "coordinates": "asymmetric", "rounding": "floor"}
    if mode == "nearest-exact":
        settings = {"coordinates": "half_pixel", "rounding": "round_prefer_ceil"}
        return {"mode": "nearest", **settings}
    kinds = {"bicubic": "cubic", "area": "area"}
    coordinates = "align_corners" if align_corners else "half_pixel"
    return {"mode": kinds.get(mode, "linear"), "coordinates": coordinates}


def unflatten(record: LayerRecord) -> Description:
    values = {"axis": record.options["dim"], "sizes": tuple(record.options["unflattened_size"])}
    return Description(moving.Unflatten, values)


# recurrence


def recurrent_layer(record: LayerRecord) -> Description:
    own = record.options
    mode = str(own["mode"])
    directions = ["", "_reverse"][: 2 if own["bidirectional"] else 1]
    layers = tuple(
        tuple(recurrence(record, f"_l{k}{suffix}") for suffix in directions)
        for k in range(own["num_layers"])
    )
    values = {"mode": mode.partition("_")[0], "layers": layers, "relu": mode.endswith("RELU")}
    return Description(recurrent.Recurrent, values | taken(record, batch_first="batch_first"))


def recurrence(record: LayerRecord, suffix: str) -> recurrent.Recurrence:
    names = {"w_ih": "weight_ih", "w_hh": "weight_hh", "b_ih": "bias_ih", "b_hh": "bias_hh",
             "projection": "weight_hr"}  # fmt: skip
    return recurrent.Recurrence(
        **weights(record, **{field: name + suffix for field, name in names.items()})
    )


def recurrent_cell(record: LayerRecord) -> Description:
    mode = record.kind.rpartition(".")[2].removesuffix("Cell")
    relu = record.options.get("nonlinearity") == "relu"
    values = {"mode": mode, "recurrence": recurrence(record, ""), "relu": relu}
    return Description(recurrent.Step, values)


# attention


def multihead(record: LayerRecord) -> Description:
    return Description(attention.MultiheadAttention, multihead_values(record, ""))


def multihead_values(record: LayerRecord, prefix: str) -> Values:
    """Of a layer whose parameters' names begin with `prefix`, and the options with them."""
    own = {
        k.removeprefix(prefix): widened(v)
        for k, v in record.parameters.items()
        if k.startswith(prefix)
    }
    if "in_proj_weight" in own:
        matrices = np.split(own["in_proj_weight"], 3)
    else:
        matrices = [own[f"{letter}_proj_weight"] for letter in "qkv"]
    biases: list[Any] = [None] * 3
    if "in_proj_bias" in own:
        biases = np.split(own["in_proj_bias"], 3)
    options = record.options
    return {
        "heads": options["nhead" if "nhead" in options else "num_heads"],
        "projections": tuple(linear.Linear(w, b) for w, b in zip(matrices, biases, strict=True)),
        "out": linear.Linear(own["out_proj.weight"], own.get("out_proj.bias")),
        "bias_k": own.get("bias_k"),
        "bias_v": own.get("bias_v"),
        "zero_step": bool(options.get("add_zero_attn")),
        "batch_first": bool(options.get("batch_first")),
    }


# losses


def elementwise_loss(function: str, setting: str = "") -> Reader:
    def read(record: LayerRecord) -> Description:
        values = {"function": function, **taken(record, reduction="reduction")}
        return Description(
            loss.ElementwiseLoss, values | (taken(record, setting=setting) if setting else {})
        )

    return read


def divergence(record: LayerRecord) -> Description:
    function = "KLDivLoss of logarithms" if record.options.get("log_target") else "KLDivLoss"
    values = {"function": function, **taken(record, reduction="reduction")}
    return Description(loss.ElementwiseLoss, values)


def binary(record: LayerRecord) -> Description:
    values = weights(record, weight="weight", pos_weight="pos_weight")
    values["logits"] = "Logits" in record.kind
    return Description(loss.BinaryCrossEntropy, values | taken(record, reduction="reduction"))


def cross_entropy(record: LayerRecord) -> Description:
    values = weights(record, weight="weight") | taken(
        record, reduction="reduction", ignore_index="ignore_index",
        label_smoothing="label_smoothing",
    )  # fmt: skip
    values["logits"] = "NLL" not in record.kind
    return Description(loss.CrossEntropy, values)


LOSSES: dict[str, Reader] = {
    "MSELoss": elementwise_loss("MSELoss"),
    "L1Loss": elementwise_loss("L1Loss"),
    "SmoothL1Loss": elementwise_loss("SmoothL1Loss", "beta"),
    "HuberLoss": elementwise_loss("HuberLoss", "delta"),
    "SoftMarginLoss": elementwise_loss("SoftMarginLoss"),
    "HingeEmbeddingLoss": elementwise_loss("HingeEmbeddingLoss", "margin"),
    "KLDivLoss": divergence,
    "BCELoss": binary,
    "BCEWithLogitsLoss": binary,
    "CrossEntropyLoss": cross_entropy,
    "NLLLoss": cross_entropy,
}

ACTIVATIONS: dict[str, Reader] = {
    **{
        name: plain(name)
        for name in (
            *("ReLU", "SiLU", "Mish", "SELU", "Sigmoid", "Tanh", "LogSigmoid", "Softsign"),
            *("Hardswish", "Hardsigmoid", "Tanhshrink"),
        )
    },
    "GELU": gelu,
    "ReLU6": plain("ReLU6"),
    "Hardtanh": activated(activation.Clip, low="min_val", high="max_val"),
    "LeakyReLU": activated(activation.LeakyReLU, slope="negative_slope"),
    "RReLU": rrelu,
    "PReLU": prelu,
    "ELU": activated(activation.Elu, alpha="alpha"),
    "CELU": celu,
    "Softplus": activated(activation.Softplus, beta="beta", threshold="threshold"),
    "Threshold": activated(activation.Threshold, threshold="threshold", value="value"),
    "Hardshrink": shrink,
    "Softshrink": shrink,
    "Softmax": softmax,
    "LogSoftmax": softmax,
    "Softmin": softmax,
    "Softmax2d": softmax_of_channels,
    "GLU": glu,
}

LAYERS: dict[str, Reader] = {
    "Linear": dense,
    "NonDynamicallyQuantizableLinear": dense,
    "Bilinear": bilinear,
    "Embedding": embedding,
    "EmbeddingBag": embedding_bag,
    **{f"Conv{n}d": convolved for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": transposed for n in (1, 2, 3)},
    **{f"MaxPool{n}d": max_pool for n in (1, 2, 3)},
    **{f"AvgPool{n}d": avg_pool for n in (1, 2, 3)},
    **{f"LPPool{n}d": lp_pool for n in (1, 2, 3)},
    **{f"Adaptive{kind}Pool{n}d": adaptive for kind in ("Avg", "Max") for n in (1, 2, 3)},
    "Unfold": unfold,
    **{f"BatchNorm{n}d": batch_norm for n in (1, 2, 3)},
    "SyncBatchNorm": batch_norm,
    **{f"InstanceNorm{n}d": instance_norm for n in (1, 2, 3)},
    "LayerNorm": layer_norm,
    "RMSNorm": rms_norm,
    "GroupNorm": group_norm,
    "LocalResponseNorm": local_response_norm,
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"), dropout),
    **{
        f"{kind}Pad{n}d": pad
        for kind in ("Constant", "Zero", "Reflection", "Replication", "Circular")
        for n in (1, 2, 3)
    },
    **dict.fromkeys(("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"), resized),
    "Flatten": activated(moving.Flatten, start="start_dim", end="end_dim"),
    "Unflatten": unflatten,
    "PixelShuffle": activated(moving.PixelShuffle, factor="upscale_factor"),
    "PixelUnshuffle": activated(moving.PixelUnshuffle, factor="downscale_factor"),
    "ChannelShuffle": activated(moving.ChannelShuffle, groups="groups"),
    "Identity": activated(Identity),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), recurrent_layer),
    **dict.fromkeys(("LSTMCell", "GRUCell", "RNNCell"), recurrent_cell),
    "MultiheadAttention": multihead,
    **ACTIVATIONS,
    **LOSSES,
}
"""The reader of each class of torch.nn."""
