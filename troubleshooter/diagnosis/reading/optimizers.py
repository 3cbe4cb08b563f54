"""The optimisers of the frameworks, by the names of their classes and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..layers.optimizer import Adagrad, Adam, Optimizer, RmsProp, Sgd

Options = Mapping[str, Any]


def known(options: Options, **names: str) -> dict[str, Any]:
    """By the fields' names, those that are given."""
    return {k: options[name] for k, name in names.items() if options.get(name) is not None}


def sgd(options: Options) -> Optimizer:
    names = {name: name for name in ("lr", "weight_decay", "momentum", "dampening", "nesterov",
                                     "maximize")}  # fmt: skip
    return Sgd(**known(options, **names))


def adam(options: Options) -> Optimizer:
    names = {name: name for name in ("lr", "weight_decay", "eps", "amsgrad", "maximize", "betas")}
    return Adam(**known(options, **names))


def adamw(options: Options) -> Optimizer:
    names = {name: name for name in ("lr", "weight_decay", "eps", "amsgrad", "maximize", "betas")}
    return Adam(**known(options, **names), decoupled=True)


def rmsprop(options: Options) -> Optimizer:
    names = {name: name for name in ("lr", "weight_decay", "alpha", "eps", "momentum", "centered",
                                     "maximize")}  # fmt: skip
    return RmsProp(**known(options, **names))


def adagrad(options: Options) -> Optimizer:
    names = {"initial": "initial_accumulator_value", "lr_decay": "lr_decay", "eps": "eps",
             "lr": "lr", "weight_decay": "weight_decay"}  # fmt: skip
    return Adagrad(**known(options, **names))


def momentum_of_mindspore(options: Options) -> Optimizer:
    return Sgd(
        **known(options, lr="learning_rate", weight_decay="weight_decay", momentum="momentum",
                nesterov="use_nesterov")
    )  # fmt: skip


def sgd_of_mindspore(options: Options) -> Optimizer:
    return Sgd(
        **known(options, lr="learning_rate", weight_decay="weight_decay", momentum="momentum",
                nesterov="nesterov", dampening="dampening")
    )  # fmt: skip


def adam_of_mindspore(options: Options) -> Optimizer:
    values = known(options, lr="learning_rate", weight_decay="weight_decay", eps="eps")
    first, second = options.get("beta1", 0.9), options.get("beta2", 0.999)
    return Adam(**values, betas=(first, second), eps_uncorrected=True)


def adam_weight_decay(options: Options) -> Optimizer:
    """Without any correction of the moments' bias; the decay is added to the step."""
    values = known(options, lr="learning_rate", weight_decay="weight_decay", eps="eps")
    first, second = options.get("beta1", 0.9), options.get("beta2", 0.999)
    eps = values.pop("eps", 1e-6)
    return Adam(**values, betas=(first, second), eps=eps, bias_correction=False, decoupled=True)


def rmsprop_of_mindspore(options: Options) -> Optimizer:
    values = known(options, lr="learning_rate", weight_decay="weight_decay", eps="epsilon",
                   alpha="decay", momentum="momentum", centered="centered")  # fmt: skip
    return RmsProp(**{"alpha": 0.9, "eps": 1e-10, **values}, eps_inside=True, initial=1.0)


def adagrad_of_mindspore(options: Options) -> Optimizer:
    """Without any epsilon; the sum of squares begins with `accum`, which is 0.1 if not said."""
    values = known(options, lr="learning_rate", weight_decay="weight_decay")
    return Adagrad(**values, initial=float(options.get("initial_accum", 0.1)), eps=0.0)


OPTIMIZERS: dict[str, Callable[[Options], Optimizer]] = {
    **{
        f"{place}.{name}": read
        for place in ("torch.optim", "mindspore.experimental.optim", "mindspore.mint.optim")
        for name, read in (
            ("SGD", sgd),
            ("Adam", adam),
            ("AdamW", adamw),
            ("RMSprop", rmsprop),
            ("Adagrad", adagrad),
        )
    },
    "mindspore.nn.Momentum": momentum_of_mindspore,
    "mindspore.nn.SGD": sgd_of_mindspore,
    "mindspore.nn.Adam": adam_of_mindspore,
    "mindspore.nn.AdamWeightDecay": adam_weight_decay,
    "mindspore.nn.RMSProp": rmsprop_of_mindspore,
    "mindspore.nn.Adagrad": adagrad_of_mindspore,
}
"""By the public names of their classes."""
