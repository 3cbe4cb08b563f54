"""SummaryCollector: writes losses, metrics, images and distributions of a Model's training."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from .. import log
from ..engine.argument import check_int, check_type
from ..engine.failure import ElementTypeError, RefusedError, ShapeError
from ..engine.tensor import Tensor, wrap
from ..train.callback.callback import Callback, RunContext
from ..train.failure import SingleProcessError
from ..train.folder import made_folder
from .lineage import ENDING, Lineage, settings_of
from .record import SummaryRecord, checked_options

DEFAULT = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,
    "collect_landscape": None,
}
"""What is collected; MindSpore's landscapes are not, and are refused where they are asked for."""

FIRST = 5
"""Parameters whose distributions are written where none are named."""
TENSOR_STEPS = 20
"""Steps at which TensorSummary is written, unless collect_tensor_freq says otherwise."""


def checked_choices(given: Any, keep_default: Any) -> dict[str, Any]:
    """What is to be collected. Raises: TypeError, ValueError (MS304); RuntimeError (MS301)"""
    where = "SummaryCollector: collect_specified_data"
    check_type("SummaryCollector", "keep_default_action", keep_default, bool)
    if given is None:
        return dict(DEFAULT) if keep_default else {}
    check_type("SummaryCollector", "collect_specified_data", given, dict)
    unknown = [key for key in given if key not in DEFAULT]
    if unknown:
        got = ", ".join(map(repr, unknown))
        raise ShapeError(where, "there is no such key", got=got, expected=", ".join(DEFAULT))
    if given.get("collect_landscape"):
        raise landscapes_refused("SummaryCollector")
    for key, value in given.items():
        if key == "histogram_regular":
            check_pattern(where, value)
        elif key != "collect_landscape" and not isinstance(value, bool):
            raise ElementTypeError(where, f"{key} is no bool", got=repr(value), expected="a bool")
    chosen = dict(DEFAULT) if keep_default else {}
    chosen.update(given)
    return chosen


def check_pattern(where: str, value: Any) -> None:
    if value is None:
        return
    check_type("SummaryCollector", "histogram_regular", value, str)
    try:
        re.compile(value)
    except re.error as error:
        problem = "histogram_regular is no regular expression"
        raise ShapeError(where, problem, got=f"{value!r}: {error}") from error


def landscapes_refused(name: str) -> SingleProcessError:
    return SingleProcessError(
        "MS301", f"mindspore.train.{name}", "there are no loss landscapes here: MindInsight, "
        "which alone draws them, ended in 2023",
        advice="SummaryCollector writes losses and distributions for TensorBoard, "
        "msconvert runs lays runs over one another",
    )  # fmt: skip


