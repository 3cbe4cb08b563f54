"""Every optimiser, by the weights it makes; run as a script by MindSpore's Python.

    python optimizer_table.py RESULTS.json

Needs nothing but NumPy and the framework, so that both sides run this very code.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

SHAPES = {"conv.weight": (2, 4, 3), "norm.gamma": (3,), "fc.weight": (4, 3), "fc.bias": (4,)}

CLASSIC = (
    "SGD(ps)",
    "SGD(ps, 0.05, 0.9, 0.5, 0.1)",
    "SGD(ps, 0.05, 0.9, nesterov=True, loss_scale=4.0)",
    "SGD(ps, 1, 1, 0)",
    "SGD(ps, ms.Tensor(0.3))",
    "Momentum(ps, 0.1, 0.9, 0.1, 2.0)",
    "Adam(ps)",
    "Adam(ps, 0.1, 0.8, 0.99, 1e-4, weight_decay=0.1, loss_scale=8.0)",
    "Adam(ps, 0.1, use_nesterov=True)",
    "Adam(ps, 0.1, use_amsgrad=True)",
    "Adam(ps, 0.1, use_lazy=True)",
    "Adam(ps, 0.1, use_offload=True)",
    "AdamOffload(ps, 0.1, weight_decay=0.1)",
    "LazyAdam(ps, 0.1, weight_decay=0.1)",
    "AdamWeightDecay(ps, 0.1, weight_decay=0.1)",
    "AdaMax(ps, 0.1, weight_decay=0.1)",
    "ASGD(ps)",
    "ASGD(ps, 0.1, 0.05, 0.5, 2.0, 0.1)",
    "Rprop(ps)",
    "Rprop(ps, 0.2, (0.4, 1.5), (0.01, 0.25), 0.1)",
    "RMSProp(ps, momentum=0.5, weight_decay=0.1)",
    "RMSProp(ps, 0.05, 0.8, 0.5, 1e-3, centered=True)",
    "Adagrad(ps, weight_decay=0.1, learning_rate=0.1)",
    "Adagrad(ps, 0.5, 0.1, loss_scale=2.0)",
    "ProximalAdagrad(ps, learning_rate=0.1, weight_decay=0.1)",
    "ProximalAdagrad(ps, 0.2, 0.1, 0.05, 0.1)",
    "FTRL(ps, learning_rate=0.1)",
    "FTRL(ps, 0.2, 0.1, -0.7, 0.0, 0.1, weight_decay=0.1)",
    "Adadelta(ps)",
    "Adadelta(ps, 0.5, 0.8, 1e-3, 2.0, 0.1)",
    "AdaFactor(ps)",
    "AdaFactor(ps, None, (1e-20, 1e-2), 0.5, 0.7, 0.0, 0.1, warmup_init=True)",
    "AdaFactor(ps, 0.1, relative_step=False, scale_parameter=False, beta1=None)",
    "SGD(ps, [0.1, 0.2, 0.3, 0.4, 0.5])",
    "Momentum(ps, (0.1, 0.2, 0.3, 0.4), 0.9)",
    "Adam(ps, ms.Tensor([0.1, 0.2, 0.3, 0.4]))",
    "SGD(ps, nn.ExponentialDecayLR(0.1, 0.5, 2, True))",
    "SGD(ps, nn.NaturalExpDecayLR(0.1, 0.5, 2))",
    "SGD(ps, nn.InverseDecayLR(0.1, 0.5, 2))",
    "SGD(ps, nn.PolynomialDecayLR(0.1, 0.01, 3, 2.0))",
    "SGD(ps, nn.CosineDecayLR(0.01, 0.1, 3))",
    "SGD(ps, nn.WarmUpLR(0.1, 3))",
    "Adam([{'params': ps[:2], 'lr': 0.1}, {'params': ps[2:], 'weight_decay': 0.1}], 0.01)",
    "Adam([{'params': ps[2:], 'lr': [0.1, 0.2, 0.3, 0.4]}, {'params': ps[:2]},"
    " {'order_params': ps}], 0.01, weight_decay=0.1)",
    "Momentum([{'params': ps[::2], 'grad_centralization': True, 'weight_decay': 0.1},"
    " {'params': ps[1::2], 'lr': nn.WarmUpLR(0.1, 3)}], 0.1, 0.9, loss_scale=2.0)",
    "AdamWeightDecay([{'params': ps[:2], 'weight_decay': 0.1}, {'params': ps[2:]}], 0.1)",
    "Momentum(ps, 0.1, 0.9, nn.PolynomialDecayLR(0.5, 0.1, 3, 1.0))",
    "AdamWeightDecay(ps, 0.1, weight_decay=nn.PolynomialDecayLR(0.5, 0.1, 3, 1.0))",
)
"""Classes of `nn`; `ps` are the parameters."""

REFUSED = (
    "SGD([])",
    "SGD(None)",
    "SGD(1)",
    "SGD([1.0])",
    "SGD([ps[0], ps[0]])",
    "SGD(ps, 'fast')",
    "SGD(ps, -1.0)",
    "SGD(ps, ms.Tensor([[0.1]]))",
    "SGD(ps, momentum=-1.0)",
    "SGD(ps, momentum='1')",
    "SGD(ps, dampening=-1.0)",
    "SGD(ps, nesterov=True)",
    "SGD(ps, nesterov=1)",
    "SGD(ps, weight_decay=nn.WarmUpLR(0.1, 3))",
    "SGD(ps, weight_decay=-1.0)",
    "SGD(ps, weight_decay='1')",
    "SGD(ps, loss_scale=0.0)",
    "SGD(ps, loss_scale='1')",
    "SGD([{'params': ps, 'rate': 1}])",
    "SGD([{'params': []}])",
    "SGD([{'params': ps, 'grad_centralization': 1}])",
    "SGD([{'params': ps}, {'params': ps[:1]}])",
    "SGD([{'params': ps}, {'order_params': ps[:1]}])",
    "SGD([{'params': ps}, {'order_params': ps, 'lr': 0.1}])",
    "SGD(ps)((ms.Tensor([1.0]),) * 9)",
    "SGD(ps).get_lr_parameter(1)",
    "Momentum(ps, 0.1, 1)",
    "Momentum(ps, 0.1, -0.5)",
    "Momentum(ps, 0.1, 0.9, use_nesterov=1)",
    "Adam(ps, beta1=1.0)",
    "Adam(ps, beta2='0.9')",
    "Adam(ps, eps=0.0)",
    "Adam(ps, use_nesterov=1)",
    "Adam(ps, use_fast=True)",
    "Adam(ps, use_lazy=True, use_offload=True)",
    "Adam(ps, use_lazy=True, use_amsgrad=True)",
    "LazyAdam(ps, weight_decay=1)",
    "AdaMax(ps, eps=-1.0)",
    "ASGD(ps, lambd=1)",
    "Rprop(ps, etas=[0.5, 1.2])",
    "Rprop(ps, etas=(0.5, 0.9))",
    "Rprop(ps, etas=(0.5, 1.2, 1.3))",
    "Rprop(ps, step_sizes=(1.0, 0.5))",
    "RMSProp(ps, decay=1)",
    "RMSProp(ps, epsilon=0.0)",
    "Adagrad(ps, accum=-1.0)",
    "Adagrad(ps, update_slots=1)",
    "ProximalAdagrad(ps, l1=-1.0)",
    "FTRL(ps, learning_rate=[0.1, 0.2])",
    "FTRL(ps, lr_power=0.5)",
    "Adadelta(ps, rho=1.5)",
    "Adadelta(ps, epsilon=-1.0)",
    "AdaFactor(ps, 0.1)",
    "AdaFactor(ps, relative_step=False)",
    "AdaFactor(ps, eps=(1e-30,))",
    "AdaFactor(ps, decay_rate=1.0)",
)
"""What of `nn` both refuse."""

EXPERIMENTAL = (
    "SGD(ps, 0.1)",
    "SGD(ps, 0.1, 0.9, 0.5, 0.1)",
    "SGD(ps, 0.1, 0.9, nesterov=True, maximize=True)",
    "Adam(ps, 0.1, weight_decay=0.1)",
    "Adam([{'params': ps[:2], 'lr': 0.1}, {'params': ps[2:], 'weight_decay': 0.1}], 0.01)",
    "AdamW(ps, 0.1, weight_decay=0.1)",
    "AdamW(ps, ms.Tensor(0.1), (0.8, 0.99), 1e-4, amsgrad=True, maximize=True)",
    "ASGD(ps)",
    "ASGD(ps, 0.1, 0.05, 0.5, 2.0, 0.1, True)",
    "Adadelta(ps)",
    "Adadelta(ps, 0.5, 0.8, 1e-3, 0.1, maximize=True)",
    "Adagrad(ps)",
    "Adagrad(ps, 0.1, 0.5, 0.1, 0.2, 1e-3, maximize=True)",
    "Adamax(ps)",
    "Adamax(ps, 0.1, (0.8, 0.99), 1e-3, 0.1, maximize=True)",
    "NAdam(ps)",
    "NAdam(ps, 0.1, (0.8, 0.99), 1e-3, 0.1, 0.5)",
    "RAdam(ps)",
    "RAdam(ps, 0.1, (0.8, 0.7), 1e-3, 0.1)",
    "RMSprop(ps)",
    "RMSprop(ps, 0.1, 0.8, 1e-3, 0.1, 0.5, True, True)",
    "Rprop(ps)",
    "Rprop(ps, 0.2, (0.4, 1.5), (0.01, 0.25), maximize=True)",
)
"""Classes of `experimental.optim`."""

SCHEDULERS = (
    "StepLR(o, 2, 0.5)",
    "MultiStepLR(o, [1, 3, 3], 0.5)",
    "ConstantLR(o, 0.5, 3)",
    "LinearLR(o, 0.5, 1.0, 3)",
    "LinearLR(o)",
    "ExponentialLR(o, 0.9)",
    "PolynomialLR(o, 4, 2.0)",
    "LambdaLR(o, [lambda e: 0.5**e, lambda e: 1 / (e + 1)])",
    "MultiplicativeLR(o, lambda e: 0.9)",
    "CosineAnnealingLR(o, 3, 0.01)",
    "CosineAnnealingWarmRestarts(o, 2)",
    "CosineAnnealingWarmRestarts(o, 2, 2, 0.01)",
    "CyclicLR(o, 0.01, [0.1, 0.2], 3, 2)",
    "CyclicLR(o, 0.01, 0.1, 2, mode='triangular2')",
    "CyclicLR(o, 0.01, 0.1, 2, mode='exp_range', gamma=0.9)",
    "CyclicLR(o, 0.01, 0.1, 2, scale_fn=lambda x: 0.5, scale_mode='iterations')",
    "SequentialLR(o, [s.ConstantLR(o, 0.5, 2), s.ExponentialLR(o, 0.9)], [4])",
    "ReduceLROnPlateau(o, 'min', 0.5, 1)",
    "ReduceLROnPlateau(o, 'max', 0.5, 0, 0.1, 'abs', 1, [0.05, 0.01])",
)
"""Classes of `experimental.optim.lr_scheduler`; `s` is that module, `o` has two groups."""

EPOCHS = ("StepLR(o, 2, 0.5)", "ConstantLR(o, 0.5, 3)", "LinearLR(o, 0.5, 1.0, 3)",
          "ExponentialLR(o, 0.9)", "CosineAnnealingLR(o, 3, 0.01)",
          "CosineAnnealingWarmRestarts(o, 2)", "PolynomialLR(o, 4, 2.0)")  # fmt: skip
"""Those whose step takes an epoch."""

GIVEN = [3, 0, 5, 2]

REFUSED_EXPERIMENTAL = (
    "SGD([], 0.1)",
    "SGD(ps, -0.1)",
    "SGD(ps, 0.1, '0.9')",
    "SGD(ps, 0.1, -0.9)",
    "SGD(ps, 0.1, nesterov=True)",
    "SGD(ps, 0.1, nesterov=1)",
    "SGD(1, 0.1)",
    "SGD([{'params': ps}, {'params': ps[:1]}], 0.1)",
    "Adam(ps, -0.1)",
    "Adam(ps, betas=(1.0, 0.9))",
    "Adam(ps, eps=-1.0)",
    "AdamW(ps, weight_decay=-1.0)",
    "Adadelta(ps, 0.0)",
    "Adadelta(ps, rho=1.5)",
    "Adagrad(ps, lr_decay=-1.0)",
    "Adamax(ps, eps=0.0)",
    "ASGD(ps, lambd=1)",
    "NAdam(ps, momentum_decay=-1.0)",
    "RAdam(ps, betas=(0.9, 1.0))",
    "RMSprop(ps, alpha=-1.0)",
    "Rprop(ps, etas=(1.5, 1.2))",
    "lr_scheduler.StepLR(1, 2)",
    "lr_scheduler.StepLR(optim.SGD(ps, 0.1), 2.0)",
    "lr_scheduler.StepLR(optim.SGD(ps, 0.1), 2, 1)",
    "lr_scheduler.StepLR(optim.SGD(ps, 0.1), 2, 0.1, 3)",
    "lr_scheduler.MultiStepLR(optim.SGD(ps, 0.1), 2)",
    "lr_scheduler.ConstantLR(optim.SGD(ps, 0.1), 1.5)",
    "lr_scheduler.LinearLR(optim.SGD(ps, 0.1), 0)",
    "lr_scheduler.LinearLR(optim.SGD(ps, 0.1), total_iters=1.0)",
    "lr_scheduler.PolynomialLR(optim.SGD(ps, 0.1), power=1)",
    "lr_scheduler.LambdaLR(optim.SGD(ps, 0.1), [len, len])",
    "lr_scheduler.CosineAnnealingWarmRestarts(optim.SGD(ps, 0.1), 0)",
    "lr_scheduler.CyclicLR(optim.SGD(ps, 0.1), 0.1, 0.2, mode='square')",
    "lr_scheduler.ReduceLROnPlateau(optim.SGD(ps, 0.1), factor=1.0)",
    "lr_scheduler.ReduceLROnPlateau(optim.SGD(ps, 0.1), 'mean')",
)

UNCOMPARED = ("learning_rate", "stat.", "Parameter")
"""Rates, SGD's flag of the first step (here it only changes with dampening),
and AdaFactor's placeholder of a moment that it does not have."""


