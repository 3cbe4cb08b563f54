"""The epochs of a Model: steps, the callbacks around them, and evaluations in between."""

from __future__ import annotations

import copy
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.context import interpreting
from ..engine.failure import RefusedError, ShapeError
from ..engine.tensor import Tensor
from ..metrics import Loss
from . import callback as internal
from .callback.callback import CallbackManager, InternalCallbackParam, RunContext, as_list
from .callback.checkpoint import ModelCheckpoint
from .callback.monitors import TimeMonitor
from .dataset_helper import DatasetHelper, as_inputs, rows_in
from .interruption import Interruption
from .networks import refuse_old_steps

if TYPE_CHECKING:
    from .model import Model


OWNERS: weakref.WeakKeyDictionary[Any, weakref.ref[Model]] = weakref.WeakKeyDictionary()
"""Which Model trains with a data set, for as long as there is the data set."""


@dataclass(frozen=True)
class Validation:
    """The evaluations of `Model.fit`."""

    dataset: Any
    frequency: int | list[int]

    def is_due(self, epoch: int) -> bool:
        if isinstance(self.frequency, int):
            return epoch % self.frequency == 0
        return epoch in self.frequency


class Training:
    """One call of `Model.train` or `Model.fit`."""

    def __init__(
        self, model: Model, dataset: Any, steps: int, validation: Validation | None
    ) -> None:
        self.model, self.dataset, self.validation = model, dataset, validation
        self.told = InternalCallbackParam(
            cur_step_num=0, train_network=model.train_network, batch_num=steps, mode="train",
            loss_fn=model._loss_fn, optimizer=model._optimizer, parallel_mode="stand_alone",
            device_number=1, train_dataset=dataset, train_dataset_element=None,
            network=model._network, last_save_ckpt_step=None, latest_ckpt_file=None,
            loss_scale_mananger=model._loss_scale_manager, initial_step=None,
        )  # fmt: skip
        self.context = RunContext(self.told)
        self.interruption = Interruption()

    def run(self, epoch: int, initial_epoch: int, callbacks: Any) -> None:
        """The epochs behind `initial_epoch`, up to `epoch`."""
        told = self.told
        told.epoch_num = epoch - initial_epoch
        told.list_callback = as_list(callbacks)
        self.model._current_epoch_num = self.model._current_step_num = 0
        with self.interruption, CallbackManager(told.list_callback) as manager:
            self.callbacks = manager
            self.bind()
            try:
                self.epochs(epoch, initial_epoch)
            except BaseException:
                self.save_at_failure(manager.callbacks)
                raise
            manager.call("on_train_end", self.context)

    def bind(self) -> None:
        """Raises: RuntimeError (MS304) if another Model trains with the data set."""
        owner = OWNERS.setdefault(self.dataset, weakref.ref(self.model))
        if owner() is not self.model:
            raise RefusedError(
                "Model.train", "another Model has trained with this data set object",
                advice="make the data set anew for each Model",
            )  # fmt: skip

    def epochs(self, epoch: int, initial_epoch: int) -> None:
        """Raises: KeyboardInterrupt behind the callbacks' end."""
        model = self.model
        model._begin(model.train_network, trains=True)
        self.told.dataset_sink_mode = False
        self.callbacks.call("on_train_begin", self.context)
        try:
            self.each_epoch(range(initial_epoch + 1, epoch + 1))
        except KeyboardInterrupt:
            self.context.interrupted = True
            self.callbacks.call("on_train_end", self.context)
            raise

    def each_epoch(self, numbers: range) -> None:
        """The epochs of these numbers, or those before a callback asks to stop."""
        with DatasetHelper(self.dataset, False, -1, numbers.stop - 1) as helper:
            for number in numbers:
                self.epoch(number, helper)
                if self.context.get_stop_requested():
                    return

    def epoch(self, number: int, helper: DatasetHelper) -> None:
        """One pass over the data set, and what comes at its end."""
        told, call = self.told, self.callbacks.call
        told.cur_epoch_num = self.model._current_epoch_num = number
        self.model._current_step_num = 0
        call("on_train_epoch_begin", self.context)
        for row in helper:
            with self.interruption.step():
                self.step(row)
            if self.context.get_stop_requested():
                break
        if self.validation is not None and self.validation.is_due(number):
            self.validate(self.validation)
        call("on_train_epoch_end", self.context)
        for name in ("metrics", "eval_results"):
            told.pop(name, None)

    def step(self, row: Any) -> None:
        """One step with a row of the data set, between its hooks."""
        model, told = self.model, self.told
        if model._loss_fn is not None and len(row) != 2:
            raise ShapeError(
                "Model.train", "with a loss_fn, a row is an input and a label",
                got=f"{len(row)} columns", expected="2 columns",
                advice="choose columns with dataset.project, or compute the loss in the network "
                "and give no loss_fn",
            )  # fmt: skip
        told.cur_step_num += 1
        model._current_step_num = (told.cur_step_num - 1) % told.batch_num + 1
        inputs = told.train_dataset_element = as_inputs(row)
        self.callbacks.call("on_train_step_begin", self.context)
        model._set_mode(model.train_network, trains=True)
        with interpreting():  # a step may decide by values: of an overflow, of its number
            told.net_outputs = model.train_network(*inputs)
        self.update_scale(told.net_outputs)
        self.callbacks.call("on_train_step_end", self.context)

    def update_scale(self, outputs: Any) -> None:
        """Moves the loss scale of a manager that drops steps."""
        manager: Any = self.model._loss_scale_manager
        if manager is None or not manager.get_drop_overflow_update():
            return
        refuse_old_steps(outputs, manager)
        manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))

    def validate(self, validation: Validation) -> None:
        """Evaluates at the end of an epoch; the training's parameters are put back."""
        told = self.told
        names = ("cur_step_num", "batch_num", "dataset_sink_mode", "net_outputs")
        kept = {name: told[name] for name in names if name in told}
        chosen = [
            one
            for one in self.callbacks.callbacks
            if type(one).__name__ not in internal.__all__ or isinstance(one, TimeMonitor)
        ]
        Evaluation(self.model, validation.dataset, told).run(chosen)
        told.update(kept, mode="train")

    def save_at_failure(self, callbacks: list[Any]) -> None:
        """Saves a checkpoint of a failed training, if a ModelCheckpoint is to."""
        found = [one for one in callbacks if isinstance(one, ModelCheckpoint)]
        if found and found[-1]._config.exception_save:
            model = self.model
            numbers = model._current_epoch_num, model._current_step_num
            found[-1].save_at_failure(model.train_network, *numbers)


