"""Moving averages of weights, and their use in evaluation."""

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.parameter import ParameterTuple


class EMA(nn.Cell):
    """Weights are swapped for the averages, and back."""

    def __init__(self, network, ema_decay=0.99, updates=0, trainable_only=True):
        super().__init__()
        self.ema_decay = ema_decay
        self.updates = Parameter(Tensor(updates, ms.float32), name="ema_updates", requires_grad=False)
        self.net_weight = ParameterTuple(network.trainable_params() if trainable_only else network.get_parameters())
        self.ema_weight = self.net_weight.clone(prefix="ema", init="same")
        self.swap_cache = self.net_weight.clone(prefix="swap", init="zeros")
        for param in (*self.ema_weight, *self.swap_cache):
            param.requires_grad = False
        self.hyper_map, self.map = ops.HyperMap(), ops.Map()

    def ema_update(self):
        self.updates += 1
        d = self.ema_decay * (1 - ops.exp(-self.updates / 10))
        self.hyper_map(ops.partial(_blend, d), self.ema_weight, self.net_weight)
        return self.updates

    def swap_before_eval(self):
        success = self.map(ops.assign, self.swap_cache, self.net_weight)
        return ops.depend(success, self.map(ops.assign, self.net_weight, self.ema_weight))

    def swap_after_eval(self):
        return self.map(ops.assign, self.net_weight, self.swap_cache)


_blend = ops.MultitypeFuncGraph("ema_blend")


@_blend.register("Tensor", "Tensor", "Tensor")
def _blend_one(factor, ema_weight, weight):
    return ops.assign(ema_weight, ema_weight * factor + weight * (1 - factor))


class LossWithEMA(nn.TrainOneStepCell):
    """A training step of the framework, and the averages after it."""

    def __init__(self, network, optimizer, ema, sens=1.0):
        super().__init__(network, optimizer, sens)
        self.ema = ema

    def construct(self, *inputs):
        loss = super().construct(*inputs)
        loss = ops.depend(loss, self.ema.ema_update())
        return loss