class Table:
    """The rows as one framework sees them."""

    def __init__(self, ms: Any) -> None:
        self.ms = ms
        optim = ms.experimental.optim
        self.names = {"ms": ms, "nn": ms.nn, "optim": optim, "s": optim.lr_scheduler, "np": np}

    def parameters(self) -> list[Any]:
        made = []
        for k, (name, shape) in enumerate(SHAPES.items()):
            array = np.random.RandomState(k).rand(*shape).astype(np.float32) - 0.5
            made.append(self.ms.Parameter(self.ms.Tensor(array), name=name))
        return made

    def gradients(self, step: int, weights: Any) -> tuple[Any, ...]:
        state = np.random.RandomState(step)
        arrays = [state.rand(*w.shape).astype(np.float32) - 0.4 for w in weights]
        return tuple(self.ms.Tensor(array) for array in arrays)

    def made(self, code: str, **names: Any) -> Any:
        """What `code` makes, of the parameters `ps` if they are not given."""
        return eval(code, self.names | {"ps": self.parameters()} | names)

    def stepped(self, code: str, jit: bool = False) -> dict[str, list[float]]:
        """Every parameter of the optimiser after four steps, but those of UNCOMPARED."""
        weights = self.parameters()
        optimizer = self.made(code, ps=weights)
        step = self.ms.jit(lambda *gradients: optimizer(gradients)) if jit else None
        for k in range(4):
            gradients = self.gradients(k, optimizer.parameters)
            optimizer(gradients) if step is None else step(*gradients)
        return {
            p.name: p.asnumpy().astype(float).ravel().tolist()
            for p in [*weights, *optimizer.get_parameters()]
            if not p.name.startswith(UNCOMPARED)
        }

    def rates(self, code: str, epochs: list[int] | None = None) -> list[list[float]]:
        """The rates of both groups, after the scheduler is made and after each of ten steps."""
        first, *rest = self.parameters()
        groups = [{"params": [first]}, {"params": rest, "lr": 0.2}]
        optimizer = self.made("optim.SGD(groups, 0.1)", groups=groups)
        scheduler = self.made(f"s.{code}", o=optimizer)
        found = [scheduler.get_last_lr()]
        for k in range(10) if epochs is None else epochs:
            if "Plateau" in code:
                scheduler.step([3.0, 2.0, 2.5, 2.4, 1.9, 2.2, 2.1, 2.3, 4.0, 5.0][k])
            elif epochs is None:
                scheduler.step()
            else:
                scheduler.step(k)
            found.append(scheduler.get_last_lr())
        return [[float(rate.asnumpy()) for rate in rates] for rates in found]

    def refusal(self, code: str) -> str:
        """The class of the error that making it raises; empty if none."""
        try:
            self.made(code)
        except (TypeError, ValueError, KeyError, RuntimeError) as error:
            kinds = (TypeError, ValueError, KeyError, RuntimeError)
            return next(kind.__name__ for kind in kinds if isinstance(error, kind))
        return ""

    def results(self, jit: bool = False) -> dict[str, dict[str, Any]]:
        """What every row gives."""
        steps = [f"nn.{code}" for code in CLASSIC] + [f"optim.{code}" for code in EXPERIMENTAL]
        refused = [f"nn.{code}" for code in REFUSED]
        refused += [f"optim.{code}" for code in REFUSED_EXPERIMENTAL]
        return {
            "stepped": {code: self.stepped(code, jit) for code in steps},
            "rates": {code: self.rates(code) for code in SCHEDULERS},
            "epochs": {code: self.rates(code, GIVEN) for code in EPOCHS},
            "refused": {code: self.refusal(code) for code in refused},
        }


def main(results: str) -> None:
    import mindspore as ms

    with open(results, "w") as stream:
        json.dump(Table(ms).results(), stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
