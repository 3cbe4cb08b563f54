"""What moves elements, takes some of them, or puts them together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..layers.layer import Array
from ..layers.moving import PixelShuffle, PixelUnshuffle
from .model import Axis, model


@model("transpose")
def transpose(x: Array, /, perm: tuple[int, ...] = ()) -> Any:
    return x.transpose(perm)


@model("reshape")
def reshape(x: Array, /, shape: tuple[int, ...] = ()) -> Any:
    return x.reshape(shape)


@model("expand")
def expand(x: Array, /, shape: tuple[int, ...] = ()) -> Any:
    front = len(shape) - x.ndim
    sizes = [s if s != -1 else x.shape[i - front] for i, s in enumerate(shape)]
    return np.broadcast_to(x, sizes)


@model("tile")
def tile(x: Array, /, repeats: Any = 1) -> Any:
    return np.tile(x, repeats)


@model("repeat_interleave")
def repeat_interleave(x: Array, /, repeats: Any = 1, axis: Axis = None) -> Any:
    return np.repeat(x, np.asarray(repeats, np.int64), axis)  # type: ignore[arg-type]


@model("cat")
def cat(tensors: Any, /, axis: int = 0) -> Any:
    return np.concatenate([np.asarray(x) for x in tensors], axis)


@model("stack")
def stack(tensors: Any, /, axis: int = 0) -> Any:
    return np.stack([np.asarray(x) for x in tensors], axis)


@model("roll")
def roll(x: Array, /, shifts: Any = 0, axis: Axis = None) -> Any:
    return np.roll(x, shifts, axis)


@model("flip")
def flip(x: Array, /, axis: Axis = None) -> Any:
    return np.flip(x, axis)


@model("tril")
def tril(x: Array, /, diagonal: int = 0) -> Any:
    return np.tril(x, diagonal)


@model("triu")
def triu(x: Array, /, diagonal: int = 0) -> Any:
    return np.triu(x, diagonal)


@model("getitem")
def getitem(x: Array, /, index: Any = ()) -> Any:
    return x[index_of(index)]


@model("setitem")
def setitem(x: Array, /, index: Any = (), value: Any = 0) -> Any:
    new = np.array(x)
    new[index_of(index)] = value
    return new


def index_of(index: Any) -> Any:
    """An index as NumPy takes it, of the form in which they travel."""
    if isinstance(index, tuple) and index[:1] == ("slice",) and len(index) == 4:
        return slice(*[None if x is None else int(x) for x in index[1:]])
    if isinstance(index, tuple):
        return tuple(index_of(part) for part in index)
    if isinstance(index, str):
        return Ellipsis
    if isinstance(index, np.ndarray) and index.dtype.kind == "f":
        return index.astype(np.int64)
    return index


@model("select")
def select(x: Array, /, axis: int = 0, index: int = 0) -> Any:
    return np.take(x, index, axis)


@model("take")
def take(x: Array, /, axis: int = 0, index: Any = 0) -> Any:
    place = np.asarray(index).astype(np.int64)
    if place.ndim != x.ndim:
        return np.take(x, place, axis)
    cut = tuple(slice(None) if i == axis % x.ndim else slice(n) for i, n in enumerate(place.shape))
    return np.take_along_axis(x[cut], place, axis)


@model("embedding")
def embedding(place: Array, table: Array, /) -> Any:
    return table[place.astype(np.int64)]


@model("pad")
def pad(x: Array, /, pad: tuple[int, ...] = (), mode: str = "constant", value: Any = None) -> Any:
    sides = [(0, 0)] * x.ndim
    for i in range(len(pad) // 2):
        sides[x.ndim - 1 - i] = (pad[2 * i], pad[2 * i + 1])
    modes = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    more = {"constant_values": value or 0} if mode == "constant" else {}
    return np.pad(x, sides, modes[mode], **more)  # type: ignore[call-overload]


@model("pixel_shuffle")
def pixel_shuffle(x: Array, /, upscale_factor: int = 1) -> Any:
    return PixelShuffle(upscale_factor).outputs(x)[0]


@model("pixel_unshuffle")
def pixel_unshuffle(x: Array, /, downscale_factor: int = 1) -> Any:
    return PixelUnshuffle(downscale_factor).outputs(x)[0]


@model("one_hot")
def one_hot(x: Array, /, num_classes: int = -1) -> Any:
    count = num_classes if num_classes > 0 else int(x.max()) + 1
    return np.eye(count)[x.astype(np.int64)]


@model("scatter_add")
def scatter_add(x: Array, /, axis: int = 0, index: Any = None, source: Any = None) -> Any:
    new, place = np.array(x), np.asarray(index).astype(np.int64)
    grid: list[Any] = list(np.indices(place.shape))
    grid[axis] = place
    np.add.at(new, tuple(grid), np.broadcast_to(source, place.shape))
    return new


@model("index_add")
def index_add(
    x: Array, /, axis: int = 0, index: Any = None, source: Any = None, alpha: float = 1
) -> Any:
    new = np.moveaxis(np.array(x), axis, 0)
    np.add.at(new, np.asarray(index).astype(np.int64), alpha * np.moveaxis(source, axis, 0))
    return np.moveaxis(new, 0, axis)