class SummaryCollector(Callback):
    """Collects a training into `summary_dir`: event files for TensorBoard, and what the run was.

    At the first step, and at each that `collect_freq` divides: the loss, the first input if it is
    images, the distributions of parameters, and what summary operators tell.
    """

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, Any] | None = None,
    ) -> None:
        where = "SummaryCollector"
        self._folder = made_folder(where, summary_dir)
        check_int(where, "collect_freq", collect_freq, 1)
        self._frequency = collect_freq
        check_int(where, "num_process", num_process, 1)
        for name, value in (
            ("collect_tensor_freq", collect_tensor_freq),
            ("max_file_size", max_file_size),
        ):
            if value is not None:
                check_int(where, name, value, 1)
        checked_options(where, export_options)
        self._tensor_frequency, self._most = collect_tensor_freq, max_file_size
        self._options = export_options
        self._chosen = checked_choices(collect_specified_data, keep_default_action)
        self._custom = checked_lineage(custom_lineage_data)
        self._record: SummaryRecord | None = None
        self._lineage: Lineage | None = None
        self._tensor_steps = range(0)

    def __enter__(self) -> SummaryCollector:
        self._record = SummaryRecord(
            self._folder, max_file_size=self._most, export_options=self._options
        )
        self._lineage = Lineage(Path(self._record.log_dir + ENDING))
        return self

    def __exit__(self, *err: object) -> None:
        record, self._record = self._record, None
        if record is None:
            return
        if err[0] is not None and self._lineage is not None and self._lineage.settings:
            self._lineage.write("failed")
        log.info("Summaries: %s bytes in %s", record._file.size, record.log_dir)
        record.close()

    @property
    def record(self) -> SummaryRecord:
        """Raises: RuntimeError (MS304) outside of a run."""
        if self._record is None:
            raise RefusedError("SummaryCollector", "it is not in a run", got="no open record")
        return self._record

    def begin(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        others = [one for one in told.list_callback if isinstance(one, SummaryCollector)]
        if len(others) > 1:
            got = f"{len(others)} of them"
            raise ShapeError("SummaryCollector", "a run takes one", got=got, expected="one")
        self.record.set_mode(told.mode)
        if told.mode == "train":
            steps = told.epoch_num * told.batch_num
            self._tensor_steps = tensor_steps(steps, self._frequency, self._tensor_frequency)
            self._begin_lineage(told)

    def _begin_lineage(self, told: Any) -> None:
        if self._lineage is None:
            return
        if self._chosen.get("collect_train_lineage"):
            self._lineage.settings = settings_of(told)
        self._lineage.settings |= self._custom
        self._lineage.write("running")

    def step_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        if told.mode != "train":
            return
        step = told.cur_step_num
        is_due = step == 1 or step % self._frequency == 0
        if not (is_due or step in self._tensor_steps):
            return
        if step == 1 and self._chosen.get("collect_graph"):
            self.record._network = told.train_network
        if is_due:
            self._collect(told)
        takes_tensors = step == 1 or step in self._tensor_steps
        self.record.record(
            step, plugin_filter=lambda plugin: takes_tensors if plugin == "tensor" else is_due
        )

    def _collect(self, told: Any) -> None:
        """Adds loss, rate, input and distributions of this step."""
        loss = first_of(told.net_outputs)
        if self._chosen.get("collect_metric") and isinstance(loss, Tensor):
            mean = wrap(np.asarray(np.mean(loss.asnumpy(), dtype=np.float32)))
            self.record.add_value("scalar", "loss/auto", mean)
            if self._lineage is not None:
                self._lineage.results["loss"] = float(mean.asnumpy())
        images = first_of(told.train_dataset_element)
        if self._chosen.get("collect_input_data") and is_image(images):
            self.record.add_value("image", "input_data/auto", images)
        for parameter in self._parameters(told.get("optimizer")):
            if parameter.size and parameter.ndim:
                self.record.add_value("histogram", f"{parameter.name}/auto", parameter)

    def _parameters(self, optimizer: Any) -> list[Any]:
        """Those whose distributions are written."""
        every = list(getattr(optimizer, "parameters", ()))
        if "histogram_regular" not in self._chosen:
            return []
        pattern = self._chosen["histogram_regular"]
        return every[:FIRST] if pattern is None else [p for p in every if re.match(pattern, p.name)]

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        self._add_metrics(told.get("metrics") or {}, told.cur_step_num)
        self.record.flush()

    def _add_metrics(self, metrics: dict[str, Any], step: int) -> None:
        """Writes the metrics of an evaluation, those that are one number."""
        for name, value in metrics.items():
            array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
            if array.size == 1 and array.dtype.kind in "fiub":
                one = wrap(array.astype(np.float32).reshape(()))
                self.record.add_value("scalar", f"{name}/eval", one)
                if self._lineage is not None and self._chosen.get("collect_eval_lineage"):
                    self._lineage.results[name] = float(array)
        if metrics:
            self.record.record(step, plugin_filter=lambda plugin: plugin == "scalar")

    def end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        if told.mode == "train" and self._lineage is not None:
            self._lineage.results["steps"] = told.cur_step_num
            self._lineage.write("ended")
        self.record.flush()

    def on_eval_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        if self._lineage is not None and not self._lineage.settings:  # Model.eval by itself
            self._lineage.settings = {"network": type(told.get("network")).__name__} | self._custom
            self._add_metrics(told.get("metrics") or told.get("eval_results") or {}, 0)
            self._lineage.write("ended")
        self.record.flush()


def checked_lineage(given: Any) -> dict[str, Any]:
    """Raises: TypeError (MS304) unless it is names with texts and numbers."""
    check_type("SummaryCollector", "custom_lineage_data", given, dict, type(None))
    for key, value in (given or {}).items():
        where = "SummaryCollector: custom_lineage_data"
        if not isinstance(key, str):
            raise ElementTypeError(where, "a key is no text", got=repr(key), expected="text")
        if not isinstance(value, int | float | str):
            got = f"{key}: {type(value).__name__}"
            raise ElementTypeError(where, "a value is of a wrong type", got=got,
                                   expected="text or a number")  # fmt: skip
    return dict(given or {})


def tensor_steps(steps: int, frequency: int, own: int | None) -> range:
    """The steps at which TensorSummary is written: about twenty, as MindSpore chooses them."""
    if own is not None:
        return range(0, steps + 1, own)
    if len(range(0, steps + 1, frequency)) <= TENSOR_STEPS:
        return range(0, steps + 1, frequency)
    stride = steps // (TENSOR_STEPS - 1)
    if stride > 1:
        return range(0, steps + 1, stride)[:TENSOR_STEPS]
    return range(steps + 1)[: TENSOR_STEPS + 1]


def first_of(values: Any) -> Any:
    return values[0] if isinstance(values, tuple | list) and values else values


def is_image(x: Any) -> bool:
    return isinstance(x, Tensor) and x.ndim == 4 and x.shape[1] in (1, 3) and x.size > 0


class SummaryLandscape:
    """Refused: MS301."""

    def __init__(self, summary_dir: Any) -> None:
        raise landscapes_refused("SummaryLandscape")
