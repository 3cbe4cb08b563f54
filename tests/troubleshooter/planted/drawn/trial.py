"""What a ported network gives on the runtime, run by itself: whether a mistake shows at all."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from msconvert.runtime.alias import answer_mindspore

from ..fault import Array, Weights

LEAST = 1e-3
"""What is off by less of its largest element is no mistake that anybody would look for."""


@dataclass(frozen=True)
class Trial:
    """Runs sources beside one another, with the same weights and inputs."""

    folder: Path
    weights: Weights
    inputs: tuple[Array, ...]

    def network(self, text: str) -> Any:
        answer_mindspore()
        space: dict[str, Any] = {"__name__": "tried"}
        with beside(self.folder):
            exec(compile(text, "tried.py", "exec"), space)  # of this project's own tests
            return space["build"]()

    def results(self, text: str, weights: Weights) -> list[Array]:
        """Raises: whatever the network raises"""
        import msconvert.runtime as ms

        network = self.network(text)
        own = {
            name: ms.Parameter(ms.Tensor(np.array(x, order="C")), name=name)
            for name, x in weights.items()
        }
        held = {p.name: p for p in network.get_parameters()}
        for name, parameter in own.items():
            if name in held:
                held[name].set_data(parameter)
        network.set_train(False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = network(*[ms.Tensor(x) for x in self.inputs])
        found = found if isinstance(found, (tuple, list)) else [found]
        return [x.asnumpy() for x in found]

    def shows(self, plain: list[Array], text: str, weights: Weights) -> bool:
        """Whether the source runs, and gives other numbers of the same shapes."""
        try:
            found = self.results(text, weights)
        except Exception:  # noqa: BLE001  what is drawn at random may fail in any way
            return False
        if [x.shape for x in found] != [x.shape for x in plain]:
            return False
        if not all(np.isfinite(x).all() for x in found):
            return False
        return any(off(x, y) > LEAST for x, y in zip(plain, found, strict=True))


def off(x: Array, y: Array) -> float:
    x, y = x.astype(np.float64), y.astype(np.float64)
    return float(np.abs(x - y).max(initial=0.0)) / (float(np.abs(x).max(initial=0.0)) or 1.0)


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
