"""Optimisers whose learning rates are parameters of their groups, which schedulers assign."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...cells.cell import Cell
from ...engine.argument import check_range, check_type
from ...engine.failure import ElementTypeError, RefusedError, ShapeError
from ...engine.parameter import Parameter, ParameterTuple
from ...engine.primitive import convert
from ...engine.promotion import constant
from ...engine.tensor import Tensor
from ...nn.optimizer import Step, convert_rate
from ...ops.arithmetic import add, mul, neg
from ...ops.shaping import reshape
from ...ops.state import assign_add


def check_rates(where: str, lr: Any, weight_decay: Any = 0.0, eps: Any = None) -> None:
    """Raises: ValueError (MS304) unless lr, eps are positive and weight_decay is 0 or more."""
    check_range(where, "lr", lr, 0.0, ends="neither")
    check_range(where, "weight_decay", weight_decay, 0.0)
    if eps is not None:
        check_range(where, "eps", eps, 0.0, ends="neither")


def check_real(where: str, w: Parameter) -> None:
    """Raises: TypeError (MS304) for a complex weight, as MindSpore's kernels do."""
    if w.dtype.numpy.kind == "c":
        advice = "keep the real and the imaginary part as two Parameters"
        raise ElementTypeError(where, "complex weights are not stepped", got=w.name, advice=advice)


class Optimizer(Cell):
    """Abstract: subclasses define `update` for one parameter.

    `param_groups` are dictionaries with params, lr (a Parameter) and the other settings.
    """

    counter = ""
    """The name of the parameter that counts the steps, if they are counted."""
    decoupled = False
    """Whether `update` decays the weights itself."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        if params is None:
            raise ShapeError(self.cls_name, "there are no parameters to optimise", got="None")
        given = list(check_type(self.cls_name, "params", params, Iterable))
        if not given:
            raise ShapeError(self.cls_name, "there are no parameters to optimise")
        self.defaults = defaults
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.lrs: list[Parameter] = []
        self.group_start_id = [0]
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)
        if self.counter:
            zero = Parameter(Tensor(np.int32(0)), name=self.counter, requires_grad=False)
            setattr(self, self.counter, zero)

    def flat(self) -> list[Parameter]:
        return [p for group in self.param_groups for p in group["params"]]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group with the defaults filled in. Raises: TypeError, ValueError (MS304)."""
        check_type(self.cls_name, "a group", param_group, dict)
        made = param_group | {k: v for k, v in self.defaults.items() if k not in param_group}
        given = made["params"]
        if isinstance(given, set):
            raise ElementTypeError(self.cls_name, "parameters need an order", got="set")
        made["params"] = [given] if isinstance(given, Parameter) else list(given)
        for p in made["params"]:
            check_type(self.cls_name, "a parameter", p, Parameter)
        if any(p is other for p in made["params"] for other in self.flat()):
            raise ShapeError(self.cls_name, "a parameter is in two groups")
        made["lr"] = self.rate_of(made["lr"], f"learning_rate_group_{len(self.param_groups)}")
        decay = check_type(self.cls_name, "weight_decay", made.get("weight_decay", 0.0), float, int)
        check_range(self.cls_name, "weight_decay", decay, 0.0)
        made["weight_decay"] = float(decay)
        self.param_groups.append(made)
        self.lrs.append(made["lr"])
        self.group_start_id.append(self.group_start_id[-1] + len(made["params"]))
        self.parameters = ParameterTuple(self.flat())

    def rate_of(self, lr: Any, name: str) -> Parameter:
        check_type(self.cls_name, "lr", lr, float, int, Tensor)
        if isinstance(lr, Tensor) and lr.ndim:
            raise ShapeError(self.cls_name, "lr must be one number", got=str(lr.shape))
        check_range(self.cls_name, "lr", float(lr), 0.0)
        return Parameter(Tensor(np.float32(float(lr))), name=name, requires_grad=False)

    def __repr__(self) -> str:
        groups = []
        for k, group in enumerate(self.param_groups):
            rest = sorted(key for key in group if key != "params")
            lines = [f"    {key}: {shown(group[key])}\n" for key in rest]
            groups.append(f"\nParameter Group {k}\n{''.join(lines)}")
        return f"{self.cls_name} ({''.join(groups)})"

    def states(self, prefix: str, init: Any = "zeros") -> ParameterTuple:
        """One state per parameter, named `prefix.NAME`."""
        return self.parameters.clone(prefix, init)

    def construct(self, gradients: Any) -> Any:
        """One step, with the gradients in the order of the parameters."""
        if len(gradients) != len(self.parameters):
            raise RefusedError(
                self.cls_name, "another number of gradients", got=str(len(gradients))
            )
        count = self.count()
        every = [(group, p) for group in self.param_groups for p in group["params"]]
        for k, ((group, w), g) in enumerate(zip(every, gradients, strict=True)):
            check_real(self.cls_name, w)
            g = convert(neg(g) if group.get("maximize", False) else g, w.dtype)
            decay = constant(group["weight_decay"], w.dtype) if group["weight_decay"] else None
            if decay is not None and not self.decoupled:
                g = add(g, mul(w, decay))
            self.update(Step(k, w, g, convert_rate(group["lr"], w), decay, count), group)
        return True

    def count(self) -> Tensor | None:
        """The number of this step, from 1 on, if steps are counted."""
        if not self.counter:
            return None
        return reshape(assign_add(getattr(self, self.counter), 1), ())

    def update(self, step: Step, group: dict[str, Any]) -> None:
        """Changes one parameter and its states."""
        raise NotImplementedError(f"{self.cls_name} defines no update")


def shown(value: Any) -> Any:
    """A rate as the number that it is, to the digits of its element type."""
    return str(value.asnumpy()) if isinstance(value, Parameter) else value
