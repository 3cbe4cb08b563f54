"""What the converted code needs and MindSpore does not have, in MindSpore's own API."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import msconvert.runtime as ms
import numpy as np
from msconvert.runtime import nn, ops


def elu(x: ms.Tensor, alpha: float) -> ms.Tensor:
    """x where it is positive, else alpha * (exp(x) - 1)."""
    return ops.where(x > 0, x, alpha * ops.expm1(ops.minimum(x, ops.zeros_like(x))))


def mish(x: ms.Tensor) -> ms.Tensor:
    """MindSpore's own, which is NaN above 44 on the CPU; its tanh is off by 1e-4."""
    return ops.where(x > 20, x, ops.mish(x.clamp(max=20)))


def logsigmoid(x: ms.Tensor) -> ms.Tensor:
    """log(sigmoid(x)): MindSpore's own is -inf below -88 on the CPU."""
    return -ops.softplus(-x)


def number(value: int) -> int:
    """A number, of a number or a tuple of one."""
    return value if isinstance(value, int) else value[0]


def padding_of(axes: int, padding: int) -> dict[str, int | str]:
    """`pad_mode` and `padding` of a convolution by PyTorch's `padding`."""
    if isinstance(padding, str):
        return {"pad_mode": padding}
    if axes == 1 or isinstance(padding, int):
        return {"pad_mode": "pad", "padding": number(padding)}
    return {"pad_mode": "pad", "padding": tuple(size for size in padding for _ in range(2))}


def surround(axes: int, kernel_size: int, padding: int, dilation: int, mode: str) -> nn.Cell:
    """A layer that puts around its input what a convolution of this `padding_mode` reads there."""

    def each(value):
        return (value,) * axes if isinstance(value, int) else tuple(value)

    if padding == "same":
        total = [d * (k - 1) for k, d in zip(each(kernel_size), each(dilation))]
        both = [(t // 2, t - t // 2) for t in total]
    else:
        both = [(p, p) for p in each(0 if padding == "valid" else padding)]
    sides = tuple(size for pair in reversed(both) for size in pair)
    if mode == "circular":
        return CircularPad(sides, axes)
    if mode == "zeros":
        return getattr(nn, f"ConstantPad{axes}d")(sides, 0.0)
    return getattr(nn, f"{'Reflection' if mode == 'reflect' else 'Replication'}Pad{axes}d")(sides)


class Conv1d(nn.Conv1d):
    """nn.Conv1d by PyTorch's arguments; `padding_mode` says how the signal goes on around it."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: ms.Type | None = None,
    ) -> None:
        own = padding_of(1, padding) if padding_mode == "zeros" else {"pad_mode": "valid"}
        super().__init__(
            in_channels,
            out_channels,
            number(kernel_size),
            number(stride),
            **own,
            dilation=number(dilation),
            group=groups,
            has_bias=bool(bias),
            dtype=dtype or ms.float32,
        )
        self.surround = None
        if padding_mode != "zeros":
            self.surround = surround(1, kernel_size, padding, dilation, padding_mode)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return super().construct(x if self.surround is None else self.surround(x))


class Conv2d(nn.Conv2d):
    """nn.Conv2d by PyTorch's arguments; `padding_mode` says how the image goes on around it."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: ms.Type | None = None,
    ) -> None:
        own = padding_of(2, padding) if padding_mode == "zeros" else {"pad_mode": "valid"}
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            **own,
            dilation=dilation,
            group=groups,
            has_bias=bool(bias),
            dtype=dtype or ms.float32,
        )
        self.surround = None
        if padding_mode != "zeros":
            self.surround = surround(2, kernel_size, padding, dilation, padding_mode)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return super().construct(x if self.surround is None else self.surround(x))


def logaddexp(x: ms.Tensor, y: ms.Tensor) -> ms.Tensor:
    """log(exp(x) + exp(y)), of infinite numbers, too."""
    high = ops.stop_gradient(ops.maximum(x, y))
    base = ops.where(ops.abs(high) == np.inf, ops.zeros_like(high), high)
    return base + ops.log(ops.exp(x - base) + ops.exp(y - base))


