"""Annotations that do not hold: what is asked of the value, no list and no number has."""

from __future__ import annotations

from torch import nn


class Rotary(nn.Module):  #: nn.Module
    def forward(self, x, table: tuple[int, int] | None = None):
        table = table.to(self.where)  #: T.to
        return x * table


def lengths(mask: list[int], scale: float, offset: dict[str, int]):
    total = mask.flatten()  #: T.flatten
    low = scale.clamp(0.0, 1.0)  #: T.clamp
    return total, low, offset.unsqueeze(0)  #: T.unsqueeze


def plain(names: list[str], counts: dict[str, int], share: float, pair: tuple[int, int]):
    names.append("a")
    counts.update(b=1)
    return names.index("a"), counts.get("b"), share.is_integer(), share.real, pair.count(1)
