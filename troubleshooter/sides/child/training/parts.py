"""Loss, optimiser and schedule that are said by themselves, and the step that is made of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..leaves import leaves
from ..messages import Part, TrainingPlan
from .watch import TrainingError, evaluated

NAMES = {
    "torch": {
        "torch": "",
        "nn": ".nn",
        "optim": ".optim",
        "F": ".nn.functional",
        "lr_scheduler": ".optim.lr_scheduler",
    },
    "mindspore": {
        "mindspore": "",
        "ms": "",
        "nn": ".nn",
        "ops": ".ops",
        "mint": ".mint",
        "optim": ".experimental.optim",
    },
}
"""What an expression may use, and where it is in the framework."""


def names_for(side: Any, package: str) -> dict[str, Any]:
    """The names in expressions: the framework's, those of the network's file, and `net`."""
    table = NAMES["torch" if package == "torch" else "mindspore"]
    found = {name: importlib.import_module(package + place) for name, place in table.items()}
    return {**found, **vars(side.module), "net": side.network}


def value_of(side: Any, part: Part | None, names: dict[str, Any]) -> Any:
    """What an expression gives, in the module of its file if it names one."""
    if part is None:
        return None
    own = vars(module_of(side, part)) if part.source is not None else {}
    return evaluated(part.text, {**names, **own})


def module_of(side: Any, part: Part) -> ModuleType:
    """The module of a part's file; the network's own if it names none."""
    own: ModuleType = side.module
    return own if part.source is None else side.imports.beside(part.source, own)


def loss_of(side: Any, plan: TrainingPlan, names: dict[str, Any]) -> Callable[..., Any]:
    """A function of a batch: the loss of output and target, which comes last; without a loss that
    is said, a weighted mean of the outputs."""
    loss = value_of(side, plan.loss, names)
    loss = loss() if isinstance(loss, type) else loss
    if loss is not None and not callable(loss):
        raise TrainingError(f"the loss is a {type(loss).__name__}, and no function")

    def weighted(*batch: Any) -> Any:
        parts = side.parts_of_loss(list(leaves(side.network(*batch), side.is_tensor)), plan.seed)
        return sum(parts[1:], parts[0])

    def of_target(*batch: Any) -> Any:
        return loss(side.network(*batch[:-1]), side.as_target(batch[-1]))

    return weighted if loss is None else of_target


def called(value: Any, *args: Any) -> Any:
    """A class or function called; anything else as it is."""
    is_maker = isinstance(value, type) or type(value).__name__ in ("function", "partial")
    return value(*args) if is_maker else value
