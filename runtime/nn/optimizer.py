"""What MindSpore's optimisers share: rates, decays and parameter groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from ..cells.cell import Cell
from ..composite import HyperMap, Map
from ..engine.argument import check_choice, check_range, check_type
from ..engine.context import get_context
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.parameter import Parameter, ParameterTuple, assign
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops.arithmetic import add, mul, sub
from ..ops.reduction import mean
from ..ops.shaping import gather, reshape
from ..ops.state import assign_add
from .container import CellList
from .learning_rate import LearningRateSchedule

UNDECAYED = ("beta", "gamma")
"""Parts of names that exempt a parameter from weight decay, unless parameters are grouped."""

KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")
"""What a group of parameters may say."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What holds for one parameter. `rate` a Parameter or a Cell, `decay` a number or a Cell."""

    parameter: Parameter
    rate: Any
    decay: Any
    centralised: bool


class _IteratorLearningRate(LearningRateSchedule):
    """One rate per step."""

    def __init__(self, rates: Any, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(Tensor(rates), name=name)

    def construct(self, global_step: Tensor) -> Tensor:
        return gather(self.learning_rate, global_step, 0)


class _ConvertToCell(LearningRateSchedule):
    """A rate that stays, among others that do not."""

    def __init__(self, rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = rate

    def construct(self, global_step: Tensor) -> Tensor:
        return add(self.learning_rate, 0.0)


class _WrappedWeightDecay(Cell):
    """A weight decay that depends on the step, times the loss scale."""

    def __init__(self, weight_decay: Cell, loss_scale: float) -> None:
        super().__init__()
        self.weight_decay, self.loss_scale = weight_decay, loss_scale

    def construct(self, global_step: Tensor) -> Tensor:
        return mul(self.weight_decay(global_step), self.loss_scale)


class Optimizer(Cell):
    """Abstract: a subclass defines `update` for one parameter and its states, or `construct`.

    Args: parameters, or groups {"params", "lr", "weight_decay", "grad_centralization"} and
    {"order_params"}. learning_rate a number, Tensor, schedule, or one rate per step.
    """

    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        given = self.listed(parameters)
        if isinstance(loss_scale, int):
            loss_scale = float(loss_scale)
        check_type(self.cls_name, "loss_scale", loss_scale, float)
        check_range(self.cls_name, "loss_scale", loss_scale, 0.0, ends="neither")
        self.loss_scale = loss_scale
        self.reciprocal_scale = Tensor(1.0 / loss_scale)
        self.need_scale = loss_scale != 1.0
        self.is_group = isinstance(given[0], dict)
        self.is_group_lr = self.is_group and any("lr" in entry for entry in given)
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        self.global_step_increase_tensor = Tensor(np.ones(1, np.int32))
        self.settle(given, learning_rate, weight_decay)
        self.param_length = len(self.parameters)
        self._unique, self.use_parallel = True, False
        self.optim_filter, self.param_rank = (True,) * self.param_length, None
        self.map_, self.map_reverse = Map(), Map(None, True)
        self.hyper_map, self.hyper_map_reverse = HyperMap(), HyperMap(None, True)
        self.enable_tuple_broaden = True

    def listed(self, parameters: Any) -> list[Any]:
        """Raises: TypeError, ValueError (MS304) for what are no parameters and no groups."""
        if parameters is None:
            raise ShapeError(self.cls_name, "there are no parameters to optimise", got="None")
        given = list(check_type(self.cls_name, "parameters", parameters, Iterable))
        if not given:
            raise ShapeError(self.cls_name, "there are no parameters to optimise")
        if not any(all(isinstance(x, kind) for x in given) for kind in (Parameter, dict)):
            raise ElementTypeError(self.cls_name, "needs a list of Parameters or of dictionaries")
        return given

    # rates, decays and groups

    def settle(self, given: list[Any], learning_rate: Any, weight_decay: Any) -> None:
        """Sets what holds for each parameter, and MindSpore's attributes that tell it."""
        rate = self.rate_of(learning_rate, "learning_rate")
        decay = self.decay_of(weight_decay)
        if self.is_group:
            settings = self.ordered(given, list(self.grouped(given, rate, decay)))
        else:
            settings = [Setting(p, rate, decay, False) for p in given]
        if len({s.parameter.name for s in settings}) < len(settings):
            raise ShapeError(self.cls_name, "two parameters have one name")
        self.settings = tuple(settings)
        rates, decays = [s.rate for s in settings], [s.decay for s in settings]
        if not self.is_group_lr:  # before the parameters: so MindSpore lists them
            self.learning_rate = rate
        self.parameters = ParameterTuple([s.parameter for s in settings])
        self.dynamic_lr = any(isinstance(one, LearningRateSchedule) for one in rates)
        every_rate = self.rates_of_groups(rates) if self.is_group else ()
        if self.is_group_lr:
            self.learning_rate = every_rate
        self.dynamic_weight_decay = any(isinstance(one, Cell) for one in decays)
        self.weight_decay = tuple(map(as_decay, decays)) if self.is_group else as_decay(decay)
        self.decay_flags = tuple(map(self.is_decayed, settings))
        self.exec_weight_decay = any(map(is_decay, decays))
        self.grad_centralization_flags = tuple(s.centralised for s in settings)
        self.grad_centralization = any(self.grad_centralization_flags)
        self.is_group_params_ordered = self.is_group and any("order_params" in g for g in given)
        dynamic = tuple(isinstance(one, Cell) for one in decays)
        self.dynamic_decay_flags = dynamic if self.is_group else dynamic[0]
        if self.is_group:
            self.group_params, self.group_lr = list(self.parameters), list(every_rate)
            self.group_weight_decay = decays
            self.group_grad_centralization = list(self.grad_centralization_flags)

    def is_decayed(self, setting: Setting) -> bool:
        if self.is_group:
            return is_decay(setting.decay)
        return not any(part in setting.parameter.name for part in UNDECAYED)

    def rate_of(self, given: Any, name: str) -> Any:
        """A learning rate as a Parameter (that can be assigned) or a schedule."""
        if isinstance(given, LearningRateSchedule):
            return given
        if isinstance(given, (int, float)):
            check_range(self.cls_name, "learning_rate", given, 0.0)
            return Parameter(Tensor(np.float32(given)), name=name)
        array = given.asnumpy() if isinstance(given, Tensor) else given
        if isinstance(given, Cell) or not isinstance(array, (Iterable, np.ndarray)):
            raise ElementTypeError(
                self.cls_name, "learning_rate is of a wrong type", got=type(given).__name__,
                expected="a number, a Tensor, one rate per step, or a LearningRateSchedule",
            )  # fmt: skip
        rates = np.asarray(array if isinstance(array, np.ndarray) else list(array), np.float32)
        if rates.ndim > 1:
            raise ShapeError(self.cls_name, "learning_rate has too many axes", got=str(rates.shape))
        if rates.ndim:
            return _IteratorLearningRate(rates, name)
        return Parameter(Tensor(rates), name=name)

    def decay_of(self, given: Any) -> Any:
        """A weight decay times the loss scale."""
        if isinstance(given, Cell):
            return _WrappedWeightDecay(given, self.loss_scale)
        check_type(self.cls_name, "weight_decay", given, float, int)
        check_range(self.cls_name, "weight_decay", given, 0.0)
        return float(given) * self.loss_scale

    def grouped(self, given: list[Any], rate: Any, decay: Any) -> Iterator[Setting]:
        """Raises: KeyError for an unknown key; other errors as MindSpore does."""
        seen: set[str] = set()
        for k, entry in enumerate(given):
            unknown = [key for key in entry if key not in KEYS]
            if unknown:
                raise KeyError(f"For '{self.cls_name}', a group has no key {unknown}")
            if "order_params" in entry:
                continue
            own = self.rate_of(entry["lr"], f"learning_rate_group_{k}") if "lr" in entry else rate
            least = self.decay_of(entry["weight_decay"]) if "weight_decay" in entry else decay
            central = entry.get("grad_centralization", False)
            check_type(self.cls_name, "grad_centralization", central, bool)
            for p in self.listed(entry["params"]):
                check_type(self.cls_name, "a parameter of a group", p, Parameter)
                if p.name in seen:
                    raise RefusedError(self.cls_name, "a parameter is in two groups", got=p.name)
                seen.add(p.name)
                yield Setting(p, own, least, central)

    def ordered(self, given: list[Any], settings: list[Setting]) -> list[Setting]:
        """In the order of "order_params", if a group has that key."""
        orders = [entry for entry in given if "order_params" in entry]
        if any(len(entry) > 1 for entry in orders):
            raise ShapeError(self.cls_name, "a group of order_params has other keys too")
        if not orders or not orders[-1]["order_params"]:
            return settings
        order = orders[-1]["order_params"]
        if len(order) != len(settings):
            raise ShapeError(
                self.cls_name, "order_params are not as many as the parameters",
                got=str(len(order)), expected=str(len(settings)),
            )  # fmt: skip
        by_name = {s.parameter.name: s for s in settings}
        return [by_name[p.name] for p in order]

    def rates_of_groups(self, rates: list[Any]) -> Any:
        """One Parameter per parameter, or one schedule if one of them is a schedule."""
        if not self.dynamic_lr:
            return ParameterTuple(rates)
        return CellList([_ConvertToCell(r) if isinstance(r, Parameter) else r for r in rates],
                        auto_prefix=False)  # fmt: skip

    @property
    def _parameters(self) -> ParameterTuple:
        parameters: ParameterTuple = self.parameters
        return parameters

    @property
    def unique(self) -> bool:
        """Whether equal indices of sparse gradients are added up first: kept only."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        self._unique = check_type(self.cls_name, "unique", value, bool)

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        return bool(self.dynamic_lr or self.dynamic_weight_decay)

    @property
    def target(self) -> str:
        """The device."""
        return str(get_context("device_target"))

    @target.setter
    def target(self, value: str) -> None:
        check_type(self.cls_name, "target", value, str)
        check_choice(self.cls_name, "target", value, ("CPU",))

    def states(self, prefix: str, init: Any = "zeros") -> ParameterTuple:
        """One state per parameter, named `prefix.NAME`."""
        return self.parameters.clone(prefix, init)

    _target = target

    # what a step needs

    def now(self, values: list[Any]) -> list[Any]:
        """Rates or decays at the present step; each Cell is asked once."""
        cells = {id(one): one for one in values if isinstance(one, Cell)}
        found = {key: reshape(cell(self.global_step), ()) for key, cell in cells.items()}
        return [found.get(id(one), one) for one in values]

    def get_lr(self) -> Any:
        """The learning rate, or one per parameter if groups have their own."""
        rates = self.now([s.rate for s in self.settings])
        return tuple(rates) if self.is_group_lr else rates[0]

    def get_weight_decay(self) -> Any:
        """The weight decay times the loss scale, or one per parameter if they are grouped."""
        if not self.dynamic_weight_decay:
            return self.weight_decay
        decays = self.now([s.decay for s in self.settings])
        return tuple(map(as_decay, decays)) if self.is_group else decays[0]

    def get_lr_parameter(self, param: Any) -> Any:
        """What the learning rate of `param` (or of each of a list) is held in."""
        if isinstance(param, list):
            return [self.get_lr_parameter(p) for p in param]
        check_type(self.cls_name, "param", param, Parameter)
        for s in self.settings:
            if s.parameter is param:
                return s.rate.learning_rate if isinstance(s.rate, _IteratorLearningRate) else s.rate
        raise ShapeError(self.cls_name, "the parameter is not optimised here", got=param.name)

    def decay_weight(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """With the decay of the weights added."""
        decays = self.now([s.decay for s in self.settings])
        every = zip(self.parameters, gradients, decays, self.decay_flags, strict=True)
        return tuple([
            add(g, mul(w, convert_rate(decay, w))) if flag and is_decay(decay) else g
            for w, g, decay, flag in every
        ])  # fmt: skip

    def gradients_centralization(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Where a group asks for it, less the mean over all axes but the first."""
        every = zip(gradients, self.grad_centralization_flags, strict=True)
        return tuple([centralised(g) if flag else g for g, flag in every])

    def scale_grad(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Divided by the loss scale."""
        if not self.need_scale:
            return tuple(gradients)
        return tuple([mul(g, 1 / self.loss_scale) for g in gradients])

    def flatten_gradients(self, gradients: Any) -> Any:
        return gradients

    def _grad_sparse_indices_deduplicate(self, gradients: Any) -> Any:
        return gradients

    def assignadd(self, variable: Parameter, value: Any) -> Tensor:
        return assign_add(variable, value)

    # a step

    def construct(self, gradients: Any) -> Any:
        """One step, with the gradients in the order of the parameters."""
        gradients = self.prepared(self.checked(gradients))
        rates = self.now([s.rate for s in self.settings])
        decays = self.now([s.decay for s in self.settings])
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        shared = self.shared()
        for k, (w, g) in enumerate(zip(self.parameters, gradients, strict=True)):
            decay = convert_rate(decays[k], w) if self.decay_flags[k] else None
            self.update(Step(k, w, g, convert_rate(rates[k], w), decay, shared))
        return tuple([Tensor(True)] * len(self.parameters))

    def checked(self, gradients: Any) -> tuple[Tensor, ...]:
        """The gradients in the element types of the parameters."""
        if len(gradients) != len(self.parameters):
            raise RefusedError(
                self.cls_name, "another number of gradients",
                got=str(len(gradients)), expected=str(len(self.parameters)),
            )  # fmt: skip
        return tuple([convert(g, w.dtype) for w, g in zip(self.parameters, gradients, strict=True)])

    def prepared(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The gradients with the decay of the weights added, centralised and unscaled."""
        return self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))

    def shared(self) -> Any:
        """What every parameter's update needs, computed once per step."""

    def update(self, step: Step) -> None:
        """Changes one parameter and its states."""
        raise NotImplementedError(f"{self.cls_name} defines construct or update")


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One parameter's part of a step.

    `k` is its number, `g` the gradient prepared, `decay` its weight decay or None; `shared` is
    what `Optimizer.shared` gave.
    """

    k: int
    w: Parameter
    g: Tensor
    rate: Tensor
    decay: Tensor | None
    shared: Any

    def descend(self, change: Tensor) -> None:
        assign(self.w, sub(self.w, change))


def is_decay(decay: Any) -> bool:
    return isinstance(decay, (Cell, Tensor)) or decay > 0


def as_decay(decay: Any) -> Any:
    """A number as a Tensor, as MindSpore shows it."""
    return Tensor(np.float32(decay)) if isinstance(decay, float) else decay


def convert_rate(rate: Any, w: Tensor) -> Tensor:
    return convert(rate, w.dtype) if isinstance(rate, Tensor) else constant(rate, w.dtype)


def centralised(g: Tensor) -> Tensor:
    """Less its mean; as it is where MindSpore leaves it, unless axis 1 divides by 16."""
    if g.ndim < 2 or g.shape[1] % 16:
        return g
    return sub(g, mean(g, tuple(range(1, g.ndim)), True))


def moved(state: Parameter, new: Tensor, keep: float) -> Tensor:
    """Moves a running mean; gives it back."""
    return assigned(state, add(mul(state, keep), mul(new, single_rest(keep))))


def single_rest(keep: float) -> float:
    """1 - keep in float32, which for 0.999 is off by 1e-5: MindSpore's kernels have it."""
    return float(np.float32(1) - np.float32(keep))


def assigned(state: Parameter, value: Tensor) -> Tensor:
    """`value`, after `state` has been set to it."""
    assign(state, value)
    return value


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """The `__init__` of an optimiser that keeps what it is given, as model zoos decorate theirs.

    `init_params` are the parameters or groups, `init_learning_rate` is a number or a list, None
    of a schedule, and `init_args` are the other arguments by their names.
    """

    @wraps(fn)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        del given["self"]
        if "params" in given:
            self.init_params = {"params": given.pop("params")}
        if "optimizer" in given:
            self.init_params = {"params": given.pop("optimizer").init_params["params"]}
        if "learning_rate" in given:
            rate = given.pop("learning_rate")
            rate = rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
            self.init_learning_rate = None if isinstance(rate, Cell) else rate
        self.init_args = given
        fn(self, *args, **kwargs)

    return init
