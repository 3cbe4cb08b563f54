"""AdamW and Lion, of mindspore's own building blocks"""
import numpy as np

import mindspore.common.dtype as mstype
from mindspore import log as logger
from mindspore import ops
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

_scaler_one = Tensor(1, mstype.int32)


_adamw = C.MultitypeFuncGraph("adamw")


@_adamw.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor",
                 "Tensor", "Bool")
def _run_adamw(beta1, beta2, beta1_power, beta2_power, eps, lr, weight_decay, param, m, v, gradient, decay_flag):
    param_fp32 = F.cast(param, mstype.float32)
    m_fp32 = F.cast(m, mstype.float32)
    v_fp32 = F.cast(v, mstype.float32)
    gradient_fp32 = F.cast(gradient, mstype.float32)

    next_m = F.mul(beta1, m_fp32) + F.mul(F.cast(F.tuple_to_array((1.0,)), mstype.float32) - beta1, gradient_fp32)
    next_v = F.mul(beta2, v_fp32) + F.mul(
        F.cast(F.tuple_to_array((1.0,)), mstype.float32) - beta2, F.square(gradient_fp32)
    )
    regulate_m = next_m / (_scaler_one - beta1_power)
    regulate_v = next_v / (_scaler_one - beta2_power)

    update = regulate_m / (eps + F.sqrt(regulate_v))
    if decay_flag:
        update = F.mul(weight_decay, param_fp32) + update

    update_with_lr = F.mul(lr, update)
    next_param = param_fp32 - F.reshape(update_with_lr, F.shape(param_fp32))

    next_param = F.depend(next_param, F.assign(param, F.cast(next_param, F.dtype(param))))
    next_param = F.depend(next_param, F.assign(m, F.cast(next_m, F.dtype(m))))
    next_param = F.depend(next_param, F.assign(v, F.cast(next_v, F.dtype(v))))
    return F.cast(next_param, F.dtype(param))


class AdamW(Optimizer):
    """Implements the gradient correction for Adam with decoupled weight decay."""

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0,
                 loss_scale=1.0, clip=False):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1 = Tensor(np.array([beta1]).astype(np.float32))
        self.beta2 = Tensor(np.array([beta2]).astype(np.float32))
        self.eps = Tensor(np.array([eps]).astype(np.float32))
        self.moments1 = self._parameters.clone(prefix="adam_m", init="zeros")
        self.moments2 = self._parameters.clone(prefix="adam_v", init="zeros")
        self.hyper_map = C.HyperMap()
        self.beta1_power = Parameter(initializer(1, [1], mstype.float32), name="beta1_power")
        self.beta2_power = Parameter(initializer(1, [1], mstype.float32), name="beta2_power")
        self.reciprocal_scale = Tensor(1.0 / loss_scale, mstype.float32)
        self.clip = clip

    def construct(self, gradients):
        lr = self.get_lr()
        gradients = self.scale_grad(gradients)
        if self.clip:
            gradients = C.clip_by_global_norm(gradients, 5.0, None)

        beta1_power = self.beta1_power * self.beta1
        self.beta1_power = beta1_power
        beta2_power = self.beta2_power * self.beta2
        self.beta2_power = beta2_power

        weight_decay = self.get_weight_decay()
        if self.is_group:
            if self.is_group_lr:
                optim_result = self.hyper_map(
                    F.partial(_adamw, self.beta1, self.beta2, beta1_power, beta2_power, self.eps),
                    lr, weight_decay, self._parameters, self.moments1, self.moments2, gradients, self.decay_flags)
            else:
                optim_result = self.hyper_map(
                    F.partial(_adamw, self.beta1, self.beta2, beta1_power, beta2_power, self.eps, lr),
                    weight_decay, self._parameters, self.moments1, self.moments2, gradients, self.decay_flags)
        else:
            optim_result = self.hyper_map(
                F.partial(_adamw, self.beta1, self.beta2, beta1_power, beta2_power, self.eps, lr, weight_decay),
                self._parameters, self.moments1, self.moments2, gradients, self.decay_flags)
        if self.use_parallel:
            self.broadcast_params(optim_result)
        return optim_result


_lion_opt = C.MultitypeFuncGraph("lion_opt")


@_lion_opt.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool")
def _run_lion(beta1, beta2, lr, weight_decay, param, m, gradient, decay_flag):
    op_mul = P.Mul()
    op_sub = P.Sub()
    param_fp32 = P.Cast()(param, mstype.float32)
    m_fp32 = P.Cast()(m, mstype.float32)
    gradient_fp32 = P.Cast()(gradient, mstype.float32)
    update = P.Sign()(op_mul(beta1, m_fp32) + op_mul(1.0 - beta1, gradient_fp32))
    next_m = op_mul(beta2, m_fp32) + op_mul(1.0 - beta2, gradient_fp32)
    if decay_flag:
        update = op_mul(weight_decay, param_fp32) + update
    next_param = op_sub(param_fp32, op_mul(lr, update))
    next_param = F.depend(next_param, F.assign(param, next_param))
    next_param = F.depend(next_param, F.assign(m, next_m))
    return next_param


class Lion(Optimizer):
    def __init__(self, params, learning_rate=2e-4, beta1=0.9, beta2=0.99, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1 = Tensor(np.array([beta1]).astype(np.float32))
        self.beta2 = Tensor(np.array([beta2]).astype(np.float32))
        self.moments1 = self.parameters.clone(prefix="lion_m", init="zeros")
        self.hyper_map = C.HyperMap()
        logger.info("lion")

    def construct(self, gradients):
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        gradients = self._grad_sparse_indices_deduplicate(gradients)
        weight_decay = self.get_weight_decay()
        lr = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        if self.is_group:
            if self.is_group_lr:
                return self.hyper_map(F.partial(_lion_opt, self.beta1, self.beta2), lr, weight_decay,
                                      self._parameters, self.moments1, gradients, self.decay_flags)
            return self.hyper_map(F.partial(_lion_opt, self.beta1, self.beta2, lr), weight_decay,
                                  self._parameters, self.moments1, gradients, self.decay_flags)
        return self.hyper_map(F.partial(_lion_opt, self.beta1, self.beta2, lr, weight_decay),
                              self._parameters, self.moments1, gradients, self.decay_flags)
