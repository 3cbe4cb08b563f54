"""Each known cause planted into a layer of PyTorch's: it is the first that is told."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from msconvert.tests.troubleshooter.diagnosis.recorded import (
    Array,
    numbers,
    pair_of,
    stirred,
    torch,
    torch_record,
)
from msconvert.troubleshooter.compare.records import LayerPair
from msconvert.troubleshooter.diagnosis import compare_options, diagnose
from msconvert.troubleshooter.diagnosis.causes import CAUSES
from msconvert.troubleshooter.diagnosis.layers.statistics import RunningStatistics

nn, F = torch.nn, torch.nn.functional
X = numbers
Module = Any


@dataclass(frozen=True)
class Fault:
    """A layer, what was made of it, and what must be told first: `cause`, with `text` in it."""

    cause: str
    text: str
    reference: Module
    candidate: Callable[[Module], Module]
    inputs: tuple[Array, ...]
    training: bool = False
    candidate_training: bool = False


class Calling(nn.Module):
    """A module of the user's around another, of which nothing is known but what comes out."""

    def __init__(self, call: Callable[..., Any], inner: Module) -> None:
        super().__init__()
        self.call, self.inner = call, inner

    def forward(self, *inputs: Any) -> Any:
        return self.call(self.inner, *inputs)


def instead(made: Module) -> Callable[[Module], Module]:
    """Another module with the same weights, where it has them."""

    def changed(reference: Module) -> Module:
        made.load_state_dict(reference.state_dict(), strict=False)
        return made

    return changed


def calling(call: Callable[..., Any]) -> Callable[[Module], Module]:
    """The module within a function."""
    return lambda reference: Calling(call, reference)


def weighted(**changes: Callable[[Any], Any]) -> Callable[[Module], Module]:
    """The same module with some of its weights changed, as the recorded state tells."""

    def changed(reference: Module) -> Module:
        state = {k: v.clone() for k, v in reference.state_dict().items()}
        made = copy.deepcopy(reference)
        with torch.no_grad():
            for name, change in changes.items():
                made.state_dict()[name].copy_(change(state))
        return made

    return changed


def used(**changes: Callable[[Any], Any]) -> Callable[[Module], Module]:
    """The module with its recorded weights, used otherwise: as functional code does."""

    def call(inner: Module, *inputs: Any) -> Any:
        state = dict(inner.state_dict())
        own = {name: change(state) for name, change in changes.items()}
        return torch.func.functional_call(inner, own, inputs)

    return calling(call)


def images(seed: int = 0) -> Array:
    return X(3, 4, 9, 8, seed=seed)


def blocks(count: int, order: tuple[int, ...]) -> Callable[[Any], Any]:
    return lambda w: torch.cat([w.chunk(count)[k] for k in order])


def attended(scale: float = 1.0, **settings: Any) -> Callable[[Module], Module]:
    """A module of attention whose queries are scaled, so all scores are."""

    def call(inner: Module, *inputs: Any) -> Any:
        state = {k: v.clone() for k, v in inner.state_dict().items()}
        size = inner.embed_dim
        for name in ("in_proj_weight", "in_proj_bias"):
            state[name][:size] *= scale
        return torch.func.functional_call(inner, state, inputs, settings)

    return calling(call)


def gate_order(order: tuple[int, ...], count: int) -> Callable[[Module], Module]:
    def changed(reference: Module) -> Module:
        names = reference.state_dict()
        arranged = blocks(count, order)
        changes = {name: (lambda s, n=name: arranged(s[n])) for name in names}
        return used(**changes)(reference)

    return changed


def attention() -> Module:
    return nn.MultiheadAttention(8, 2)


class Masked(nn.MultiheadAttention):
    """With the mask as the fourth argument."""

    def forward(self, q: Any, k: Any, v: Any, mask: Any) -> Any:
        return super().forward(q, k, v, attn_mask=mask)


def unmasked(m: Module, *inputs: Any) -> Any:
    return nn.MultiheadAttention.forward(m, *inputs[:3])


QKV = (X(4, 3, 8), X(5, 3, 8, seed=1), X(5, 3, 8, seed=2))
MASK = np.tri(4, 5, dtype=np.float32) * 0.7
ALLOWED = np.eye(4, 5, dtype=bool)
CAUSAL = torch.triu(torch.full((4, 5), -math.inf), 1)
CLASSES = np.array([0, 1, 2, 3, 0, 1])

