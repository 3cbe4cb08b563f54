"""Steps of optimisers: parameters and what is kept beside them are changed in place."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.parameter import assign as set_variable
from ..engine.primitive import convert
from ..engine.promotion import as_tensor
from ..engine.tensor import Tensor
from .operation import operation


def step(where: str, var: Tensor, grad: Tensor, *slots: Tensor) -> None:
    """Raises: ValueError (MS304) unless all of them have one shape."""
    for x in (grad, *slots):
        if x.shape != var.shape:
            raise ShapeError(where, "the shapes differ", got=str(x.shape), expected=str(var.shape))


def assign(variable: Tensor, value: Tensor) -> Tensor:
    """Sets `variable`; gives its new value as a plain Tensor."""
    set_variable(variable, value)
    return convert(value, variable.dtype)


def number(where: str, *values: Any) -> Any:
    """Numbers or Tensors of one, as Tensors. Raises: TypeError (MS304) for anything else."""
    made = []
    for value in values:
        if not isinstance(value, (int, float, Tensor)):
            raise ElementTypeError(where, "needs numbers", got=type(value).__name__)
        made.append(as_tensor(value))
    return made if len(made) > 1 else made[0]


def moved(old: Tensor, new: Tensor, keep: Any) -> Any:
    """old * keep + new * (1 - keep)."""
    return ops.add(ops.mul(old, keep), ops.mul(new, ops.sub(1.0, keep)))


def soft(x: Tensor, limit: Any) -> Any:
    """`x` moved towards zero by `limit`, not beyond."""
    return ops.mul(ops.sign(x), ops.maximum(ops.sub(ops.abs(x), limit), 0.0))


@operation("ApplyMomentum")
def apply_momentum(
    variable: Tensor,
    accumulation: Tensor,
    learning_rate: Any,
    gradient: Tensor,
    momentum: Any,
    *,
    use_nesterov: bool = False,
    use_locking: bool = False,
    gradient_scale: float = 1.0,
) -> Any:
    step("ApplyMomentum", variable, gradient, accumulation)
    g = ops.mul(gradient, gradient_scale) if gradient_scale != 1 else gradient
    moment = ops.add(ops.mul(accumulation, momentum), g)
    change = ops.add(g, ops.mul(moment, momentum)) if use_nesterov else moment
    assign(accumulation, moment)
    return assign(variable, ops.sub(variable, ops.mul(change, learning_rate)))


def adam_step(
    slots: tuple[Tensor, ...], powers: tuple[Any, Any], rates: Any, g: Tensor, nesterov: bool
) -> tuple[Any, Any, Any]:
    """The change of the variable, and the new moments; rates: lr, beta1, beta2, epsilon."""
    lr, beta1, beta2, epsilon = rates
    m, v = moved(slots[0], g, beta1), moved(slots[1], ops.square(g), beta2)
    rate = ops.div(ops.mul(lr, ops.sqrt(ops.sub(1.0, powers[1]))), ops.sub(1.0, powers[0]))
    first = moved(m, g, beta1) if nesterov else m
    return ops.div(ops.mul(first, rate), ops.add(ops.sqrt(v), epsilon)), m, v


@operation("Adam")
def adam(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    gradient: Tensor,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    step("Adam", var, gradient, m, v)
    rates, powers = (lr, beta1, beta2, epsilon), (beta1_power, beta2_power)
    rates = number("Adam", *rates)
    change, *new = adam_step((m, v), number("Adam", *powers), rates, gradient, use_nesterov)
    found = assign(m, new[0]), assign(v, new[1])
    return assign(var, ops.sub(var, change)), *found


@operation("AdamNoUpdateParam")
def adam_no_update_param(
    m: Tensor,
    v: Tensor,
    beta1_power: Tensor,
    beta2_power: Tensor,
    lr: Tensor,
    beta1: Tensor,
    beta2: Tensor,
    epsilon: Tensor,
    gradient: Tensor,
    *,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """Gives what is to be added to the variable; the moments are changed."""
    step("AdamNoUpdateParam", m, gradient, v)
    rates = (lr, beta1, beta2, epsilon)
    change, *new = adam_step((m, v), (beta1_power, beta2_power), rates, gradient, use_nesterov)
    assign(m, new[0]), assign(v, new[1])
    return ops.neg(change)


@operation("AdamWeightDecay")
def adam_weight_decay(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    decay: Any,
    gradient: Tensor,
    *,
    use_locking: Any = False,
) -> Any:
    step("AdamWeightDecay", var, gradient, m, v)
    new = moved(m, gradient, beta1), moved(v, ops.square(gradient), beta2)
    change = ops.div(new[0], ops.add(ops.sqrt(new[1]), epsilon))
    change = ops.add(change, ops.mul(var, decay))
    found = assign(m, new[0]), assign(v, new[1])
    return assign(var, ops.sub(var, ops.mul(change, lr))), *found


@operation("ApplyAdaMax")
def apply_ada_max(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    beta1_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Tensor,
) -> Any:
    step("ApplyAdaMax", var, grad, m, v)
    moment = moved(m, grad, beta1)
    largest = ops.maximum(ops.mul(v, beta2), ops.abs(grad))
    rate = ops.div(lr, ops.sub(1.0, beta1_power))
    change = ops.div(ops.mul(moment, rate), ops.add(largest, epsilon))
    found = assign(m, moment), assign(v, largest)
    return assign(var, ops.sub(var, change)), *found


@operation("ApplyAdadelta")
def apply_adadelta(
    var: Tensor, accum: Tensor, accum_update: Tensor, lr: Any, rho: Any, epsilon: Any, grad: Tensor
) -> Any:
    step("ApplyAdadelta", var, grad, accum, accum_update)
    squares = moved(accum, ops.square(grad), rho)
    roots = [ops.sqrt(ops.add(x, epsilon)) for x in (accum_update, squares)]
    change = ops.mul(ops.div(roots[0], roots[1]), grad)
    found = (
        assign(accum, squares),
        assign(accum_update, moved(accum_update, ops.square(change), rho)),
    )
    return assign(var, ops.sub(var, ops.mul(change, lr))), *found


def adagrad_step(
    var: Tensor, accum: Tensor, lr: Any, grad: Tensor, epsilon: float, slots: bool
) -> Any:
    lr = number("ApplyAdagrad", lr)
    step("ApplyAdagrad", var, grad, accum)
    total = ops.add(accum, ops.square(grad)) if slots else accum
    change = ops.div(ops.mul(grad, lr), ops.add(ops.sqrt(total), epsilon))
    kept = assign(accum, total) if slots else ops.mul(accum, 1)
    return assign(var, ops.sub(var, change)), kept


@operation("ApplyAdagrad")
def apply_adagrad(
    var: Tensor, accum: Tensor, lr: Any, grad: Tensor, *, update_slots: bool = True
) -> Any:
    return adagrad_step(var, accum, lr, grad, 0.0, update_slots)


@operation("ApplyAdagradV2")
def apply_adagrad_v2(
    var: Tensor, accum: Tensor, lr: Any, grad: Tensor, *, epsilon: float, update_slots: bool = True
) -> Any:
    return adagrad_step(var, accum, lr, grad, epsilon, update_slots)


@operation("ApplyAdagradDA")
def apply_adagrad_da(
    var: Tensor,
    gradient_accumulator: Tensor,
    gradient_squared_accumulator: Tensor,
    grad: Tensor,
    lr: Any,
    l1: Any,
    l2: Any,
    global_step: Any,
    *,
    use_locking: bool = False,
) -> Any:
    step("ApplyAdagradDA", var, grad, gradient_accumulator, gradient_squared_accumulator)
    total = ops.add(gradient_accumulator, grad)
    squares = ops.add(gradient_squared_accumulator, ops.square(grad))
    steps = convert(as_tensor(global_step), var.dtype)
    shrunk = soft(total, ops.mul(l1, steps))
    root = ops.add(ops.mul(ops.mul(l2, steps), lr), ops.sqrt(squares))
    assign(gradient_accumulator, total), assign(gradient_squared_accumulator, squares)
    return assign(var, ops.neg(ops.div(ops.mul(shrunk, lr), root)))


def amsgrad_step(slots: tuple[Tensor, ...], powers: Any, rates: Any, grad: Tensor) -> Any:
    """slots: var, m, v, vhat; rates: lr, beta1, beta2, epsilon."""
    var, m, v, vhat = slots
    step("ApplyAdamWithAmsgrad", var, grad, m, v, vhat)
    lr, beta1, beta2, epsilon = rates
    rate = ops.div(ops.mul(lr, ops.sqrt(ops.sub(1.0, powers[1]))), ops.sub(1.0, powers[0]))
    new = moved(m, grad, beta1), moved(v, ops.square(grad), beta2)
    largest = ops.maximum(vhat, new[1])
    change = ops.div(ops.mul(new[0], rate), ops.sqrt(ops.add(largest, epsilon)))
    found = assign(m, new[0]), assign(v, new[1]), assign(vhat, largest)
    return assign(var, ops.sub(var, change)), *found


@operation("ApplyAdamWithAmsgrad")
def apply_adam_with_amsgrad(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    vhat: Tensor,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    grad: Tensor,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    use_locking: bool = False,
) -> Any:
    rates = (lr, beta1, beta2, epsilon)
    return amsgrad_step((var, m, v, vhat), (beta1_power, beta2_power), rates, grad)


@operation("ApplyAdamWithAmsgradV2")
def apply_adam_with_amsgrad_v2(
    var: Tensor,
    m: Tensor,
    v: Tensor,
    vhat: Tensor,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Tensor,
    *,
    use_locking: bool = False,
) -> Any:
    rates = (lr, beta1, beta2, epsilon)
    return amsgrad_step((var, m, v, vhat), (beta1_power, beta2_power), rates, grad)


def signed_step(var: Tensor, m: Tensor, lr: Any, beta: Any, grad: Tensor, factor: Any) -> Any:
    """`factor` makes a number of how far the signs of gradient and moment agree."""
    step("ApplySign", var, grad, m)
    moment = moved(m, grad, beta)
    agreement = ops.mul(ops.sign(grad), ops.sign(moment))
    change = ops.mul(ops.mul(factor(agreement), grad), lr)
    kept = assign(m, moment)
    return assign(var, ops.sub(var, change)), kept


@operation("ApplyAddSign")
def apply_add_sign(
    var: Tensor, m: Tensor, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Tensor
) -> Any:
    factor = lambda x: ops.add(ops.mul(x, sign_decay), alpha)  # noqa: E731
    return signed_step(var, m, lr, beta, grad, factor)


@operation("ApplyPowerSign")
def apply_power_sign(
    var: Tensor, m: Tensor, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Tensor
) -> Any:
    factor = lambda x: ops.exp(ops.mul(ops.mul(x, sign_decay), logbase))  # noqa: E731
    return signed_step(var, m, lr, beta, grad, factor)


@operation("ApplyCenteredRMSProp")
def apply_centered_rms_prop(
    var: Tensor,
    mean_gradient: Tensor,
    mean_square: Tensor,
    moment: Tensor,
    grad: Tensor,
    learning_rate: Any,
    decay: Any,
    momentum: Any,
    epsilon: Any,
    *,
    use_locking: bool = False,
) -> Any:
    step("ApplyCenteredRMSProp", var, grad, mean_gradient, mean_square, moment)
    means = moved(mean_gradient, grad, decay)
    squares = moved(mean_square, ops.square(grad), decay)
    spread = ops.add(ops.sub(squares, ops.square(means)), epsilon)
    change = ops.div(ops.mul(grad, learning_rate), ops.sqrt(spread))
    new = ops.add(ops.mul(moment, momentum), change)
    assign(mean_gradient, means), assign(mean_square, squares), assign(moment, new)
    return assign(var, ops.sub(var, new))


@operation("ApplyRMSProp")
def apply_rms_prop(
    var: Tensor,
    mean_square: Tensor,
    moment: Tensor,
    learning_rate: Any,
    grad: Tensor,
    decay: Any,
    momentum: Any,
    epsilon: Any,
    *,
    use_locking: bool = False,
) -> Any:
    step("ApplyRMSProp", var, grad, mean_square, moment)
    squares = moved(mean_square, ops.square(grad), decay)
    change = ops.div(ops.mul(grad, learning_rate), ops.sqrt(ops.add(squares, epsilon)))
    new = ops.add(ops.mul(moment, momentum), change)
    assign(mean_square, squares), assign(moment, new)
    return assign(var, ops.sub(var, new))


def ftrl_step(
    slots: tuple[Tensor, ...], grad: Tensor, lr: Any, l1: Any, l2: Any, power: Any
) -> Any:
    """New values of var, accum and linear."""
    var, accum, linear = slots
    total = ops.add(accum, ops.square(grad))
    roots = [ops.pow(x, ops.neg(as_tensor(power))) for x in (total, accum)]
    sigma = ops.div(ops.sub(*roots), lr)
    new = ops.add(linear, ops.sub(grad, ops.mul(sigma, var)))
    bound = ops.add(ops.div(roots[0], lr), ops.mul(2.0, l2))
    return ops.neg(ops.div(soft(new, l1), bound)), total, new


@operation("ApplyFtrl")
def apply_ftrl(
    var: Tensor,
    accum: Tensor,
    linear: Tensor,
    grad: Tensor,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    *,
    use_locking: bool = False,
) -> Any:
    step("ApplyFtrl", var, grad, accum, linear)
    new = ftrl_step((var, accum, linear), grad, lr, l1, l2, lr_power)
    assign(accum, new[1]), assign(linear, new[2])
    return assign(var, new[0])


@operation("ApplyGradientDescent")
def apply_gradient_descent(var: Tensor, alpha: Any, delta: Tensor) -> Any:
    alpha = number("ApplyGradientDescent", alpha)
    step("ApplyGradientDescent", var, delta)
    return assign(var, ops.sub(var, ops.mul(delta, alpha)))


def proximal(var: Tensor, grad: Tensor, lr: Any, l1: Any, l2: Any) -> Any:
    """A step, then towards zero by lr * l1, and shrunk by lr * l2."""
    stepped = ops.sub(var, ops.mul(grad, lr))
    return ops.div(soft(stepped, ops.mul(lr, l1)), ops.add(ops.mul(lr, l2), 1.0))


@operation("ApplyProximalGradientDescent")
def apply_proximal_gradient_descent(
    var: Tensor, alpha: Any, l1: Any, l2: Any, delta: Tensor
) -> Any:
    step("ApplyProximalGradientDescent", var, delta)
    return assign(var, proximal(var, delta, *number("", alpha, l1, l2)))


@operation("ApplyProximalAdagrad")
def apply_proximal_adagrad(
    var: Tensor,
    accum: Tensor,
    lr: Any,
    l1: Any,
    l2: Any,
    grad: Tensor,
    *,
    use_locking: bool = False,
) -> Any:
    step("ApplyProximalAdagrad", var, grad, accum)
    total = ops.add(accum, ops.square(grad))
    kept = assign(accum, total)
    return assign(var, proximal(var, grad, ops.div(lr, ops.sqrt(total)), l1, l2)), kept


def check_sgd(dampening: Any, weight_decay: Any, nesterov: Any) -> None:
    if nesterov and dampening:
        raise ShapeError("SGD", "dampening must be 0 with nesterov", got=str(dampening))


@operation("SGD", check_sgd)
def sgd(
    parameters: Tensor,
    gradient: Tensor,
    learning_rate: Tensor,
    accum: Tensor,
    momentum: Tensor,
    stat: Tensor,
    *,
    dampening: Any = 0.0,
    weight_decay: Any = 0.0,
    nesterov: bool = False,
) -> Any:
    """`stat` is 1 before the first step, whose gradient is the moment as it is, and 0 behind it."""
    if gradient.shape != parameters.shape:
        raise RuntimeError(f"SGD: the shapes differ, {gradient.shape} and {parameters.shape}")
    g = ops.add(gradient, ops.mul(parameters, weight_decay)) if weight_decay else gradient
    later = ops.add(ops.mul(accum, momentum), ops.mul(g, 1.0 - dampening))
    moment = ops.where(ops.greater(stat, 0.0), g, later)
    change = ops.add(g, ops.mul(moment, momentum)) if nesterov else moment
    assign(accum, moment), assign(stat, ops.mul(stat, 0.0))
    return assign(parameters, ops.sub(parameters, ops.mul(change, learning_rate)))


@operation("LARSUpdate")
def lars_update(
    weight: Tensor,
    gradient: Tensor,
    norm_weight: Tensor,
    norm_gradient: Tensor,
    weight_decay: Any,
    learning_rate: Any,
    *,
    epsilon: float = 1e-5,
    hyperpara: float = 1e-3,
    use_clip: bool = False,
) -> Any:
    """The gradient with decay, scaled by how large the weights are; the norms are squared."""
    step("LARSUpdate", weight, gradient)
    w, g = ops.sqrt(norm_weight), ops.sqrt(norm_gradient)
    bound = ops.add(ops.add(g, ops.mul(w, weight_decay)), epsilon)
    rate = ops.div(ops.mul(w, hyperpara), bound)
    if use_clip:
        rate = ops.minimum(ops.div(rate, learning_rate), 1.0)
    return ops.mul(ops.add(gradient, ops.mul(weight, weight_decay)), rate)
