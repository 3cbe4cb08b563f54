"""SummaryRecord: writes what summary operators have told, and what is given it, step by step."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...formats.records import events
from .. import log
from ..cells.cell import Cell
from ..engine.argument import check_choice, check_int, check_type
from ..engine.dtype import Array
from ..engine.failure import RefusedError, ShapeError
from ..train.failure import SingleProcessError
from ..train.folder import made_folder
from . import pending
from .drawing import graph_of
from .event_file import EventFile, canvas, event_file_name

LINEAGE = ("train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data", "graph")
"""Plugins of messages that only MindInsight reads."""

MAKERS: dict[str, Callable[[str, Array], bytes]] = {
    "scalar": lambda tag, array: events.scalar(tag, float(np.asarray(array).reshape(-1)[0])),
    "image": lambda tag, array: events.image(tag, canvas(array)),
    "tensor": events.tensor,
    "histogram": events.histogram,
}


def checked_options(where: str, options: Any) -> str | None:
    """The tensor_format of `export_options`. Raises: TypeError, ValueError (MS304)"""
    if options is None:
        return None
    check_type(where, "export_options", options, dict)
    unknown = set(options) - {"tensor_format"}
    if unknown:
        got = ", ".join(map(repr, sorted(map(str, unknown))))
        raise ShapeError(where, "unknown export_options", got=got, expected="tensor_format")
    found: str | None = options.get("tensor_format")
    if found is not None:
        check_choice(where, "tensor_format", found, ("npy",))
    return found


def checked_word(where: str, name: str, value: Any) -> str:
    """Raises: TypeError, ValueError (MS304) for what cannot stand in a file's name."""
    check_type(where, name, value, str)
    if not all(letter.isascii() and (letter.isalnum() or letter in "._-") for letter in value):
        expected = "letters, digits, '.', '_' and '-'"
        raise ShapeError(where, f"{name} cannot be part of a file's name", got=repr(value),
                         expected=expected)  # fmt: skip
    return str(value)


class SummaryRecord:
    """Writes summaries to an event file in `log_dir`, which TensorBoard opens as it is.

    One at a time. num_process is accepted: this process writes. max_file_size None is 1 GiB.
    """

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, Any] | None = None,
    ) -> None:
        where = type(self).__name__
        if pending.OPEN:
            raise RefusedError(
                where, "there is one already that is not closed", got=pending.OPEN[0].log_dir,
                advice="with SummaryRecord(...) as record: closes it, as record.close() does",
            )  # fmt: skip
        prefix = checked_word(where, "file_prefix", file_prefix)
        suffix = checked_word(where, "file_suffix", file_suffix)
        check_type(where, "raise_exception", raise_exception, bool)
        check_int(where, "num_process", num_process, 1)
        if max_file_size is not None:
            check_int(where, "max_file_size", max_file_size, 0)
        if network is not None:
            check_type(where, "network", network, Cell)
        self._export = checked_options(where, export_options)
        folder = Path(made_folder(where, log_dir))
        seconds = int(time.time())
        path = folder / event_file_name(prefix, suffix, seconds)
        self._exports = folder / f"export_{seconds}"
        self._file = EventFile(path, max_file_size or None, raise_exception)
        self._network, self._mode, self._closed = network, "train", False
        self._values: dict[tuple[str, str], Array] = {}
        pending.taken()
        pending.OPEN.append(self)
        atexit.register(self.close)

    def __enter__(self) -> SummaryRecord:
        if self._closed:
            raise ShapeError("SummaryRecord", "it is closed", advice="make another one")
        return self

    def __exit__(self, *err: object) -> None:
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the event file."""
        return str(self._file.path)

    def set_mode(self, mode: str) -> None:
        """Of 'eval', what summary operators tell is not recorded."""
        check_choice("SummaryRecord.set_mode", "mode", mode, ("train", "eval"))
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Keeps a value for the next `record`; of one name the newest.

        Raises: TypeError, ValueError (MS304) for a value that the plugin cannot show
        """
        where = "SummaryRecord.add_value"
        if plugin in LINEAGE or plugin == "LANDSCAPE":
            raise SingleProcessError(
                "MS301", where, f"{plugin} is written for MindInsight, which there is none of",
                advice="SummaryCollector keeps settings and results; msconvert runs shows them",
            )  # fmt: skip
        check_choice(where, "plugin", plugin, pending.PLUGINS)
        array = pending.checked(where, plugin, name, value).asnumpy()
        self._values[plugin, name] = np.array(array)

    def record(
        self,
        step: int,
        train_network: Cell | None = None,
        plugin_filter: Callable[[str], bool] | None = None,
    ) -> bool:
        """Writes what was added and told since; False if it is closed."""
        check_int("SummaryRecord.record", "step", step)
        if self._closed:
            log.error("SummaryRecord is closed, and records nothing.")
            return False
        graph = self._graph(train_network)
        told = pending.taken()
        if self._mode == "train":
            self._values |= told
        values, self._values = self._values, {}
        kept = {k: v for k, v in values.items() if plugin_filter is None or plugin_filter(k[0])}
        made = [MAKERS[plugin](name, array) for (plugin, name), array in kept.items()]
        self._file.add(step, made, graph)
        self._export_tensors(step, kept)
        return True

    def _graph(self, train_network: Cell | None) -> bytes:
        """The graph of the network, once it has run in graph mode."""
        for network in (self._network, train_network if self._network is not None else None):
            found = b"" if network is None else graph_of(network)
            if found:
                self._network = None
                return found
        return b""

    def _export_tensors(self, step: int, values: dict[tuple[str, str], Array]) -> None:
        if self._export is None:
            return
        for (plugin, name), array in values.items():
            if plugin == "tensor":
                folder = self._exports / "tensor"
                folder.mkdir(parents=True, exist_ok=True)
                np.save(folder / f"{name.replace('/', '_')}_{step}.npy", array)

    def flush(self) -> None:
        """Has the system write what it holds."""
        if self._closed:
            log.error("SummaryRecord is closed, and cannot flush.")
        else:
            self._file.flush()

    def close(self) -> None:
        """Closes the file. A second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self._file.close()
        pending.OPEN.remove(self)
        pending.taken()
