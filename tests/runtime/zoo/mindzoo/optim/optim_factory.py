"""create_optimizer: groups without decay, and the optimiser by its name."""

import os
from typing import Optional

from mindspore import load_checkpoint, load_param_into_net, nn

from .adamw import AdamW
from .adan import Adan
from .lamb import Lamb
from .lion import Lion


def init_group_params(params, weight_decay, weight_decay_filter="auto"):
    decay_params, no_decay_params = [], []
    for param in params:
        if weight_decay_filter == "norm_and_bias":
            no_decay = any(x in param.name for x in ("beta", "gamma", "bias"))
        else:
            no_decay = len(param.shape) == 1 or param.name.endswith(".bias")
        (no_decay_params if no_decay else decay_params).append(param)
    return [
        {"params": decay_params, "weight_decay": weight_decay},
        {"params": no_decay_params},
        {"order_params": params},
    ]


def create_optimizer(params, opt: str = "adam", lr: Optional[float] = 1e-3, weight_decay: float = 0,
                     momentum: float = 0.9, nesterov: bool = False, weight_decay_filter: str = "disable",
                     loss_scale: float = 1.0, schedule_decay: float = 4e-3, checkpoint_path: str = "",
                     eps: float = 1e-10, **kwargs):
    opt = opt.lower()
    if weight_decay_filter != "disable" and weight_decay:
        params = init_group_params(list(params), weight_decay, weight_decay_filter)
        weight_decay = 0.0
    opt_args = dict(**kwargs)
    if opt == "sgd":
        optimizer = nn.SGD(params=params, learning_rate=lr, momentum=momentum, weight_decay=weight_decay,
                           nesterov=nesterov, loss_scale=loss_scale, **opt_args)
    elif opt in ["momentum", "nesterov"]:
        optimizer = nn.Momentum(params=params, learning_rate=lr, momentum=momentum, weight_decay=weight_decay,
                                use_nesterov=opt == "nesterov", loss_scale=loss_scale)
    elif opt == "adam":
        optimizer = nn.Adam(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale,
                            use_nesterov=nesterov, eps=eps, **opt_args)
    elif opt == "adamw":
        optimizer = AdamW(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale, eps=eps,
                          **opt_args)
    elif opt == "lion":
        optimizer = Lion(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale, **opt_args)
    elif opt == "adan":
        optimizer = Adan(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale, eps=eps,
                         **opt_args)
    elif opt == "lamb":
        optimizer = Lamb(params=params, learning_rate=lr, weight_decay=weight_decay, eps=eps, **opt_args)
    elif opt == "rmsprop":
        optimizer = nn.RMSProp(params=params, learning_rate=lr, momentum=momentum, weight_decay=weight_decay,
                               loss_scale=loss_scale, epsilon=eps, **opt_args)
    else:
        raise ValueError(f"Invalid optimizer: {opt}")
    if os.path.exists(checkpoint_path):
        load_param_into_net(optimizer, load_checkpoint(checkpoint_path))
    return optimizer
