"""How the rows of a data set come to a network, epoch after epoch."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any

from ..engine.argument import check_int, check_type
from ..engine.failure import ElementTypeError, RefusedError, SettingError, ShapeError
from ..engine.tensor import Tensor


class DatasetHelper:
    """The rows of a data set, once for each time that it is iterated over.

    One iterator serves all epochs, so that each has an order of its own. `dataset_sink_mode` is
    accepted: the rows are read as without it, as on MindSpore's CPU.
    """

    def __init__(
        self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ) -> None:
        check_type("DatasetHelper", "dataset_sink_mode", dataset_sink_mode, bool)
        check_int("DatasetHelper", "sink_size", sink_size)
        if sink_size < -1 or sink_size == 0:
            raise ShapeError(
                "DatasetHelper", "sink_size is no number of steps", got=str(sink_size),
                expected="-1, or a positive number",
            )  # fmt: skip
        self.dataset, self.epoch_num = dataset, epoch_num
        self.iter: Any = None

    def __iter__(self) -> Iterator[Any]:
        if self.iter is None or isinstance(self.iter, GeneratorType):
            self.iter = self.dataset.create_tuple_iterator(num_epochs=self.epoch_num)
        return iter(self.iter)

    def sink_size(self) -> int:
        """How many rows a step takes."""
        return 1

    def types_shapes(self) -> tuple[Any, Any]:
        """The element types and the shapes of a row."""
        return self.dataset.output_types(), self.dataset.output_shapes()

    def continue_send(self) -> None:
        """There is nothing behind the program's back."""

    def stop_send(self) -> None:
        """There is nothing behind the program's back."""

    def release(self) -> None:
        """Ends what still works on rows."""
        end = getattr(self.iter, "release", None) or getattr(self.iter, "close", None)
        if end is not None:
            end()
        self.iter = None

    def __enter__(self) -> DatasetHelper:
        return self

    def __exit__(self, *err: Any) -> None:
        self.release()


def rows_in(dataset: Any, where: str) -> int:
    """The number of rows. Raises: MS304 for what is no data set, or an empty one."""
    if not hasattr(dataset, "get_dataset_size") or not hasattr(dataset, "create_tuple_iterator"):
        raise ElementTypeError(
            where, "it is no data set", got=type(dataset).__name__,
            expected="a data set of mindspore.dataset",
            advice="give arrays to dataset.NumpySlicesDataset, other objects to GeneratorDataset",
        )  # fmt: skip
    size = int(dataset.get_dataset_size())
    if size == 0:
        raise ShapeError(
            where, "the data set has no row", got="0 rows",
            advice="look at the files and filters of the data set; batch() with "
            "drop_remainder=True drops all rows if there are fewer than a batch",
        )  # fmt: skip
    return size


def as_inputs(row: Any) -> Any:
    """A row as the arguments of a network."""
    return (row,) if isinstance(row, Tensor) else row


def connect_network_with_dataset(network: Any, dataset_helper: Any) -> Any:
    """Raises: RuntimeError (MS304), as MindSpore on the CPU: there is no device to send rows to."""
    raise RefusedError(
        "connect_network_with_dataset", "the CPU has no data channel to a device",
        advice="call the network with the rows of the data set, or use Model.train",
    )  # fmt: skip


def data_sink(
    fn: Any, dataset: Any, sink_size: int = 1, jit_config: Any = None, input_signature: Any = None
) -> Any:
    """Raises: ValueError (MS301), as MindSpore on the CPU: there is no device to send rows to."""
    raise SettingError(
        "data_sink", "the CPU has no data channel to a device",
        advice="write `for row in dataset.create_tuple_iterator(): fn(*row)`",
    )  # fmt: skip
