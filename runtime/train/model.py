"""Model: trains, evaluates and calls a network, epoch after epoch."""

from __future__ import annotations

from typing import Any

from .. import log
from ..cells.cell import Cell
from ..engine.argument import check_int, check_type
from ..engine.context import in_graph_mode, interpreting
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.tensor import Tensor
from ..metrics.names import get_metrics
from . import callback as internal
from .callback.callback import OLD_HOOKS, as_list
from .dataset_helper import DatasetHelper, as_inputs, rows_in
from .failure import SingleProcessError
from .networks import Precision, checked_indexes
from .run import Evaluation, Training, Validation


class Model:
    """A network with its loss, optimizer and metrics.

    network computes the loss itself if there is no loss_fn, and steps if there is no optimizer.
    metrics: a set of names, or a dictionary of Metrics; `eval_network` gives them what
    `eval_indexes` chooses: loss, prediction and label. amp_level, loss_scale_manager and
    keep_batchnorm_fp32 are `amp.build_train_network`'s.
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        self._network: Cell = check_type("Model", "network", network, Cell)
        self._loss_fn, self._optimizer, self._metrics = loss_fn, optimizer, metrics
        self._precision = Precision.checked(amp_level, boost_level, kwargs)
        self._amp_level, self._boost_level = amp_level, self._precision.boost_level
        self._loss_scale_manager = self._precision.manager
        self._train_network = self._precision.of_training(network, loss_fn, optimizer)
        self._train_network.__dict__["_jit_config_dict"] = network.jit_config_dict
        self._metric_fns = get_metrics(metrics) or {}
        self._eval_network, self._eval_indexes = eval_network, checked_indexes(eval_indexes)
        if self._metric_fns and eval_network is None:
            self._eval_network = self._precision.of_evaluation(network, loss_fn)
            self._eval_indexes = [0, 1, 2]
        self._predict_network = network
        self._backbone_is_train = True
        self._current_epoch_num = self._current_step_num = 0

    @property
    def train_network(self) -> Cell:
        """The network with its loss and a step of the optimizer."""
        return self._train_network

    @property
    def predict_network(self) -> Cell:
        """The network itself."""
        return self._predict_network

    @property
    def eval_network(self) -> Cell | None:
        """The network that gives the metrics their inputs; None if there are no metrics."""
        return self._eval_network

    # training

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Trains until `epoch` epochs are done, the first `initial_epoch` of them before.

        dataset_sink_mode is accepted: rows are fed one by one, as on MindSpore's CPU. Ctrl-C
        ends the training after the step, and behind the callbacks' `end`.
        """
        self._check_epochs("Model.train", epoch, initial_epoch, dataset_sink_mode)
        steps = self._steps("Model.train", train_dataset, dataset_sink_mode, sink_size)
        self._check_hooks(callbacks, "train")
        Training(self, train_dataset, steps, None).run(epoch, initial_epoch, callbacks)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: Any = 1,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """`train`, with an evaluation every `valid_frequency` epochs, or in those of a list."""
        self._check_epochs("Model.fit", epoch, initial_epoch, dataset_sink_mode)
        check_type("Model.fit", "valid_dataset_sink_mode", valid_dataset_sink_mode, bool)
        steps = self._steps("Model.fit", train_dataset, dataset_sink_mode, sink_size)
        check_type("Model.fit", "valid_frequency", valid_frequency, int, list)
        if valid_dataset is not None:
            self._require_metrics("Model.fit")
        self._check_hooks(callbacks, "fit")
        validation = None
        if valid_dataset is not None:
            validation = Validation(valid_dataset, valid_frequency)
        Training(self, train_dataset, steps, validation).run(epoch, initial_epoch, callbacks)

    def eval(
        self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = False
    ) -> dict[str, Any]:
        """The metrics of the data set by name. Raises: ValueError (MS304) without metrics."""
        check_type("Model.eval", "dataset_sink_mode", dataset_sink_mode, bool)
        self._require_metrics("Model.eval")
        self._check_hooks(callbacks, "eval")
        return Evaluation(self, valid_dataset).run(callbacks)

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Compiles the networks for the data sets' rows, in graph mode, before they are needed."""
        check_int("Model.build", "epoch", epoch, 1)
        if train_dataset is None and valid_dataset is None:
            raise ShapeError("Model.build", "it needs a train_dataset or a valid_dataset")
        if valid_dataset is not None and not self._metric_fns:
            raise RefusedError(
                "Model.build", "a valid_dataset needs metrics", advice="Model(..., metrics={'acc'})"
            )
        for dataset, network, trains in (
            (valid_dataset, self._eval_network, False),
            (train_dataset, self._train_network, True),
        ):
            if dataset is None or network is None:
                continue
            rows_in(dataset, "Model.build")
            self._begin(network, trains)
            if in_graph_mode():
                with DatasetHelper(dataset) as helper, interpreting():
                    network.compile(*as_inputs(next(iter(helper))))

    # prediction

    def predict(self, *predict_data: Any, backend: str | None = None, config: Any = None) -> Any:
        """The network's outputs for these inputs; backend 'lite' is refused (MS301)."""
        if backend not in ("lite", None):
            raise ShapeError("Model.predict", "there is no such backend", got=repr(backend))
        if backend == "lite" or config is not None:
            raise SingleProcessError(
                "MS301", "Model.predict", "there is no MindSpore Lite here",
                advice="leave backend and config out",
            )  # fmt: skip
        self._set_mode(self._predict_network, trains=False)
        for x in predict_data:
            if isinstance(x, Tensor) and x.size == 0:
                raise ShapeError("Model.predict", "an input is empty", got=f"shape {x.shape}")
            if x is not None and not isinstance(x, (Tensor, int, float, str)):
                raise ElementTypeError(
                    "Model.predict", "an input is of a wrong type", got=type(x).__name__,
                    expected="a Tensor, None, int, float or str",
                    advice="make Tensors of arrays: model.predict(Tensor(x))",
                )  # fmt: skip
        found = self._predict_network(*predict_data)
        if found is None:
            raise RefusedError("Model.predict", "the network gives nothing", got="None")
        return found

    def infer_train_layout(
        self, train_dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> Any:
        """Raises: RuntimeError (MS301), since there is one process."""
        raise SingleProcessError.of("Model.infer_train_layout")

    def infer_predict_layout(self, *predict_data: Any, skip_backend_compile: bool = False) -> Any:
        """Raises: RuntimeError (MS301), since there is one process."""
        raise SingleProcessError.of("Model.infer_predict_layout")

    # for the runs

    def _begin(self, network: Cell, trains: bool) -> None:
        """Sets the network's mode at the beginning of a run."""
        network.set_train(trains)
        network.phase = "train" if trains else "eval"
        self._backbone_is_train = trains

    def _set_mode(self, network: Cell, trains: bool) -> None:
        """Sets the network's mode, if an evaluation or a training has set another one."""
        if self._backbone_is_train is not trains:
            network.set_train(trains)
            self._backbone_is_train = trains
        if not trains:
            network.set_grad(False)

    # checks

    def _check_epochs(self, where: str, epoch: Any, initial: Any, sink_mode: Any) -> None:
        check_type(where, "dataset_sink_mode", sink_mode, bool)
        check_int(where, "epoch", epoch, 1)
        check_int(where, "initial_epoch", initial, 0)
        if initial >= epoch:
            raise ShapeError(
                where, "epoch is the last epoch, and must be greater than initial_epoch",
                got=f"epoch {epoch}, initial_epoch {initial}",
                advice=f"epoch={initial + epoch} trains {epoch} more",
            )  # fmt: skip

    def _steps(self, where: str, dataset: Any, sink_mode: bool, sink_size: Any) -> int:
        """How many steps callbacks are told that an epoch has."""
        check_int(where, "sink_size", sink_size)
        rows = rows_in(dataset, where)
        if sink_size < -1 or sink_size == 0:
            expected = "-1, or a positive number"
            raise ShapeError(where, "wrong sink_size", got=str(sink_size), expected=expected)
        return sink_size if sink_mode and sink_size > 0 else rows

    def _require_metrics(self, where: str) -> None:
        if not self._metric_fns:
            raise ShapeError(
                where, "there are no metrics to evaluate", got=f"metrics={self._metrics!r}",
                advice="Model(..., metrics={'accuracy', 'loss'})",
            )  # fmt: skip

    def _check_hooks(self, callbacks: Any, where: str) -> None:
        """Warns of hooks with old names, which training and evaluation both call.

        Raises: ValueError (MS304) in `fit`, where it would be called for both.
        """
        for one in as_list(callbacks) if isinstance(callbacks, list) else [callbacks]:
            kind = type(one)
            old = sorted(set(vars(kind)) & set(OLD_HOOKS))
            if not old or kind.__name__ in internal.__all__:
                continue
            if where == "fit":
                advice = ", ".join(f"on_train_{n} or on_eval_{n}" for n in old)
                raise ShapeError(
                    f"Model.fit: {kind.__name__}", "training and evaluation both call its hooks",
                    got=", ".join(old), advice=f"name them {advice}",
                )  # fmt: skip
            log.warning(
                "For %s callback, %s methods may not be supported in later version, Use methods "
                "prefixed with 'on_train' or 'on_eval' instead when using customized callbacks.",
                kind.__name__, old,
            )  # fmt: skip
