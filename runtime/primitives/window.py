"""The geometry of windows: what pads, strides and dilations mean, as ONNX's attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """A window that moves over the axes behind the second. `before`, `after`: padding."""

    kernel: Sizes
    strides: Sizes
    dilations: Sizes
    before: Sizes
    after: Sizes

    @staticmethod
    def of(sizes: Sizes, kernel: Sizes, out: Sizes, attrs: dict[str, Any]) -> Window:
        """From a node's attributes, over an input of `sizes` to an output of `out`."""
        count = len(sizes)
        strides = attrs.get("strides") or (1,) * count
        dilations = attrs.get("dilations") or (1,) * count
        if attrs.get("auto_pad", "NOTSET") in ("NOTSET", "VALID"):
            pads = attrs.get("pads") or (0,) * 2 * count
            return Window(kernel, strides, dilations, pads[:count], pads[count:])
        every = zip(sizes, kernel, out, strides, dilations, strict=True)
        total = [max((o - 1) * s + (k - 1) * d + 1 - n, 0) for n, k, o, s, d in every]
        less, more = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
        upper = attrs["auto_pad"] == "SAME_UPPER"
        return Window(kernel, strides, dilations, *((less, more) if upper else (more, less)))

    @property
    def attrs(self) -> dict[str, Any]:
        """Strides, dilations and pads as explicit attributes."""
        pads = self.before + self.after
        return {"strides": self.strides, "dilations": self.dilations, "pads": pads}

    def reach(self, out: Sizes) -> Sizes:
        """How many elements, padding included, `out` windows look at along each axis."""
        every = zip(out, self.kernel, self.strides, self.dilations, strict=True)
        return tuple((o - 1) * s + (k - 1) * d + 1 for o, k, s, d in every)

    def left_over(self, sizes: Sizes, out: Sizes) -> Sizes:
        """Elements at the end of each axis, padding included, that no window looks at."""
        every = zip(sizes, self.before, self.after, self.reach(out), strict=True)
        return tuple(n + b + a - r for n, b, a, r in every)