def scatter_add(x: ms.Tensor, axis: int, index: ms.Tensor, source: ms.Tensor) -> ms.Tensor:
    """x, with the values of source added in the places of index along an axis.

    Not tensor_scatter_elements: its threads on the CPU lose values of one place now and then.
    """
    places = flat_places(x, axis, index).reshape(-1, 1)
    source = source[tuple(slice(size) for size in index.shape)].flatten()
    return ops.tensor_scatter_add(x.flatten(), places, source).reshape(x.shape)


def flat_places(x: ms.Tensor, axis: int, index: ms.Tensor) -> ms.Tensor:
    """Where in the flattened x the values of index along an axis lie."""
    axis, places, step = axis % x.ndim, 0, 1
    for n in reversed(range(x.ndim)):
        shape = [1] * x.ndim
        shape[n] = -1
        along = index if n == axis else ops.arange(index.shape[n]).reshape(shape)
        places = places + along * step
        step = step * x.shape[n]
    return places


def along(axis: int, index: ms.Tensor, shape: tuple[int, ...]) -> ms.Tensor:
    """One index for each place of a shape, from one for each place along an axis."""
    sizes = [1] * len(shape)
    sizes[axis] = -1
    return ops.broadcast_to(index.reshape(tuple(sizes)), shape)


def index_add(
    x: ms.Tensor, axis: int, index: ms.Tensor, source: ms.Tensor, alpha: int = 1
) -> ms.Tensor:
    """x, with slices of source added in the places of index along an axis."""
    source = source if alpha == 1 else source * alpha
    places = along(axis, index, source.shape)
    return scatter_add(x, axis, places, source)


def einsum(equation: str, *operands: ms.Tensor) -> ms.Tensor:
    """The sums of products over the letters that the output lacks, as matrix products."""
    operands = operands[0] if isinstance(operands[0], (list, tuple)) else operands
    terms, output = einsum_terms(equation.replace(" ", ""), operands)
    x, letters = diagonals(operands[0], terms[0])
    for n in range(1, len(operands)):
        y, others = diagonals(operands[n], terms[n])
        x, letters = contracted(x, letters, y, others, output + "".join(terms[n + 1 :]))
    x, letters = summed(x, letters, output)
    return x.permute(tuple(letters.index(c) for c in output)) if output else x


def einsum_terms(equation: str, operands: tuple[ms.Tensor, ...]) -> tuple[list[str] | str, ...]:
    """The letters of each operand and of the output; axes under "..." get letters of their own."""
    inputs, arrow, output = equation.partition("->")
    terms, longest = inputs.split(","), ""
    for n, term in enumerate(terms):
        count = operands[n].ndim - len(term.replace("...", ""))
        dots = "".join(chr(0x3B1 + place) for place in reversed(range(count)))
        longest = max(longest, dots, key=len)
        terms[n] = term.replace("...", dots)
    if not arrow:
        once = sorted(c for c in set(inputs) - set(".,") if inputs.count(c) == 1)
        output = "..." + "".join(once)
    return terms, output.replace("...", longest)


def diagonals(x: ms.Tensor, letters: str) -> tuple[ms.Tensor | str, ...]:
    """x and its letters, without letters that stand twice."""
    for c in letters:
        while letters.count(c) > 1:
            first, second = letters.index(c), letters.rindex(c)
            x = ops.diagonal(x, 0, first, second)
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + c
    return x, letters


def summed(x: ms.Tensor, letters: str, kept: str) -> tuple[ms.Tensor | str, ...]:
    """x and its letters, summed over those that are not kept."""
    axes = tuple(n for n, c in enumerate(letters) if c not in kept)
    return (x.sum(axes) if axes else x), "".join(c for c in letters if c in kept)


def contracted(
    x: ms.Tensor, letters: str, y: ms.Tensor, others: str, kept: str
) -> tuple[ms.Tensor | str, ...]:
    """The product of x and y, summed over common letters that are not kept."""
    x, letters = summed(x, letters, others + kept)
    y, others = summed(y, others, letters + kept)
    batch = [c for c in letters if c in others and c in kept]
    inner = [c for c in letters if c in others and c not in kept]
    left = [c for c in letters if c not in others]
    right = [c for c in others if c not in letters]
    x = x.permute(tuple(letters.index(c) for c in batch + left + inner)) if letters else x
    y = y.permute(tuple(others.index(c) for c in batch + inner + right)) if others else y
    outer, n = x.shape[len(batch) : len(batch) + len(left)], len(batch)
    after = y.shape[n + len(inner) :]
    if inner:
        size = math.prod(x.shape[n + len(left) :])
        x = x.reshape(x.shape[:n] + (math.prod(outer), size))
        y = y.reshape(y.shape[:n] + (size, math.prod(after)))
        x = ops.matmul(x, y)
        x = x.reshape(x.shape[:n] + outer + after)
    else:
        x = x.reshape(x.shape + (1,) * len(right))
        x = x * y.reshape(y.shape[:n] + (1,) * len(left) + after)
    return x, "".join(batch + left + right)


