"""Which part of an image a network looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..cells.cell import Cell
from ..engine.argument import check_type
from ..engine.dtype import Array
from ..engine.failure import RefusedError, ShapeError
from ..engine.tensor import Tensor
from .metric import Metric, rearrange_inputs


class OcclusionSensitivity(Metric):
    """How much a class's score falls where a patch of an image (1, ...) is covered.

    margin: half the patch's size; n_batch: how many images the network is given at once; b_box:
    the first and last place along each axis that is covered. The places before the last axes of
    an image count too: a patch has a channel of its own.
    """

    def __init__(
        self,
        pad_val: float = 0.0,
        margin: Any = 2,
        n_batch: int = 128,
        b_box: list[int] | None = None,
    ) -> None:
        super().__init__()
        name = "OcclusionSensitivity"
        self.pad_val = check_type(name, "pad_val", pad_val, float)
        self.margin = check_type(name, "margin", margin, int, list)
        self.n_batch = check_type(name, "n_batch", n_batch, int)
        self.b_box = b_box if b_box is None else check_type(name, "b_box", b_box, list)
        self.clear()

    def clear(self) -> None:
        self._baseline, self._sensitivity_im = 0.0, np.zeros(0)
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        model, given, wanted = self.given(inputs, "the network", "the image", "its class")
        check_type("OcclusionSensitivity.update", "the network", model, Cell)
        x, labels = self._convert_data(given), self._convert_data(wanted)
        if x.shape[0] != 1 or labels.size != 1:
            raise RefusedError(
                "OcclusionSensitivity.update", "it takes one image and its class",
                got=f"shapes {x.shape} and {labels.shape}", expected="(1, ...) and one class",
            )  # fmt: skip
        label = int(labels.reshape(-1)[0])
        self._baseline = float(model(Tensor(x)).asnumpy()[0, label])
        first, last = self.box(x.shape[1:])
        sizes = tuple(b - a + 1 for a, b in zip(first, last, strict=True))
        places = [np.add(place, first) for place in np.ndindex(*sizes)]
        scores: list[float] = []
        for start in range(0, len(places), self.n_batch):
            covered = [self.covered(x, place) for place in places[start : start + self.n_batch]]
            scores += model(Tensor(np.concatenate(covered))).asnumpy()[:, label].tolist()
        self._sensitivity_im = np.reshape(scores, sizes)
        self._is_update = True

    def covered(self, x: Array, place: Array) -> Array:
        """The image with a patch around `place` of `pad_val`."""
        sizes = x.shape[1:]
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * len(sizes)
        if len(margins) != len(sizes):
            expected = f"a number, or {len(sizes)} of them"
            raise ShapeError(
                "OcclusionSensitivity", "wrong margin", got=str(margins), expected=expected
            )
        patch = [
            slice(max(0, n - margin), min(size, n + margin))
            for n, margin, size in zip(place, margins, sizes, strict=True)
        ]
        found = x.copy()
        found[(slice(None), *patch)] = self.pad_val
        return found

    def box(self, sizes: Sequence[int]) -> tuple[list[int], list[int]]:
        """The first and the last place along each axis. Raises: ValueError (MS304)."""
        if self.b_box is None:
            return [0] * len(sizes), [n - 1 for n in sizes]
        if len(self.b_box) != 2 * len(sizes):
            raise self.wrong_box(f"{2 * len(sizes)} numbers: the first and last of each axis")
        first = [max(n, 0) for n in self.b_box[::2]]
        last = [n if n >= 0 else size - 1 for n, size in zip(self.b_box[1::2], sizes, strict=True)]
        if any(not a <= b < n for a, b, n in zip(first, last, sizes, strict=True)):
            raise self.wrong_box(f"places inside of {tuple(sizes)}, the first not behind the last")
        return first, last

    def wrong_box(self, expected: str) -> ShapeError:
        return ShapeError(
            "OcclusionSensitivity: b_box", "it is no part of the image", got=str(self.b_box),
            expected=expected,
        )  # fmt: skip

    def eval(self) -> Array:
        self.require_some(self._is_update)
        return np.asarray(self._baseline - np.squeeze(self._sensitivity_im))
