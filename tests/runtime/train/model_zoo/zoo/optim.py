"""optim factory"""
import os
from typing import Optional

from mindspore import load_checkpoint, load_param_into_net, nn
from mindspore.nn import Adam, AdamWeightDecay, Momentum, RMSProp

__all__ = ["create_optimizer"]


def init_group_params(params, weight_decay, weight_decay_filter, no_weight_decay=()):
    if weight_decay_filter == "disable":
        return [{"params": params, "weight_decay": weight_decay}, {"order_params": params}]

    decay_params = []
    no_decay_params = []
    for param in params:
        if (weight_decay_filter == "auto" and _auto_filter_keyword(param.name)) or param.name in no_weight_decay:
            no_decay_params.append(param)
        elif weight_decay_filter == "norm_and_bias" and len(param.shape) == 1:
            no_decay_params.append(param)
        else:
            decay_params.append(param)
    return [
        {"params": decay_params, "weight_decay": weight_decay},
        {"params": no_decay_params},
        {"order_params": params},
    ]


def _auto_filter_keyword(name):
    return "beta" in name or "gamma" in name or "bias" in name


def create_optimizer(
    model_or_params,
    opt: str = "adam",
    lr: Optional[float] = 1e-3,
    weight_decay: float = 0,
    momentum: float = 0.9,
    nesterov: bool = False,
    weight_decay_filter: str = "disable",
    loss_scale: float = 1.0,
    schedule_decay: float = 4e-3,
    checkpoint_path: str = "",
    eps: float = 1e-10,
    **kwargs,
):
    no_weight_decay = {}
    if hasattr(model_or_params, "trainable_params"):
        if hasattr(model_or_params, "no_weight_decay"):
            no_weight_decay = model_or_params.no_weight_decay()
        params = model_or_params.trainable_params()
    else:
        params = model_or_params

    opt = opt.lower()

    if opt not in ["lion"]:
        params = init_group_params(params, weight_decay, weight_decay_filter, no_weight_decay)

    opt_args = dict(**kwargs)
    # if lr is not None:
    #    opt_args.setdefault('lr', lr)

    # non-adaptive: SGD, momentum, and nesterov
    if opt == "sgd":
        # note: nn.Momentum may perform better if momentum > 0.
        optimizer = nn.SGD(params=params, learning_rate=lr, momentum=momentum, weight_decay=weight_decay,
                           nesterov=nesterov, loss_scale=loss_scale, **opt_args)
    elif opt in ["momentum", "nesterov"]:
        optimizer = Momentum(params=params, learning_rate=lr, momentum=momentum, weight_decay=weight_decay,
                             use_nesterov=nesterov, loss_scale=loss_scale)
    elif opt == "adam":
        optimizer = Adam(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale,
                         use_nesterov=nesterov, **opt_args)
    elif opt == "adamw":
        optimizer = AdamW(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale, **opt_args)
    elif opt == "adamwd":
        optimizer = AdamWeightDecay(params=params, learning_rate=lr, weight_decay=weight_decay, **opt_args)
    elif opt == "lion":
        optimizer = Lion(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale, **opt_args)
    elif opt == "rmsprop":
        optimizer = RMSProp(params=params, learning_rate=lr, momentum=momentum, weight_decay=weight_decay,
                            loss_scale=loss_scale, epsilon=eps, **opt_args)
    elif opt == "adagrad":
        optimizer = nn.Adagrad(params=params, learning_rate=lr, weight_decay=weight_decay, loss_scale=loss_scale,
                               **opt_args)
    elif opt == "lamb":
        assert loss_scale == 1.0, "Loss scaler is not supported by Lamb optimizer"
        optimizer = nn.Lamb(params=params, learning_rate=lr, weight_decay=weight_decay, **opt_args)
    else:
        raise ValueError(f"Invalid optimizer: {opt}")

    if os.path.exists(checkpoint_path):
        param_dict = load_checkpoint(checkpoint_path)
        load_param_into_net(optimizer, param_dict)

    return optimizer


from .optim_classes import AdamW, Lion  # noqa: E402