class Embedding(nn.Embedding):
    """nn.Embedding by PyTorch's arguments: of N(0, 1) at first, the padding's row not trained."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: ms.Type | None = None,
        table: ms.Tensor | None = None,
    ) -> None:
        padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        super().__init__(
            num_embeddings,
            embedding_dim,
            embedding_table=ms.common.initializer.Normal(1.0) if table is None else table,
            padding_idx=padding_idx if table is None else None,
            dtype=dtype or ms.float32,
        )
        self.untrained = padding_idx

    def construct(self, ids: ms.Tensor) -> ms.Tensor:
        vectors = super().construct(ids)
        if self.untrained is None:
            return vectors
        is_padding = ops.equal(ids, self.untrained).expand_dims(-1)
        return ops.where(is_padding, ops.stop_gradient(vectors), vectors)


def normalize(x: ms.Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> ms.Tensor:
    """x divided by its p-norm along `dim`, at least by eps; the gradient at 0 is finite."""
    if p == 2:
        square = ops.sum(x * x, dim, True)
        return x / ops.sqrt(ops.maximum(square, ops.full_like(square, eps * eps)))
    norm = ops.norm(x, ord=p, dim=dim, keepdim=True)
    return x / ops.maximum(norm, ops.full_like(norm, eps))


def batch_norm(
    x: ms.Tensor,
    running_mean: ms.Tensor | None,
    running_var: ms.Tensor | None,
    weight: ms.Tensor | None = None,
    bias: ms.Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> ms.Tensor:
    """x normalised per channel; in training by its own mean and variance, which are then kept."""
    axes, shape = (0, *range(2, x.ndim)), (1, -1) + (1,) * (x.ndim - 2)
    mean, var = running_mean, running_var
    if training:
        mean = x.mean(axes)
        var = ((x - mean.reshape(shape)) ** 2).mean(axes)
        count = x.size // x.shape[1]
        if running_mean is not None:
            running_mean.copy_(kept(running_mean, mean, momentum))
            running_var.copy_(kept(running_var, var * (count / (count - 1)), momentum))
    y = (x - mean.reshape(shape)) * ops.rsqrt(var.reshape(shape) + eps)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def kept(old: ms.Tensor, new: ms.Tensor, momentum: float) -> ms.Tensor:
    """A running value after one more: `momentum` is the weight of the new one."""
    return (1 - momentum) * old + momentum * ops.stop_gradient(new)


def instance_norm(
    x: ms.Tensor, weight: ms.Tensor | None = None, bias: ms.Tensor | None = None, eps: float = 1e-5
) -> ms.Tensor:
    """x normalised for each sample and channel: batch normalisation of one sample of them all."""
    single = x.reshape(1, -1, *x.shape[2:])
    y = batch_norm(single, None, None, training=True, eps=eps).reshape(x.shape)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def sort(x: ms.Tensor, axis: int = -1, descending: bool = False) -> tuple[ms.Tensor, ...]:
    """The sorted values and their places, as int64."""
    values, places = ops.sort(x, axis, descending)
    return values, places.astype(ms.int64)


def topk(
    x: ms.Tensor, k: int, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[ms.Tensor, ...]:
    """The k largest or smallest values and their places, as int64."""
    if not largest and x.dtype == ms.uint8:  # of which the negative is no smaller
        return tuple(part.narrow(axis, 0, k) for part in sort(x, axis))
    values, places = ops.topk(x, k, axis, largest, sorted)
    return values, places.astype(ms.int64)


def searchsorted(
    sequence: ms.Tensor,
    values: ms.Tensor | float,
    right: bool = False,
    side: str | None = None,
    out_int32: bool = False,
) -> ms.Tensor:
    """The places in a sorted sequence before which the values belong."""
    right = right if side is None else side == "right"
    values = values if isinstance(values, ms.Tensor) else ms.Tensor(values)
    if values.dtype != sequence.dtype:
        sequence, values = sequence.astype(ms.float64), values.astype(ms.float64)
    found = ops.searchsorted(sequence, values, right=right)
    return found.astype(ms.int32) if out_int32 else found


def max_of(input: ms.Tensor, other: Any) -> Any:
    """The greater elements of two tensors; along an axis the greatest ones with their places."""
    return ops.maximum(input, other) if isinstance(other, ms.Tensor) else ops.max(input, other)


def min_of(input: ms.Tensor, other: Any) -> Any:
    """The smaller elements of two tensors; along an axis the smallest ones with their places."""
    return ops.minimum(input, other) if isinstance(other, ms.Tensor) else ops.min(input, other)


def pad(
    x: ms.Tensor, sides: Sequence[int], mode: str = "constant", value: float | None = None
) -> ms.Tensor:
    """x with more at the ends of its last axes; negative sides are cut off.

    Of those ops.pad's kernel for the CPU gives from its second call on what it gave at the first.
    """
    for axis, (before, behind) in enumerate(zip(sides[::2], sides[1::2]), 1):
        if before < 0 or behind < 0:
            start, end = max(-before, 0), x.shape[-axis] - max(-behind, 0)
            x = x.movedim(-axis, 0)[start:end].movedim(0, -axis)
    return ops.pad(x, tuple(max(side, 0) for side in sides), mode=mode, value=value)


def sides(padding: int, output_padding: int = 0) -> tuple[int, ...]:
    """PyTorch's padding (one number, or one for each axis) as MindSpore's: two for each axis."""
    if isinstance(padding, int) and output_padding == 0:
        return padding
    padding = (padding,) * 2 if isinstance(padding, int) else padding
    more = (output_padding,) * len(padding) if isinstance(output_padding, int) else output_padding
    return tuple(size for side, less in zip(padding, more) for size in (side, side - less))


class CircularPad(nn.Cell):
    """Continues the last axes of its input from their other end."""

    def __init__(self, padding: int | tuple[int, ...], axes: int) -> None:
        super().__init__()
        self.sides = [padding] * (2 * axes) if isinstance(padding, int) else list(padding)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return ops.pad(x, self.sides, mode="circular")


def logsumexp(x: ms.Tensor, dim: int | tuple[int, ...], keepdim: bool = False) -> ms.Tensor:
    """log(sum(exp(x))), of infinite numbers, too: MindSpore's own is NaN where all are -inf."""
    high = ops.stop_gradient(ops.amax(x, dim, keepdims=True))
    base = ops.where(ops.abs(high) == np.inf, ops.zeros_like(high), high)
    return ops.log(ops.exp(x - base).sum(dim, keepdims=keepdim)) + (
        base if keepdim else base.squeeze(dim)
    )


