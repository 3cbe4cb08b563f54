"""Cells around a network: its loss, and a whole training step."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ..cells.cell import Cell
from ..composite import HyperMap
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.failure import ElementTypeError, MissingNameError, ShapeError
from ..engine.gradient import Differentiated, Wanted
from ..engine.parameter import Parameter, ParameterTuple, assign
from ..engine.primitive import convert
from ..engine.tensor import Tensor, wrap
from ..engine.trace import active
from ..ops.arithmetic import (
    add,
    equal,
    isfinite,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    mul,
    reciprocal,
    sub,
    where,
)
from ..ops.derivative import GradOperation
from ..ops.reduction import all as every
from ..ops.reduction import sum as total
from ..ops.shaping import reshape, split, stack, transpose, unstack
from .basic import Identity


class WithLossCell(Cell):
    """loss_fn(backbone(data), label)."""

    def __init__(self, backbone: Cell, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        backbone: Cell = self._backbone
        return backbone


class _VirtualDatasetCell(Cell):
    """The backbone: what MindSpore adds is for many devices, and has no kernel on its CPU."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*inputs)


class WithEvalCell(Cell):
    """(loss, outputs, label), with both in float32 if `add_cast_fp32`."""

    def __init__(self, network: Cell, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network, self._loss_fn = network, loss_fn
        self.add_cast_fp32 = check_type(self.cls_name, "add_cast_fp32", add_cast_fp32, bool)

    def construct(self, data: Any, label: Any) -> Any:
        y = self._network(data)
        if self.add_cast_fp32:
            y, label = widened(y), widened(label)
        return self._loss_fn(y, label), y, label


def widened(x: Any) -> Any:
    """The floating Tensors of a nested structure in float32; classes stay integers."""
    if isinstance(x, (tuple, list)):
        return type(x)(widened(part) for part in x)
    floating = isinstance(x, Tensor) and x.dtype in dtypes.FLOATS
    return convert(x, dtypes.float32) if floating else x


def of_weights(network: Any, weights: Any, **options: Any) -> Differentiated:
    """The function that gives the gradients of the weights."""
    options = {"with_value": False, "has_aux": False} | options
    return Differentiated(network, Wanted.of(None, weights), **options)


class WithGradCell(Cell):
    """The gradients of the trainable weights; `sens` is the gradient of the output."""

    def __init__(self, network: Cell, loss_fn: Any = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.loss_fn, self.sens = network, loss_fn, sens
        self.weights = ParameterTuple(network.trainable_params())
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()

    def construct(self, *inputs: Any) -> Any:
        given = inputs if self.sens is None else (*inputs, self.sens)
        step = of_weights(self.network_with_loss, self.weights, sens_param=self.sens is not None)
        return step.run(*given)


class ForwardValueAndGrad(Cell):
    """(value, gradients): of the first input, of all (`get_all`), of weights (`get_by_list`)."""

    def __init__(
        self,
        network: Any,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        check_type(self.cls_name, "network", network, Cell, FunctionType, MethodType)
        check_type(self.cls_name, "get_all", get_all, bool)
        check_type(self.cls_name, "get_by_list", get_by_list, bool)
        if get_by_list:
            check_type(self.cls_name, "weights", weights, tuple, list)
        self.network, self.weights = network, weights
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs: Any) -> Any:
        count = len(inputs) - self.sens_param
        weights = self.weights if self.get_by_list else None
        positions: Any = tuple(range(count)) if self.get_all else 0
        if weights is not None and not self.get_all:
            positions = None
        wanted = Wanted.of(positions, weights)
        if self.get_all:
            wanted = Wanted(wanted.positions, False, wanted.weights, wanted.alone)
        step = Differentiated(
            self.network, wanted, with_value=True, has_aux=False, sens_param=self.sens_param
        )
        return step.run(*inputs)


class ScaledGradient(Differentiated):
    """The loss and the weights' gradients of one step, scaled by `sens`."""

    scale: Any = 1.0

    def sens(self, result: Any) -> Any:
        ys, gs = super().sens(result)
        if isinstance(self.scale, Tensor):
            return ys, [mul(g, reshape(convert(self.scale, g.dtype), ())) for g in gs]
        filled = [wrap(np.full(g.shape, self.scale, g.content.dtype)) for g in gs]
        return ys, gs if self.scale == 1 else filled


class TrainOneStepCell(Cell):
    """Gives the network's loss and lets the optimiser step; `sens` scales the gradients."""

    def __init__(
        self, network: Cell, optimizer: Any, sens: Any = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.return_grad = network, optimizer, return_grad
        self.network.set_grad()
        self.weights = optimizer.parameters
        if sens is not None and not isinstance(sens, Tensor) and sens == 0:
            raise ShapeError(self.cls_name, "sens can not be 0", got=repr(sens))
        self.sens = 1.0 if sens is None else sens
        self.sense_flag = sens is not None
        self.for_derived()

    def for_derived(self) -> None:
        """What steps that are derived from MindSpore's call: there is one process."""
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.grad_reducer, self.reducer_flag, self.degree = Identity(), False, 1

    def differentiated(self, inputs: tuple[Any, ...], scale: Any) -> Any:
        """The loss, and the gradients times `scale`."""
        wanted = Wanted.of(None, self.weights)
        step = ScaledGradient(self.network, wanted, with_value=True, has_aux=False)
        step.scale = scale
        return step.run(*inputs)

    def construct(self, *inputs: Any) -> Any:
        loss, gradients = self.differentiated(inputs, self.sens)
        self.optimizer(gradients)
        if not self.return_grad:
            return loss
        return loss, {p.name: g for p, g in zip(self.weights, gradients, strict=True)}


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """(loss, overflow, loss scale); a step whose gradients overflow changes no weight.

    `scale_sense` is the scale, or a cell that moves it (DynamicLossScaleUpdateCell).
    """

    def __init__(self, network: Cell, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale = Tensor(np.float32(scale_sense.get_loss_scale()))
        elif isinstance(scale_sense, Tensor):
            scale = scale_sense
        else:
            got = type(scale_sense).__name__
            raise ElementTypeError(self.cls_name, "scale_sense must be a Cell or Tensor", got=got)
        if scale.shape not in ((), (1,)):
            raise ShapeError(self.cls_name, "scale_sense must be one number", got=str(scale.shape))
        self.scale_sense = Parameter(scale, name="scale_sense")

    def for_derived(self) -> None:
        super().for_derived()
        self.hyper_map, self.base = HyperMap(), Tensor(np.float32(1))
        self.reduce_sum, self.reduce_all = total, every
        self.equal, self.less_equal, self.logic_not = equal, less_equal, logical_not
        self.is_distributed = self.gpu_target = False

    def construct(self, *inputs: Any) -> Any:
        scale: Tensor = self.scale_sense
        loss, gradients = self.differentiated(inputs, scale)
        inverse = reshape(reciprocal(scale), ())
        gradients = tuple([mul(g, convert(inverse, g.dtype)) for g in gradients])
        overflow = self.get_overflow_status(None, gradients)
        used = mul(scale, 1.0)
        skips = self.process_loss_scale(overflow)
        unless(skips, lambda: self.optimizer(gradients))
        return loss, overflow, used

    def set_sense_scale(self, sens: Tensor) -> None:
        self.scale_sense.set_data(check_type(self.cls_name, "sens", sens, Tensor))

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """For steps that users write: there is nothing to start."""
        return Tensor(np.zeros(8, np.int32)), compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Whether an element of the tensors is infinite or NaN."""
        found = Tensor(False)
        for x in compute_output if isinstance(compute_output, (tuple, list)) else [compute_output]:
            found = logical_or(found, logical_not(every(isfinite(x))))
        return found

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Moves the scale; gives whether the step is to be left out."""
        if self.loss_scaling_manager is None:
            return overflow
        skips: Tensor = self.loss_scaling_manager(self.scale_sense, overflow)
        return skips


def unless(condition: Tensor, change: Callable[[], Any]) -> None:
    """Calls `change`; in a graph what it assigns stays as it was where `condition` is True."""
    trace = active()
    if trace is None or not condition.is_traced:
        if not bool(condition):
            change()
        return
    before = {key: held.current for key, held in trace.variables.items()}
    change()
    for key, (variable, new) in list(trace.updates.items()):
        held = trace.variables[key]
        old = before.get(key)
        if held.current is not old:
            kept = wrap(held.symbol if old is None else old)
            trace.assign(variable, where(condition, kept, new))


class FixedLossScaleUpdateCell(Cell):
    """The loss scale stays."""

    def __init__(self, loss_scale_value: Any) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> Any:
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Tensor) -> Tensor:
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """Divides the loss scale after an overflow; multiplies it after a window without one."""

    def __init__(self, loss_scale_value: Any, scale_factor: Any, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor, self.scale_window = float(scale_factor), scale_window
        one, zero = Tensor(np.int32(1)), Tensor(np.int32(0))
        self.cur_iter = Parameter(one, name="current_iterator_step")
        self.last_overflow_iter = Parameter(zero, name="last_overflow_iterator_step")

    def get_loss_scale(self) -> Any:
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        shrunk = maximum(mul(loss_scale, 1 / self.scale_factor), 1.0)
        scale = where(overflow, shrunk, loss_scale)
        full = less_equal(self.scale_window, sub(self.cur_iter, self.last_overflow_iter))
        last = where(logical_or(overflow, full), self.cur_iter, self.last_overflow_iter)
        assign(self.last_overflow_iter, last)
        grows = logical_and(full, logical_not(overflow))
        assign(loss_scale, where(grows, mul(scale, self.scale_factor), scale))
        assign(self.cur_iter, add(self.cur_iter, 1))
        return overflow


class ParameterUpdate(Cell):
    """Sets a parameter to the input."""

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        self._param = check_type(self.cls_name, "param", param, Parameter)

    def construct(self, x: Tensor) -> Tensor:
        assign(self._param, x)
        return x


class TimeDistributed(Cell):
    """A layer for each slice along `time_axis`; with `reshape_with_axis` for all at once."""

    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not callable(layer):
            got = type(layer).__name__
            raise ElementTypeError(self.cls_name, "layer must be a Cell or Primitive", got=got)
        check_int(self.cls_name, "time_axis", time_axis)
        if reshape_with_axis is not None:
            check_int(self.cls_name, "reshape_with_axis", reshape_with_axis)
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs: Tensor) -> Tensor:
        check_type(self.cls_name, "inputs", inputs, Tensor)
        if inputs.ndim < 3:
            raise ShapeError(self.cls_name, "needs 3 axes at least", got=str(inputs.shape))
        axis = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return stack([self.layer(part) for part in unstack(inputs, axis)], axis)
        return self.all_at_once(inputs, axis, self.reshape_with_axis % inputs.ndim)

    def all_at_once(self, x: Tensor, time: int, other: int) -> Tensor:
        """The time axis is merged with the axis `other` beside it, and split again."""
        beside = other + 1 if time > other else other - 1
        beside = x.ndim - 2 if other == x.ndim - 1 else beside
        first, last = sorted((beside, time))
        order = list(range(x.ndim))
        order = [*order[:first], order[last], *order[first:last], *order[last + 1 :]]
        moved = transpose(x, tuple(order))
        place = min(beside, other)
        merged = reshape(moved, (*moved.shape[:place], -1, *moved.shape[place + 2 :]))
        y = self.layer(merged)
        if place >= y.ndim or merged.shape[place] != y.shape[place]:
            raise ShapeError(
                self.cls_name, "reshape_with_axis does not fit the layer's output",
                got=str(y.shape),
            )  # fmt: skip
        sizes = (*y.shape[:place], *moved.shape[place : place + 2], *y.shape[place + 1 :])
        return reshape(y, (-1, *sizes[1:]))


class MicroBatches(Cell):
    """A network whose outputs for equal parts of the batch are added. Abstract."""

    def __init__(self, network: Any, count: int) -> None:
        super().__init__(auto_prefix=False)
        check_type(self.cls_name, "network", network, Cell)
        check_int(self.cls_name, "the number of parts", count, 1)
        self.network, self.count = network, count

    def construct(self, *inputs: Any) -> Any:
        parts = [split(x, x.shape[0] // self.count) for x in inputs]
        outputs = [self.network(*part) for part in zip(*parts, strict=True)]
        total = outputs[0]
        for y in outputs[1:]:
            total = add(total, y)
        return total


class GradAccumulationCell(MicroBatches):
    def __init__(self, network: Cell, micro_size: int) -> None:
        super().__init__(network, micro_size)


class MicroBatchInterleaved(MicroBatches):
    def __init__(self, network: Cell, interleave_num: int = 2) -> None:
        super().__init__(network, interleave_num)


class DistributedGradReducer(Cell):
    """Sums gradients over processes. Raises: MS301 when it is made, since there is one process."""

    def __init__(self, parameters: Any, *args: Any, **kwargs: Any) -> None:
        raise MissingNameError(
            self.cls_name,
            "the runtime is one process",
            advice="leave it out where get_group_size() is 1, or run the script with MindSpore",
        )
