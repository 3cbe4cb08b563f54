"""The training step of zoos: loss scale, clipping, accumulation, moving averages of weights."""

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.ops import composite as C
from mindspore.ops import functional as F

_ema_op = C.MultitypeFuncGraph("grad_ema_op")
_grad_accum_op = C.MultitypeFuncGraph("gradient_accumulation_op")
_grad_clear_op = C.MultitypeFuncGraph("gradient_clear_op")
_grad_scale = C.MultitypeFuncGraph("grad_scale")


@_ema_op.register("Tensor", "Tensor", "Tensor")
def ema_ops(factor, ema_weight, weight):
    return F.assign(ema_weight, ema_weight * factor + weight * (1 - factor))


@_grad_accum_op.register("Int64", "Tensor", "Tensor")
def cumulative_grad(accumulation_steps, cumulative_grads, grads):
    return F.assign_add(cumulative_grads, grads / accumulation_steps)


@_grad_clear_op.register("Tensor")
def clear_grads(cumulative_grads):
    return F.assign(cumulative_grads, F.zeros_like(cumulative_grads))


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * F.cast(ops.Reciprocal()(scale), F.dtype(grad))


class TrainStep(nn.TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, scale_sense=1.0, ema=False, ema_decay=0.9999, updates=0, clip_grad=False,
                 clip_value=15.0, gradient_accumulation_steps=1):
        if isinstance(scale_sense, float):
            scale_sense = Tensor(scale_sense, ms.float32)
        super(TrainStep, self).__init__(network, optimizer, scale_sense)
        self.ema = ema
        self.ema_decay = ema_decay
        self.updates = Parameter(Tensor(updates, ms.float32), requires_grad=False)
        self.clip_grad, self.clip_value = clip_grad, clip_value
        if self.ema:
            self.weights_all = ms.ParameterTuple(list(network.get_parameters()))
            self.ema_weight = self.weights_all.clone("ema", init="same")
        self.accumulate_grad = gradient_accumulation_steps > 1
        if self.accumulate_grad:
            self.gradient_accumulation = GradientAccumulation(gradient_accumulation_steps, optimizer, self.grad_reducer)

    def ema_update(self):
        self.updates += 1
        d = self.ema_decay * (1 - F.exp(-self.updates / 2000))
        self.hyper_map(F.partial(_ema_op, d), self.ema_weight, self.weights_all)
        return self.updates

    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scaling_sens = self.scale_sense
        scaling_sens_filled = C.ones_like(loss) * F.cast(scaling_sens, F.dtype(loss))
        grads = self.grad(self.network, weights)(*inputs, scaling_sens_filled)
        grads = self.hyper_map(F.partial(_grad_scale, scaling_sens), grads)
        if self.clip_grad:
            grads = ops.clip_by_global_norm(grads, clip_norm=self.clip_value)
        if self.accumulate_grad:
            loss = self.gradient_accumulation(loss, grads)
        else:
            grads = self.grad_reducer(grads)
            loss = F.depend(loss, self.optimizer(grads))
        if self.ema:
            self.ema_update()
        return loss


class GradientAccumulation(nn.Cell):
    def __init__(self, accumulate_step, optimizer, grad_reducer):
        super().__init__()
        self.accumulate_step = accumulate_step
        self.optimizer, self.grad_reducer = optimizer, grad_reducer
        self.weights = optimizer.parameters
        self.hyper_map = ops.HyperMap()
        self.inner_grads = self.weights.clone(prefix="accumulate", init="zeros")
        self.counter = Parameter(Tensor(1, ms.int32), "accumulate_counter")

    def construct(self, loss, grads):
        loss = F.depend(loss, self.hyper_map(F.partial(_grad_accum_op, self.accumulate_step), self.inner_grads, grads))
        if self.counter % self.accumulate_step == 0:
            grads = self.grad_reducer(self.inner_grads)
            loss = F.depend(loss, self.optimizer(grads))
            loss = F.depend(loss, self.hyper_map(F.partial(_grad_clear_op), self.inner_grads))
            loss = F.depend(loss, F.assign(self.counter, ops.ones((), ms.int32)))
        else:
            loss = F.depend(loss, ops.assign_add(self.counter, Tensor(1, ms.int32)))
        return loss
