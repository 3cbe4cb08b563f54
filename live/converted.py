"""A conversion that is kept: its files wait in a folder of its own until they are wanted."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np

from ..converter.conversion_report import ConversionReport
from ..converter.convert import Options
from ..converter.convert import convert as convert_file
from ..converter.outputs import Outputs
from ..errors import MsconvertError
from ..formats.storage.atomic import Transaction
from .folder import Folder

Array = np.ndarray[Any, Any]
Progress = Callable[[str], None]
Weights = Callable[[], dict[str, Array]]

_numbers = count(1)


def silent(step: str) -> None:
    """What is told the steps where nobody asks for them."""


@dataclass(frozen=True)
class Converted:
    """A converted model: `report` says what became of it.

    `original` gives the arrays of a live module by their names; the network that is built shares
    them where they are its own weights.
    """

    report: ConversionReport
    folder: Folder = field(repr=False)
    files: Outputs = field(repr=False)
    original: Weights = field(repr=False, default=dict)

    @property
    def ok(self) -> bool:
        """Whether all of the model is converted, and agrees with it if it was compared."""
        return self.report.ok

    @property
    def script(self) -> str:
        """The text of the script."""
        return self.files.script.read_text(encoding="utf-8")

    def build(self, *, copy: bool = False) -> Any:
        """A new network with its weights, in inference mode: a Cell of what the script imports.

        Of a live module it shares the arrays of weights that are the module's own, unless `copy`.
        """
        network = imported(self.files.script).load()
        if not copy:
            for parameter, array in self._shared(network):
                parameter.assign_value(array)
        return network

    def _shared(self, network: Any) -> Iterator[tuple[Any, Array]]:
        """The network's parameters that an array of the original is, to the bit."""
        arrays = self.original()
        sources = dict(self._sources())
        for name, parameter in network.parameters_dict().items():
            for array in (arrays.get(name), arrays.get(sources.get(name, ""))):
                if array is not None and _is_same(parameter.asnumpy(), array):
                    yield parameter, array
                    break

    def _sources(self) -> Iterator[tuple[str, str]]:
        """The names of parameters, and of the weights of the original that they are."""
        for entry in json.loads(self.files.weight_map.read_text(encoding="utf-8")):
            source = entry["source_weight"]
            if isinstance(source, dict):
                yield entry["converted_weight"]["name"], source["name"]

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> ConversionReport:
        """Writes the files that the command writes, all or none; the report with their paths.

        Raises: MS107 if one exists and `force` is not set, or cannot be written
        """
        kept = [Path(path) for path in self.report.files]
        new = {path: Path(folder, path.name) for path in kept}
        report = replace(self.report, files=tuple(map(str, new.values())))
        texts = {self.files.report_text: report.to_text(), self.files.report_json: report.to_json()}
        with Transaction(force=force) as transaction:
            for path, target in new.items():
                if path in texts:
                    transaction.write_text(target, texts[path])
                else:
                    copied(path, transaction.open(target))
        return report


def copied(path: Path, stream: BinaryIO) -> None:
    """Writes the content of a file into the stream, and closes it."""
    with path.open("rb") as source, stream:
        shutil.copyfileobj(source, stream, 1 << 20)


def _is_same(held: Array, array: Array) -> bool:
    """Whether a parameter may have the other array as its own."""
    alike = held.dtype == array.dtype and held.shape == array.shape
    return alike and array.flags.c_contiguous and held.tobytes() == array.tobytes()


def kept(options: Options, folder: Folder, progress: Progress = silent) -> Converted:
    """The conversion of `options.model_file`, its files under `folder`.

    Raises: MsconvertError, MS101 to MS110
    """
    output = folder.path / "converted"
    options = replace(options, output=output, report=None)
    report = convert_file(options, progress)
    files = Outputs.of(options.model_file, output, output, options.weights_format)
    return Converted(report, folder, files)


def imported(script: Path) -> ModuleType:
    """A script as a module that no other import finds. Raises: MS903 for what it imports"""
    module = ModuleType(f"{script.stem}_converted_{next(_numbers)}")
    module.__file__ = str(script)
    try:
        exec(compile(script.read_bytes(), script, "exec"), module.__dict__)
    except ModuleNotFoundError as error:
        advice = 'target="bundled", or write the files and run them where it is installed'
        problem = "it is not installed, and the script imports it"
        raise MsconvertError("MS903", error.name or "", problem, advice=advice) from error
    return module