class Evaluation:
    """One call of `Model.eval`, or an evaluation inside of `Model.fit`, which tells its `told`."""

    def __init__(self, model: Model, dataset: Any, told: Any = None) -> None:
        self.model, self.dataset = model, dataset
        self.in_fit = told is not None
        self.told = InternalCallbackParam() if told is None else told
        self.told.eval_network = model.eval_network
        self.told.valid_dataset = dataset
        self.told.batch_num = rows_in(dataset, "Model.eval")
        self.told.mode, self.told.cur_step_num = "eval", 0
        self.loss = Loss()

    def run(self, callbacks: Any) -> dict[str, Any]:
        """The metrics by name."""
        model, told = self.model, self.told
        if not self.in_fit:
            told.list_callback, told.network = as_list(callbacks), model._network
        for metric in model._metric_fns.values():
            metric.clear()
        with CallbackManager(callbacks) as manager:
            context = RunContext(told)
            told.dataset_sink_mode = False
            manager.call("on_eval_begin", context)
            network: Any = model.eval_network
            model._begin(network, trains=False)
            manager.call("on_eval_epoch_begin", context)
            self.steps(manager, context)
            manager.call("on_eval_epoch_end", context)
            told.metrics = {name: shown(m.eval()) for name, m in model._metric_fns.items()}
            if self.in_fit:
                told.eval_results = copy.deepcopy(told.metrics) | {"eval_loss": self.loss.eval()}
            manager.call("on_eval_end", context)
        metrics: dict[str, Any] = told.metrics
        return metrics

    def steps(self, manager: CallbackManager, context: RunContext) -> None:
        """All batches, or those before a callback asks to stop."""
        with DatasetHelper(self.dataset, False) as helper:
            for row in helper:
                self.step(row, manager, context)
                if context.get_stop_requested():
                    return

    def step(self, row: Any, manager: CallbackManager, context: RunContext) -> None:
        """One batch, between its hooks; behind them the metrics take it."""
        model, told = self.model, self.told
        network: Any = model.eval_network
        told.cur_step_num += 1
        inputs = told.eval_dataset_element = as_inputs(row)
        manager.call("on_eval_step_begin", context)
        model._set_mode(network, trains=False)
        with interpreting():
            told.net_outputs = network(*inputs)
        manager.call("on_eval_step_end", context)
        self.update(told.net_outputs)

    def update(self, outputs: Any) -> None:
        """Gives the outputs to the metrics, as `eval_indexes` chooses."""
        places = self.model._eval_indexes
        outputs = self.checked((outputs,) if isinstance(outputs, Tensor) else outputs, places)
        for metric in self.model._metric_fns.values():
            if places is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[places[0]])
            else:
                metric.update(outputs[places[1]], outputs[places[2]])
        if self.in_fit:
            self.loss.clear()  # MindSpore's `eval_loss` is that of the last batch
            self.loss.update(outputs[0 if places is None else places[0]])

    def checked(self, outputs: Any, places: list[int] | None) -> Any:
        """Raises: ValueError (MS304) unless they are a tuple, and as many as are chosen among."""
        if not isinstance(outputs, tuple) or (places is not None and len(outputs) < 3):
            got = (
                f"{len(outputs)} outputs" if isinstance(outputs, tuple) else type(outputs).__name__
            )
            raise ShapeError(
                "Model: eval_network", "its outputs do not go with eval_indexes", got=got,
                expected="(loss, prediction, label), or eval_indexes=None and metrics that take "
                "what there is",
            )  # fmt: skip
        return outputs


def shown(value: Any) -> Any:
    """A metric's value: numbers of NumPy as Python's, which print without their type."""
    return value.item() if isinstance(value, np.generic) else value