FAULTS = [
    # normalisation
    Fault("epsilon", "epsilon is 1e-05 (here: 0.001)", nn.BatchNorm2d(4),
          instead(nn.BatchNorm2d(4, eps=1e-3)), (images(),)),
    Fault("epsilon", "epsilon is 1e-05 (here: 1e-06)", nn.BatchNorm2d(4),
          instead(nn.BatchNorm2d(4, eps=1e-6)), (images(),)),
    Fault("epsilon", "epsilon is 1e-05 (here: 0.0371)", nn.GroupNorm(2, 4),
          instead(nn.GroupNorm(2, 4, eps=0.0371)), (images(),)),
    Fault("epsilon", "epsilon is 1e-05 (here: 1e-07)", nn.LayerNorm(8),
          instead(nn.LayerNorm(8, eps=1e-7)), (0.1 * X(3, 4, 8),)),
    Fault("epsilon", "epsilon is 1e-05 (here: 0.001)", nn.InstanceNorm2d(4, affine=True),
          instead(nn.InstanceNorm2d(4, eps=1e-3, affine=True)), (images(),)),
    Fault("epsilon", "epsilon is 1e-05 (here: 0.01)", nn.RMSNorm(8, eps=1e-5),
          instead(nn.RMSNorm(8, eps=1e-2)), (X(3, 4, 8),)),
    Fault("epsilon-outside",
          "before the root (here: added to the deviation)",
          nn.LayerNorm(8, eps=1e-2), calling(lambda m, x: m.bias + m.weight * (
              (x - x.mean(-1, True)) / (x.var(-1, keepdim=True, unbiased=False).sqrt() + 1e-2))),
          (X(3, 4, 8),)),
    Fault("unbiased-variance", "the variance is divided by n (here: divided by n - 1, unbiased)",
          nn.LayerNorm(8),
          calling(lambda m, x: m.bias + m.weight * (
              (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + m.eps).sqrt())), (X(3, 4, 8),)),
    Fault("train-eval",
          "as in evaluation (here: the batch's, as in training)",
          nn.BatchNorm2d(4),
          instead(nn.BatchNorm2d(4)), (images(),), candidate_training=True),
    Fault("train-eval",
          "as in training (here: the running ones, as in evaluation)",
          nn.BatchNorm2d(4),
          instead(nn.BatchNorm2d(4)), (images(),), training=True),
    Fault("running-statistics",
          "the statistics are the running ones, as in evaluation (here: each sample's)",
          nn.InstanceNorm2d(4, track_running_stats=True),
          instead(nn.InstanceNorm2d(4)), (images(),)),
    Fault("normalized-axes", "the axes normalised are the last 1 (here: the last 2)",
          nn.LayerNorm(8, elementwise_affine=False),
          instead(nn.LayerNorm((4, 8), elementwise_affine=False)), (X(3, 4, 8),)),
    Fault("mean-not-subtracted", "the mean is subtracted (here: not subtracted, as in RMSNorm)",
          nn.LayerNorm(8),
          calling(lambda m, x: F.rms_norm(x, (8,), m.weight, m.eps) + m.bias), (X(3, 4, 8) + 1,)),
    Fault("mean-subtracted", "the mean is not subtracted (here: subtracted, as in LayerNorm)",
          nn.RMSNorm(8, eps=1e-5),
          calling(lambda m, x: F.layer_norm(x, (8,), m.weight, None, m.eps)), (X(3, 4, 8) + 1,)),
    Fault("groups", "the number of groups is 2 (here: 4)", nn.GroupNorm(2, 4),
          instead(nn.GroupNorm(4, 4)), (images(),)),
    Fault("another-normalization", "the normalisation is BatchNorm (here: InstanceNorm)",
          nn.BatchNorm2d(4),
          calling(lambda m, x: F.instance_norm(x, None, None, m.weight, m.bias)), (images(),)),
    Fault("response-scale", "divided by the size 5 (here: not divided)",
          nn.LocalResponseNorm(5, alpha=0.1),
          calling(lambda m, x: nn.LocalResponseNorm(5, alpha=0.5)(x)), (X(2, 9, 3),)),
    Fault("response-size", "size is 5 (here: 2)", nn.LocalResponseNorm(5, alpha=0.5),
          instead(nn.LocalResponseNorm(2, alpha=0.5)), (X(2, 9, 3),)),
    Fault("response-settings", "k is 1 (here: 2)", nn.LocalResponseNorm(5, alpha=0.5),
          instead(nn.LocalResponseNorm(5, alpha=0.5, k=2.0)), (X(2, 9, 3),)),
    Fault("response-settings", "alpha is 0.5 (here: 0.3)", nn.LocalResponseNorm(5, alpha=0.5),
          instead(nn.LocalResponseNorm(5, alpha=0.3)), (X(2, 9, 3),)),
    # convolutions
    Fault("padding", "the padding is 1 (here: 0, pad_mode 'valid')",
          nn.Conv2d(4, 6, 3, padding=1), instead(nn.Conv2d(4, 6, 3)), (images(),)),
    Fault("padding", "the padding is 1 (here: 0 before and 1 after, pad_mode 'same')",
          nn.Conv2d(4, 6, 3, 2, 1), calling(lambda m, x: F.conv2d(
              F.pad(x, (0, 1, 0, 1)), m.weight, m.bias, 2)), (X(2, 4, 8, 8),)),
    Fault("padding", "the padding is (1, 2) (here: (2, 1), axes exchanged)",
          nn.Conv2d(4, 6, 3, padding=(1, 2)), instead(nn.Conv2d(4, 6, 3, padding=(2, 1))),
          (X(2, 4, 8, 8),)),
    Fault("padding-mode", "it pads with zeros (here: the mode 'reflect')",
          nn.Conv2d(4, 6, 3, padding=1),
          instead(nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect")), (images(),)),
    Fault("stride", "the stride is 1 (here: 2)", nn.Conv2d(4, 6, 3, padding=1),
          instead(nn.Conv2d(4, 6, 3, 2, padding=1)), (images(),)),
    Fault("dilation", "the dilation is 1 (here: 2)", nn.Conv1d(4, 6, 3, padding=2),
          instead(nn.Conv1d(4, 6, 3, padding=2, dilation=2)), (X(2, 4, 9),)),
    Fault("channel-groups", "(here: dealt in turn)", nn.Conv2d(4, 6, 3, groups=2),
          calling(lambda m, x: m(x.unflatten(1, (2, 2)).transpose(1, 2).flatten(1, 2))),
          (images(),)),
    Fault("kernel-turned", "the kernel is as it is (here: mirrored)", nn.Conv2d(4, 6, 3),
          used(weight=lambda s: s["weight"].flip(2, 3)), (images(),)),
    Fault("kernel-turned", "height and width are in order (here: exchanged)",
          nn.ConvTranspose2d(4, 6, 3), used(weight=lambda s: s["weight"].transpose(2, 3)),
          (images(),)),
    Fault("channels-exchanged", "(here: exchanged)", nn.Conv2d(4, 4, 3),
          used(weight=lambda s: s["weight"].transpose(0, 1)), (images(),)),
    Fault("transposed-padding", "padding and output_padding are 1 and 1 (here: 0 and 0)",
          nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), instead(nn.ConvTranspose2d(4, 6, 3, 2)),
          (images(),)),
    Fault("transposed-padding", "padding and output_padding are 1 and 1 (here: 1 and 0)",
          nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), instead(nn.ConvTranspose2d(4, 6, 3, 2, 1)),
          (images(),)),
    Fault("output-padding-of-zeros", "zeros, as MindSpore's layer appends",
          nn.ConvTranspose2d(4, 6, 3, 2, 1, 1),
          calling(lambda m, x: F.pad(F.conv_transpose2d(x, m.weight, m.bias, 2, 1), (0, 1, 0, 1))),
          (images(),)),
    Fault("transposed-stride", "the stride is 2 (here: 1)", nn.ConvTranspose1d(4, 6, 3, 2),
          instead(nn.ConvTranspose1d(4, 6, 3, 1)), (X(2, 4, 9),)),
    Fault("not-transposed", "(here: a plain convolution)", nn.ConvTranspose2d(4, 6, 3, padding=1),
          calling(lambda m, x: F.conv2d(x, m.weight.transpose(0, 1), m.bias, padding=1)),
          (images(),)),
    # pools
    Fault("ceil-mode", "ceil_mode is False (here: True)", nn.MaxPool2d(3, 2),
          instead(nn.MaxPool2d(3, 2, ceil_mode=True)), (images(),)),
    Fault("ceil-mode", "ceil_mode is True (here: False)", nn.AvgPool2d(3, 2, 1, ceil_mode=True),
          instead(nn.AvgPool2d(3, 2, 1)), (images(),)),
    Fault("count-include-pad", "count_include_pad is True (here: False)", nn.AvgPool2d(3, 2, 1),
          instead(nn.AvgPool2d(3, 2, 1, count_include_pad=False)), (images(),)),
    Fault("pool-padding", "the padding is 1 (here: 0)", nn.MaxPool2d(3, 2, padding=1),
          instead(nn.MaxPool2d(3, 2)), (X(2, 3, 9, 9),)),
    Fault("pool-stride", "the stride is 2 (here: 1, MindSpore's default)", nn.MaxPool2d(2),
          instead(nn.MaxPool2d(2, 1)), (images(),)),
    Fault("pool-kernel", "the kernel is 3 (here: 2)", nn.MaxPool2d(3, 2),
          instead(nn.MaxPool2d(2, 2)), (X(2, 3, 9, 9),)),
    Fault("pool-dilation", "the dilation is 1 (here: 2)", nn.MaxPool1d(3, 1),
          instead(nn.MaxPool1d(3, 1, dilation=2)), (X(2, 3, 9),)),
    Fault("divisor", "the divisor of windows is how much is in each (here: 3)", nn.AvgPool2d(2),
          instead(nn.AvgPool2d(2, divisor_override=3)), (images(),)),
    Fault("another-pool", "it takes the mean of each window (here: the largest of each window)",
          nn.AvgPool2d(2),
          instead(nn.MaxPool2d(2)), (images(),)),
    Fault("pool-norm", "norm_type is 2 (here: 4)", nn.LPPool2d(2, 2),
          instead(nn.LPPool2d(4, 2)), (np.abs(images()),)),
    Fault("adaptive-kind", "it takes the mean of each window (here: the largest of each window)",
          nn.AdaptiveAvgPool2d(2), instead(nn.AdaptiveMaxPool2d(2)), (images(),)),
    Fault("adaptive-windows", "windows are adapted to the input (here: of one size and stride)",
          nn.AdaptiveAvgPool1d(3),
          instead(nn.AvgPool1d(4, 2)), (X(2, 3, 8),)),
    Fault("adaptive-size", "the output size is (1, 1) (here: (2, 2))", nn.AdaptiveAvgPool2d(1),
          instead(nn.AdaptiveAvgPool2d(2)), (images(),)),
    # activations
    Fault("gelu", "GELU is by erf, approximate='none' (here: tanh, approximate='tanh')", nn.GELU(),
          instead(nn.GELU("tanh")), (X(5, 6),)),
    Fault("slope", "the slope is 0.01 (here: 0.2)", nn.LeakyReLU(),
          instead(nn.LeakyReLU(0.2)), (X(5, 6),)),
    Fault("alpha", "alpha is 1 (here: 0.5)", nn.ELU(), instead(nn.ELU(0.5)), (X(5, 6),)),
    Fault("alpha", "alpha is also a divisor of x, as in CELU (here: a factor only, as in ELU)",
          nn.CELU(0.5), instead(nn.ELU(0.5)),
          (X(5, 6),)),
    Fault("softplus", "beta is 2 (here: 1)", nn.Softplus(2.0), instead(nn.Softplus()), (X(5, 6),)),
    Fault("bounds", "from -1 to 1 (here: -2 to 1)", nn.Hardtanh(), instead(nn.Hardtanh(-2.0)),
          (3 * X(5, 6),)),
    Fault("shrink", "it shrinks soft (here: hard)", nn.Softshrink(), instead(nn.Hardshrink()),
          (X(5, 6),)),
    Fault("threshold", "(here: exchanged)", nn.Threshold(0.1, 0.5),
          instead(nn.Threshold(0.5, 0.1)), (X(5, 6),)),
    Fault("another-activation", "it is ReLU (here: ReLU6)", nn.ReLU(), instead(nn.ReLU6()),
          (9 * X(5, 6),)),
    Fault("another-activation", "it is SiLU (here: Hardswish)", nn.SiLU(),
          instead(nn.Hardswish()), (X(5, 6),)),
    Fault("another-activation", "it is ReLU (here: LeakyReLU of slope 0.1)", nn.ReLU(),
          instead(nn.LeakyReLU(0.1)), (X(5, 6),)),
    Fault("softmax-axis", "the axis is 2 (here: 1)", nn.Softmax(-1), instead(nn.Softmax(1)),
          (X(5, 6, 3),)),
    Fault("softmax-kind", "the probabilities (here: their logarithms)", nn.Softmax(-1),
          instead(nn.LogSoftmax(-1)), (X(5, 6),)),
    Fault("glu-axis", "the axis is 1 (here: 2)", nn.GLU(1), instead(nn.GLU(2)), (X(2, 4, 4),)),
    Fault("glu-halves", "the gate is the second half (here: the first half)", nn.GLU(1),
          calling(lambda m, x: m(x.roll(2, 1))), (X(2, 4, 4),)),
    # recurrence
    Fault("gates", "the order of the gates is i, f, g, o (here: i, o, f, g)", nn.LSTM(4, 5),
          gate_order((0, 3, 1, 2), 4), (X(6, 2, 4),)),
    Fault("gates", "the order of the gates is r, z, n (here: z, r, n)", nn.GRU(4, 5),
          gate_order((1, 0, 2), 3), (X(6, 2, 4),)),
    Fault("recurrent-biases", "(here: bias_ih alone)", nn.LSTM(4, 5),
          used(bias_hh_l0=lambda s: 0 * s["bias_hh_l0"]), (X(6, 2, 4),)),
    Fault("recurrent-biases", "bias_ih and bias_hh are in order (here: exchanged)", nn.GRU(4, 5),
          used(bias_hh_l0=lambda s: s["bias_ih_l0"], bias_ih_l0=lambda s: s["bias_hh_l0"]),
          (X(6, 2, 4),)),
    Fault("reset-gate", "linear_before_reset", nn.GRUCell(4, 5),
          calling(lambda m, x, h: reset_before(m, x, h)), (X(3, 4), X(3, 5))),
    Fault("nonlinearity", "the nonlinearity is tanh (here: relu)", nn.RNN(4, 5),
          instead(nn.RNN(4, 5, nonlinearity="relu")), (X(6, 2, 4),)),
    Fault("forget-bias", "TensorFlow's forget_bias", nn.LSTM(4, 5),
          used(bias_hh_l0=lambda s: s["bias_hh_l0"] + torch.arange(20).div(5).floor().eq(1)),
          (X(6, 2, 4),)),
    Fault("batch-first",
          "the input has steps first, batch_first=False (here: batches first, batch_first=True)",
          nn.LSTM(4, 5),
          instead(nn.LSTM(4, 5, batch_first=True)), (X(6, 2, 4),)),
    Fault("directions", "the sequence is read in its order (here: read from its end)", nn.RNN(4, 5),
          calling(lambda m, x: tuple(
              y.flip(0) if k == 0 else y for k, y in enumerate(m(x.flip(0))))), (X(6, 2, 4),)),
    Fault("initial-state", "(here: zeros)", nn.GRU(4, 5),
          calling(lambda m, x, h: m(x)), (X(6, 2, 4), X(1, 2, 5))),
    # attention
    Fault("attention", "the scale of scores is 0.5 (here: 1, missing)", attention(),
          attended(2.0), QKV),
    Fault("attention", "each step sees all (here: none that come later)", attention(),
          attended(attn_mask=CAUSAL), QKV),
    Fault("mask", "the mask is applied (here: not applied)", Masked(8, 2),
          calling(unmasked), (*QKV, MASK)),
    Fault("mask", "added to the scores (here: subtracted)", Masked(8, 2),
          calling(lambda m, q, k, v, mask: m(q, k, v, -mask)), (*QKV, MASK)),
    Fault("mask", "the mask is true for what is left out (here: true for what is kept)",
          Masked(8, 2),
          calling(lambda m, q, k, v, mask: m(q, k, v, ~mask)), (*QKV, ALLOWED)),
    Fault("heads", "the number of heads is 2 (here: 4)", attention(),
          instead(nn.MultiheadAttention(8, 4)), QKV),
    Fault("projections", "query, key, value (here: query, value, key)", attention(),
          used(**{name: (lambda s, n=name: blocks(3, (0, 2, 1))(s[n]))
                  for name in ("in_proj_weight", "in_proj_bias")}), QKV),
    Fault("interleaved-heads",
          "each head has rows in a block (here: rows that are dealt out in turn)",
          attention(),
          used(**{name: (lambda s, n=name: s[n].unflatten(0, (3, 4, 2)).transpose(1, 2).flatten(
              0, 2)) for name in ("in_proj_weight", "in_proj_bias")}), QKV),
    Fault("output-projection", "the heads are projected at the end (here: not projected)",
          attention(),
          used(**{"out_proj.weight": lambda s: torch.eye(8),
                  "out_proj.bias": lambda s: torch.zeros(8)}), QKV),
    Fault("attention-layout",
          "inputs have steps first, batch_first=False (here: batches first, batch_first=True)",
          attention(),
          instead(nn.MultiheadAttention(8, 2, batch_first=True)), (X(4, 4, 8),) * 3),
    Fault("extra-steps", "a step of zeros is added (here: none)",
          nn.MultiheadAttention(8, 2, add_zero_attn=True),
          calling(lambda m, q, k, v: instead(nn.MultiheadAttention(8, 2))(m)(q, k, v)[:1]), QKV),
    # resizing
    Fault("align-corners", "align_corners=False (here: align_corners=True)",
          nn.Upsample(scale_factor=2, mode="bilinear"),
          instead(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)), (images(),)),
    Fault("nearest", "asymmetric, floor (here: half_pixel, round_prefer_ceil)",
          nn.Upsample(size=(13, 5)), instead(nn.Upsample(size=(13, 5), mode="nearest-exact")),
          (images(),)),
    Fault("resize-mode", "the mode is linear (here: cubic)",
          nn.Upsample(scale_factor=2, mode="bilinear"),
          instead(nn.Upsample(scale_factor=2, mode="bicubic")), (images(),)),
    Fault("resize-scale", "(here: from the sizes, recomputed)",
          nn.Upsample(scale_factor=1.7, mode="bilinear"),
          instead(nn.Upsample(scale_factor=1.7, mode="bilinear", recompute_scale_factor=True)),
          (images(),)),
    Fault("antialias", "antialias is False (here: True)",
          nn.Upsample(size=(4, 3), mode="bilinear"),
          calling(lambda m, x: F.interpolate(x, (4, 3), mode="bilinear", antialias=True)),
          (images(),)),
    # moving
    Fault("pad-mode", "the mode is reflect (here: replicate)", nn.ReflectionPad2d(2),
          instead(nn.ReplicationPad2d(2)), (images(),)),
    Fault("pad-value", "the value is 0 (here: 7)", nn.ZeroPad2d(2),
          instead(nn.ConstantPad2d(2, 7.0)), (images(),)),
    Fault("pad-order", "the axis that is padded first is the last (here: the first)",
          nn.ZeroPad2d((1, 2, 3, 0)), instead(nn.ZeroPad2d((3, 0, 1, 2))), (images(),)),
    Fault("blocks", "(CRD) (here: blocks before channels (DCR))", nn.PixelShuffle(2),
          calling(lambda m, x: m(x.unflatten(1, (4, 3)).transpose(1, 2).flatten(1, 2))),
          (X(2, 12, 4, 5),)),
    Fault("shuffled-back", "the number of groups is 2 (here: 3)", nn.ChannelShuffle(2),
          instead(nn.ChannelShuffle(3)), (X(2, 6, 4),)),
    Fault("flattened-order", "(here: channels last, NHWC)", nn.Flatten(),
          calling(lambda m, x: m(x.movedim(1, -1))), (images(),)),
    Fault("dropout", "as in evaluation (here:", nn.Dropout(0.3), instead(nn.Dropout(0.3)),
          (X(50, 60),), candidate_training=True),
    Fault("dropout", "p is 0.1 (here: 0.9, p given as keep_prob)", nn.Dropout(0.1),
          instead(nn.Dropout(0.9)), (X(50, 60),), training=True, candidate_training=True),
    Fault("dropout-scale", "evaluation gives x (here: x times 1 - p)", nn.Dropout(0.3),
          calling(lambda m, x: 0.7 * x), (X(5, 6),)),
    Fault("indices", "indices are as given (here: +1)", nn.Embedding(20, 4),
          calling(lambda m, x: m(x + 1)), (np.array([[1, 2, 9]]),)),
    Fault("indices", "(here: cut to int8)", nn.Embedding(300, 4),
          calling(lambda m, x: m(x.to(torch.int8).long() % 300)), (np.array([[1, 200, 9]]),)),
    Fault("padding-row", "row 0 is as it is (here: zeros, as at padding_idx)", nn.Embedding(20, 4),
          calling(lambda m, x: m(x) * (x > 0)[..., None]), (np.array([[1, 0, 9]]),)),
    Fault("max-norm", "max_norm is 0.5 (here: none)", nn.Embedding(20, 4, max_norm=0.5),
          calling(lambda m, x: 1.0 * stirred(nn.Embedding(20, 4), 0)(x)), (np.array([[1, 2, 9]]),)),
    Fault("embedding-scale", "(here: times sqrt(d))", nn.Embedding(20, 4),
          calling(lambda m, x: 2 * m(x)), (np.array([[1, 2, 9]]),)),
    Fault("bag-mode", "the mode is mean (here: sum)", nn.EmbeddingBag(20, 4),
          instead(nn.EmbeddingBag(20, 4, mode="sum")), (np.array([[1, 2, 9]]),)),
    # losses
    Fault("reduction", "the reduction is 'mean' (here: 'sum')", nn.MSELoss(),
          instead(nn.MSELoss(reduction="sum")), (X(3, 4), X(3, 4, seed=1))),
    Fault("class-weights", "weight is given (here: not given)",
          nn.CrossEntropyLoss(torch.tensor([1.0, 2.0, 0.5, 3.0])), instead(nn.CrossEntropyLoss()),
          (X(6, 4), CLASSES)),
    Fault("mean-of-classes", "(here: over all samples)",
          nn.CrossEntropyLoss(torch.tensor([1.0, 2.0, 0.5, 3.0])),
          calling(lambda m, x, y: F.cross_entropy(x, y, m.weight, reduction="none").mean()),
          (X(6, 4), CLASSES)),
    Fault("ignore-index", "ignore_index is -100 (here: 0)", nn.CrossEntropyLoss(),
          instead(nn.CrossEntropyLoss(ignore_index=0)), (X(6, 4), CLASSES)),
    Fault("label-smoothing", "label_smoothing is 0 (here: 0.1)", nn.CrossEntropyLoss(),
          instead(nn.CrossEntropyLoss(label_smoothing=0.1)), (X(6, 4), CLASSES)),
    Fault("logits", "(here: after sigmoid or softmax)", nn.CrossEntropyLoss(),
          calling(lambda m, x, y: m(x.softmax(1), y)), (X(6, 4), CLASSES)),
    Fault("logits", "it takes logits (here: log-probabilities)", nn.CrossEntropyLoss(),
          instead(nn.NLLLoss()), (X(6, 4), CLASSES)),
    Fault("loss-setting", "beta, delta or margin is 1 (here: 0.5)", nn.SmoothL1Loss(),
          instead(nn.SmoothL1Loss(beta=0.5)), (X(3, 4), X(3, 4, seed=1))),
    Fault("another-loss", "it is MSELoss (here: L1Loss)", nn.MSELoss(),
          instead(nn.L1Loss()), (X(3, 4), X(3, 4, seed=1))),
    # weights
    Fault("parameters", "weight is the reference's (here: transposed)", nn.Linear(8, 8),
          weighted(weight=lambda s: s["weight"].T), (X(3, 8),)),
    Fault("parameters", "(here: mirrored along axes 2, 3)", nn.Conv2d(4, 6, 3),
          weighted(weight=lambda s: s["weight"].flip(2, 3)), (images(),)),
    Fault("parameters", "bias is the reference's (here: zeros, never loaded)",
          nn.Conv2d(4, 6, 3), weighted(bias=lambda s: 0 * s["bias"]), (images(),)),
    Fault("parameters", "bias is the reference's (here: there is none)", nn.Conv2d(4, 6, 3),
          instead(nn.Conv2d(4, 6, 3, bias=False)), (images(),)),
    Fault("parameters", "weight is the reference's (here: ones, never loaded)",
          nn.BatchNorm2d(4), weighted(weight=lambda s: s["weight"] ** 0), (images(),)),
    Fault("parameters", "weight: the reference's bias; bias: the reference's weight",
          nn.BatchNorm2d(4), weighted(weight=lambda s: s["bias"], bias=lambda s: s["weight"]),
          (images(),)),
    Fault("parameters", "(here: rounded to float16)", nn.Linear(8, 8),
          weighted(weight=lambda s: s["weight"].half()), (X(3, 8),)),
    Fault("parameters", "never loaded or from elsewhere", nn.Linear(8, 8),
          weighted(weight=lambda s: s["weight"] ** 3, bias=lambda s: s["bias"] ** 2),
          (X(3, 8),)),
    Fault("parameters", "b_hh of layer 0: its 4 blocks of rows in the order (0, 3, 1, 2)",
          nn.LSTM(4, 5), weighted(**{
              name: (lambda s, n=name: blocks(4, (0, 3, 1, 2))(s[n]))
              for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")}),
          (X(6, 2, 4),)),
    Fault("missing-parameter", "bias is added (here: zero, or not added)", nn.Linear(8, 6),
          used(bias=lambda s: 0 * s["bias"]), (X(3, 8),)),
    Fault("transposed-weight", "weight is applied as it is (here: transposed)", nn.Linear(8, 8),
          used(weight=lambda s: s["weight"].T), (X(3, 8),)),
    Fault("exchanged-parameters", "weight and bias are in place (here: exchanged)",
          nn.LayerNorm(8), used(weight=lambda s: s["bias"], bias=lambda s: s["weight"]),
          (X(3, 8),)),
    Fault("bias-twice", "bias is added once (here: twice)", nn.Linear(8, 6),
          used(bias=lambda s: 2 * s["bias"]), (X(3, 8),)),
    # any layer
    Fault("half-precision", "it computes in float32 (here: float16, as all of its outputs are)",
          nn.Conv2d(4, 6, 3),
          calling(lambda m, x: instead(nn.Conv2d(4, 6, 3))(m).half()(x.half()).float()),
          (images(),)),
    Fault("half-precision", "it computes in float32 (here: bfloat16, as all of its outputs are)",
          nn.Linear(8, 8),
          calling(lambda m, x: F.linear(*(v.bfloat16() for v in (x, m.weight, m.bias))).float()),
          (X(30, 8),)),
    Fault("half-precision", "it computes with all in float32 (here: inputs and weights of float16)",
          nn.Linear(8, 8),
          calling(lambda m, x: F.linear(*(v.half().float() for v in (x, m.weight, m.bias)))),
          (X(30, 8),)),
    Fault("quantised", "weight is of float32 (here: quantised to 8 bits for each row)",
          nn.Linear(8, 8), used(weight=lambda s: quantised(s["weight"])), (X(30, 8),)),
    Fault("not-applied", "it is applied (here: left out: its input comes out)", nn.LayerNorm(8),
          calling(lambda m, x: x), (X(3, 8),)),
    Fault("activation-added", "what follows is nothing (here: ReLU)", nn.Conv2d(4, 6, 3),
          calling(lambda m, x: m(x).relu()), (images(),)),
    Fault("residual", "the input is not added (here: added)", nn.Linear(8, 8),
          calling(lambda m, x: m(x) + x), (X(3, 8),)),
    Fault("exchanged-inputs", "inputs are in order (here: as (1, 0))",
          nn.KLDivLoss(log_target=True),
          calling(lambda m, x, y: m(y, x)), (X(3, 4), X(3, 4, seed=1))),
    Fault("applied-twice", "it is applied once (here: applied twice)", nn.Linear(8, 8),
          calling(lambda m, x: m(m(x))), (X(3, 8),)),
    Fault("factor", "the result is as it is (here: times 0.125)", nn.Linear(8, 6),
          calling(lambda m, x: m(x) / 8), (X(3, 8),)),
    Fault("zeros", "what comes out is computed (here: zeros)", nn.Linear(8, 6),
          calling(lambda m, x: 0 * m(x)), (X(3, 8),)),
    Fault("per-channel", "what is added along axis 1 is nothing (here: a bias)",
          nn.Conv2d(4, 6, 3, bias=False),
          calling(lambda m, x: m(x) + torch.arange(6.0)[:, None, None]), (images(),)),
    Fault("moved-output", "axes are in order (here: as (1, 0, 2))", nn.Linear(8, 6),
          calling(lambda m, x: m(x).transpose(0, 1)), (X(3, 4, 8),)),
    Fault("moved-input", "channels are in order (here: mirrored, as BGR for RGB)",
          nn.Conv2d(3, 6, 3), calling(lambda m, x: m(x.flip(1))), (X(2, 3, 6, 5),)),
    Fault("fewer-outputs", "what comes out is all of axis 0 (here: its element -1)",
          nn.Linear(8, 6),
          calling(lambda m, x: m(x)[-1]), (X(3, 4, 8),)),
]  # fmt: skip


def reset_before(cell: Module, x: Any, h: Any) -> Any:
    """GRU as ONNX has it by default: the reset gate multiplies the state."""
    own = F.linear(x, cell.weight_ih, cell.bias_ih).chunk(3, -1)
    r, z, _ = (
        (a + b).sigmoid()
        for a, b in zip(own, F.linear(h, cell.weight_hh, cell.bias_hh).chunk(3, -1), strict=True)
    )
    n = (own[2] + F.linear(r * h, cell.weight_hh[10:], cell.bias_hh[10:])).tanh()
    return (1 - z) * n + z * h


def quantised(weight: Any) -> Any:
    step = weight.abs().amax(1, keepdim=True) / 127
    return (weight / step).round() * step


def planted(fault: Fault) -> LayerPair:
    torch.manual_seed(0)
    reference = stirred(fault.reference)
    changed = fault.candidate(copy.deepcopy(reference))
    inputs = fault.inputs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of losses whose meaning will change
        ours = torch_record(reference, *inputs, training=fault.training)
        theirs = torch_record(changed, *inputs, training=fault.candidate_training)
    if isinstance(changed, Calling):
        theirs = replace(theirs, kind="Calling", options={})
    return pair_of(ours, theirs)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.cause}: {fault.text}"[:70])
