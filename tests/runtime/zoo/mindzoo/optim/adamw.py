"""AdamW as model zoos write it themselves."""

import numpy as np

from mindspore import _checkparam as validator
from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.optim.optimizer import Optimizer

_adam_opt = ops.MultitypeFuncGraph("adam_opt")
_scaler_one = Tensor(1, mstype.int32)


@_adam_opt.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor",
                    "Tensor", "Tensor", "Tensor", "Bool", "Bool")
def _update_run_op(beta1_power, beta2_power, beta1, beta2, eps, lr, weight_decay, param, m, v,
                   gradient, decay_flag, optim_filter):
    if optim_filter:
        op_mul = ops.Mul()
        op_square = ops.Square()
        op_sqrt = ops.Sqrt()
        op_cast = ops.Cast()
        op_reshape = ops.Reshape()
        op_shape = ops.Shape()
        param_fp32 = op_cast(param, mstype.float32)
        m_fp32 = op_cast(m, mstype.float32)
        v_fp32 = op_cast(v, mstype.float32)
        gradient_fp32 = op_cast(gradient, mstype.float32)
        next_m = op_mul(beta1, m_fp32) + op_mul(op_cast(ops.tuple_to_array((1.0,)), mstype.float32) - beta1, gradient_fp32)
        next_v = op_mul(beta2, v_fp32) + op_mul(
            op_cast(ops.tuple_to_array((1.0,)), mstype.float32) - beta2, op_square(gradient_fp32))
        regulate_m = next_m / (_scaler_one - beta1_power)
        regulate_v = next_v / (_scaler_one - beta2_power)
        update = regulate_m / (eps + op_sqrt(regulate_v))
        if decay_flag:
            update = op_mul(weight_decay, param_fp32) + update
        update_with_lr = op_mul(lr, update)
        next_param = param_fp32 - op_reshape(update_with_lr, op_shape(param_fp32))
        next_param = ops.depend(next_param, ops.assign(param, op_cast(next_param, ops.dtype(param))))
        next_param = ops.depend(next_param, ops.assign(m, op_cast(next_m, ops.dtype(m))))
        next_param = ops.depend(next_param, ops.assign(v, op_cast(next_v, ops.dtype(v))))
        return op_cast(next_param, ops.dtype(param))
    return op_cast_back(gradient, param)


def op_cast_back(gradient, param):
    return ops.cast(gradient, ops.dtype(param))


def _check_param_value(beta1, beta2, eps, prim_name):
    validator.check_value_type("beta1", beta1, [float], prim_name)
    validator.check_value_type("beta2", beta2, [float], prim_name)
    validator.check_value_type("eps", eps, [float], prim_name)
    validator.check_float_range(beta1, 0.0, 1.0, validator.INC_NEITHER, "beta1", prim_name)
    validator.check_float_range(beta2, 0.0, 1.0, validator.INC_NEITHER, "beta2", prim_name)
    validator.check_positive_float(eps, "eps", prim_name)


_scale_grad = ops.MultitypeFuncGraph("scale_grad")


@_scale_grad.register("Tensor", "Tensor")
def _scale_one(scale, grad):
    return grad * ops.cast(scale, grad.dtype)


class AdamW(Optimizer):
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0,
                 loss_scale=1.0, clip=False):
        super().__init__(learning_rate, params, weight_decay)
        _check_param_value(beta1, beta2, eps, self.cls_name)
        self.beta1 = Tensor(np.array([beta1]).astype(np.float32))
        self.beta2 = Tensor(np.array([beta2]).astype(np.float32))
        self.eps = Tensor(np.array([eps]).astype(np.float32))
        self.moments1 = self.parameters.clone(prefix="adam_m", init="zeros")
        self.moments2 = self.parameters.clone(prefix="adam_v", init="zeros")
        self.hyper_map = ops.HyperMap()
        self.beta1_power = Parameter(initializer(1, [1], mstype.float32), name="beta1_power")
        self.beta2_power = Parameter(initializer(1, [1], mstype.float32), name="beta2_power")
        self.reciprocal_scale = Tensor(1.0 / loss_scale, mstype.float32)
        self.clip = clip

    def construct(self, gradients):
        lr = self.get_lr()
        weight_decay = self.get_weight_decay()
        gradients = self.hyper_map(ops.partial(_scale_grad, self.reciprocal_scale), gradients)
        if self.clip:
            gradients = ops.clip_by_global_norm(gradients, 1.0, None)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        beta1_power = self.beta1_power * self.beta1
        self.beta1_power = beta1_power
        beta2_power = self.beta2_power * self.beta2
        self.beta2_power = beta2_power
        if self.is_group:
            if self.is_group_lr:
                optim_result = self.hyper_map(
                    ops.partial(_adam_opt, beta1_power, beta2_power, self.beta1, self.beta2, self.eps),
                    lr, weight_decay, self.parameters, self.moments1, self.moments2, gradients,
                    self.decay_flags, self.optim_filter)
            else:
                optim_result = self.hyper_map(
                    ops.partial(_adam_opt, beta1_power, beta2_power, self.beta1, self.beta2, self.eps, lr),
                    weight_decay, self.parameters, self.moments1, self.moments2, gradients,
                    self.decay_flags, self.optim_filter)
        else:
            optim_result = self.hyper_map(
                ops.partial(_adam_opt, beta1_power, beta2_power, self.beta1, self.beta2, self.eps, lr,
                            weight_decay),
                self.parameters, self.moments1, self.moments2, gradients, self.decay_flags,
                self.optim_filter)
        if self.use_parallel:
            self.broadcast_params(optim_result)
        return optim_result
