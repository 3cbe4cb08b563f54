"""Which APIs a name could be on a receiver of which nothing is known."""

from __future__ import annotations

import ast
from functools import cache

from .names import MODULE_METHODS, TENSOR_METHODS

BUILTIN_NAMES = frozenset(
    name for cls in (str, bytes, list, dict, set, tuple, int, float) for name in dir(cls)
)
OFTEN_OTHER = frozenset(
    """
    add add_ close read write open run start stop format type apply apply_ map map_ name data new
    copy random compile get_buffer set select where log info debug warning error exit resize
    register_hook storage numpy_T dot send recv put update values keys items query filter
    """.split()
)
"""Methods that other types have far more often than tensors and modules."""
PROPERTY_CANDIDATES = frozenset(
    "shape dtype device grad requires_grad ndim is_cuda grad_fn is_leaf mT".split()
)
OPTIMIZER_NAMES = frozenset("step zero_grad add_param_group".split())
SETTINGS = frozenset(
    "config cfg args opt opts options hparams params self cls settings conf parser".split()
)
"""Names that people give to what holds settings: its fields are no properties of tensors."""


@cache
def _methods(name: str) -> tuple[str, ...]:
    if name in BUILTIN_NAMES or name in OFTEN_OTHER or name.startswith("__"):
        return ()
    found = []
    if name in TENSOR_METHODS:
        found.append(f"torch.Tensor.{name}")
    if name in MODULE_METHODS and name not in ("forward", "extra_repr", "float"):
        found.append(f"torch.nn.Module.{name}")
    if name in OPTIMIZER_NAMES:
        found.append(f"torch.optim.Optimizer.{name}")
    if name == "step":
        found.append("torch.optim.lr_scheduler.LRScheduler.step")
    return tuple(found)


def candidates_of(name: str, called: bool, receiver: ast.expr) -> tuple[str, ...]:
    """The documented names that `receiver.name` could be; none if something else is likelier."""
    if called:
        return _methods(name)
    if name not in PROPERTY_CANDIDATES:
        return ()
    last = receiver.attr if isinstance(receiver, ast.Attribute) else None
    last = receiver.id if isinstance(receiver, ast.Name) else last
    return () if last in SETTINGS else (f"torch.Tensor.{name}",)