def test_the_cause_is_told_first(fault: Fault) -> None:
    first, *_ = diagnose(planted(fault))
    assert first.cause == fault.cause, first.text
    assert first.text.startswith("agrees if ")
    assert fault.text in first.text
    assert first.agrees
    assert first.error_after < 1e-3 < math.inf
    assert first.error_after < first.error_before


HIDDEN = [
    fault
    for fault in FAULTS
    if fault.candidate.__qualname__.startswith("instead")
    and fault.cause not in ("running-statistics", "class-weights", "parameters", "adaptive-windows")
    and "LeakyReLU" not in fault.text
]
"""Those that can be told from the candidate's layer and the reference's output."""


@pytest.mark.parametrize("fault", HIDDEN, ids=lambda fault: f"{fault.cause}: {fault.text}"[:70])
def test_the_cause_is_told_where_the_reference_is_not_a_known_layer(fault: Fault) -> None:
    """As of a function, or of several nodes of a graph that one layer answers to."""
    pair = planted(fault)
    hidden = replace(pair.reference, kind="Calling", options={}, parameters={})
    first, *_ = diagnose(replace(pair, reference=hidden))
    assert first.cause == fault.cause, first.text
    assert first.agrees


# what must not be told

SAME = [
    *(
        (fault.reference, fault.inputs, fault.training)
        for fault in FAULTS
        if not isinstance(fault.reference, nn.modules.dropout._DropoutNd) or not fault.training
    ),
]


