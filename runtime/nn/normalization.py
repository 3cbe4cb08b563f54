"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import operations
from ..cells.cell import Cell
from ..engine import dtype as dtypes
from ..engine.argument import check_int, check_range, check_type
from ..engine.failure import ShapeError
from ..engine.initializer import initializer
from ..engine.parameter import Parameter
from ..engine.primitive import convert
from ..engine.promotion import constant
from ..engine.tensor import Tensor
from ..ops import normalization
from ..ops.arithmetic import add, mul
from ..ops.shaping import axis_of, broadcast_to, reshape
from ..primitives import layer as p
from .convolution import refuse_format


class BatchNorm(Cell):
    """Normalises each channel (axis 1). Abstract: subclasses set `ranks`.

    In training by the batch's statistics, else by the running ones; `use_batch_statistics`
    True or False settles it. A BatchNorm that is the root names its statistics mean, variance.

    Shapes: x (n, c, ...), gamma, beta, moving_mean, moving_variance (c)
    Units:  momentum in [0, 1], weight of the OLD running value
    """

    ranks: tuple[int, ...] = (4,)
    _unconverted = frozenset({"moving_mean", "moving_variance"})

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        if num_features < 1 or not 0 <= momentum <= 1:
            raise ShapeError(
                self.cls_name,
                "num_features must be 1 or more, momentum in [0, 1]",
                got=f"{num_features}, {momentum}",
            )
        refuse_format(self.cls_name, data_format, "NCHW")
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            got = repr(use_batch_statistics)
            raise ShapeError(self.cls_name, "use_batch_statistics must be a bool or None", got=got)
        self.num_features, self.eps = num_features, eps
        self.momentum = 1.0 - momentum
        self.use_batch_statistics = use_batch_statistics
        inits = (moving_mean_init, moving_var_init, gamma_init, beta_init)
        first, second, third, fourth = (initializer(i, num_features, dtype) for i in inits)
        self.moving_mean = Parameter(first, name="mean", requires_grad=False)
        self.moving_variance = Parameter(second, name="variance", requires_grad=False)
        self.gamma = Parameter(third, name="gamma", requires_grad=affine)
        self.beta = Parameter(fourth, name="beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim not in self.ranks:
            raise ShapeError(
                self.cls_name, "a wrong number of axes", got=str(x.shape), expected=str(self.ranks)
            )
        of_batch = self.use_batch_statistics
        training = self.training if of_batch is None else of_batch
        return normalization.batch_norm(
            x,
            self.moving_mean,
            self.moving_variance,
            self.gamma,
            self.beta,
            training,
            self.momentum,
            self.eps,
        )

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class BatchNorm1d(BatchNorm):
    """(n, c) or (n, c, l)."""

    ranks = (2, 3)


class BatchNorm2d(BatchNorm):
    """(n, c, h, w)."""


class SyncBatchNorm(BatchNorm):
    """(n, c) or (n, c, h, w); over a group of processes, of which the runtime has one."""

    ranks = (2, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: Sequence[Sequence[int]] | None = None,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        if process_groups is not None and [list(group) for group in process_groups] != [[0]]:
            got = str(process_groups)
            expected = "None or [[0]]"
            raise ShapeError(self.cls_name, "one process only", got=got, expected=expected)
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, dtype=dtype,
        )  # fmt: skip


class BatchNorm3d(Cell):
    """(n, c, d, h, w); the parameters are those of a BatchNorm2d inside, `bn2d`."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
            moving_var_init, use_batch_statistics, dtype=dtype,
        )  # fmt: skip

    def construct(self, input_x: Tensor) -> Tensor:
        n, c, d, h, w = input_x.shape
        return reshape(self.bn2d(reshape(input_x, (n, c, d * h, w))), input_x.shape)


class LayerNorm(Cell):
    """Normalises over the axes from `begin_norm_axis` on; epsilon is 1e-7 (PyTorch: 1e-5).

    Shapes: gamma, beta `normalized_shape`, aligned with the axes from `begin_params_axis` on
    """

    def __init__(
        self,
        normalized_shape: Sequence[int],
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'normalized_shape' must be tuple[int] or "
                f"list[int], but got {normalized_shape} and the type is {type(normalized_shape)}."
            )
        if not normalized_shape:
            raise ShapeError(self.cls_name, "normalized_shape must not be empty", got="()")
        self.normalized_shape = normalized_shape
        shape = tuple(normalized_shape)
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = epsilon
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), name="gamma")
        self.beta = Parameter(initializer(beta_init, shape, dtype), name="beta")
        self.layer_norm = operations.LayerNorm(begin_norm_axis, begin_params_axis, epsilon)
        """For subclasses that call it, as those of MindSpore's do."""

    def construct(self, input_x: Tensor) -> Tensor:
        first = axis_of(self.begin_norm_axis, input_x.ndim, self.cls_name)
        own = axis_of(self.begin_params_axis, input_x.ndim, self.cls_name)
        eps = self.epsilon
        if input_x.shape[own:] != self.gamma.shape:
            raise ShapeError(
                self.cls_name, "the last axes do not fit",
                got=str(input_x.shape), expected=f"(..., {str(self.gamma.shape)[1:]}",
            )  # fmt: skip
        if first == own:
            return normalization.layer_normalised(input_x, self.gamma, self.beta, first, eps)
        one = broadcast_to(constant(1, input_x.dtype), input_x.shape[first:])
        y = normalization.layer_normalised(input_x, one, None, first, eps)
        return convert(add(mul(y, self.gamma), self.beta), input_x.dtype)

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Normalises each of `num_groups` groups of channels: (n, c, ...)."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        check_int(self.cls_name, "num_groups", num_groups, 1)
        check_int(self.cls_name, "num_channels", num_channels, 1)
        check_type(self.cls_name, "eps", eps, float)
        check_type(self.cls_name, "affine", affine, bool)
        if num_channels % num_groups:
            raise ShapeError(self.cls_name, f"{num_channels} channels, {num_groups} groups")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        gamma, beta = (initializer(i, num_channels, dtype) for i in (gamma_init, beta_init))
        self.gamma = Parameter(gamma, name="gamma", requires_grad=affine)
        self.beta = Parameter(beta, name="beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim < 2 or x.shape[1] != self.num_channels:
            raise ShapeError(
                self.cls_name, "other channels", got=str(x.shape), expected=str(self.num_channels)
            )
        gamma, beta = (parameter.astype(x.dtype) for parameter in (self.gamma, self.beta))
        return normalization.group_norm(x, self.num_groups, gamma, beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class InstanceNorm(Cell):
    """Normalises each channel of each sample, by its own statistics. Abstract: `rank`.

    MindSpore's CPU build has no kernel for it; affine is True (PyTorch: False).
    """

    rank = 4

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: dtypes.DType = dtypes.float32,
    ) -> None:
        super().__init__()
        check_range(self.cls_name, "momentum", momentum, 0, 1)
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        inits = ("zeros", "ones", gamma_init, beta_init)
        first, second, third, fourth = (initializer(i, num_features, dtype) for i in inits)
        self.moving_mean = Parameter(first, name="mean", requires_grad=False)
        self.moving_variance = Parameter(second, name="variance", requires_grad=False)
        self.gamma = Parameter(third, name="gamma", requires_grad=affine)
        self.beta = Parameter(fourth, name="beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim != self.rank:
            raise ShapeError(
                self.cls_name, "a wrong number of axes", got=str(x.shape), expected=str(self.rank)
            )
        w, b = convert(self.gamma, x.dtype), convert(self.beta, x.dtype)
        return p.instance_normalization(x, w, b, epsilon=self.eps)

    def extend_repr(self) -> str:
        return f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}"


class InstanceNorm1d(InstanceNorm):
    """(n, c, l)."""

    rank = 3


class InstanceNorm2d(InstanceNorm):
    """(n, c, h, w)."""


class InstanceNorm3d(InstanceNorm):
    """(n, c, d, h, w)."""

    rank = 5
