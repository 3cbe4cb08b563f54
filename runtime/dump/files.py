"""The folders and files of a dump, as MindSpore lays them out.

`PATH/rank_0/NET/0/ITERATION/*.npy` and `statistic.csv` there; `.dump_metadata` has the settings,
`execution_order` the operators of an iteration in order, and the iterations that were dumped.
"""

from __future__ import annotations

import csv
import io
import json
import time
from pathlib import Path

import numpy as np

from .. import log
from .figures import HEAD, figures
from .naming import dtype_of, file_name
from .settings import COLUMNS, LIMIT, DumpSettings

VERSION = "2.10.0"
"""The MindSpore whose layout it is."""


ROW = 300
"""Bytes of a row of figures, or of what a file takes besides its array."""


class Files:
    """Writes tensors; where it cannot, that is told once, and the run goes on without."""

    def __init__(self, settings: DumpSettings) -> None:
        self.settings = settings
        self.rank = Path(settings.folder) / "rank_0"
        self.iteration = 0
        self.last = 0
        self.is_stopped = self.is_full = False
        self.bytes = 0
        self.rows: list[list[str]] = []

    def begin(self) -> None:
        """Writes what stands beside the dump."""
        about = {"device_target": "CPU", "ms_version": VERSION}
        self.text(".dump_metadata/config.json", json.dumps(about, separators=(",", ":")))
        self.text(".dump_metadata/data_dump.json", self.settings.text)

    def enter(self, iteration: int) -> None:
        self.iteration = iteration
        self.text("execution_order/ms_global_execution_order_graph_0.csv", f"{iteration}\n", "a")

    def order(self, names: list[str]) -> None:
        lines = ["NodeExecutionOrder-FullNameWithScope", *names]
        self.text("execution_order/ms_execution_order_graph_0.csv", "\n".join(lines) + "\n")

    @property
    def folder(self) -> Path:
        return self.rank / self.settings.net / "0" / str(self.iteration)

    def moment(self) -> int:
        """Microseconds since 1970, each later than the one before: they say the order."""
        self.last = max(time.time_ns() // 1000, self.last + 1)
        return self.last

    def tensor(self, kind: str, name: str, io: str, slot: int, array: np.ndarray) -> None:
        """Writes a tensor, its figures, or both."""
        if self.is_stopped or not self.has_room(array):
            return
        moment, dtype = self.moment(), dtype_of(array)
        if self.settings.saved != "statistic":
            file = file_name(kind, name, moment, f"{io}.{slot}", dtype)
            self.write(file, sampled(storable(array), self.settings.sampled))
        if self.settings.saved != "tensor":
            flat = name.replace("/", "_")
            shape = "(" + ",".join(map(str, array.shape)) + ")"
            place = [kind, flat, "0", "0", str(moment), io, str(slot)]
            what = [str(array.nbytes), dtype, shape]
            self.rows.append([*place, *what, *figures(array, self.settings.categories)])

    def has_room(self, array: np.ndarray) -> bool:
        """Whether what is to be written stays below the limit; else no more is."""
        self.bytes += ROW if self.settings.saved == "statistic" else array.nbytes + ROW
        if self.bytes > self.settings.most:
            self.stop(f"{self.settings.most:,} bytes are written, and {LIMIT} allows no more")
        return not self.is_stopped

    def flush(self) -> None:
        """Writes the figures of an iteration."""
        rows, self.rows = self.rows, []
        if not rows:
            return
        file = f"{self.settings.net}/0/{self.iteration}/statistic.csv"
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        if not (self.rank / file).exists():
            table.writerow([*HEAD, *(COLUMNS[name] for name in self.settings.categories)])
        table.writerows(rows)
        self.text(file, text.getvalue(), "a")

    # what may fail

    def write(self, file: str, array: np.ndarray) -> None:
        path = self.folder / file
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                np.save(stream, array, allow_pickle=False)
        except OSError as error:
            remove(path)  # a file that is not whole is none
            self.fail(error)

    def text(self, file: str, text: str, mode: str = "w") -> None:
        if self.is_full:
            return
        path = self.rank / file
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open(mode, encoding="utf-8") as stream:
                stream.write(text)
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> None:
        """Nothing can be written any more, no text either."""
        if not self.is_stopped:
            self.stop(error)
        self.is_full = True

    def stop(self, reason: OSError | str) -> None:
        self.is_stopped = True
        log.warning("Nothing more is dumped to %s: %s. The run goes on.", self.rank, reason)


def remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # told already, with the reason for both
        return


def storable(array: np.ndarray) -> np.ndarray:
    """bfloat16 is no element type of NumPy's files; MindSpore's dumps, too, have float32 then."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def sampled(array: np.ndarray, count: int) -> np.ndarray:
    """Elements from both ends, where there are more than `count`; 0: all of the array."""
    flat = array.reshape(-1)
    if count == 0 or flat.size <= count:
        return array
    half = count // 2
    return np.concatenate([flat[: count - half], flat[flat.size - half :]])
