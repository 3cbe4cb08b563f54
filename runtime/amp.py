"""`mindspore.amp`: mixed precision, and the scaling of losses."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import log, nn, operations
from .cells.cell import Cell
from .engine import dtype as dtypes
from .engine.argument import check_choice, check_int, check_range, check_type
from .engine.dtype import DType
from .engine.failure import ElementTypeError, RefusedError, ShapeError
from .engine.parameter import Parameter, assign
from .engine.primitive import convert
from .engine.tensor import Tensor
from .nn.optimizer import Optimizer
from .nn.wrap import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepCell,
    WithLossCell,
)
from .operations.operation import Primitive
from .ops.arithmetic import add, equal, isfinite, logical_and, maximum, mul, where
from .ops.reduction import all as every

HALVES = (dtypes.float16, dtypes.bfloat16)
CAST = (dtypes.float16, dtypes.float32)
LEVELS = ("O0", "O1", "O2", "O3", "auto")

WHITE_LIST: list[type] = [
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Conv1dTranspose, nn.Conv2dTranspose),
    *(nn.Conv3dTranspose, nn.Dense, nn.LSTMCell, nn.RNNCell, nn.GRUCell),
    *(operations.Conv2D, operations.Conv3D, operations.Conv2DTranspose),
    *(operations.Conv3DTranspose, operations.Conv2DBackpropInput, operations.MatMul),
    *(operations.BatchMatMul, operations.PReLU, operations.ReLU, operations.Ger),
]
"""What O1 computes in half precision."""

BLACK_LIST: list[type] = [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm]
"""What O2 computes in float32."""


def get_white_list() -> list[type]:
    """A copy of what O1 computes in half precision."""
    return list(WHITE_LIST)


def get_black_list() -> list[type]:
    """A copy of what O2 computes in float32."""
    return list(BLACK_LIST)


def in_type(x: Any, target: DType) -> Any:
    """The floating Tensors of a nested structure as `target`."""
    if isinstance(x, (tuple, list)):
        return type(x)(in_type(part, target) for part in x)
    return convert(x, target) if isinstance(x, Tensor) and x.dtype in dtypes.FLOATS else x


class OutputTo(Cell):
    """A network whose floating outputs are converted to one type."""

    def __init__(self, backbone: Cell, dtype: DType = dtypes.float32) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self.dtype = backbone, dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return in_type(self._backbone(*args, **kwargs), self.dtype)


class Narrowed:
    """A primitive that computes in half precision, between conversions."""

    def __init__(self, primitive: Primitive, dtype: DType) -> None:
        self.primitive, self.dtype = primitive, dtype

    def __call__(self, *inputs: Any) -> Any:
        return in_type(self.primitive(*in_type(inputs, self.dtype)), dtypes.float32)


def check_half(dtype: Any) -> None:
    """Raises: ValueError (MS304) unless it is float16 or bfloat16."""
    if dtype not in HALVES:
        raise ShapeError("amp", "dtype must be float16 or bfloat16", got=str(dtype))


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: Any = dtypes.float16) -> Any:
    """The network in mixed precision.

    O1 computes the white list in `dtype`, O2 all but the black list, O3 all, auto what multiplies
    matrices; O0 leaves it as it is.
    """
    where_ = "auto_mixed_precision"
    function = amp_level == "auto" and inspect.isroutine(network)
    if not function:
        check_type(where_, "network", network, Cell)
    check_half(dtype)
    if amp_level not in LEVELS:
        raise ShapeError(where_, "there is no such level", got=repr(amp_level))
    if amp_level == "O0" or function:
        return network
    if amp_level == "O1":
        narrow_listed(network, (*WHITE_LIST, nn.ReLU, nn.PReLU), dtype)
    elif amp_level == "auto":
        narrow_listed(network, tuple(WHITE_LIST[:7]), dtype)
    elif amp_level == "O2":
        network = narrow_unlisted(network, tuple(BLACK_LIST), dtype)
    elif amp_level == "O3":
        network = OutputTo(network.to_float(dtype))
    network.__dict__["_amp_level"] = amp_level
    return network


def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type] | None = None,
    black_list: list[type] | None = None,
    dtype: Any = dtypes.float16,
) -> Cell:
    """As O1 with one's own white list, or as O2 with one's own black list."""
    where_ = "custom_mixed_precision"
    check_type(where_, "network", network, Cell)
    if (white_list is None) == (black_list is None):
        raise ShapeError(where_, "needs a white_list or a black_list, not both")
    check_half(dtype)
    if white_list is not None:
        check_list(white_list, (Cell, Primitive))
        narrow_listed(network, tuple(white_list), dtype)
        return network
    check_list(black_list, (Cell,))
    return narrow_unlisted(network, tuple(black_list or ()), dtype)


def check_list(given: Any, kinds: tuple[type, ...]) -> None:
    """Raises: TypeError (MS304) unless it is a list of classes of these kinds."""
    check_type("custom_mixed_precision", "the list", given, list)
    for one in given:
        if not (isinstance(one, type) and issubclass(one, kinds)):
            raise ElementTypeError("custom_mixed_precision", "needs classes", got=repr(one))


def narrow_listed(network: Cell, kinds: tuple[type, ...], dtype: DType) -> None:
    """Makes the cells and primitives of these kinds compute in `dtype`, and give float32."""
    for _, cell in list(network.cells_and_names()):
        for name, value in list(cell.__dict__.items()):
            if isinstance(value, Primitive) and isinstance(value, kinds):
                cell.__dict__[name] = Narrowed(value, dtype)
        if isinstance(cell, kinds):
            cell.to_float(dtype)
            cell.register_forward_hook(lambda cell, args, y: in_type(y, dtypes.float32))


def narrow_unlisted(network: Cell, kinds: tuple[type, ...], dtype: DType) -> Cell:
    """Makes all but the cells of these kinds compute in `dtype`; gives float32."""
    network.to_float(dtype)
    widen_listed(network, kinds, dtype)
    return OutputTo(network)


def widen_listed(network: Cell, kinds: tuple[type, ...], dtype: DType) -> None:
    """Wraps the cells of these kinds: they compute in float32 and give `dtype`."""
    for name, cell in network.name_cells().items():
        if isinstance(cell, kinds):
            wide = OutputTo(cell.to_float(dtypes.float32), dtype)
            network.insert_child_to_cell(name, wide, replace=True)
        else:
            widen_listed(cell, kinds, dtype)


class LossScaleManager:
    """What `build_train_network` asks for the loss scale. Abstract."""

    def get_loss_scale(self) -> Any:
        """The present loss scale."""

    def update_loss_scale(self, overflow: bool) -> None:
        """Moves the loss scale after a step with or without an overflow."""

    def get_update_cell(self) -> Any:
        """The cell that moves it inside a training step, or None."""


class FixedLossScaleManager(LossScaleManager):
    """The loss scale stays; `drop_overflow_update` leaves out steps that overflow."""

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        check_range("FixedLossScaleManager", "loss_scale", loss_scale, 1)
        self._loss_scale, self._drop_overflow_update = loss_scale, drop_overflow_update

    def get_loss_scale(self) -> Any:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        return self._drop_overflow_update

    def get_update_cell(self) -> Any:
        drops = self._drop_overflow_update
        return FixedLossScaleUpdateCell(self._loss_scale) if drops else None


class DynamicLossScaleManager(LossScaleManager):
    """Divided by `scale_factor` after an overflow, multiplied after a window without one."""

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: float = 2, scale_window: int = 2000
    ) -> None:
        name = "DynamicLossScaleManager"
        check_range(name, "init_loss_scale", init_loss_scale, 1.0)
        check_int(name, "scale_window", scale_window, 1)
        check_range(name, "scale_factor", scale_factor, 0, ends="neither")
        self.loss_scale, self.scale_window = init_loss_scale, scale_window
        self.scale_factor = self.increase_ratio = scale_factor
        self.decrease_ratio = 1 / scale_factor
        self.cur_iter, self.last_overflow_iter = 1, 0
        self.bad_step_max, self.bad_step = 1000, 0

    def get_loss_scale(self) -> Any:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        """Raises: RuntimeError (MS304) after a thousand overflows, one after the other."""
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            got = str(self.bad_step)
            raise RefusedError("DynamicLossScaleManager", "too many overflows", got=got)
        self.cur_iter += 1

    def get_drop_overflow_update(self) -> bool:
        return True

    def get_update_cell(self) -> Any:
        settings = self.loss_scale, self.scale_factor, self.scale_window
        return DynamicLossScaleUpdateCell(*settings)


class WithLossInSingle(WithLossCell):
    """The loss of outputs and labels in float32."""

    def construct(self, data: Any, label: Any) -> Any:
        y = in_type(self._backbone(data), dtypes.float32)
        return self._loss_fn(y, in_type(label, dtypes.float32))


def build_train_network(
    network: Cell,
    optimizer: Any,
    loss_fn: Cell | None = None,
    level: str = "O0",
    boost_level: str = "O0",
    **kwargs: Any,
) -> Cell:
    """A training step of the network in mixed precision.

    Keywords: cast_model_type, keep_batchnorm_fp32, loss_scale_manager.
    Raises: ValueError (MS304), as MindSpore on the CPU, for a manager that drops steps
    """
    name = "build_train_network"
    check_type(name, "optimizer", optimizer, Optimizer)
    check_type(name, "level", level, str)
    if level not in LEVELS or boost_level not in LEVELS[:3]:
        raise ShapeError(name, "there is no such level", got=f"{level}, {boost_level}")
    if boost_level != "O0":
        log.warning("%s: boost_level %s has no effect here, as if it was O0.", name, boost_level)
    settings = defaults_of(level) | kwargs
    unknown = settings.keys() - defaults_of(level).keys()
    if unknown:
        raise ShapeError(name, "there is no such argument", got=", ".join(sorted(unknown)))
    check_type(name, "keep_batchnorm_fp32", settings["keep_batchnorm_fp32"], bool)
    check_choice(name, "cast_model_type", settings["cast_model_type"], CAST)
    network = narrowed(network, level, settings)
    if loss_fn is not None:
        check_type(name, "loss_fn", loss_fn, Cell)
        halves = settings["cast_model_type"] in HALVES
        single = halves or getattr(network, "_amp_level", "") in ("O2", "O3", "auto")
        network = (WithLossInSingle if single else WithLossCell)(network, loss_fn)
    manager = settings["loss_scale_manager"]
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    check_type(name, "loss_scale_manager", manager, LossScaleManager)
    if manager.get_update_cell() is not None:
        raise ShapeError(
            name, "on the CPU no step is dropped", got=type(manager).__name__,
            expected="no loss_scale_manager, or FixedLossScaleManager(drop_overflow_update=False)",
            advice="give the optimizer the same loss_scale=; amp_level='O2' needs "
            "loss_scale_manager=None. Where overflows are to be dropped, make the step of "
            "nn.TrainOneStepWithLossScaleCell, and give it to Model as its network",
        )  # fmt: skip
    step = TrainOneStepCell(network, optimizer, manager.get_loss_scale())
    return step.set_train()


def defaults_of(level: str) -> dict[str, Any]:
    """The keywords of `build_train_network` that a level stands for."""
    half = level in ("O2", "O3")
    return {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": dtypes.float16 if half else dtypes.float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }


def narrowed(network: Cell, level: str, settings: dict[str, Any]) -> Cell:
    """The network as the level and the keywords want it."""
    if settings["cast_model_type"] is dtypes.float16:
        network.to_float(dtypes.float16)
        if settings["keep_batchnorm_fp32"]:
            widen_listed(network, tuple(BLACK_LIST), dtypes.float16)
        return network
    if level in ("O2", "O3"):
        return network
    made: Cell = auto_mixed_precision(network, level)
    return made


def all_finite(inputs: Any) -> Tensor:
    """Whether no element of any of the tensors is infinite or NaN."""
    found: Any = None
    for x in inputs if isinstance(inputs, (tuple, list)) else (inputs,):
        one = every(isfinite(x))
        found = one if found is None else logical_and(found, one)
    return Tensor(True) if found is None else found


def scaled(inputs: Any, factor: Any) -> Any:
    """Each tensor of a nested structure times `factor`; a list stays one."""
    if isinstance(inputs, Sequence):
        kind = list if isinstance(inputs, list) else tuple
        return kind(scaled(x, factor) for x in inputs)
    return mul(inputs, convert(factor, inputs.dtype))


def _grad_scale_map(scale_value: Tensor, inputs: Any) -> Any:
    """For users' own scalers."""
    return scaled(inputs, scale_value)


