"""What is compared, with what, where and how strictly."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ...numerics.rounding import Allowance
from ..pairing.mapped import Naming
from ..sides.inputs import InputShape
from ..sides.places import Target
from .comparison import MODES, Mode
from .ports.given import Rename


@dataclass(frozen=True)
class NetworkSettings:
    """`call` makes the networks where a side does not say its own (`model.py:Net(10)`).

    `weights_a`, `weights_b`: files to load as they are; without the latter, B is given A's weights,
    unless its call is `load()` or it is a network at hand; `copy_weights` decides it. `mode`: in
    which the layers run; in training, buffers, gradients and a step are compared, too, and the
    losses of `steps`. `timeout_s` is for each step of each side. `naming`, `renames`: which of A's
    names is which of B's, where that is known.
    """

    call: str | None = None
    shapes: tuple[InputShape, ...] = ()
    inputs: Path | None = None
    weights_a: Path | None = None
    weights_b: Path | None = None
    copy_weights: bool | None = None
    target: Target | None = None
    python_a: str | None = None
    python_b: str | None = None
    allowance: Allowance = field(default_factory=Allowance)
    seed: int = 0
    mode: Literal["eval", "train", "both"] = "both"
    steps: int = 0
    timeout_s: float = 300.0
    naming: Naming | None = None
    renames: tuple[Rename, ...] = ()

    @property
    def modes(self) -> tuple[Mode, ...]:
        return MODES if self.mode == "both" else (self.mode,)