def interpolate(
    x: ms.Tensor,
    size: int | tuple[int, ...] | None = None,
    scale_factor: float | tuple[float | int, ...] | tuple[float, ...] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> ms.Tensor:
    """x resized. By scale_factor, PyTorch's points lie by the factor, not by the sizes."""
    lengths, small = x.shape[2:], x.dtype == ms.uint8 and mode != "area"
    by_size = bool(size is not None or recompute_scale_factor or align_corners or mode == "area")
    if size is None:
        factors = scale_factor if isinstance(scale_factor, (list, tuple)) else None
        factors = (scale_factor,) * len(lengths) if factors is None else factors
        size = tuple(int(n * factor) for n, factor in zip(lengths, factors))
        by_size = by_size or all(m == n * factor for m, n, factor in zip(size, lengths, factors))
    size = (size,) * len(lengths) if isinstance(size, int) else tuple(size)
    if by_size and mode != "bicubic" and not antialias and not small:
        return ops.interpolate(x, size=size, mode=mode, align_corners=align_corners)
    x = x.astype(ms.float32) if small else x
    for axis, m in reversed(list(enumerate(size, 2))):
        n = x.shape[axis]
        step = n / m if by_size else 1 / factors[axis - 2]
        if antialias:
            weights = smooth_weights(n, m, step, mode)
        elif align_corners:
            weights = tap_weights(n, np.linspace(0, n - 1, m), mode)
        else:
            weights = sampling_weights(n, m, step, mode)
        weights = ms.Tensor(weights.astype(np.float32)).astype(x.dtype)
        x = ops.matmul(x.swapaxes(axis, -1), weights).swapaxes(axis, -1)
        x = ops.clamp(ops.floor(x + 0.5), 0, 255) if small else x
    return x.astype(ms.uint8) if small else x


def sampling_weights(n: int, m: int, step: float, mode: str) -> np.ndarray:
    """What each of n elements gives to each of m points that lie `step` apart: (n, m)."""
    points = np.arange(m, dtype=np.float32)
    if mode.startswith("nearest"):
        points = points + np.float32(0.5 if mode == "nearest-exact" else 0)
        places = np.minimum(np.floor(points * np.float32(step)).astype(int), n - 1)
        return np.equal(np.arange(n)[:, None], places)
    at = (points + np.float32(0.5)) * np.float32(step) - np.float32(0.5)
    return tap_weights(n, at if mode == "bicubic" else np.maximum(at, 0), mode)


def tap_weights(n: int, at: np.ndarray, mode: str) -> np.ndarray:
    """What each of n elements gives to each place `at`, by the elements beside it."""
    cubic = mode == "bicubic"
    weights = np.zeros((n, len(at)))
    for tap in (-1, 0, 1, 2) if cubic else (0, 1):
        places = np.floor(at) + tap
        rows = np.clip(places, 0, n - 1).astype(int)
        np.add.at(weights, (rows, np.arange(len(at))), filter_weight(at - places, cubic, -0.75))
    return weights


def smooth_weights(n: int, m: int, step: float, mode: str) -> np.ndarray:
    """The same with a filter as wide as the points are apart."""
    centers = (np.arange(m) + 0.5) * step
    distances = (np.arange(n)[:, None] + 0.5 - centers) / max(step, 1)
    weights = filter_weight(distances, mode == "bicubic", -0.5)
    return weights / weights.sum(0)


def filter_weight(distance: np.ndarray, cubic: bool, a: float) -> np.ndarray:
    """The weight of an element at a distance: a cubic with slope a at 1, or linear."""
    t = np.abs(distance)
    if not cubic:
        return np.maximum(1 - t, 0)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = a * (((t - 5) * t + 8) * t - 4)
    return np.where(t < 1, near, np.where(t < 2, far, 0))


class LSTMCell(nn.LSTMCell):
    """nn.LSTMCell, from zeros where no state is given, and of one example, too."""

    def construct(self, x: Any, hx: Any = None) -> Any:
        return run_cell(self, super().construct, x, hx)


class GRUCell(nn.GRUCell):
    """nn.GRUCell, from zeros where no state is given, and of one example, too."""

    def construct(self, x: Any, hx: Any = None) -> Any:
        return run_cell(self, super().construct, x, hx)


def run_cell(cell: nn.Cell, step: Callable, x: ms.Tensor, hx: Any) -> Any:
    """One step of a recurrent cell: x (batch, size) or (size), the state likewise."""
    is_single = x.ndim == 1
    x = x.expand_dims(0) if is_single else x
    pair = isinstance(cell, nn.LSTMCell)
    if hx is None:
        zeros = ops.zeros((x.shape[0], cell.hidden_size), x.dtype)
        hx = (zeros, zeros) if pair else zeros
    elif is_single:
        hx = tuple(h.expand_dims(0) for h in hx) if pair else hx.expand_dims(0)
    y = step(x, hx)
    if not is_single:
        return y
    return tuple(h.squeeze(0) for h in y) if pair else y.squeeze(0)


def cosine_similarity(x: ms.Tensor, y: ms.Tensor, dim: int = 1, eps: float = 1e-8) -> ms.Tensor:
    """The cosine of the angle between vectors, of whose norms each is at least eps."""
    x, y = ms.numpy.broadcast_arrays(x, y)
    x, y = (
        t / ops.sqrt(ops.maximum(ops.square(t).sum(dim, keepdims=True), eps**2)) for t in (x, y)
    )
    return (x * y).sum(dim)
