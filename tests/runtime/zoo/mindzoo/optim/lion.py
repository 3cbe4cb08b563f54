"""Lion: the sign of a mean, decay apart."""

import numpy as np
import mindspore as ms
from mindspore import ops
from mindspore.common.api import jit
from mindspore.common.tensor import Tensor
from mindspore.nn.optim import Optimizer
from mindspore.nn.optim.optimizer import opt_init_args_register

_lion_opt = ops.MultitypeFuncGraph("lion_opt")


@_lion_opt.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
def _update_run_op(beta1, beta2, lr, weight_decay, param, m, gradient, decay_flag, optim_filter):
    if optim_filter:
        param_fp32 = ops.cast(param, ms.float32)
        gradient_fp32 = ops.cast(gradient, ms.float32)
        m_fp32 = ops.cast(m, ms.float32)
        update = ops.sign(beta1 * m_fp32 + (1.0 - beta1) * gradient_fp32)
        next_m = beta2 * m_fp32 + (1.0 - beta2) * gradient_fp32
        if decay_flag:
            update = update + weight_decay * param_fp32
        next_param = param_fp32 - ops.reshape(lr * update, ops.shape(param_fp32))
        next_param = ops.depend(next_param, ops.assign(param, ops.cast(next_param, param.dtype)))
        next_param = ops.depend(next_param, ops.assign(m, ops.cast(next_m, m.dtype)))
        return ops.cast(next_param, param.dtype)
    return gradient


class Lion(Optimizer):
    @opt_init_args_register
    def __init__(self, params, learning_rate=2e-4, beta1=0.9, beta2=0.99, weight_decay=0.0, loss_scale=1.0,
                 clip=False):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1 = Tensor(np.array([beta1]).astype(np.float32))
        self.beta2 = Tensor(np.array([beta2]).astype(np.float32))
        self.moments = self.parameters.clone(prefix="lion_m", init="zeros")
        self.hyper_map = ops.HyperMap()
        self.clip = clip

    @jit
    def construct(self, gradients):
        weight_decay = self.get_weight_decay()
        lr = self.get_lr()
        gradients = self.scale_grad(gradients)
        if self.clip:
            gradients = ops.clip_by_global_norm(gradients, 1.0)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        if self.is_group:
            if self.is_group_lr:
                return self.hyper_map(ops.partial(_lion_opt, self.beta1, self.beta2), lr, weight_decay,
                                      self.parameters, self.moments, gradients, self.decay_flags, self.optim_filter)
            return self.hyper_map(ops.partial(_lion_opt, self.beta1, self.beta2, lr), weight_decay,
                                  self.parameters, self.moments, gradients, self.decay_flags, self.optim_filter)
        return self.hyper_map(ops.partial(_lion_opt, self.beta1, self.beta2, lr, weight_decay),
                              self.parameters, self.moments, gradients, self.decay_flags, self.optim_filter)
