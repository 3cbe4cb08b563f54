"""Train step wrapper supporting setting drop overflow update, ema etc"""
import mindspore as ms
from mindspore import Parameter, Tensor
from mindspore import dtype as mstype
from mindspore import nn, ops
from mindspore.ops import composite as C
from mindspore.ops import functional as F

_ema_op = C.MultitypeFuncGraph("grad_ema_op")
_grad_scale = C.MultitypeFuncGraph("grad_scale")
reciprocal = ops.Reciprocal()


@_ema_op.register("Tensor", "Tensor", "Tensor")
def ema_ops(factor, ema_weight, weight):
    return F.assign(ema_weight, ema_weight * factor + weight * (1 - factor))


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * F.cast(reciprocal(scale), F.dtype(grad))


class TrainStep(nn.TrainOneStepWithLossScaleCell):
    """Training step with loss scale, EMA, gradient clipping and accumulation."""

    def __init__(self, network, optimizer, scale_sense=1.0, ema=False, ema_decay=0.9999, clip_grad=False,
                 clip_value=15.0, gradient_accumulation_steps=1):
        super(TrainStep, self).__init__(network, optimizer, scale_sense)
        self.ema = ema
        self.ema_decay = ema_decay
        self.updates = Parameter(Tensor(0.0, ms.float32))
        self.drops = self.loss_scaling_manager is not None
        self.clip_grad = clip_grad
        self.clip_value = clip_value
        if self.ema:
            self.weights_all = ms.ParameterTuple(list(network.get_parameters()))
            self.ema_weight = self.weights_all.clone("ema", init="same")

        self.accumulate_grad = gradient_accumulation_steps > 1
        if self.accumulate_grad:
            self.gradient_accumulation = GradientAccumulation(gradient_accumulation_steps, optimizer, self.grad_reducer)

    def ema_update(self):
        self.updates += 1
        # ema factor is corrected by (1 - exp(-t/T)), where `t` means time and `T` means temperature.
        ema_decay = self.ema_decay * (1 - F.exp(-self.updates / 2000))
        # update trainable parameters
        success = self.hyper_map(F.partial(_ema_op, ema_decay), self.ema_weight, self.weights_all)
        self.updates = F.depend(self.updates, success)
        return self.updates

    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scaling_sens = self.scale_sense

        status = None
        if self.drops:
            status, scaling_sens = self.start_overflow_check(loss, scaling_sens)

        scaling_sens_filled = C.ones_like(loss) * F.cast(scaling_sens, F.dtype(loss))
        grads = self.grad(self.network, weights)(*inputs, scaling_sens_filled)
        grads = self.hyper_map(F.partial(_grad_scale, scaling_sens), grads)

        # get the overflow buffer
        if not self.drops:
            return self.run_optimizer(loss, grads)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        # if there is no overflow, do optimize
        if not overflow:
            loss = self.run_optimizer(loss, grads)
        return loss

    def run_optimizer(self, loss, grads):
        if self.accumulate_grad:
            loss = self.gradient_accumulation(loss, grads)
        else:
            grads = self.grad_reducer(grads)
            if self.clip_grad:
                grads = ops.clip_by_global_norm(grads, clip_norm=self.clip_value)
            loss = F.depend(loss, self.optimizer(grads))
        if self.ema:
            self.ema_update()
        return loss


class GradientAccumulation(nn.Cell):
    def __init__(self, gradient_accumulation_steps, optimizer, grad_reducer):
        super().__init__()
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.optimizer = optimizer
        self.grad_reducer = grad_reducer
        self.accum_steps = gradient_accumulation_steps
        self.accu_grads = optimizer.parameters.clone(prefix="accu_", init="zeros")
        self.cur_accu_step = Parameter(Tensor(0, ms.int32), "grad_accumulate_step_", requires_grad=False)
        self.map = ops.HyperMap()

    def construct(self, loss, grads):
        loss = F.depend(loss, self.map(ops.partial(ops.assign_add), self.accu_grads, grads))
        loss = F.depend(loss, ops.assign_add(self.cur_accu_step, Tensor(1, ms.int32)))
        if self.cur_accu_step >= self.gradient_accumulation_steps:
            mean_grads = self.map(F.partial(_grad_scale, Tensor(self.accum_steps, ms.float32)), self.accu_grads)
            loss = F.depend(loss, self.optimizer(self.grad_reducer(mean_grads)))
            clear = self.map(F.partial(_clear_op), self.accu_grads)
            loss = F.depend(loss, clear)
            loss = F.depend(loss, ops.assign(self.cur_accu_step, Tensor(0, ms.int32)))
        return loss


_clear_op = C.MultitypeFuncGraph("clear_op")


@_clear_op.register("Tensor")
def _clear_grad(accu):
    return F.assign(accu, F.zeros_like(accu))
