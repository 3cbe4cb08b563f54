"""LAMB as libraries of large models write it: the step of a layer by the norm of its weights."""

import mindspore.ops as ops
from mindspore import Parameter, Tensor
from mindspore import dtype as mstype
from mindspore import numpy as mnp
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

_lamb_opt = C.MultitypeFuncGraph("lamb_opt")


@_lamb_opt.register("Tensor", "Tensor", "Number", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor",
                    "Tensor", "Bool", "Bool")
def _update_run_op(beta1, beta2, eps, global_step, lr, weight_decay, param, m, v, gradient, decay_flag, optim_filter):
    if not optim_filter:
        return gradient
    op_mul = P.Mul()
    op_norm = P.Sqrt()
    op_square = P.Square()
    param_fp32 = F.cast(param, mstype.float32)
    m_fp32 = F.cast(m, mstype.float32)
    v_fp32 = F.cast(v, mstype.float32)
    gradient_fp32 = F.cast(gradient, mstype.float32)
    next_m = op_mul(beta1, m_fp32) + op_mul(1.0 - beta1, gradient_fp32)
    next_v = op_mul(beta2, v_fp32) + op_mul(1.0 - beta2, op_square(gradient_fp32))
    next_mm = next_m / (1.0 - P.Pow()(beta1, global_step + 1.0))
    next_vv = next_v / (1.0 - P.Pow()(beta2, global_step + 1.0))
    update = next_mm / (P.Sqrt()(next_vv) + eps)
    if decay_flag:
        update = update + op_mul(weight_decay, param_fp32)
    w_norm = op_norm(P.ReduceSum()(op_square(param_fp32)))
    u_norm = op_norm(P.ReduceSum()(op_square(update)))
    ones = F.ones_like(w_norm)
    trust_ratio = mnp.where(w_norm > 0.0, mnp.where(u_norm > 0.0, w_norm / u_norm, ones), ones)
    trust_ratio = C.clip_by_value(trust_ratio, Tensor(0.0, mstype.float32), Tensor(10.0, mstype.float32))
    next_param = param_fp32 - P.Reshape()(lr * trust_ratio * update, P.Shape()(param_fp32))
    next_param = F.depend(next_param, F.assign(param, F.cast(next_param, F.dtype(param))))
    next_param = F.depend(next_param, F.assign(m, F.cast(next_m, F.dtype(m))))
    return F.depend(next_param, F.assign(v, F.cast(next_v, F.dtype(v))))


class Lamb(Optimizer):
    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super(Lamb, self).__init__(learning_rate, params, weight_decay)
        self.beta1 = Tensor(beta1, mstype.float32)
        self.beta2 = Tensor(beta2, mstype.float32)
        self.eps = eps
        self.params = self.parameters
        self.moments1 = self.params.clone(prefix="lamb_m", init="zeros")
        self.moments2 = self.params.clone(prefix="lamb_v", init="zeros")
        self.steps = Parameter(Tensor([0.0], mstype.float32), name="lamb_steps")
        self.cast = P.Cast()

    def construct(self, gradients):
        weight_decay = self.get_weight_decay()
        lr = self.get_lr()
        step = self.cast(self.global_step, mstype.float32)
        if not self._is_dynamic_lr_or_weight_decay() and not self.is_group:
            step = F.depend(step, F.assign(self.steps, step))
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        lamb_opt = _lamb_opt
        gradients = self.gradients_centralization(gradients)
        if self.is_group:
            if self.is_group_lr:
                return self.hyper_map_reverse(
                    F.partial(lamb_opt, self.beta1, self.beta2, self.eps, step), lr, weight_decay, self.params,
                    self.moments1, self.moments2, gradients, self.decay_flags, self.optim_filter)
            return self.hyper_map_reverse(
                F.partial(lamb_opt, self.beta1, self.beta2, self.eps, step, lr), weight_decay, self.params,
                self.moments1, self.moments2, gradients, self.decay_flags, self.optim_filter)
        return self.hyper_map_reverse(
            F.partial(lamb_opt, self.beta1, self.beta2, self.eps, step, lr, weight_decay), self.params,
            self.moments1, self.moments2, gradients, self.decay_flags, self.optim_filter)