@pytest.mark.parametrize(("module", "inputs", "training"), SAME, ids=lambda v: type(v).__name__)
def test_nothing_is_told_of_layers_that_are_the_same(
    module: Module, inputs: tuple[Array, ...], training: bool
) -> None:
    """But for rounding: the candidate computes in float64."""
    reference = stirred(module)
    precise = copy.deepcopy(reference).double()
    wide = tuple(x.astype(np.float64) if x.dtype == np.float32 else x for x in inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of losses whose meaning will change
        ours = torch_record(reference, *inputs, training=training)
        theirs = torch_record(precise, *wide, training=training)
    narrow = [y.astype(np.float32) for y in theirs.outputs]
    candidate = replace(theirs, inputs=ours.inputs, outputs=tuple(narrow))
    pair = pair_of(ours, candidate)
    assert diagnose(pair) == ()
    assert compare_options(pair) == ()


def test_a_layer_whose_reference_cannot_be_computed_is_not_guessed_at() -> None:
    class Scaled(nn.Linear):
        def forward(self, x: Any) -> Any:
            return 3 * super().forward(x)

    reference, candidate = stirred(Scaled(8, 6)), stirred(Scaled(8, 6), seed=1)
    pair = pair_of(torch_record(reference, X(3, 8)), torch_record(candidate, X(3, 8)))
    (only,) = diagnose(pair)
    assert (only.cause, only.agrees) == ("unmodelled", False)
    assert "nothing was tried" in only.text


def test_outputs_alone_tell_of_a_missing_activation() -> None:
    convolution = stirred(nn.Conv2d(4, 6, 3))
    block = Calling(lambda m, x: m(x).relu(), convolution)
    pair = pair_of(torch_record(block, images()), torch_record(convolution, images()))
    only, *_ = diagnose(pair)
    assert only.cause == "activation-missing"
    assert only.text == "agrees if what follows is ReLU (here: nothing)"


def test_the_weights_of_another_layer_are_told() -> None:
    first, second = stirred(nn.Linear(8, 8)), stirred(nn.Linear(8, 8), seed=1)
    ours = torch_record(first, X(3, 8), path="query")
    other = torch_record(second, X(3, 8), path="key")
    told = diagnose(pair_of(ours, replace(other, path="query")), [ours, other])
    assert told[0].text == (
        "agrees if its weights are the reference's (here: weight, bias: that of key)"
    )
    hidden = replace(other, path="query", kind="Calling", parameters={})
    told = diagnose(pair_of(ours, hidden), [ours, other])
    assert (told[0].cause, told[0].text) == (
        "weights-of-another",
        "agrees if its weights are its own (here: those of key)",
    )


def test_a_layer_that_is_given_other_inputs_is_not_blamed() -> None:
    layer = stirred(nn.Linear(8, 8))
    ours, theirs = torch_record(layer, X(3, 8)), torch_record(layer, X(3, 8, seed=1))
    (only,) = diagnose(pair_of(ours, theirs))
    assert only.cause == "inputs"


def test_two_faults_are_not_called_explained() -> None:
    pair = planted(Fault("", "", nn.BatchNorm2d(4),
                         lambda m: weighted(bias=lambda s: 0.9 * s["bias"])(
                             instead(nn.BatchNorm2d(4, eps=0.5))(m)), (images(),)))  # fmt: skip
    assert [one for one in diagnose(pair) if one.agrees] == []


TRIED_ELSEWHERE = {"weights-of-another", "activation-missing", "cubic", "hard-sigmoid",
                   "axes-order", "norm-first", "inner-activation", "norms-epsilon"}  # fmt: skip


def test_every_cause_is_planted() -> None:
    """But those of statistics, see test_training.py."""
    names = [cause.name for cause in CAUSES if cause.layers != (RunningStatistics,)]
    assert {fault.cause for fault in FAULTS} == set(names) - TRIED_ELSEWHERE