def _grad_unscale_map(scale_value: Tensor, inputs: Any) -> Any:
    """For users' own scalers."""
    return scaled(inputs, 1 / scale_value)


class LossScaler(ABC):
    """Abstract: scales a loss, and its gradients back; subclasses are users', too."""

    @abstractmethod
    def scale(self, inputs: Any) -> Any: ...

    @abstractmethod
    def unscale(self, inputs: Any) -> Any: ...

    @abstractmethod
    def adjust(self, grads_finite: Any) -> Any:
        """Moves the scale after a step whose gradients were finite, or not."""


class HeldScale(LossScaler):
    """The scale is a Parameter."""

    scale_value: Parameter

    def __init__(self, scale_value: Any) -> None:
        name = type(self).__name__
        check_range(
            name, "scale_value", check_type(name, "scale_value", scale_value, int, float), 1
        )
        self.scale_value = Parameter(Tensor(np.float32(scale_value)), name="scale_value")

    def scale(self, inputs: Any) -> Any:
        return scaled(inputs, self.scale_value)

    def unscale(self, inputs: Any) -> Any:
        return scaled(inputs, 1 / self.scale_value)


class StaticLossScaler(HeldScale):
    """The scale stays as it is."""

    def adjust(self, grads_finite: Any) -> Any:
        return False


class DynamicLossScaler(HeldScale):
    """Divided by `scale_factor` (not below 1) after an overflow; multiplied after
    `scale_window` steps without one."""

    def __init__(self, scale_value: Any, scale_factor: int, scale_window: int) -> None:
        super().__init__(scale_value)
        check_int("DynamicLossScaler", "scale_window", scale_window, 1)
        check_int("DynamicLossScaler", "scale_factor", scale_factor, 1)
        self.counter = Parameter(Tensor(np.int32(0)), name="counter")
        self.scale_factor, self.scale_window = scale_factor, scale_window

    def adjust(self, grads_finite: Any) -> Any:
        finite = grads_finite if isinstance(grads_finite, Tensor) else Tensor(grads_finite)
        factor = float(self.scale_factor)
        counted = add(self.counter, 1)
        full = equal(counted, self.scale_window)
        larger = mul(self.scale_value, factor)
        grown = where(logical_and(full, isfinite(larger)), larger, self.scale_value)
        shrunk = maximum(mul(self.scale_value, 1 / factor), 1.0)
        assign(self.scale_value, where(finite, grown, shrunk))
        stays = logical_and(finite, equal(full, Tensor(False)))
        assign(self.counter, where(stays, counted, mul(counted, 0)))
        return True
