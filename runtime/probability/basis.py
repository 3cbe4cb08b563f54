"""What distributions share: parameters, and each function by those that a class defines."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

import numpy as np

from .. import ops
from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_type
from ..engine.dtype import DType, as_dtype
from ..engine.failure import ElementTypeError, ShapeError
from ..engine.primitive import convert
from ..engine.tensor import Tensor
from .parameters import (
    FLOATS,
    as_parameter,
    broadcast_shape,
    check_value,
    element_type,
    is_scalar,
    log,
)

Rule = Callable[..., Any]


def of_parameters(rule: Rule) -> Rule:
    """`rule(self, *parameters)`: those of the call, and the distribution's own for the others."""

    @wraps(rule)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return rule(self, *self.settled(*args, **kwargs))

    return run


def of_value(rule: Rule) -> Rule:
    """`rule(self, value, *parameters)`."""

    @wraps(rule)
    def run(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        return rule(self, self.as_value(value), *self.settled(*args, **kwargs))

    return run


def against(rule: Rule) -> Rule:
    """`rule(self, *parameters of the other, *own parameters)`, with the other's class by name."""

    @wraps(rule)
    def run(self: Any, dist: Any, *args: Any, **kwargs: Any) -> Any:
        kind = self.get_dist_type()
        if dist != kind:
            raise ShapeError(kind, "it is compared with its own kind only", got=str(dist))
        given, others = list(args), []
        for name in self.parameter_names:
            other = given.pop(0) if given else kwargs.pop(f"{name}_b", None)
            others.append(convert(check_value(kind, name, other), self.parameter_type))
        return rule(self, *others, *self.settled(*given, **kwargs))

    return run


class Distribution(Cell):
    """A distribution, as `mindspore.nn.probability.distribution.Distribution`.

    A class defines `_log_prob` or `_prob`, `_cdf` or `_log_cdf` or a survival function, `_sd` or
    `_var`; what follows from them is here.
    """

    KINDS: ClassVar[tuple[DType, ...]] = FLOATS

    def __init__(self, seed: int | None, dtype: DType, name: str, param: dict[str, Any]) -> None:
        super().__init__()
        kind = type(self).__name__
        self._name = check_type(kind, "name", name, str)
        self._seed = 0 if seed is None else seed
        check_int(kind, "seed", self._seed, 0)
        self._dtype = as_dtype(dtype)
        if self._dtype not in self.KINDS:
            raise ElementTypeError(kind, "it does not draw this element type", got=str(dtype))
        given = param.get("param_dict", {})
        self._parameters = {k: v for k, v in param.items() if k != "self" and k[0] != "_"}
        self.default_parameters: list[Tensor | None] = []
        self.parameter_names: list[str] = []
        self.parameter_type = element_type(kind, given, self._dtype)
        self._batch_shape = self._broadcast_shape = broadcast_shape(given)
        self._is_scalar_batch = is_scalar(given)
        for label, value in given.items():
            self._add_parameter(value, label)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    seed = property(lambda self: self._seed)
    parameters = property(lambda self: self._parameters)
    is_scalar_batch = property(lambda self: self._is_scalar_batch)
    batch_shape = property(lambda self: self._batch_shape)
    broadcast_shape = property(lambda self: self._broadcast_shape)

    def _add_parameter(self, value: Any, name: str) -> Tensor | None:
        made = None if value is None else as_parameter(value, self.parameter_type)
        self.default_parameters.append(made)
        self.parameter_names.append(name)
        return made

    def settled(self, *args: Any, **kwargs: Any) -> list[Tensor]:
        """The parameters of this call, broadcast together. Raises: TypeError if one is missing."""
        kind, found = type(self).__name__, []
        if len(args) > len(self.parameter_names):
            raise ElementTypeError(kind, "too many parameters", got=str(len(args)))
        given = dict(zip(self.parameter_names, args, strict=False)) | self.by_name(kwargs)
        for name, own in zip(self.parameter_names, self.default_parameters, strict=True):
            value = own if given.get(name) is None else check_value(kind, name, given[name])
            found.append(convert(check_value(kind, name, value), self.parameter_type))
        shapes = {x.shape for x in found}
        if len(shapes) < 2:
            return found
        whole = np.broadcast_shapes(*shapes)
        return [ops.broadcast_to(x, whole) for x in found]

    def by_name(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Parameters by keyword: MindSpore calls the only probability `probs1`."""
        renamed = {"probs1": "probs"} if "probs" in self.parameter_names else {}
        found = {renamed.get(name, name.removesuffix("_a")): v for name, v in kwargs.items()}
        if unknown := found.keys() - set(self.parameter_names):
            raise ElementTypeError(type(self).__name__, "unknown parameters", got=str(unknown))
        return found

    def as_value(self, value: Any) -> Any:
        return convert(check_value(type(self).__name__, "value", value), self.dtype)

    def get_dist_type(self) -> str:
        return type(self).__name__

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The parameters as they are given, or the distribution's own."""
        given = dict(zip(self.parameter_names, args, strict=False)) | self.by_name(kwargs)
        own = zip(self.parameter_names, self.default_parameters, strict=True)
        kind = type(self).__name__
        return tuple([
            held if given.get(name) is None else check_value(kind, name, given[name])
            for name, held in own
        ])  # fmt: skip

    def rule(self, *names: str) -> tuple[str, Rule]:
        """The first of these functions that the class has. Raises: NotImplementedError"""
        for name in names:
            if hasattr(self, name):
                return name, getattr(self, name)
        wanted = names[0].removeprefix("_")
        raise NotImplementedError(f"{wanted} is not implemented for {self.name} distribution.")

    def prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        name, rule = self.rule("_prob", "_log_prob")
        found = rule(value, *args, **kwargs)
        return found if name == "_prob" else ops.exp(found)

    def log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        name, rule = self.rule("_log_prob", "_prob")
        found = rule(value, *args, **kwargs)
        return found if name == "_log_prob" else log(found)

    def cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        ways = ("_cdf", "_log_cdf", "_survival_function", "_log_survival")
        name, rule = self.rule(*ways)
        found = rule(value, *args, **kwargs)
        found = ops.exp(found) if "_log" in name else found
        return 1.0 - found if "surv" in name else found

    def log_cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(self, "_log_cdf"):
            return self._log_cdf(value, *args, **kwargs)
        return log(self.cdf(value, *args, **kwargs))

    def survival_function(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "_survival_function") and not hasattr(self, "_log_survival"):
            return 1.0 - self.cdf(value, *args, **kwargs)
        name, rule = self.rule("_survival_function", "_log_survival")
        found = rule(value, *args, **kwargs)
        return ops.exp(found) if name == "_log_survival" else found

    def log_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(self, "_log_survival"):
            return self._log_survival(value, *args, **kwargs)
        return log(self.survival_function(value, *args, **kwargs))

    def sd(self, *args: Any, **kwargs: Any) -> Any:
        name, rule = self.rule("_sd", "_var")
        found = rule(*args, **kwargs)
        return found if name == "_sd" else ops.sqrt(found)

    def var(self, *args: Any, **kwargs: Any) -> Any:
        name, rule = self.rule("_var", "_sd")
        found = rule(*args, **kwargs)
        return found if name == "_var" else ops.square(found)

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        return self.rule("_mean")[1](*args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Any:
        return self.rule("_mode")[1](*args, **kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Any:
        return self.rule("_entropy")[1](*args, **kwargs)

    def kl_loss(self, dist: Any, *args: Any, **kwargs: Any) -> Any:
        return self.rule("_kl_loss")[1](dist, *args, **kwargs)

    def cross_entropy(self, dist: Any, *args: Any, **kwargs: Any) -> Any:
        """The entropy, and the divergence from the other."""
        divergence = self.kl_loss(dist, *args, **kwargs)
        others = len(self.parameter_names)
        own = {name: value for name, value in kwargs.items() if not name.endswith("_b")}
        return self.entropy(*args[others:], **own) + divergence

    def sample(self, *args: Any, **kwargs: Any) -> Any:
        return self.rule("_sample")[1](*args, **kwargs)

    def shape_of_draws(self, shape: Any, *parameters: Tensor) -> tuple[int, ...]:
        """Raises: TypeError if `shape` is no tuple."""
        check_type(type(self).__name__, "shape", shape, tuple)
        whole = np.broadcast_shapes(*[x.shape for x in parameters])
        return tuple(shape) + whole

    def drawn(self, shape: tuple[int, ...]) -> Any:
        """Numbers between 0 and 1, for the quantile of a distribution."""
        low, high = Tensor(1e-38, dtypes.float32), Tensor(1.0, dtypes.float32)
        return ops.reshape(ops.uniform(shape or (1,), low, high, self.seed or None), shape)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """The function `name`. Raises: NotImplementedError"""
        if name not in FUNCTIONS:
            raise NotImplementedError(f"{name} is not implemented for {self.name} distribution.")
        return getattr(self, name)(*args, **kwargs)


FUNCTIONS = frozenset(
    """
    log_prob prob cdf log_cdf survival_function log_survival kl_loss mean mode sd var entropy
    cross_entropy sample get_dist_args get_dist_type
    """.split()
)
"""What a distribution that is called by name answers."""
