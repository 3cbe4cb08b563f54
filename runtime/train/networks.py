"""The networks of a Model: for training, for evaluation, and what it gives to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import log
from ..amp import LEVELS, LossScaleManager, build_train_network
from ..cells.cell import Cell
from ..engine.argument import check_choice, check_type
from ..engine.failure import RefusedError, ShapeError
from ..nn.wrap import WithEvalCell, WithLossCell

BOOST_LEVELS = ("O0", "O1", "O2")
SETTINGS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")
"""The keywords that a Model takes beside its arguments."""

IN_FLOAT32 = ("O2", "O3", "auto")
"""The levels whose outputs an evaluation converts."""


@dataclass(frozen=True)
class Precision:
    """How a Model computes: its levels and keywords."""

    amp_level: str
    boost_level: str
    given: dict[str, Any]

    @classmethod
    def checked(cls, amp_level: Any, boost_level: Any, given: dict[str, Any]) -> Precision:
        """Raises: TypeError, ValueError (MS304) for levels and keywords that there are not."""
        unknown = [name for name in given if name not in SETTINGS]
        if unknown:
            raise ShapeError(
                "Model", "there is no such argument", got=", ".join(unknown),
                expected=", ".join(SETTINGS),
            )  # fmt: skip
        check_type("Model", "amp_level", amp_level, str)
        check_choice("Model", "amp_level", amp_level, LEVELS)
        boost_level = given.get("acc_level", boost_level)
        check_choice("Model", "boost_level", boost_level, BOOST_LEVELS)
        if boost_level != "O0" or given.get("boost_config_dict"):
            log.warning("Model: boost_level %s has no effect here, as if it was O0.", boost_level)
        return cls(amp_level, boost_level, given)

    @property
    def manager(self) -> LossScaleManager | None:
        found: LossScaleManager | None = self.given.get("loss_scale_manager")
        return found

    def of_training(self, network: Cell, loss_fn: Any, optimizer: Any) -> Cell:
        """The network with its loss and a step of the optimiser, as far as they are given."""
        if optimizer is None:
            self.refuse_without_optimizer()
            return network if loss_fn is None else WithLossCell(network, loss_fn)
        own = {name: self.given[name] for name in SETTINGS[:2] if name in self.given}
        return build_train_network(network, optimizer, loss_fn, self.amp_level, **own)

    def refuse_without_optimizer(self) -> None:
        """Raises: ValueError (MS304) for what only a training with an optimizer has."""
        needing = "amp_level" if self.amp_level != "O0" else ""
        needing = "loss_scale_manager" if self.manager is not None else needing
        if needing:
            advice = f"give the Model an optimizer, or leave {needing} out"
            raise ShapeError("Model", f"{needing} needs an optimizer", got="None", advice=advice)

    def of_evaluation(self, network: Cell, loss_fn: Any) -> Cell:
        """The network that gives (loss, outputs, label). Raises: MS304 without a loss_fn."""
        if loss_fn is None:
            raise ShapeError(
                "Model", "metrics need an eval_network, or a loss_fn", got="neither",
                advice="give eval_network=network and metrics with set_indexes, or a loss_fn",
            )  # fmt: skip
        return WithEvalCell(network, loss_fn, self.amp_level in IN_FLOAT32)


def checked_indexes(indexes: Any) -> list[int] | None:
    """`eval_indexes`. Raises: ValueError (MS304) unless they are three places, or None."""
    if indexes is not None and not (isinstance(indexes, list) and len(indexes) == 3):
        raise ShapeError(
            "Model: eval_indexes", "wrong places of loss, prediction and label",
            got=repr(indexes), expected="None, or a list of three numbers",
        )  # fmt: skip
    return indexes


def refuse_old_steps(outputs: Any, manager: LossScaleManager | None) -> None:
    """Raises: RuntimeError (MS304) if a step does not tell whether it overflowed."""
    if manager is not None and not isinstance(outputs, (tuple, list)):
        raise RefusedError(
            "Model.train", "the training step does not tell whether it overflowed",
            got="one output", expected="(loss, overflow, ...)",
        )  # fmt: skip
