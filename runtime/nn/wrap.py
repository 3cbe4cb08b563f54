"""Cells around a network: its loss, and a whole training step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cell import Cell
from ..gradient import Differentiated, Wanted
from ..tensor import Tensor, wrap


class WithLossCell(Cell):
    """loss_fn(backbone(data), label)."""

    def __init__(self, backbone: Cell, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        backbone: Cell = self._backbone
        return backbone


class ForwardValueAndGrad(Differentiated):
    """The loss and the weights' gradients of one step, scaled by `sens`."""

    scale = 1.0

    def sens(self, result: Any) -> Any:
        ys, gs = super().sens(result)
        filled = [wrap(np.full(g.shape, self.scale, g.value.dtype)) for g in gs]
        return ys, gs if self.scale == 1 else filled


class TrainOneStepCell(Cell):
    """Gives the network's loss and lets the optimiser step; `sens` scales the gradients."""

    def __init__(
        self, network: Cell, optimizer: Any, sens: Any = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.return_grad = network, optimizer, return_grad
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.sens = 1.0 if sens is None else sens

    def construct(self, *inputs: Any) -> Any:
        wanted = Wanted.of(None, self.weights)
        step = ForwardValueAndGrad(self.network, wanted, with_value=True, has_aux=False)
        step.scale = float(self.sens.item()) if isinstance(self.sens, Tensor) else self.sens
        loss, gradients = step.run(*inputs)
        self.optimizer(gradients)
        if not self.return_grad:
            return loss
        return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}
