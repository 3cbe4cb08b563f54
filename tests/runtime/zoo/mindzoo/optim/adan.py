"""Adan: Nesterov momentum by differences of gradients."""

from __future__ import absolute_import

import mindspore.common.dtype as mstype
from mindspore import _checkparam as Validator
from mindspore.common.api import jit
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

_adan_opt = C.MultitypeFuncGraph("adan_opt")


@_adan_opt.register("Bool", "Tensor", "Tensor", "Tensor", "Number", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor",
                    "Tensor", "Tensor", "Tensor", "Tensor")
def _update_run_op(no_prox, beta1, beta2, beta3, eps, step, lr, weight_decay, parameters, grads, exp_avg,
                   exp_avg_sq, exp_avg_diff, pre_grad):
    """Updates one parameter and its three means."""
    success = True
    one = F.cast(F.tuple_to_array((1.0,)), mstype.float32)[0]
    diff = grads - F.select(step > 1.5, pre_grad, grads)
    next_avg = exp_avg + (grads - exp_avg) * (one - beta1)
    next_diff = exp_avg_diff + (diff - exp_avg_diff) * (one - beta2)
    look = grads + beta2 * diff
    next_sq = beta3 * exp_avg_sq + (one - beta3) * P.Square()(look)
    bias_correction1 = one - P.Pow()(beta1, step)
    bias_correction2 = one - P.Pow()(beta2, step)
    bias_correction3 = P.Sqrt()(one - P.Pow()(beta3, step))
    denom = P.Sqrt()(next_sq) / bias_correction3 + eps
    update = (next_avg / bias_correction1 + beta2 * next_diff / bias_correction2) / denom
    if no_prox:
        new = parameters * (one - lr * weight_decay) - lr * update
    else:
        new = (parameters - lr * update) / (one + lr * weight_decay)
    success = F.depend(success, F.assign(exp_avg, next_avg))
    success = F.depend(success, F.assign(exp_avg_sq, next_sq))
    success = F.depend(success, F.assign(exp_avg_diff, next_diff))
    success = F.depend(success, F.assign(pre_grad, grads))
    success = F.depend(success, F.assign(parameters, new))
    return success


class Adan(Optimizer):
    @opt_init_args_register
    def __init__(self, params, learning_rate=1e-3, beta1=0.98, beta2=0.92, beta3=0.99, eps=1e-8, use_locking=False,
                 weight_decay=0.0, loss_scale=1.0, no_prox=False):
        super().__init__(learning_rate, params, weight_decay=weight_decay, loss_scale=loss_scale)
        for name, beta in (("beta1", beta1), ("beta2", beta2), ("beta3", beta3)):
            Validator.check_value_type(name, beta, [float], self.cls_name)
            Validator.check_float_range(beta, 0.0, 1.0, Validator.INC_LEFT, name, self.cls_name)
        Validator.check_value_type("use_locking", use_locking, [bool], self.cls_name)
        self.beta1, self.beta2 = Tensor(beta1, mstype.float32), Tensor(beta2, mstype.float32)
        self.beta3 = Tensor(beta3, mstype.float32)
        self.eps, self.no_prox = eps, no_prox
        self.moment1 = self._parameters.clone(prefix="moment1", init="zeros")
        self.moment2 = self._parameters.clone(prefix="moment2", init="zeros")
        self.moment3 = self._parameters.clone(prefix="moment3", init="zeros")
        self.pre_grad = self._parameters.clone(prefix="prev_gradient", init="zeros")
        self.step_count = Parameter(Tensor(0.0, mstype.float32), name="adan_step", requires_grad=False)

    @jit
    def construct(self, gradients):
        params = self._parameters
        gradients = self.flatten_gradients(gradients)
        weight_decay = self.get_weight_decay()
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        gradients = self._grad_sparse_indices_deduplicate(gradients)
        lr = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        step = self.step_count + 1.0
        self.step_count = step
        if self.is_group:
            if self.is_group_lr:
                return self.map_reverse(
                    F.partial(_adan_opt, self.no_prox, self.beta1, self.beta2, self.beta3, self.eps, step),
                    lr, weight_decay, params, gradients, self.moment1, self.moment2, self.moment3, self.pre_grad)
            return self.map_reverse(
                F.partial(_adan_opt, self.no_prox, self.beta1, self.beta2, self.beta3, self.eps, step, lr),
                weight_decay, params, gradients, self.moment1, self.moment2, self.moment3, self.pre_grad)
        return self.map_reverse(
            F.partial(_adan_opt, self.no_prox, self.beta1, self.beta2, self.beta3, self.eps, step, lr, weight_decay),
            params, gradients, self.moment1, self.moment2, self.moment3, self.pre_grad)

    @Optimizer.target.setter
    def target(self, value):
        """The device on which parameters are updated."""
        self._set_base_target(value)
