"""Who looks on and dumps: each operator's tensors, iteration by iteration, then the parameters.

An iteration begins where an outermost cell is called that was called in this one already, or after
the optimizer: a step of a training, or a call of a network. With MindSpore it is a run of a graph,
which is the same where a step is one graph.
"""

from __future__ import annotations

import atexit
import os
from typing import Any

import numpy as np

from .. import log
from ..engine.observation import Arrays, Called, Place, Predicted, watching
from ..profiler.layers import is_optimizer
from .files import Files
from .marks import is_marked
from .naming import Names, arguments_of, type_of
from .patterns import Pattern, is_found
from .settings import ALL, KERNELS, OVERFLOW, VARIABLE, DumpSettings, read_settings

DEVICE = 0
PARAMETER = "Parameter"


class Dumper:
    """Dumps what its settings, read when the first operator runs, ask for."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.process = os.getpid()
        self.iteration = 0
        self.roots: dict[int, Any] = {}
        self.names, self.order = Names(), list[str]()
        self.given: dict[str, np.ndarray] = {}
        self.is_stepped = False
        self.used: set[int] = set()
        self._ready: tuple[DumpSettings, Files] | None = None

    @property
    def ready(self) -> tuple[DumpSettings, Files]:
        """What is asked for, and where it goes. Raises: DumpConfigError"""
        if self._ready is None:
            settings = read_settings(self.file)
            self._ready = settings, Files(settings)
            if DEVICE not in settings.devices:
                devices = ", ".join(map(str, settings.devices)) or "none"
                log.warning("Nothing is dumped: support_device is %s; here is device 0.", devices)
                self._ready[1].is_stopped = self._ready[1].is_full = True
            self._ready[1].begin()
            self.enter()
            atexit.register(self.finish)
        return self._ready

    # what the observation calls

    def entered(self, cell: Any, place: Place, arrays: Arrays, held: Arrays) -> None:
        if len(place.cells) != 1 or place.backward:
            self.is_stepped = self.is_stepped or is_optimizer(cell)
            return
        _, files = self.ready
        if is_optimizer(cell):
            self.is_stepped = True
        elif self.is_stepped or id(cell) in self.roots:
            self.leave()
            self.iteration += 1
            self.enter()
        self.roots[id(cell)] = cell
        if not files.is_stopped and not is_optimizer(cell):
            present = [x for x in arrays if x is not None]
            for name, x in zip(arguments_of(cell, len(present)), present, strict=True):
                self.given.setdefault(name, x)

    def called(self, call: Called) -> None:
        settings, files = self.ready
        if files.is_stopped or not settings.wants(self.iteration):
            return
        kind = type_of(call)
        name = self.names.of(kind, call)
        self.order.append(name)
        if not self.is_wanted(settings, kind, name, call):
            return
        for io, wanted, arrays in (
            ("input", settings.inputs, call.inputs),
            ("output", settings.outputs, call.outputs),
        ):
            for slot, array in enumerate(arrays if wanted else ()):
                if array is not None:
                    files.tensor(kind, name, io, slot, array)

    def lost(self, loss: np.ndarray, place: Place) -> None:
        """A loss ends no iteration: what follows from it belongs to it."""

    def predicted(self, given: Predicted) -> None:
        """What a loss gets was dumped as what an operator gave."""

    # iterations

    def enter(self) -> None:
        settings, files = self.ready
        if settings.wants(self.iteration) and not files.is_stopped:
            files.enter(self.iteration)

    def leave(self) -> None:
        """Writes what belongs to the end of an iteration: parameters, and figures."""
        settings, files = self.ready
        if settings.wants(self.iteration) and not files.is_stopped:
            files.order(self.order)
            if settings.outputs and settings.debug != OVERFLOW:
                self.write_parameters(settings, files)
        files.flush()
        self.roots.clear()
        self.given.clear()
        self.is_stepped, self.order, self.names = False, [], Names()

    def finish(self) -> None:
        """At the end of the run. A process that was forked off has none of its own."""
        if self._ready is None or self.process != os.getpid():
            return
        self.leave()
        settings, _ = self._ready
        for k, kernel in enumerate(settings.kernels if settings.mode == KERNELS else ()):
            if k not in self.used:
                text = kernel if isinstance(kernel, str) else kernel.pattern
                log.warning("Dump: no operator is what `kernels` asks for: %s", text)

    def write_parameters(self, settings: DumpSettings, files: Files) -> None:
        found = dict(self.given)
        for root in self.roots.values():
            for parameter in root.get_parameters():
                found.setdefault(parameter.name, parameter.asnumpy())
        for name, array in found.items():
            mode = settings.mode
            if mode == ALL or (mode == KERNELS and self.matches(settings, PARAMETER, name)):
                files.tensor(PARAMETER, name.replace(".", "_"), "output", 0, array)

    # what is asked for

    def is_wanted(self, settings: DumpSettings, kind: str, name: str, call: Called) -> bool:
        if settings.debug == OVERFLOW and all(map(is_finite, call.outputs)):
            return False
        if settings.mode == ALL:
            return True
        if settings.mode == KERNELS:
            return not settings.kernels or self.matches(settings, kind, name)
        return is_marked(call.place.cells)

    def matches(self, settings: DumpSettings, kind: str, name: str) -> bool:
        """Whether one of `kernels` names it: wholly, by a part of its type, or by a pattern."""
        lowered, of_kind = name.lower(), kind.lower()
        found = False
        for k, kernel in enumerate(settings.kernels):
            if isinstance(kernel, Pattern):
                fits = is_found(kernel, name)
            else:
                fits = kernel == lowered or ("/" not in kernel and kernel in of_kind)
            if fits:
                self.used.add(k)
            found = found or fits
        return found


def is_finite(array: np.ndarray | None) -> bool:
    if array is None or array.dtype.kind not in "fcV":
        return True
    return bool(np.all(np.isfinite(array.astype(np.float32) if array.dtype.kind == "V" else array)))


def start() -> None:
    """Dumps from now on in this thread, if the environment asks for it."""
    file = os.environ.get(VARIABLE, "")
    if file and watching.observer is None:
        watching.observer = Dumper(file)
        watching.active = True
